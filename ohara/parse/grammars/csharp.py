"""C#: properties count as methods. Namespaces are left out of names, as packages are elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import SymbolKind
from ohara.parse.rules import (
    Defined,
    Table,
    child_of,
    container,
    field_text,
    function,
    leaf,
    method,
    one,
    text,
    unnamed_code,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def _field(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    """A `const` or `static readonly` field is a constant."""
    words = {text(child, source) for child in node.named_children if child.type == "modifier"}
    declared = child_of(node, "variable_declaration")
    if declared is None or not ("const" in words or {"static", "readonly"} <= words):
        return ()
    names = (field_text(each, "name", source) for each in declared.named_children)
    return tuple(Defined(name, SymbolKind.CONSTANT) for name in names if name)


def _operator(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    return one(f"operator {field_text(node, 'operator', source)}", SymbolKind.METHOD, SymbolKind.METHOD)


def _destructor(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    return one(f"~{field_text(node, 'name', source)}", SymbolKind.METHOD, SymbolKind.METHOD)


CSHARP = Table(
    rules={
        "class_declaration": container(SymbolKind.CLASS),
        "record_declaration": container(SymbolKind.CLASS),
        "struct_declaration": container(SymbolKind.STRUCT),
        "interface_declaration": container(SymbolKind.INTERFACE),
        "enum_declaration": container(SymbolKind.ENUM),
        "enum_member_declaration": leaf(SymbolKind.CONSTANT),
        "method_declaration": method(),
        "constructor_declaration": method(),
        "destructor_declaration": _destructor,
        "operator_declaration": _operator,
        "property_declaration": method(),
        "local_function_statement": function(),
        "delegate_declaration": leaf(SymbolKind.TYPE),
        "field_declaration": _field,
        "lambda_expression": unnamed_code,
    },
    through=frozenset({"declaration_list", "enum_member_declaration_list"}),
)
