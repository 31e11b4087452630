"""C and C++: names hide inside declarators, and C++ definitions may stand outside their class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ohara.model import SymbolKind
from ohara.parse.rules import (
    CODE_KINDS,
    TYPE_KINDS,
    Defined,
    Table,
    dotted,
    field_text,
    leaf,
    one,
    text,
    unnamed_code,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_SPECIFIERS: Final = {
    "struct_specifier": SymbolKind.STRUCT,
    "union_specifier": SymbolKind.STRUCT,
    "enum_specifier": SymbolKind.ENUM,
    "class_specifier": SymbolKind.CLASS,
}
_LAYERS: Final = frozenset(
    {
        "pointer_declarator",
        "reference_declarator",
        "function_declarator",
        "parenthesized_declarator",
        "array_declarator",
        "attributed_declarator",
        "init_declarator",
        "pointer_type_declarator",
    }
)
_MAX_LAYERS: Final = 32


def _declared(node: Node | None) -> tuple[Node | None, bool]:
    """The node of the name inside a declarator, and whether a function is declared."""
    is_function = False
    for _ in range(_MAX_LAYERS):
        if node is None or node.type not in _LAYERS:
            break
        is_function = is_function or node.type == "function_declarator"
        inner = node.child_by_field_name("declarator")
        # References and parentheses hold their declarator without naming the field.
        node = inner if inner is not None else next(reversed(node.named_children), None)
    return node, is_function


def _name(node: Node, source: bytes) -> str:
    if node.type == "operator_cast":
        return text(node, source).partition("(")[0].strip()
    return (
        dotted(node, source)
        if node.type in {"qualified_identifier", "template_function"}
        else text(node, source)
    )


def _function(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    name, _ = _declared(node.child_by_field_name("declarator"))
    if name is None:
        return ()
    path = _name(name, source)
    kind = SymbolKind.METHOD if within in TYPE_KINDS or "." in path else SymbolKind.FUNCTION
    return one(path, kind, kind)


def _member(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """A method that a class declares, or a constant it holds."""
    name, is_function = _declared(node.child_by_field_name("declarator"))
    if name is None or within not in TYPE_KINDS:
        return ()
    if is_function and name.type not in _LAYERS:
        return one(_name(name, source), SymbolKind.METHOD)
    is_constant = any(
        child.type in {"type_qualifier", "storage_class_specifier"} and text(child, source) == "constexpr"
        for child in node.named_children
    )
    return one(_name(name, source), SymbolKind.CONSTANT) if is_constant else ()


def _declaration(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """Values that a file or namespace defines; a prototype or an uninitialised variable is none."""
    if within in TYPE_KINDS:
        return _member(node, source, within)
    if within in CODE_KINDS:
        return ()
    found: list[Defined] = []
    for each in node.children_by_field_name("declarator"):
        name, _ = _declared(each)
        if each.type == "init_declarator" and name is not None:
            found.append(Defined(_name(name, source), SymbolKind.CONSTANT, SymbolKind.CONSTANT))
    return tuple(found)


def _specifier(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    """A struct, union, enum or class that is defined here, not only named."""
    name = node.child_by_field_name("name")
    kind = _SPECIFIERS[node.type]
    if node.child_by_field_name("body") is None or name is None:
        return ()
    return one(dotted(name, source), kind, kind)


def _typedef(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    """Another name for a type; the name of a struct that has none of its own."""
    of = node.child_by_field_name("type")
    kind, tag = SymbolKind.TYPE, ""
    if of is not None and of.type in _SPECIFIERS and of.child_by_field_name("body") is not None:
        tag = field_text(of, "name", source)
        kind = SymbolKind.TYPE if tag else _SPECIFIERS[of.type]
    found: list[Defined] = []
    for each in node.children_by_field_name("declarator"):
        name, _is_function = _declared(each)
        if name is not None and (path := text(name, source)) != tag:
            found.append(Defined(path, kind, None if kind is SymbolKind.TYPE else kind))
    return tuple(found)


def _macro(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    """A macro with a value: one without is a switch or an include guard."""
    has_value = node.child_by_field_name("value") is not None
    return one(field_text(node, "name", source), SymbolKind.MACRO) if has_value else ()


def _namespace(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    name = node.child_by_field_name("name")
    if name is None:
        return ()
    return one(text(name, source).replace("::", "."), SymbolKind.MODULE, SymbolKind.MODULE)


def _enumerator(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    return one(field_text(node, "name", source), SymbolKind.CONSTANT)


C = Table(
    rules={
        "function_definition": _function,
        "declaration": _declaration,
        "type_definition": _typedef,
        "preproc_def": _macro,
        "preproc_function_def": _macro,
        "struct_specifier": _specifier,
        "union_specifier": _specifier,
        "enum_specifier": _specifier,
        "enumerator": _enumerator,
    },
    through=frozenset(
        {"enumerator_list", "field_declaration_list", "linkage_specification", "declaration_list"}
    ),
)

CPP = Table(
    rules=C.rules
    | {
        "class_specifier": _specifier,
        "namespace_definition": _namespace,
        "field_declaration": _member,
        "alias_declaration": leaf(SymbolKind.TYPE),
        "concept_definition": leaf(SymbolKind.TYPE),
        "lambda_expression": unnamed_code,
    },
    through=C.through | {"field_declaration"},
    wrappers=frozenset({"template_declaration"}),
)
