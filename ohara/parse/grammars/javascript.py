"""JavaScript and TypeScript: functions may be declared, assigned, or be members of an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ohara.model import SymbolKind
from ohara.parse.rules import (
    CODE_KINDS,
    TYPE_KINDS,
    UPPER_CASE,
    Defined,
    Rule,
    Table,
    container,
    field_text,
    first_of,
    function,
    has_word,
    leaf,
    method,
    one,
    text,
    unnamed_code,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression", "generator_function", "function"})
_CLASSES: Final = frozenset({"class"})
_NAMES: Final = frozenset(
    {"identifier", "property_identifier", "private_property_identifier", "type_identifier"}
)
_EXPORTS: Final = frozenset({"module", "exports", "window", "globalThis", "self", "this"})


def _is_import(value: Node, source: bytes) -> bool:
    """True for `require(…)` and `await import(…)`: names of other files' things, not of this one's."""
    called = first_of(value) if value.type == "await_expression" else value
    return (
        called is not None
        and called.type == "call_expression"
        and field_text(called, "function", source) in {"require", "import"}
    )


def _declaration(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """`const f = () => …` is a function, `const X = 1` a constant where it is not local."""
    is_constant = within not in CODE_KINDS and has_word(node, "const")
    found: list[Defined] = []
    for each in node.named_children:
        name = each.child_by_field_name("name")
        if each.type != "variable_declarator" or name is None or name.type != "identifier":
            continue
        value = each.child_by_field_name("value")
        if value is not None and value.type in _FUNCTIONS:
            found.append(Defined(text(name, source), SymbolKind.FUNCTION, SymbolKind.FUNCTION))
        elif value is not None and value.type in _CLASSES:
            found.append(Defined(text(name, source), SymbolKind.CLASS, SymbolKind.CLASS))
        elif is_constant and not (value is not None and _is_import(value, source)):
            found.append(Defined(text(name, source), SymbolKind.CONSTANT, SymbolKind.CONSTANT))
    return tuple(found)


def _assigned(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    """`exports.go = () => …` defines go, and `Cart.prototype.clear = function …` defines Cart.clear."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or right.type not in _FUNCTIONS | _CLASSES:
        return ()
    if left.type not in {"member_expression", "identifier"}:
        return ()
    parts = text(left, source).split(".")
    if not all(part.lstrip("#").isidentifier() or "$" in part for part in parts):
        return ()
    while len(parts) > 1 and parts[0] in _EXPORTS:
        del parts[0]
    is_method = "prototype" in parts[1:-1]
    kind = SymbolKind.METHOD if is_method else SymbolKind.FUNCTION
    if right.type in _CLASSES:
        kind = SymbolKind.CLASS
    return one(".".join(part for part in parts if part != "prototype"), kind, kind)


def _pair(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """A function in an object that has a name; an object in it only leads there."""
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if within is not SymbolKind.CONSTANT or key is None or value is None or key.type not in _NAMES:
        return ()
    if value.type in _FUNCTIONS:
        return one(text(key, source), SymbolKind.METHOD, SymbolKind.METHOD)
    if value.type == "object":
        return (Defined(text(key, source), None, SymbolKind.CONSTANT),)
    return ()


def _field(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    """A class field that holds a function is a method; one in UPPER_CASE is a constant."""
    name = field_text(node, "name", source) or field_text(node, "property", source)
    value = node.child_by_field_name("value")
    if value is not None and value.type in _FUNCTIONS:
        return one(name, SymbolKind.METHOD, SymbolKind.METHOD)
    return one(name, SymbolKind.CONSTANT) if UPPER_CASE.fullmatch(name) else ()


def _namespace(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    return one(field_text(node, "name", source).strip("\"'"), SymbolKind.MODULE, SymbolKind.MODULE)


def _member(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """A method's signature in an interface or class; in a type written in place it is no symbol."""
    return one(field_text(node, "name", source), SymbolKind.METHOD) if within in TYPE_KINDS else ()


def _enum_member(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """Members of an enum without a value are bare names."""
    return one(text(node, source), SymbolKind.CONSTANT) if within is SymbolKind.ENUM else ()


_SHARED: Final[dict[str, Rule]] = {
    "class_declaration": container(SymbolKind.CLASS),
    "function_declaration": function(),
    "generator_function_declaration": function(),
    "method_definition": method(),
    "lexical_declaration": _declaration,
    "variable_declaration": _declaration,
    "assignment_expression": _assigned,
    "pair": _pair,
    "arrow_function": unnamed_code,
    "function_expression": unnamed_code,
}

JAVASCRIPT = Table(
    rules=_SHARED | {"field_definition": _field},
    through=frozenset({"class_body", "object", "variable_declarator", "expression_statement"}),
    wrappers=frozenset({"export_statement"}),
    leads=frozenset({"comment", "decorator"}),
)

TYPESCRIPT = Table(
    rules=_SHARED
    | {
        "abstract_class_declaration": container(SymbolKind.CLASS),
        "interface_declaration": container(SymbolKind.INTERFACE),
        "enum_declaration": container(SymbolKind.ENUM),
        "enum_assignment": leaf(SymbolKind.CONSTANT),
        "property_identifier": _enum_member,
        "type_alias_declaration": leaf(SymbolKind.TYPE),
        "function_signature": function(),
        "method_signature": _member,
        "abstract_method_signature": _member,
        "public_field_definition": _field,
        "internal_module": _namespace,
        "module": _namespace,
    },
    through=JAVASCRIPT.through | {"interface_body", "enum_body", "statement_block"},
    wrappers=JAVASCRIPT.wrappers | {"ambient_declaration"},
    leads=JAVASCRIPT.leads,
)
