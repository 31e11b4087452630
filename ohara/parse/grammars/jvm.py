"""Java, Kotlin and Scala. Packages are left out of names: they say where a file is, not what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import SymbolKind
from ohara.parse.rules import (
    CODE_KINDS,
    NOTHING,
    TYPE_KINDS,
    UPPER_CASE,
    Defined,
    Table,
    child_of,
    container,
    field_text,
    function,
    has_word,
    leaf,
    method,
    one,
    text,
    unnamed_code,
    unnamed_type,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def _java_field(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    """A `static final` field, or any field of an interface, is a constant."""
    if node.type != "constant_declaration" and not (has_word(node, "static") and has_word(node, "final")):
        return ()
    names = (field_text(each, "name", source) for each in node.children_by_field_name("declarator"))
    return tuple(Defined(name, SymbolKind.CONSTANT) for name in names if name)


JAVA = Table(
    rules={
        "class_declaration": container(SymbolKind.CLASS),
        "record_declaration": container(SymbolKind.CLASS),
        "interface_declaration": container(SymbolKind.INTERFACE),
        "annotation_type_declaration": container(SymbolKind.INTERFACE),
        "enum_declaration": container(SymbolKind.ENUM),
        "enum_constant": leaf(SymbolKind.CONSTANT),
        "method_declaration": method(),
        "constructor_declaration": method(),
        "compact_constructor_declaration": method(),
        "field_declaration": _java_field,
        "constant_declaration": _java_field,
    },
    through=frozenset({"class_body", "interface_body", "enum_body", "enum_body_declarations"}),
    leads=frozenset({"line_comment", "block_comment"}),
)


def _kotlin_name(node: Node, source: bytes) -> str:
    name = child_of(node, "type_identifier", "simple_identifier")
    return "" if name is None else text(name, source)


def _kotlin_class(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    kind = SymbolKind.CLASS
    if has_word(node, "interface"):
        kind = SymbolKind.INTERFACE
    elif child_of(node, "enum_class_body") is not None or has_word(node, "enum"):
        kind = SymbolKind.ENUM
    return one(_kotlin_name(node, source), kind, kind)


def _kotlin_function(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """A function; one that extends a type is named for it."""
    name = _kotlin_name(node, source)
    receiver = node.child_by_field_name("receiver")
    if receiver is not None and name:
        owner = text(receiver, source).partition("<")[0].strip("?()").rpartition(".")[2]
        return one(f"{owner}.{name}", SymbolKind.METHOD, SymbolKind.METHOD)
    kind = SymbolKind.METHOD if within in TYPE_KINDS else SymbolKind.FUNCTION
    return one(name, kind, kind)


def _kotlin_property(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """A `const val`, or a `val` in UPPER_CASE, is a constant; one with a getter works like a method."""
    name = _kotlin_property_name(node, source)
    if within in CODE_KINDS or not name:
        return NOTHING
    if has_word(node, "const") or UPPER_CASE.fullmatch(name):
        return one(name, SymbolKind.CONSTANT)
    if child_of(node, "getter") is not None:
        return one(name, SymbolKind.METHOD, SymbolKind.METHOD)
    after = node.next_named_sibling
    return () if after is not None and after.type == "getter" else NOTHING


def _kotlin_getter(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """A getter on its own line stands beside its property, which then leads to it."""
    owner = node.prev_named_sibling
    if within in CODE_KINDS or owner is None or owner.type != "property_declaration":
        return ()
    return one(_kotlin_property_name(owner, source), SymbolKind.METHOD, SymbolKind.METHOD)


def _kotlin_property_name(node: Node, source: bytes) -> str:
    declared = child_of(node, "variable_declaration")
    return "" if declared is None else _kotlin_name(declared, source)


def _kotlin_leaf(kind: SymbolKind, node: Node, source: bytes) -> tuple[Defined, ...]:
    return one(_kotlin_name(node, source), kind)


def _kotlin_constructor(_node: Node, _source: bytes, _within: SymbolKind | None) -> tuple[Defined, ...]:
    return one("constructor", SymbolKind.METHOD, SymbolKind.METHOD)


KOTLIN = Table(
    rules={
        "class_declaration": _kotlin_class,
        "object_declaration": _kotlin_class,
        "companion_object": unnamed_type,
        "function_declaration": _kotlin_function,
        "secondary_constructor": _kotlin_constructor,
        "property_declaration": _kotlin_property,
        "getter": _kotlin_getter,
        "enum_entry": lambda node, source, _: _kotlin_leaf(SymbolKind.CONSTANT, node, source),
        "type_alias": lambda node, source, _: _kotlin_leaf(SymbolKind.TYPE, node, source),
        "lambda_literal": unnamed_code,
    },
    through=frozenset({"class_body", "enum_class_body"}),
    leads=frozenset({"line_comment", "multiline_comment", "property_declaration"}),
)


def _scala_value(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """Scala writes its constants with a capital letter."""
    name = field_text(node, "pattern", source)
    is_constant = within not in CODE_KINDS and name.isidentifier() and name[0].isupper()
    return one(name, SymbolKind.CONSTANT) if is_constant else ()


SCALA = Table(
    rules={
        "class_definition": container(SymbolKind.CLASS),
        "object_definition": container(SymbolKind.CLASS),
        "package_object": container(SymbolKind.MODULE),
        "trait_definition": container(SymbolKind.TRAIT),
        "enum_definition": container(SymbolKind.ENUM),
        "simple_enum_case": leaf(SymbolKind.CONSTANT),
        "full_enum_case": leaf(SymbolKind.CONSTANT),
        "function_definition": function(),
        "function_declaration": function(),
        "type_definition": leaf(SymbolKind.TYPE),
        "val_definition": _scala_value,
        "lambda_expression": unnamed_code,
    },
    through=frozenset({"template_body", "enum_body", "enum_case_definitions"}),
    leads=frozenset({"comment", "block_comment"}),
)
