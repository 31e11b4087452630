"""Ruby: modules and classes nest; what stands in `class << self` belongs to the class around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ohara.model import SymbolKind
from ohara.parse.rules import CODE_KINDS, TYPE_KINDS, Defined, Table, field_text, one, text, unnamed_type

if TYPE_CHECKING:
    from tree_sitter import Node

_CLASS_MAKERS: Final = frozenset({"Struct", "Class", "Data", "Module"})


def _container(kind: SymbolKind, node: Node, source: bytes) -> tuple[Defined, ...]:
    return one(field_text(node, "name", source).replace("::", ".").strip("."), kind, kind)


def _method(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    inside = within in TYPE_KINDS or within is SymbolKind.MODULE
    kind = SymbolKind.METHOD if inside or node.type == "singleton_method" else SymbolKind.FUNCTION
    return one(field_text(node, "name", source), kind, kind)


def _assignment(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """A constant; `Point = Struct.new(…) do … end` is a class."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or left.type != "constant" or within in CODE_KINDS:
        return ()
    makes_class = (
        right is not None and right.type == "call" and field_text(right, "receiver", source) in _CLASS_MAKERS
    )
    if makes_class:
        return one(text(left, source), SymbolKind.CLASS, SymbolKind.CLASS)
    return one(text(left, source), SymbolKind.CONSTANT)


RUBY = Table(
    rules={
        "module": lambda node, source, _: _container(SymbolKind.MODULE, node, source),
        "class": lambda node, source, _: _container(SymbolKind.CLASS, node, source),
        "singleton_class": unnamed_type,
        "method": _method,
        "singleton_method": _method,
        "assignment": _assignment,
    },
    # `private def …` wraps a method in a call.
    through=frozenset({"body_statement", "call", "argument_list"}),
)
