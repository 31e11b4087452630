"""PHP. Namespaces are left out of names, as packages are elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import SymbolKind
from ohara.parse.rules import (
    CODE_KINDS,
    Defined,
    Table,
    child_of,
    container,
    function,
    leaf,
    method,
    one,
    text,
    unnamed_code,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def _constant(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    name = child_of(node, "name")
    return () if name is None or within in CODE_KINDS else one(text(name, source), SymbolKind.CONSTANT)


PHP = Table(
    rules={
        "class_declaration": container(SymbolKind.CLASS),
        "interface_declaration": container(SymbolKind.INTERFACE),
        "trait_declaration": container(SymbolKind.TRAIT),
        "enum_declaration": container(SymbolKind.ENUM),
        "enum_case": leaf(SymbolKind.CONSTANT),
        "method_declaration": method(),
        "function_definition": function(),
        "const_element": _constant,
        "anonymous_function": unnamed_code,
        "arrow_function": unnamed_code,
    },
    through=frozenset({"declaration_list", "enum_declaration_list", "const_declaration"}),
)
