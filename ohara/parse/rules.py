"""How a grammar's nodes become symbols: the small vocabulary that the tables in `grammars/` are written in.

A rule looks at one node and returns what it defines. It never walks the tree and never looks at parents: the
walk passes it the kind of the enclosing scope.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Final, TypeAlias

from ohara.model import SymbolKind
from ohara.records import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Defined:
    """What a node defines.

    `path` is dotted where the source says so itself (`Shop.Cart`). No `kind`: only a scope, such as
    Rust's `impl`. `opens` is what the things inside stand in; None when the node is no scope.
    """

    path: str
    kind: SymbolKind | None
    opens: SymbolKind | None = None


# For a node that could lead to a definition and does not.
NOTHING: Final = (Defined("", None),)

# Given the node, the source and the kind of scope around it (None at the top of a file).
Rule: TypeAlias = Callable[["Node", bytes, SymbolKind | None], tuple[Defined, ...]]


@dataclass(frozen=True, slots=True)
class Table:
    """What one language's nodes mean.

    Only nodes of several lines are looked into, and those named here: `rules`, `through` (looked into
    even on one line) and `wrappers` (the same, and a definition inside begins where they begin).
    `leads` belong to the definition that follows them: comments, attributes, decorators.
    """

    rules: dict[str, Rule]
    through: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    leads: frozenset[str] = field(default=frozenset({"comment"}))


TYPE_KINDS: Final = frozenset(
    {SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.ENUM}
)
CODE_KINDS: Final = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})

UPPER_CASE: Final = re.compile(r"_*[A-Z][A-Z0-9_]*")
_MAX_CHAIN: Final = 32  # how far a name may hide behind pointers, parentheses and qualifiers


def text(node: Node, source: bytes) -> str:
    """The source of a node; bytes that are no UTF-8 are replaced."""
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def field_text(node: Node, name: str, source: bytes) -> str:
    """The source of a field, or nothing."""
    child = node.child_by_field_name(name)
    return "" if child is None else text(child, source)


def child_of(node: Node, *kinds: str) -> Node | None:
    """The first named child of one of these kinds."""
    return next((child for child in node.named_children if child.type in kinds), None)


def first_of(node: Node | None) -> Node | None:
    """The first named child."""
    return node.named_child(0) if node is not None and node.named_child_count else None


def has_word(node: Node, *words: str) -> bool:
    """True when a keyword stands among a node's children or its modifiers."""
    for child in node.children:
        if child.type in words or (child.type == "modifiers" and has_modifier(child, words)):
            return True
    return False


def has_modifier(modifiers: Node, words: tuple[str, ...]) -> bool:
    """True when a list of modifiers has one of these words, itself or one level down."""
    return any(
        child.type in words or any(inner.type in words for inner in child.children)
        for child in modifiers.children
    )


def one(path: str, kind: SymbolKind, opens: SymbolKind | None = None) -> tuple[Defined, ...]:
    """One definition, or none when it has no name."""
    return (Defined(path, kind, opens),) if path else ()


def container(kind: SymbolKind, name: str = "name") -> Rule:
    """A type or module: it has a name and holds others."""

    def rule(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
        return one(field_text(node, name, source), kind, kind)

    return rule


def function(name: str = "name") -> Rule:
    """A function, called a method when it stands in a type."""

    def rule(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
        kind = SymbolKind.METHOD if within in TYPE_KINDS else SymbolKind.FUNCTION
        return one(field_text(node, name, source), kind, kind)

    return rule


def method(name: str = "name") -> Rule:
    """A method, wherever it stands."""

    def rule(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
        return one(field_text(node, name, source), SymbolKind.METHOD, SymbolKind.METHOD)

    return rule


def leaf(kind: SymbolKind, name: str = "name") -> Rule:
    """A named thing without an inside: a type alias, a macro, an enumerator."""

    def rule(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
        return one(field_text(node, name, source), kind)

    return rule


def constant(name: str = "name") -> Rule:
    """A constant of a file or a type; what is local to a function is no symbol."""

    def rule(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
        return () if within in CODE_KINDS else one(field_text(node, name, source), SymbolKind.CONSTANT)

    return rule


def unnamed_code(_node: Node, _source: bytes, _within: SymbolKind | None) -> tuple[Defined, ...]:
    """A function without a name: what is inside is local."""
    return (Defined("", None, SymbolKind.FUNCTION),)


def unnamed_type(_node: Node, _source: bytes, _within: SymbolKind | None) -> tuple[Defined, ...]:
    """A type's body under no name of its own: what is inside belongs to the type around it."""
    return (Defined("", None, SymbolKind.CLASS),)


def dotted(node: Node, source: bytes) -> str:
    """A qualified name with dots, whatever the language puts between its parts, without type arguments."""
    parts: list[str] = []
    at: Node | None = node
    for _ in range(_MAX_CHAIN):
        if at is None:
            break
        outer = at.child_by_field_name("scope") or at.child_by_field_name("path")
        inner = at.child_by_field_name("name") or at.child_by_field_name("type")
        if outer is not None:
            parts.append(dotted_part(outer, source))
        if inner is None:
            parts.append(text(at, source))
            break
        at = inner
    return ".".join(part for part in parts if part).replace("::", ".").replace("\\", ".")


def dotted_part(node: Node, source: bytes) -> str:
    """One part of a qualified name: `Box` of `Box<T>`."""
    inner = node.child_by_field_name("name") or node.child_by_field_name("type")
    return text(inner if inner is not None else node, source)
