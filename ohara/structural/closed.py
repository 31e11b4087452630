"""Whether some code opens nothing that it does not close, as far as can be seen without parsing it. Pure."""

from __future__ import annotations

import re

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
    if language not in _TOKENS:
        return False
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
