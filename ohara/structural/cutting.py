"""Cuts a file into pieces that may each be parsed alone: definitions, the methods of a class, runs of them.

Where to cut depends on nothing but the lines around it, so that two versions of a file have the pieces in
common that did not change. That a piece is whole code is not known here: it may begin inside of a text or of
a bracket. Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Words that go on with what stands above the empty line before them.
_GOES_ON = "as|case|catch|default|elif|else|except|extends|finally|in|instanceof|of|satisfies|while"
_COMMENTS = r"(?:(?://[^\n]*+\n|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/[ \t]*\n)[ \t\n]*+)*+"
_DEFINITION = re.compile(rf"\n\n++(?={_COMMENTS}(?!(?:{_GOES_ON})\b)[A-Za-z_@])")
_DEFINITION_OR_DIRECTIVE = re.compile(rf"\n\n++(?={_COMMENTS}(?!(?:{_GOES_ON})\b)[A-Za-z_@#])")
_INDENTED = re.compile(rf"\n\n++(?!(?:{_GOES_ON})\b)(?=[A-Za-z_@])")
_BEGINNINGS = {
    "c": _DEFINITION_OR_DIRECTIVE,
    "go": _DEFINITION,
    "java": _DEFINITION,
    "javascript": _DEFINITION,
    "python": _INDENTED,
    "rust": _DEFINITION_OR_DIRECTIVE,
    "tsx": _DEFINITION,
    "typescript": _DEFINITION,
}
_CONDITION = re.compile(r"#[ \t]*(?:(if)|endif)[^\n]*\n?")
_END_CONDITION = "#endif\n"
_CLASS = re.compile(r"(?:@[^\n]*\n)*class ")
_METHOD = re.compile(r"\n\n++(?=    (?:@|def |async def |class ))")
_CLASS_HEAD = "class _:\n"


class Piece(NamedTuple):
    """Lines of a file, and what must stand above and below them to parse them alone."""

    text: str
    above: str = ""
    below: str = ""

    @property
    def code(self) -> str:
        """What is parsed; its last line ends."""
        end = "" if self.text.endswith("\n") else "\n"
        return f"{self.above}{self.text}{end}{self.below}"

    @property
    def lines(self) -> int:
        """How many lines end in it."""
        return self.text.count("\n")

    @property
    def lines_above(self) -> int:
        """How many lines stand above the file's own."""
        return self.above.count("\n")


def cut(text: str, language: str) -> list[Piece]:
    """A file's pieces on the outermost level, in order."""
    beginning = _BEGINNINGS.get(language)
    if beginning is None:
        return [Piece(text)]
    ends = [found.end() for found in beginning.finditer(text)]
    if language == "c" and "#" in text:
        return list(_between_conditions(text, ends))
    return list(map(Piece, _between(text, ends)))


def cut_class(text: str) -> list[Piece]:
    """The head and the methods of a class in Python; of any other code, it alone."""
    ends = [found.end() for found in _METHOD.finditer(text)] if _CLASS.match(text) else []
    if ends and text[: ends[0]].rstrip().endswith(":"):
        del ends[0]  # a head without a body is no code
    return [Piece(each, _CLASS_HEAD if at else "") for at, each in enumerate(_between(text, ends))]


def _between(text: str, ends: Sequence[int]) -> Iterator[str]:
    start = 0
    for end in ends:
        yield text[start:end]
        start = end
    yield text[start:]


def _between_conditions(text: str, ends: Sequence[int]) -> Iterator[Piece]:
    """Pieces that hold `#if` together with its `#endif`; in a file that is all one `#if`, inside of that."""
    conditions = list(_CONDITION.finditer(text))
    depths: list[int] = []
    depth = passed = 0
    for end in ends:
        while passed < len(conditions) and conditions[passed].start() < end:
            depth += 1 if conditions[passed][1] else -1
            passed += 1
        depths.append(depth)
    outermost = 1 if conditions and _is_guarded(depths, ends, conditions[0].start()) else 0
    pieces = list(_between(text, [end for end, each in zip(ends, depths, strict=True) if each == outermost]))
    if not outermost:
        yield from map(Piece, pieces)
        return
    guard = conditions[0][0].rstrip("\n") + "\n"
    for at, each in enumerate(pieces):
        yield Piece(each, guard if at else "", _END_CONDITION if at + 1 < len(pieces) else "")


def _is_guarded(depths: Sequence[int], ends: Sequence[int], first: int) -> bool:
    """Whether all that stands below the first condition is inside of it."""
    below = [depth for depth, end in zip(depths, ends, strict=True) if end > first]
    return bool(below) and min(below) == 1


# -- what is closed ------------------------------------------------------------------------------

_QUOTED = r"""'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+\""""
_COMMENT = r"//[^\n]*+|/\*.*?\*/"
_THRICE = r"""\"{3}(?:\\.|.)*?\"{3}|'{3}(?:\\.|.)*?'{3}"""
_BRACKETS = {")": "(", "]": "[", "}": "{"}


def _tokens(*complete: str, opening: str) -> re.Pattern[str]:
    """Texts and comments that end, how those begin that do not, and brackets."""
    return re.compile(rf"{'|'.join(complete)}|(?P<open>{opening})|[()\[\]{{}}]", re.DOTALL)


_SCRIPT = _tokens(_COMMENT, r"`(?:[^`\\]|\\.)*+`", _QUOTED, opening=r"`|/\*")
_TOKENS = {
    "c": _tokens(_COMMENT, _QUOTED, opening=r"/\*"),
    "go": _tokens(_COMMENT, r"`[^`]*+`", _QUOTED, opening=r"`|/\*"),
    "java": _tokens(_COMMENT, _THRICE, _QUOTED, opening=r'"""|/\*'),
    "javascript": _SCRIPT,
    "python": _tokens(r"#[^\n]*+", _THRICE, r"(?!\"{3}|'{3})(?:" + _QUOTED + ")", opening=r"\"{3}|'{3}"),
    "rust": _tokens(
        _COMMENT, r'r(?P<hashes>#+)".*?"(?P=hashes)', r'"(?:[^"\\]|\\.)*+"', r"'(?:[^'\\\n]|\\[^\n]{1,9})'",
        opening=r'"|/\*',
    ),
    "tsx": _SCRIPT,
    "typescript": _SCRIPT,
}  # fmt: skip


def is_closed(text: str, language: str) -> bool:
    """Whether every text, comment and bracket that begins in some code ends there, as far as can be seen."""
    opened: list[str] = []
    for token in _TOKENS[language].finditer(text):
        if token["open"]:
            return False
        if token[0] in _BRACKETS:
            if not opened or opened.pop() != _BRACKETS[token[0]]:
                return False
        elif len(token[0]) == 1:
            opened.append(token[0])
    return not opened
