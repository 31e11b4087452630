"""Lua: modules and classes are tables, so a function is named for the table it is put into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import SymbolKind
from ohara.parse.rules import (
    CODE_KINDS,
    UPPER_CASE,
    Defined,
    Table,
    child_of,
    field_text,
    first_of,
    one,
    text,
    unnamed_code,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def _function(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    """`function M.create()` is M.create; the colon of `function M:go()` makes it a method."""
    name = field_text(node, "name", source)
    kind = SymbolKind.METHOD if ":" in name else SymbolKind.FUNCTION
    return one(name.replace(":", "."), kind, kind)


def _assignment(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """A function or a table of them; UPPER_CASE names are constants."""
    name = first_of(child_of(node, "variable_list"))
    value = first_of(child_of(node, "expression_list"))
    if name is None or value is None or name.type not in {"identifier", "dot_index_expression"}:
        return ()
    path = text(name, source)
    if value.type == "function_definition":
        return one(path, SymbolKind.FUNCTION, SymbolKind.FUNCTION)
    if len(path) > 1 and UPPER_CASE.fullmatch(path) and within not in CODE_KINDS:  # `M` is the module
        return one(path, SymbolKind.CONSTANT, SymbolKind.CONSTANT)
    return (Defined(path, None, SymbolKind.CONSTANT),) if value.type == "table_constructor" else ()


def _field(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """A function or a table of them in a table that has a name."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if within is not SymbolKind.CONSTANT or name is None or value is None or name.type != "identifier":
        return ()
    if value.type == "function_definition":
        return one(text(name, source), SymbolKind.FUNCTION, SymbolKind.FUNCTION)
    return (
        (Defined(text(name, source), None, SymbolKind.CONSTANT),) if value.type == "table_constructor" else ()
    )


LUA = Table(
    rules={
        "function_declaration": _function,
        "assignment_statement": _assignment,
        "field": _field,
        "function_definition": unnamed_code,
    },
    through=frozenset({"variable_declaration", "expression_list", "table_constructor"}),
)
