"""Python: classes and functions, UPPER_CASE constants, and aliases by their capital letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import SymbolKind
from ohara.parse.rules import (
    CODE_KINDS,
    UPPER_CASE,
    Defined,
    Table,
    container,
    field_text,
    function,
    one,
    text,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def _assignment(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """Constants of a module or class; at the top, `CamelCase = …` is another name for a type."""
    if within in CODE_KINDS or (target := node.child_by_field_name("left")) is None:
        return ()
    names = target.named_children if target.type == "pattern_list" else [target]
    found: list[Defined] = []
    for name in (text(each, source) for each in names if each.type == "identifier"):
        if UPPER_CASE.fullmatch(name):
            found.append(Defined(name, SymbolKind.CONSTANT))
        elif within is None and name.lstrip("_")[:1].isupper():
            found.append(Defined(name, SymbolKind.TYPE))
    return tuple(found)


def _type_alias(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    return one(field_text(node, "left", source).partition("[")[0], SymbolKind.TYPE)


PYTHON = Table(
    rules={
        "class_definition": container(SymbolKind.CLASS),
        "function_definition": function(),
        "assignment": _assignment,
        "type_alias_statement": _type_alias,
    },
    through=frozenset({"block", "expression_statement"}),
    wrappers=frozenset({"decorated_definition"}),
)
