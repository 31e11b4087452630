"""Rust: what an `impl` holds is named for its type, whatever trait it is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import SymbolKind
from ohara.parse.rules import Defined, Table, constant, container, dotted, function, leaf

if TYPE_CHECKING:
    from tree_sitter import Node


def _impl(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    of = node.child_by_field_name("type")
    while of is not None and of.type in {"reference_type", "pointer_type", "array_type"}:
        of = of.child_by_field_name("type") or of.child_by_field_name("element")
    return (Defined("" if of is None else dotted(of, source), None, SymbolKind.STRUCT),)


RUST = Table(
    rules={
        "function_item": function(),
        "function_signature_item": function(),
        "struct_item": container(SymbolKind.STRUCT),
        "union_item": container(SymbolKind.STRUCT),
        "enum_item": container(SymbolKind.ENUM),
        "enum_variant": leaf(SymbolKind.CONSTANT),
        "trait_item": container(SymbolKind.TRAIT),
        "mod_item": container(SymbolKind.MODULE),
        "impl_item": _impl,
        "type_item": leaf(SymbolKind.TYPE),
        "associated_type": leaf(SymbolKind.TYPE),
        "const_item": constant(),
        "static_item": constant(),
        "macro_definition": leaf(SymbolKind.MACRO),
    },
    through=frozenset({"declaration_list", "enum_variant_list", "foreign_mod_item"}),
    leads=frozenset({"line_comment", "block_comment", "attribute_item"}),
)
