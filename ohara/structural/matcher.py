"""Matches one pattern against texts, in this process: for the workers, whom a text may cost their life.

A pattern that does not parse is refused: ast-grep itself takes `foo(` for a pattern that nothing matches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ast_grep_py import SgRoot

from ohara.metavariables import METAVARIABLE, as_plain_code
from ohara.structural.found import Capture, Found
from ohara.structural.grammars import contexts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ast_grep_py import Config, SgNode

_LETTER = "\u00b5"
_ANY_DEPTH = 1_000_000


class Unparsable(Exception):
    """The pattern is no code in this language; says why."""


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
    check_rule(compiled, language)
    if where:
        compiled["constraints"] = {name: {"regex": regex} for name, regex in where.items()}
        try:
            check_rule(compiled, language)
        except Unparsable as error:
            raise Unparsable(f"a condition is no regular expression: {error}") from error
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
    except Exception as error:  # ast-grep raises that itself for a key that it does not know
        raise Unparsable(_cause(error)) from error


def matches(text: str, rule: Mapping[str, Any], language: str, names: tuple[str, ...]) -> list[Found]:
    """Every match of a compiled rule in a text, in order; of nodes that are the same text, one."""
    return found_in(SgRoot(text, language).root(), rule, names)


def found_in(root: SgNode, rule: Mapping[str, Any], names: tuple[str, ...]) -> list[Found]:
    """Every match of a compiled rule in a tree, in order."""
    return as_found(root.find_all(cast("Config", rule)), names)


def as_found(nodes: Iterable[SgNode], names: tuple[str, ...]) -> list[Found]:
    """Nodes that match, in order; of those that are the same text, one."""
    found: dict[tuple[int, int, int, int], Found] = {}
    for node in nodes:
        match = _match(node, names)
        found.setdefault(match[:4], match)
    return list(found.values())


class Shape(NamedTuple):
    """The kinds of node that a pattern may match, an empty one where that is not plain to see.

    Whether such a node matches does not depend on what is more than `depth` nodes below it.
    """

    kinds: frozenset[str]
    depth: int


def shape_of(rule: Mapping[str, Any], language: str) -> Shape:
    """What is known of the nodes that a compiled pattern, or a rule, may match."""
    if "any" not in rule["rule"]:
        return Shape(frozenset({""}), _ANY_DEPTH)
    kinds: set[str] = set()
    depth = 0
    for each in rule["rule"]["any"]:
        pattern = each["pattern"]
        whole = isinstance(pattern, dict)
        written = (pattern["context"] if whole else pattern).replace("$", _LETTER)
        root = SgRoot(written, language).root()
        node = root if whole else _node_of(root, written)
        if node is None or METAVARIABLE.fullmatch(str(pattern).strip()):
            return Shape(frozenset({""}), _ANY_DEPTH)
        kinds.add(pattern["selector"] if whole else node.kind())
        depth = max(depth, _depth(node))
        names = [name for name in METAVARIABLE.findall(written.replace(_LETTER, "$")) if name.strip("$_")]
        if len(names) > len(set(names)):
            depth = _ANY_DEPTH  # two texts must be the same, however large they are
    return Shape(frozenset(kinds), _ANY_DEPTH if "constraints" in rule else depth)


def _depth(node: SgNode) -> int:
    return max((1 + _depth(child) for child in node.children()), default=0)


def names_in(pattern: str) -> tuple[str, ...]:
    """The names of a pattern's metavariables, without `$`; those of several nodes begin with `$$`."""
    found = dict.fromkeys(METAVARIABLE.findall(pattern))
    return tuple(
        f"$${each[3:]}" if each.startswith("$$$") else each.lstrip("$")
        for each in found
        if each.lstrip("$").lstrip("_")
    )


def _match(node: SgNode, names: tuple[str, ...]) -> Found:
    at = node.range()
    captures: list[Capture] = []
    for name in names:
        if name.startswith("$$"):
            several = node.get_multiple_matches(name[2:])
            if several:
                captures.append(_capture(name[2:], several))
        elif (one := node.get_match(name)) is not None:
            captures.append(_capture(name, [one]))
    return Found(at.start.line, at.start.column, at.end.line, at.end.column, node.text(), tuple(captures))


def _capture(name: str, nodes: Sequence[SgNode]) -> Capture:
    start, end = nodes[0].range().start, nodes[-1].range().end
    text = " ".join(each.text() for each in nodes)
    return Capture(name, text, start.line, start.column, end.line, end.column)


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


def _cause(error: Exception) -> str:
    """What ast-grep says of a rule, without the trace of its own code."""
    told = [line.strip() for line in str(error).split("Stack backtrace")[0].splitlines() if line.strip()]
    return told[-1].partition(": ")[2].replace(_LETTER, "$") or told[-1] if told else "it cannot be read"
