"""Shell: functions, and the variables in UPPER_CASE that a script sets outside of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import SymbolKind
from ohara.parse.rules import CODE_KINDS, UPPER_CASE, Defined, Table, field_text, function, one

if TYPE_CHECKING:
    from tree_sitter import Node


def _variable(node: Node, source: bytes, within: SymbolKind | None) -> tuple[Defined, ...]:
    name = field_text(node, "name", source)
    is_constant = within not in CODE_KINDS and UPPER_CASE.fullmatch(name)
    return one(name, SymbolKind.CONSTANT) if is_constant else ()


BASH = Table(
    rules={"function_definition": function(), "variable_assignment": _variable},
    through=frozenset({"declaration_command", "compound_statement"}),
)
