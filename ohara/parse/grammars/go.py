"""Go: methods are named for their receiver; package-level variables count as constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ohara.model import SymbolKind
from ohara.parse.rules import (
    CODE_KINDS,
    Defined,
    Table,
    child_of,
    field_text,
    first_of,
    function,
    leaf,
    method,
    one,
    text,
    unnamed_code,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPE_KINDS: Final = {"struct_type": SymbolKind.STRUCT, "interface_type": SymbolKind.INTERFACE}


def _method(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    name = field_text(node, "name", source)
    receiver = node.child_by_field_name("receiver")
    owner = _receiver_type(receiver, source) if receiver is not None else ""
    return one(f"{owner}.{name}" if owner else name, SymbolKind.METHOD, SymbolKind.METHOD)


def _receiver_type(receiver: Node, source: bytes) -> str:
    """`List` of `(l *List[T])`."""
    parameter = child_of(receiver, "parameter_declaration")
    kind = parameter.child_by_field_name("type") if parameter is not None else None
    if kind is not None and kind.type == "pointer_type":
        kind = first_of(kind)
    if kind is not None and kind.type == "generic_type":
        kind = kind.child_by_field_name("type")
    return text(kind, source) if kind is not None and kind.type == "type_identifier" else ""


def _values(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    if within in CODE_KINDS:
        return ()
    names = (text(name, source) for name in node.children_by_field_name("name") if name.type == "identifier")
    return tuple(Defined(name, SymbolKind.CONSTANT) for name in names if name != "_")


def _type(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    of = node.child_by_field_name("type")
    kind = _TYPE_KINDS.get(of.type, SymbolKind.TYPE) if of is not None else SymbolKind.TYPE
    return one(field_text(node, "name", source), kind, kind)


GO = Table(
    rules={
        "function_declaration": function(),
        "method_declaration": _method,
        "type_spec": _type,
        "type_alias": leaf(SymbolKind.TYPE),
        "const_spec": _values,
        "var_spec": _values,
        "method_elem": method(),
        "func_literal": unnamed_code,
    },
    through=frozenset(
        {"const_declaration", "var_declaration", "var_spec_list", "type_declaration", "interface_type"}
    ),
)
