"""Swift: classes, structs, enums, actors and extensions share one node; a computed property is a method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ohara.model import SymbolKind
from ohara.parse.rules import (
    CODE_KINDS,
    TYPE_KINDS,
    Defined,
    Table,
    child_of,
    container,
    field_text,
    has_word,
    leaf,
    method,
    one,
    text,
    unnamed_code,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS: Final = {"struct": SymbolKind.STRUCT, "enum": SymbolKind.ENUM}


def _type(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    """What an extension holds is named for the type it extends, and the extension itself is no symbol."""
    name = field_text(node, "name", source).partition("<")[0]
    if has_word(node, "extension"):
        return (Defined(name, None, SymbolKind.CLASS),)
    kind = next((kind for word, kind in _KINDS.items() if has_word(node, word)), SymbolKind.CLASS)
    return one(name, kind, kind)


def _function(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """A function; an operator's name is the token after `func`."""
    kind = SymbolKind.METHOD if within in TYPE_KINDS else SymbolKind.FUNCTION
    name = child_of(node, "simple_identifier")
    if name is not None:
        return one(text(name, source), kind, kind)
    words = text(node, source).partition("func")[2].split("(")[0].split()
    return one(words[0] if words else "", kind, kind)


def _initialiser(_node: Node, _source: bytes, _within: SymbolKind | None) -> tuple[Defined, ...]:
    return one("init", SymbolKind.METHOD, SymbolKind.METHOD)


def _property(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    """A computed property works like a method; a `let` of a file, or a `static let`, is a constant."""
    name = field_text(node, "name", source)
    if within in CODE_KINDS or not name.isidentifier():
        return ()
    if node.child_by_field_name("computed_value") is not None:
        return one(name, SymbolKind.METHOD, SymbolKind.METHOD)
    binding = child_of(node, "value_binding_pattern")
    is_let = binding is not None and text(binding, source) == "let"
    is_shared = within is None or has_word(node, "static", "class")
    return one(name, SymbolKind.CONSTANT) if is_let and is_shared else ()


def _cases(node: Node, source: bytes, _: SymbolKind | None) -> tuple[Defined, ...]:
    names = (text(name, source) for name in node.children_by_field_name("name"))
    return tuple(Defined(name, SymbolKind.CONSTANT) for name in names if name.isidentifier())


SWIFT = Table(
    rules={
        "class_declaration": _type,
        "protocol_declaration": container(SymbolKind.INTERFACE),
        "function_declaration": _function,
        "protocol_function_declaration": method(),
        "init_declaration": _initialiser,
        "property_declaration": _property,
        "typealias_declaration": leaf(SymbolKind.TYPE),
        "enum_entry": _cases,
        "lambda_literal": unnamed_code,
    },
    through=frozenset({"class_body", "enum_class_body", "protocol_body"}),
    leads=frozenset({"comment", "multiline_comment"}),
)
