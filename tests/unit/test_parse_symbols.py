"""What holds for symbols in every language: siblings, limits, odd bytes, and what a change touches."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from ohara.model import Symbol, SymbolKind
from ohara.parse import languages
from ohara.parse.languages import GRAMMARS, MAX_SOURCE_BYTES, parse
from ohara.parse.symbols import MAX_SIBLINGS, symbols_in, touched
from ohara.parse.tables import TABLES, marks_of

if TYPE_CHECKING:
    from typing import SupportsIndex


def names(source: bytes, language: str = "python") -> list[str]:
    return [symbol.qualified for symbol in symbols_in(source, language)]


def test_nothing_in_nothing() -> None:
    for language in GRAMMARS:
        assert symbols_in(b"", language) == ()
        assert symbols_in(b"\n\n", language) == ()


def test_a_language_without_grammar_has_no_symbols() -> None:
    assert symbols_in(b"# Title\n", "markdown") == ()


def test_siblings_are_the_names_in_the_same_scope() -> None:
    source = b"class A:\n    def x(self): ...\n    def y(self): ...\n    Z = 1\n\ndef b(): ...\n"
    assert {symbol.qualified: symbol.siblings for symbol in symbols_in(source, "python")} == {
        "A": ("b",),
        "A.x": ("y", "Z"),
        "A.y": ("x", "Z"),
        "A.Z": ("x", "y"),
        "b": ("A",),
    }


def test_siblings_are_the_nearest_ones_and_never_too_many() -> None:
    source = b"".join(b"def f%d(): ...\n" % number for number in range(200))
    symbols = symbols_in(source, "python")
    assert symbols[0].siblings == tuple(f"f{number}" for number in range(1, MAX_SIBLINGS + 1))
    assert symbols[100].siblings == tuple(f"f{number}" for number in range(88, 113) if number != 100)
    assert symbols[199].siblings == tuple(f"f{number}" for number in range(175, 199))


def test_a_sibling_of_the_same_name_is_not_counted() -> None:
    first, second = symbols_in(b"def f(a): ...\ndef f(b): ...\n", "python")
    assert first.siblings == second.siblings == ()


def test_broken_syntax_gives_what_can_be_had() -> None:
    source = b"def before():\n    return (\n\nclass After:\n    def method(self):\n        pass\n"
    assert "After.method" in names(source)
    assert "good" in names(b"func bad( {\n}\n\nfunc good() {\n}\n", "go")


def test_bytes_that_are_no_utf8_are_replaced_and_move_nothing() -> None:
    source = b"# caf\xe9 \xff\xfe\nNAME = '\xe9'\n\ndef after():\n    pass\n"
    found = symbols_in(source, "python")
    assert [(symbol.name, symbol.first_line, symbol.last_line) for symbol in found] == [
        ("NAME", 1, 2),
        ("after", 4, 5),
    ]
    assert names("def naïve_größe(): ...\n".encode()) == ["naïve_größe"]


def test_a_header_in_cplusplus_is_read_as_such() -> None:
    header = b"#pragma once\nnamespace a {\nclass Box {\n public:\n  int get();\n};\n}\n"
    assert names(header, "c") == ["a", "a.Box", "a.Box.get"]


def test_a_comment_belongs_to_a_definition_only_when_it_adjoins() -> None:
    source = b"""\
# A licence.

# Explains f.
def f(): ...

x = 1  # about x
def g(): ...
"""
    assert [(symbol.name, symbol.first_line) for symbol in symbols_in(source, "python")] == [
        ("f", 3),
        ("g", 7),
    ]


# -- what is hostile ------------------------------------------------------------------------------


@pytest.mark.parametrize("language", sorted(GRAMMARS))
def test_deep_nesting_neither_hangs_nor_overflows(language: str) -> None:
    for opening, closing in ((b"(", b")"), (b"[", b"]"), (b"{", b"}")):
        assert symbols_in(opening * 10_000 + closing * 10_000, language) == ()
        assert symbols_in(opening * 10_000, language) == ()


def test_nesting_within_the_limit_is_walked() -> None:
    levels = 400
    source = b"\n".join(b" " * level + b"if x:" for level in range(levels))
    assert names(b"def f(): ...\n" + source + b"\n" + b" " * levels + b"pass\n") == ["f"]
    functions = b"\n".join(b" " * level + b"def f%d():" % level for level in range(100))
    found = names(functions + b"\n" + b" " * 100 + b"pass\n")
    assert found[:3] == ["f0", "f0.f1", "f0.f1.f2"]
    assert len(found) < 30  # names within names without end are nobody's names


def test_a_line_of_five_megabytes_is_not_parsed() -> None:
    line = b"x = '" + b"a" * (5 << 20) + b"'\n"
    assert len(line) > MAX_SOURCE_BYTES
    assert symbols_in(b"def f(): ...\n" + line, "python") == ()


@pytest.mark.parametrize("language", sorted(GRAMMARS))
def test_long_lines_and_odd_bytes_are_survived(language: str) -> None:
    for hostile in (
        b"a" * 100_000,
        b"\xff" * 20_000,
        b'"' * 5_000,
        b"\xf0\x9f\x98\x80" * 5_000,
        b"\\\n" * 500,
    ):
        symbols_in(hostile, language)


@pytest.mark.parametrize("language", sorted(GRAMMARS))
def test_nul_bytes_are_nobodys_source(language: str) -> None:
    assert symbols_in(b"\0" * 100_000, language) == ()


@pytest.mark.parametrize("functions", [2_000, 20_000])
def test_the_time_limit_is_real(functions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"def f(a):\n    return a + 1\n" * functions
    monkeypatch.setattr(languages, "_WHOLE_LIMIT_S", 1e-6)
    monkeypatch.setattr(languages, "TIME_LIMIT_S", -1)
    assert parse(source, "python") is None
    monkeypatch.undo()
    tree = parse(source, "python")  # the parser is not left in the middle of the other one
    assert tree is not None
    assert not tree.root_node.has_error


class Awaited(bytes):
    """Bytes that take their time, as everything does on a machine that is busy with other work."""

    def __getitem__(self, place: SupportsIndex | slice) -> object:  # type: ignore[override]
        time.sleep(0.05)
        return super().__getitem__(place)


def test_a_busy_machine_changes_no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"def f():\n    return 1\n" * 400
    monkeypatch.setattr(languages, "TIME_LIMIT_S", 0.1)
    monkeypatch.setattr(languages, "_WHOLE_BYTES", 0)  # it is asked for piece by piece
    monkeypatch.setattr(languages, "_as_utf8", Awaited)
    tree = languages.parse(source, "python")
    assert tree is not None
    assert tree.root_node.child_count == 400


def test_what_takes_longer_by_the_clock_than_any_such_file_is_judged_by_its_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = b"def f():\n    return 1\n" * 2_000
    monkeypatch.setattr(languages, "_WHOLE_LIMIT_S", 1e-6)
    tree = parse(source, "python")
    assert tree is not None
    assert tree.root_node.child_count == 2_000


def test_a_time_limit_inside_the_parser_is_real(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "_parsers", type(languages._parsers)())
    parser = languages._parser("python", languages.CLOCK_LIMIT_S)
    with pytest.warns(DeprecationWarning, match="progress_callback"):
        assert parser.timeout_micros == languages.CLOCK_LIMIT_S * 1_000_000


def test_characters_cut_by_a_read_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "é" * 60
    source = "".join(f"def f{name}{number}(): ...\n" for number in range(300)).encode()
    monkeypatch.setattr(languages, "_WHOLE_BYTES", 0)
    assert names(source) == [f"f{name}{number}" for number in range(300)]


def test_many_threads_read_the_same() -> None:
    source = b"class A:\n    def b(self): ...\n" * 50
    expected = symbols_in(source, "python")
    with ThreadPoolExecutor(8) as pool:
        assert all(found == expected for found in pool.map(lambda _: symbols_in(source, "python"), range(64)))


def test_every_node_a_table_names_is_in_its_grammar() -> None:
    for language, table in TABLES.items():
        known = languages.grammar(language)
        kinds = {known.node_kind_for_id(number) for number in range(known.node_kind_count)}
        missing = (set(table.rules) | table.through | table.wrappers | table.leads) - kinds
        assert not missing, (language, missing)
        assert marks_of(language).rules


def test_importing_the_package_loads_no_grammar() -> None:
    code = "import sys; import ohara.parse.chunks, ohara.parse.symbols; print('tree_sitter' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"


# -- what a change touches ------------------------------------------------------------------------


def symbol(qualified: str, first: int, last: int) -> Symbol:
    return Symbol(SymbolKind.FUNCTION, qualified.rpartition(".")[2], qualified, first, last)


CART = (
    symbol("LIMIT", 1, 1),
    symbol("Cart", 3, 20),
    symbol("Cart.add", 5, 9),
    symbol("Cart.add.inner", 6, 7),
    symbol("Cart.total", 11, 18),
    symbol("load", 22, 30),
)


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], []),
        ([(2, 2)], []),
        ([(21, 21)], []),
        ([(1, 1)], ["LIMIT"]),
        ([(12, 12)], ["Cart.total"]),
        ([(6, 7)], ["Cart.add.inner"]),
        ([(6, 8)], ["Cart.add.inner", "Cart.add"]),
        ([(3, 3)], ["Cart"]),
        ([(10, 10)], ["Cart"]),
        ([(9, 11)], ["Cart.add", "Cart.total", "Cart"]),
        ([(8, 8), (14, 15)], ["Cart.add", "Cart.total"]),
        ([(20, 25)], ["Cart", "load"]),
        ([(18, 19)], ["Cart.total", "Cart"]),
        ([(1, 99)], ["Cart.add.inner", "Cart.add", "Cart.total", "LIMIT", "Cart", "load"]),
    ],
)
def test_touched(spans: list[tuple[int, int]], expected: list[str]) -> None:
    assert [each.qualified for each in touched(CART, spans)] == expected


def test_symbols_on_the_same_lines_are_touched_together() -> None:
    both = (symbol("A", 4, 4), symbol("B", 4, 4))
    assert touched(both, [(4, 4)]) == both
    one_line = (symbol("Cart", 1, 1), symbol("Cart.add", 1, 1))
    assert touched(one_line, [(1, 1)]) == one_line


def test_a_symbol_wholly_made_of_others_is_never_touched_itself() -> None:
    parts = (symbol("S", 1, 4), symbol("S.a", 1, 2), symbol("S.b", 3, 4))
    assert [each.qualified for each in touched(parts, [(2, 3)])] == ["S.a", "S.b"]


def test_touched_in_a_real_file() -> None:
    source = b"""\
class Cart:
    \"\"\"What a customer wants.\"\"\"

    @property
    def total(self):
        return sum(self.items)

    def clear(self):
        self.items = []
"""
    symbols = symbols_in(source, "python")
    for line, expected in ((2, "Cart"), (4, "Cart.total"), (6, "Cart.total"), (9, "Cart.clear")):
        assert [each.qualified for each in touched(symbols, [(line, line)])] == [expected]
