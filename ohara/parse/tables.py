"""Each language's table, ready for the walk: node names become the grammar's numbers, once a process."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from ohara.parse.grammars.bash import BASH
from ohara.parse.grammars.c import CPP, C
from ohara.parse.grammars.csharp import CSHARP
from ohara.parse.grammars.elixir import ELIXIR
from ohara.parse.grammars.go import GO
from ohara.parse.grammars.javascript import JAVASCRIPT, TYPESCRIPT
from ohara.parse.grammars.jvm import JAVA, KOTLIN, SCALA
from ohara.parse.grammars.lua import LUA
from ohara.parse.grammars.php import PHP
from ohara.parse.grammars.python import PYTHON
from ohara.parse.grammars.ruby import RUBY
from ohara.parse.grammars.rust import RUST
from ohara.parse.grammars.swift import SWIFT
from ohara.parse.languages import grammar
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.parse.rules import Rule, Table

TABLES: Final[dict[str, Table]] = {
    "bash": BASH,
    "c": C,
    "cpp": CPP,
    "csharp": CSHARP,
    "elixir": ELIXIR,
    "go": GO,
    "java": JAVA,
    "javascript": JAVASCRIPT,
    "kotlin": KOTLIN,
    "lua": LUA,
    "php": PHP,
    "python": PYTHON,
    "ruby": RUBY,
    "rust": RUST,
    "scala": SCALA,
    "swift": SWIFT,
    "tsx": TYPESCRIPT,
    "typescript": TYPESCRIPT,
}

# Nodes of any grammar that never hold a definition, and that a walk meets most often.
_DULL: Final = frozenset(
    {"identifier", "type_identifier", "field_identifier", "property_identifier", "simple_identifier"}
    | {"string", "string_literal", "template_string", "concatenated_string"}
    | {"string_content", "string_start", "string_end", "preproc_arg", "preproc_include"}
    | {"import_statement", "import_from_statement", "import_declaration", "use_declaration"}
    | {"parameters", "parameter_list", "formal_parameters", "function_declarator", "type_arguments"}
    | {"type", "primitive_type", "generic_type", "attribute", "token_tree", "macro_invocation"}
)


@dataclass(frozen=True, slots=True)
class Marks:
    """A table by node number: `known` means something, `entered` is looked into, `dull` never is."""

    rules: dict[int, Rule]
    wrappers: frozenset[int]
    leads: frozenset[int]
    entered: frozenset[int]
    known: frozenset[int]
    dull: frozenset[int]


@cache
def marks_of(language: str) -> Marks:
    """The table of a language that has a grammar."""
    table = TABLES[language]
    numbers = _numbers(language)

    def of(names: Iterable[str]) -> frozenset[int]:
        return frozenset(number for name in names for number in numbers.get(name, ()))

    rules = {number: rule for name, rule in table.rules.items() for number in numbers.get(name, ())}
    wrappers, leads = of(table.wrappers), of(table.leads)
    entered = of(table.through) | wrappers
    known = frozenset(rules) | leads | entered
    # Keywords and punctuation have numbers without a named node.
    tokens = frozenset(range(grammar(language).node_kind_count)) - {n for of in numbers.values() for n in of}
    return Marks(rules, wrappers, leads, entered, known, (of(_DULL) | tokens) - known)


def _numbers(language: str) -> dict[str, list[int]]:
    """A node's name may have several numbers: one for each alias in the grammar."""
    known = grammar(language)
    numbers: dict[str, list[int]] = {}
    for number in range(known.node_kind_count):
        name = known.node_kind_for_id(number)
        if name is not None and known.node_kind_is_named(number):
            numbers.setdefault(name, []).append(number)
    return numbers
