"""Symbols: what hunks touch, what HEAD defines, and that a symbol goes with the last who mentions it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from ohara.model import Pass, Symbol, SymbolKind
from ohara.store.derived import HeadFile, TouchedHunk, TouchedSymbol
from tests.conformance.histories import HISTORY, NEWEST, RETRY, commit_id, fill, open_writer, sha

if TYPE_CHECKING:
    from ohara.store.index import Index
    from ohara.store.writing import Writer
    from tests.conformance.conftest import MakeIndex

OLD, NEW = "1a" * 20, "1b" * 20  # blobs
FUNCTION = SymbolKind.FUNCTION


def symbol(name: str, line: int, *siblings: str) -> Symbol:
    """A function of two lines."""
    return Symbol(FUNCTION, name, f"shop.{name}", line, line + 1, siblings)


def touched(name: str) -> TouchedSymbol:
    """The same function as a hunk touches it."""
    return TouchedSymbol(FUNCTION.value, name, f"shop.{name}")


PAY, REFUND = symbol("pay", 1, "refund"), symbol("refund", 4, "pay")
CART = HeadFile("shop/cart.py", OLD, "python")


def _first_hunk(index: Index, writer: Writer, letter: str) -> int:
    return index.stored_commits().hunks(commit_id(writer, letter))[0].hunk_id


def _symbols(index: Index) -> int:
    with index.statistics() as said:
        return said.symbols()


def test_a_symbol_is_known_once_however_many_hunks_touch_it(index: Index) -> None:
    fill(index)
    with open_writer(index) as writer:
        first, other = (_first_hunk(index, writer, letter) for letter in "ac")
        writer.symbols.touched([TouchedHunk(first, (touched("pay"), touched("refund")))])
        writer.symbols.touched([TouchedHunk(other, (touched("pay"),))])
        writer.commit()
        assert _symbols(index) == 2
        before = index.dump()
        writer.symbols.touched([TouchedHunk(first, (touched("pay"),))])
        writer.commit()
    assert index.dump() == before


def test_the_files_to_find_symbols_in_are_those_of_the_commits_in_their_order(index: Index) -> None:
    fill(index)
    stored = index.stored_commits()
    with open_writer(index) as writer:
        commits = [commit_id(writer, letter) for letter in "ca"]
        files = writer.symbols.to_touch(commits, ["python"])
        assert writer.symbols.to_touch(commits, ["cobol"]) == []
    expected = [
        (commit, hunk.hunk_id, hunk.old_blob or "", hunk.new_blob or "")
        for commit in commits
        for hunk in stored.hunks(commit)
        if hunk.language == "python" and hunk.searchable and hunk.content_id is not None
    ]
    assert expected
    assert [
        (file.commit_id, hunk, file.old_blob, file.new_blob) for file in files for hunk in file.hunks
    ] == expected


def test_hunks_are_read_by_their_numbers(index: Index) -> None:
    fill(index)
    stored = index.stored_commits()
    with open_writer(index) as writer:
        hunks = [hunk for letter in "ac" for hunk in stored.hunks(commit_id(writer, letter))]
    assert stored.hunks_by_id([*(hunk.hunk_id for hunk in hunks), 10**9]) == {
        hunk.hunk_id: hunk for hunk in hunks
    }


def test_the_size_of_a_batch_counts_the_hunks_that_touch(index: Index) -> None:
    fill(index)
    with open_writer(index) as writer:
        hunks = index.stored_commits().hunks(commit_id(writer, "c"))
        writer.symbols.touched([TouchedHunk(each.hunk_id, (touched("pay"),)) for each in hunks])
        assert writer.hunks_pending == 2
        writer.symbols.touched([])  # a commit that touches nothing was work, too
        assert writer.hunks_pending == 3


def test_symbols_of_a_batch_that_was_rolled_back_are_made_again(make_index: MakeIndex) -> None:
    one, other = fill(make_index("one")), fill(make_index("other"))
    with open_writer(one) as writer:
        hunk = _first_hunk(one, writer, "a")
        writer.symbols.touched([TouchedHunk(hunk, (touched("pay"), touched("refund")))])
        writer.rollback()
        assert _symbols(one) == 0
        writer.symbols.touched([TouchedHunk(hunk, (touched("refund"),))])
        writer.commit()
    assert _symbols(one) == 1
    with open_writer(other) as writer:
        writer.symbols.touched([TouchedHunk(_first_hunk(other, writer, "a"), (touched("refund"),))])
        writer.commit()
    assert one.dump() == other.dump()


def test_the_files_of_head_and_what_they_define(index: Index) -> None:
    with open_writer(index) as writer:
        assert writer.symbols.head_files() == {}
        assert writer.symbols.parsed_blobs() == set()
        writer.symbols.add_blob(OLD, "python", [PAY, REFUND])
        writer.symbols.add_blob(NEW, "python", [])
        assert writer.hunks_pending == 2
        assert writer.symbols.parsed_blobs() == {(OLD, "python"), (NEW, "python")}
        assert writer.symbols.head_files() == {}
        writer.symbols.replace_head([CART, HeadFile("empty.py", NEW, "python")], gone=[])
        writer.commit()
        assert writer.symbols.head_files() == {
            "shop/cart.py": (OLD, "python"),
            "empty.py": (NEW, "python"),
        }
    assert _symbols(index) == 2


def test_one_blob_may_be_two_files_and_two_languages(index: Index) -> None:
    with open_writer(index) as writer:
        writer.symbols.add_blob(OLD, "c", [PAY])
        writer.symbols.add_blob(OLD, "cpp", [PAY])
        files = [HeadFile("a.h", OLD, "c"), HeadFile("b.h", OLD, "c"), HeadFile("c.hpp", OLD, "cpp")]
        writer.symbols.replace_head(files, gone=[])
        writer.symbols.replace_head([], gone=["a.h"])
        writer.commit()
        assert writer.symbols.head_files() == {"b.h": (OLD, "c"), "c.hpp": (OLD, "cpp")}
        assert writer.symbols.parsed_blobs() == {(OLD, "c"), (OLD, "cpp")}
        writer.symbols.replace_head([], gone=["b.h"])
        assert writer.symbols.parsed_blobs() == {(OLD, "cpp")}


def test_a_changed_file_gives_up_what_it_defined(make_index: MakeIndex) -> None:
    index, fresh = make_index("one"), make_index("fresh")
    with open_writer(index) as writer:
        writer.symbols.add_blob(OLD, "python", [PAY, REFUND])
        writer.symbols.replace_head([CART], gone=[])
        writer.commit()
        writer.symbols.add_blob(NEW, "python", [symbol("pay", 1)])
        writer.symbols.replace_head([CART._replace(blob=NEW)], gone=[])
        writer.commit()
        assert writer.symbols.parsed_blobs() == {(NEW, "python")}
    assert _symbols(index) == 1
    with open_writer(fresh) as writer:
        writer.symbols.add_blob(NEW, "python", [symbol("pay", 1)])
        writer.symbols.replace_head([CART._replace(blob=NEW)], gone=[])
        writer.commit()
    assert index.dump() == fresh.dump()


def test_a_symbol_stays_while_a_hunk_touches_it(make_index: MakeIndex) -> None:
    index, other = fill(make_index("one")), fill(make_index("other"))
    with open_writer(index) as writer:
        writer.symbols.add_blob(OLD, "python", [PAY, REFUND])
        writer.symbols.touched([TouchedHunk(_first_hunk(index, writer, "a"), (touched("pay"),))])
        writer.symbols.replace_head([CART], gone=[])
        writer.commit()
        assert _symbols(index) == 2
        writer.symbols.replace_head([], gone=["shop/cart.py"])
        writer.commit()
        assert _symbols(index) == 1
    with open_writer(other) as writer:
        writer.symbols.touched([TouchedHunk(_first_hunk(other, writer, "a"), (touched("pay"),))])
        writer.commit()
    assert index.dump() == other.dump()


def test_a_symbol_that_was_dropped_can_come_again(make_index: MakeIndex) -> None:
    index, other = fill(make_index("one")), fill(make_index("other"))
    with open_writer(index) as writer:
        writer.symbols.add_blob(OLD, "python", [PAY])
        writer.symbols.replace_head([CART], gone=[])
        writer.symbols.replace_head([], gone=["shop/cart.py"])
        writer.symbols.touched([TouchedHunk(_first_hunk(index, writer, "a"), (touched("pay"),))])
        writer.commit()
    with open_writer(other) as writer:
        writer.symbols.touched([TouchedHunk(_first_hunk(other, writer, "a"), (touched("pay"),))])
        writer.commit()
    assert index.dump() == other.dump()


def test_the_order_of_reading_does_not_show(make_index: MakeIndex) -> None:
    one, other = fill(make_index("one")), fill(make_index("other"), reversed(HISTORY))
    with open_writer(one) as writer:
        writer.symbols.add_blob(OLD, "python", [PAY, REFUND])
        writer.symbols.replace_head([CART], gone=[])
        writer.symbols.touched([TouchedHunk(_first_hunk(one, writer, "a"), (touched("pay"),))])
        writer.symbols.touched([TouchedHunk(_first_hunk(one, writer, "c"), (touched("cancel"),))])
        writer.commit()
    with open_writer(other) as writer:
        writer.symbols.touched([TouchedHunk(_first_hunk(other, writer, "c"), (touched("cancel"),))])
        writer.symbols.touched([TouchedHunk(_first_hunk(other, writer, "a"), (touched("pay"),))])
        writer.symbols.add_blob(OLD, "python", [REFUND, PAY])
        writer.symbols.replace_head([CART], gone=[])
        writer.commit()
    assert one.dump() == other.dump()


def test_a_symbol_is_found_by_the_names_beside_it_in_head(index: Index) -> None:
    def found(word: str) -> int:
        readers = index.readers()
        try:
            return len(
                anyio.run(readers.read, lambda reader: reader.symbols_by_words([word], (1.0, 1.0, 1.0), 9))
            )
        finally:
            readers.close()

    fill(index)
    with open_writer(index) as writer:
        writer.symbols.touched([TouchedHunk(_first_hunk(index, writer, "a"), (touched("pay"),))])
        writer.commit()
        assert (found("pay"), found("refund")) == (1, 0)
        writer.symbols.add_blob(OLD, "python", [PAY])
        writer.symbols.replace_head([CART], gone=[])
        writer.commit()
        assert (found("pay"), found("refund")) == (1, 1)
        writer.symbols.replace_head([], gone=["shop/cart.py"])
        writer.commit()
        assert (found("pay"), found("refund")) == (1, 0)


def test_a_symbol_that_was_swept_can_come_again(make_index: MakeIndex) -> None:
    index, other = fill(make_index("one"), [RETRY, NEWEST]), fill(make_index("other"), [NEWEST])
    with open_writer(index) as writer:
        writer.symbols.touched([TouchedHunk(_first_hunk(index, writer, "a"), (touched("pay"),))])
        writer.remove_commits([sha("a")])
        writer.upkeep.sweep()
        writer.commit()
        writer.symbols.touched([TouchedHunk(_first_hunk(index, writer, "c"), (touched("pay"),))])
        writer.commit()
    with open_writer(other) as writer:
        writer.symbols.touched([TouchedHunk(_first_hunk(other, writer, "c"), (touched("pay"),))])
        writer.commit()
    assert index.dump() == other.dump()


def test_a_removed_commit_touches_nothing(make_index: MakeIndex) -> None:
    index, other = fill(make_index("one"), [RETRY, NEWEST]), fill(make_index("other"), [NEWEST])
    with open_writer(index) as writer:
        writer.symbols.touched([TouchedHunk(_first_hunk(index, writer, "a"), (touched("pay"),))])
        writer.passes.mark(Pass.SYMBOL, [])
        writer.remove_commits([sha("a")])
        writer.upkeep.sweep()
        writer.commit()
    assert _symbols(index) == 0
    assert index.dump() == other.dump()
