"""Elixir: every definition is a call to a macro, told apart by the macro's name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ohara.model import SymbolKind
from ohara.parse.rules import CODE_KINDS, NOTHING, Defined, Table, child_of, field_text, first_of, one, text

if TYPE_CHECKING:
    from tree_sitter import Node

_MODULES: Final = {
    "defmodule": SymbolKind.MODULE,
    "defprotocol": SymbolKind.INTERFACE,
    "defimpl": SymbolKind.MODULE,
}
_FUNCTIONS: Final = frozenset({"def", "defp", "defdelegate", "defn", "defnp"})
_MACROS: Final = frozenset({"defmacro", "defmacrop", "defguard", "defguardp"})
_CALLBACKS: Final = frozenset({"callback", "macrocallback"})
_TYPES: Final = frozenset({"type", "typep", "opaque"})
# Attributes that describe what follows them, and those that describe the module; neither holds a value.
_LEADING: Final = frozenset({"doc", "spec", "impl", "typedoc", "deprecated", "since", "tag", "dialyzer"})
_DESCRIBING: Final = frozenset(
    {"moduledoc", "behaviour", "derive", "enforce_keys", "compile", "external_resource", "vsn", "file"}
    | {"before_compile", "after_compile", "on_load", "on_definition", "optional_callbacks"}
    | {"moduletag", "describetag"}
)


def _call(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    macro = field_text(node, "target", source)
    arguments = child_of(node, "arguments")
    first = first_of(arguments)
    if first is None or arguments is None:
        return ()
    if kind := _MODULES.get(macro):
        path = text(first, source)
        if macro == "defimpl" and (target := _implemented_for(arguments, source)):
            path = f"{path}.{target}"
        return one(path, kind, SymbolKind.MODULE)
    if macro in _FUNCTIONS:
        return one(_head(first, source), SymbolKind.FUNCTION, SymbolKind.FUNCTION)
    if macro in _MACROS:
        return one(_head(first, source), SymbolKind.MACRO, SymbolKind.FUNCTION)
    return ()


def _implemented_for(arguments: Node, source: bytes) -> str:
    """`Map` of `defimpl Sized, for: Map`."""
    options = child_of(arguments, "keywords")
    for pair in options.named_children if options is not None else ():
        if field_text(pair, "key", source).strip() == "for:":
            return field_text(pair, "value", source)
    return ""


def _head(node: Node, source: bytes) -> str:
    """The name in a function's head: before `when`, before the arguments, or the operator it defines."""
    if node.type == "binary_operator" and field_text(node, "operator", source) == "when":
        left = node.child_by_field_name("left")
        node = node if left is None else left
    if node.type == "binary_operator":
        return field_text(node, "operator", source)
    if node.type == "call":
        return field_text(node, "target", source)
    return text(node, source) if node.type == "identifier" else ""


def _attribute(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """`@limit 10` is a constant, `@type t :: …` a type, `@callback` a function; `@doc` leads to one."""
    operand = node.child_by_field_name("operand")
    if (
        operand is None
        or operand.type != "call"
        or within in CODE_KINDS
        or not text(node, source).startswith("@")
    ):
        return NOTHING
    name = field_text(operand, "target", source)
    if name in _LEADING:
        return ()
    if name in _DESCRIBING:
        return NOTHING
    declares = SymbolKind.TYPE if name in _TYPES else SymbolKind.FUNCTION if name in _CALLBACKS else None
    if declares is None:
        return one(name, SymbolKind.CONSTANT)
    arguments = child_of(operand, "arguments")
    declared = first_of(arguments)
    left = declared.child_by_field_name("left") if declared is not None else None
    return one(_head(left, source), declares) if left is not None else NOTHING


ELIXIR = Table(
    rules={"call": _call, "unary_operator": _attribute},
    through=frozenset({"do_block"}),
    leads=frozenset({"comment", "unary_operator"}),
)
