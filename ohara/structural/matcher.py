"""Matches one pattern against texts, in this process: for the workers, whom a text may cost their life.

A pattern that does not parse is refused: ast-grep itself takes `foo(` for a pattern that nothing matches.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from zlib import crc32

from ast_grep_py import SgRoot

from ohara.query.structure import METAVARIABLE, as_plain_code
from ohara.structural.grammars import contexts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ast_grep_py import Config, SgNode

_LETTER = "\u00b5"

# Languages in which what begins at the left margin behind an empty line is a definition, or stands inside of
# something that is then not closed.
_CUT = frozenset({"c", "go", "java", "javascript", "python", "rust", "tsx", "typescript"})
_GOES_ON = "as|case|catch|default|elif|else|except|finally|in|instanceof|of|satisfies|while"
_BEGINNING = re.compile(rf"\n[ \t]*\n(?!(?:{_GOES_ON})\b)([A-Za-z_@][^\n]*)")
_CLASS = re.compile(r"(?:@[^\n]*\n)*class ")
_METHOD = re.compile(r"\n[ \t]*\n(    (?:@|def |async def )[^\n]*)")
_CLASS_HEAD = "class _:\n"
# Kinds of Python's nodes that hold no class, so that it may be cut between its methods.
_INSIDE_OF_METHODS = frozenset(
    [
        "assert_statement",
        "assignment",
        "attribute",
        "await",
        "binary_operator",
        "boolean_operator",
        "call",
        "comparison_operator",
        "conditional_expression",
        "decorator",
        "delete_statement",
        "except_clause",
        "identifier",
        "import_from_statement",
        "import_statement",
        "lambda",
        "list_comprehension",
        "not_operator",
        "raise_statement",
        "return_statement",
        "string",
        "subscript",
        "unary_operator",
    ]
)
_BROKEN = {"rule": {"any": [{"kind": "ERROR"}, {"regex": "^$"}]}}  # empty: a node that the parser made up
_SMALL_PIECE, _LARGE_PIECE, _ONE_IN = 2_000, 16_000, 3
_KEPT_PIECES = 100_000


class Unparsable(Exception):
    """The pattern is no code in this language; says why."""


class NodeMatch(NamedTuple):
    """Where a pattern matches: lines and columns from 0, the end exclusive; what its names stand for."""

    first_line: int
    first_column: int
    last_line: int
    last_column: int
    text: str
    captures: tuple[tuple[str, str], ...]


def compile_pattern(pattern: str, where: Mapping[str, str], language: str) -> dict[str, Any]:
    """The rule that finds a pattern in a language; Unparsable when it is no code there.

    The same text may be one thing in a function and another outside of it: it is looked for as all of them.
    """
    rules = (
        _rules(pattern, language)
        or _rules(f"{pattern};", language)  # a declaration that its semicolon belongs to
        or _rules(pattern.removesuffix(";"), language)  # or one that it does not
    )
    if not rules:
        raise Unparsable(f"it does not parse as {language}")
    compiled: dict[str, Any] = {"rule": {"any": rules}}
    if where:
        compiled["constraints"] = {name: {"regex": regex} for name, regex in where.items()}
    check_rule(compiled, language)
    return compiled


def _rules(pattern: str, language: str) -> list[dict[str, Any]]:
    """One rule for each tree that a pattern may be, by where it stands."""
    rules: dict[object, dict[str, Any]] = {}
    for before, after in contexts(language):
        for plain in as_plain_code(pattern):
            text = f"{before}{plain}{after}"
            root = SgRoot(text, language).root()
            node = None if root.find(kind="ERROR") is not None else _node_of(root, plain)
            if node is None or _has_missing(root):
                continue
            written = {"context": f"{before}{pattern}{after}", "selector": node.kind()}
            rule = {"pattern": written if before or after else pattern}
            if _works(rule, text, plain, language):
                rules.setdefault(_shape(f"{before}{pattern}{after}", pattern, language), rule)
                break
    return list(rules.values())


def check_rule(rule: Mapping[str, Any], language: str) -> None:
    """Refuse a rule that ast-grep cannot read."""
    try:
        SgRoot("", language).root().find_all(cast("Config", rule))
    except RuntimeError as error:
        raise Unparsable(_cause(error)) from error


def matches(text: str, rule: Mapping[str, Any], language: str, names: tuple[str, ...]) -> list[NodeMatch]:
    """Every match of a compiled rule in a text, in order; of nodes that are the same text, one."""
    return _found(SgRoot(text, language).root(), rule, names)


def _found(root: SgNode, rule: Mapping[str, Any], names: tuple[str, ...]) -> list[NodeMatch]:
    found: dict[tuple[int, int, int, int], NodeMatch] = {}
    for node in root.find_all(cast("Config", rule)):
        match = _match(node, names)
        found.setdefault(match[:4], match)
    return list(found.values())


class PieceMatcher:
    """Matches a pattern in many versions of the same files, parsing again only what differs.

    A file is cut where a definition begins behind an empty line, and a large class between its methods. Where
    every piece is whole code by itself, the file is these pieces one after the other, and what matches in a
    piece that was seen before is known. Where one is not (it ends inside of a text or a bracket), the file is
    parsed as a whole.
    """

    def __init__(self, rule: Mapping[str, Any], language: str, names: tuple[str, ...]) -> None:
        self._rule = rule
        self._language = language
        self._names = names
        self._known: dict[bytes, list[NodeMatch] | None] = {}
        self._cuts_classes = language == "python" and not _may_be_a_class(rule, language)

    def matches(self, text: str) -> list[NodeMatch]:
        """Every match in a text, in order."""
        pieces = self._pieces(text)
        if len(pieces) == 1:
            return matches(text, self._rule, self._language, self._names)
        found: list[NodeMatch] = []
        line = 0
        for above, piece in pieces:
            here = self._of_piece(above + piece)
            if here is None:
                return matches(text, self._rule, self._language, self._names)
            moved = line - above.count("\n")
            found += [_moved(match, moved) for match in here]
            line += piece.count("\n")
        return found

    def _pieces(self, text: str) -> list[tuple[str, str]]:
        """The pieces of a text in order, each behind what must stand above it to be parsed."""
        if self._language not in _CUT:
            return [("", text)]
        pieces: list[tuple[str, str]] = []
        for piece in cut(text, _BEGINNING):
            inside = cut(piece, _METHOD) if self._cuts_classes and _CLASS.match(piece) else [piece]
            pieces += [("" if at == 0 else _CLASS_HEAD, each) for at, each in enumerate(inside)]
        return pieces

    def _of_piece(self, piece: str) -> list[NodeMatch] | None:
        """What matches in a piece; None when it is not whole code by itself."""
        name = blake2b(piece.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if name not in self._known:
            if len(self._known) >= _KEPT_PIECES:
                self._known.clear()
            root = SgRoot(piece, self._language).root()
            is_whole = root.find(cast("Config", _BROKEN)) is None
            self._known[name] = _found(root, self._rule, self._names) if is_whole else None
        return self._known[name]


def cut(text: str, beginning: re.Pattern[str]) -> list[str]:
    """A text cut at beginnings of definitions, at the same ones in every version of it.

    Where to cut depends on the line that begins there, so that a change moves only the cuts beside it.
    """
    pieces: list[str] = []
    start = 0
    for found in beginning.finditer(text):
        size = found.end() - start
        if size >= _LARGE_PIECE or (size >= _SMALL_PIECE and crc32(found[1].encode()) % _ONE_IN == 0):
            pieces.append(text[start : found.start(1)])
            start = found.start(1)
    return [*pieces, text[start:]]


def _may_be_a_class(rule: Mapping[str, Any], language: str) -> bool:
    """Whether what a rule of patterns finds may be a class, or something around one."""
    for each in rule["rule"]["any"]:
        pattern = each["pattern"]
        if isinstance(pattern, dict):
            kind = pattern["selector"]
        else:
            node = _node_of(
                SgRoot(pattern.replace("$", _LETTER), language).root(), pattern.replace("$", _LETTER)
            )
            kind = node.kind() if node is not None else ""
        if kind not in _INSIDE_OF_METHODS:
            return True
    return False


def _moved(match: NodeMatch, lines: int) -> NodeMatch:
    return match._replace(first_line=match.first_line + lines, last_line=match.last_line + lines)


def names_in(pattern: str) -> tuple[str, ...]:
    """The names of a pattern's metavariables, without `$`; those of several nodes begin with `$$`."""
    found = dict.fromkeys(METAVARIABLE.findall(pattern))
    return tuple(
        f"$${each[3:]}" if each.startswith("$$$") else each.lstrip("$")
        for each in found
        if each.lstrip("$").lstrip("_")
    )


def _match(node: SgNode, names: tuple[str, ...]) -> NodeMatch:
    at = node.range()
    captures: list[tuple[str, str]] = []
    for name in names:
        if name.startswith("$$"):
            several = node.get_multiple_matches(name[2:])
            if several:
                captures.append((name[2:], " ".join(each.text() for each in several)))
        elif (one := node.get_match(name)) is not None:
            captures.append((name, one.text()))
    return NodeMatch(at.start.line, at.start.column, at.end.line, at.end.column, node.text(), tuple(captures))


def _has_missing(root: SgNode) -> bool:
    """Whether the parser made up a token that is not there, as it does at the end of `foo(`."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_leaf() and not node.text() and node.kind() not in _EMPTY_LEAVES:
            return True
        stack.extend(node.children())
    return False


# What grammars end lines with: nodes that are there and hold no text.
_EMPTY_LEAVES = frozenset(
    {"_newline", "_dedent", "_indent", "automatic_semicolon", "block", "module", "program"}
)


def _node_of(root: SgNode, text: str) -> SgNode | None:
    """The innermost node that is just this text."""
    wanted = text.strip()
    found: SgNode | None = None
    queue = [root]
    while queue:
        node = queue.pop(0)
        if node.is_named() and wanted in node.text():
            found = node if node.text().strip() == wanted else found
            queue.extend(node.children())
    return found


def _shape(text: str, pattern: str, language: str) -> object:
    """The tree of a pattern as ast-grep reads it, which puts a letter in place of each dollar."""
    root = SgRoot(text.replace("$", _LETTER), language).root()
    node = _node_of(root, pattern.replace("$", _LETTER))
    return _kinds(node) if node is not None else text


def _kinds(node: SgNode) -> object:
    return (node.kind(), tuple(map(_kinds, node.children())))


def _works(rule: Mapping[str, Any], text: str, plain: str, language: str) -> bool:
    """Whether a rule finds its own pattern where it was written."""
    try:
        found = SgRoot(text, language).root().find_all(cast("Config", {"rule": rule}))
    except RuntimeError:
        return False
    return any(node.text().strip() == plain.strip() for node in found)


def _cause(error: RuntimeError) -> str:
    """What ast-grep says of a rule, without the trace of its own code."""
    told = [line.strip() for line in str(error).split("Stack backtrace")[0].splitlines() if line.strip()]
    return told[-1].partition(": ")[2].replace(_LETTER, "$") or told[-1] if told else "it cannot be read"
