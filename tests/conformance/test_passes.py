"""The later passes: which commits wait for them, what they read, and what they add."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ohara.model import LeftOut, Pass, PassStatus, VectorForm
from ohara.store.derived import (
    ContentLines,
    DerivedLiterals,
    DerivedTexts,
    DerivedVectors,
    HunkText,
    IndexedHunk,
)
from tests.conformance.histories import (
    ALL,
    HISTORY,
    NEW_BLOB,
    NEWEST,
    NO_PASSES,
    NUMBERING,
    OLD_BLOB,
    RETRY,
    SAME_LINES,
    all_ids,
    all_words,
    commit,
    commit_id,
    file,
    fill,
    hunk,
    open_writer,
    pending_shas,
    sha,
)

if TYPE_CHECKING:
    from ohara.store.index import Index
    from ohara.store.prepared import PreparedCommit
    from ohara.store.writing import Writer
    from tests.conformance.conftest import MakeIndex

EXACT = frozenset({Pass.TEXT, Pass.LITERAL})


def texts_of(index: Index, writer: Writer, *commits: PreparedCommit) -> list[DerivedTexts]:
    """What the text pass would make of commits: the words that they came with."""
    stored, numbers = index.stored_commits(), all_ids(writer)
    made = []
    for each in commits:
        number = numbers[each.commit.sha]
        ids = iter(stored.hunks(number))
        rows = [
            HunkText(next(ids).hunk_id, each.message_words, one.path_words, *(piece.words or ()))
            for one in each.files
            for piece in one.hunks
        ]
        made.append(DerivedTexts(number, tuple(rows), each.message_words, each.vocabulary))
    return made


def _literals(index: Index, writer: Writer, *commits: PreparedCommit) -> list[DerivedLiterals]:
    """What the literal pass would make of commits: the changed lines that they came with."""
    stored, numbers = index.stored_commits(), all_ids(writer)
    made = []
    for each in commits:
        number = numbers[each.commit.sha]
        pieces = [piece for one in each.files for piece in one.hunks]
        rows = [
            ContentLines(there.content_id, piece.changed, piece.signs)
            for there, piece in zip(stored.hunks(number), pieces, strict=True)
            if there.content_id is not None
        ]
        made.append(DerivedLiterals(number, tuple(rows)))
    return made


# -- what waits ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("passes", "waiting"),
    [
        (ALL, {Pass.SYMBOL, Pass.VECTOR, Pass.LINES}),
        (EXACT, {Pass.SYMBOL, Pass.VECTOR, Pass.LINES}),
        (frozenset({Pass.TEXT}), {Pass.LITERAL, Pass.SYMBOL, Pass.VECTOR, Pass.LINES}),
        (NO_PASSES, set(Pass)),
    ],
)
def test_what_a_writer_does_not_do_waits(index: Index, passes: frozenset[Pass], waiting: set[Pass]) -> None:
    fill(index, passes=passes)
    with open_writer(index) as writer:
        for stage in Pass:
            waits = [sha("c"), sha("b"), sha("a")] if stage in waiting else []  # newest first
            assert pending_shas(writer, stage) == waits
            assert writer.passes.count_pending(stage) == len(waits)
            assert writer.passes.any_pending(stage) == bool(waits)
    with index.statistics() as said:
        assert said.passes() == tuple(
            PassStatus(stage, done=0 if stage in waiting else 3, total=3) for stage in Pass
        )


def test_commits_of_one_moment_wait_by_their_shas(index: Index) -> None:
    fill(index, [commit(letter, file("x.py", hunk("+x"))) for letter in "bca"])
    with open_writer(index) as writer:
        assert pending_shas(writer, Pass.SYMBOL) == [sha("a"), sha("b"), sha("c")]


def test_nothing_waits_in_an_empty_index(index: Index) -> None:
    with open_writer(index) as writer:
        assert [writer.passes.any_pending(stage) for stage in Pass] == [False] * len(Pass)


def test_a_marked_commit_waits_no_more(index: Index) -> None:
    fill(index)
    with open_writer(index) as writer:
        writer.passes.mark(Pass.VECTOR, [commit_id(writer, "b"), commit_id(writer, "c")])
        writer.commit()
        assert pending_shas(writer, Pass.VECTOR) == [sha("a")]
        assert pending_shas(writer, Pass.SYMBOL) == [sha("c"), sha("b"), sha("a")]
    with index.statistics() as said:
        assert said.passes()[-1] == PassStatus(Pass.VECTOR, done=2, total=3)


def test_dead_commits_do_not_wait(index: Index) -> None:
    fill(index)
    with open_writer(index) as writer:
        writer.show(live=[], dead=[sha("c")])
        writer.commit()
        assert pending_shas(writer, Pass.SYMBOL) == [sha("b"), sha("a")]
        assert writer.passes.count_pending(Pass.SYMBOL) == 2
    with index.statistics() as said:
        assert said.passes()[-1] == PassStatus(Pass.VECTOR, done=0, total=2)


# -- what they read ------------------------------------------------------------------------------


def test_commits_are_read_back_as_they_were_added(index: Index) -> None:
    def verdict(path: str) -> str | None:
        return "vendored" if path.startswith("vendor/") else None

    body = "+päy = '\U0001f600'\n keep\n-pay"
    with open_writer(index, verdict=verdict) as writer:
        writer.add(
            [
                commit(
                    "a",
                    file("shop/pay.py", hunk(body, at=4, header="def pay():"), hunk("+more", at=40)),
                    file("vendor/pay.py", hunk(body, at=9)),
                    file("moved.unknown", hunk("")),
                    file("big.json", hunk("+{}"), left_out=LeftOut.LARGE),
                    message="pay\n\nin full",
                )
            ]
        )
        writer.commit()
        number = commit_id(writer, "a")
    stored = index.stored_commits()
    assert stored.message(number) == "pay\n\nin full"
    hunks = stored.hunks(number)
    first, second, vendored, moved, big = hunks
    assert first == IndexedHunk(
        hunk_id=first.hunk_id,
        path="shop/pay.py",
        language="python",
        header="def pay():",
        searchable=True,
        content_id=first.content_id,
        has_vector=False,
        body=body,
        old_blob=OLD_BLOB,
        new_blob=NEW_BLOB,
        old_start=4,
        new_start=4,
    )
    assert (second.path, second.header, second.body, second.new_start) == ("shop/pay.py", "", "+more", 40)
    assert vendored == first._replace(
        hunk_id=vendored.hunk_id, path="vendor/pay.py", header="", searchable=False, old_start=9, new_start=9
    )
    assert (moved.language, moved.content_id, moved.body, moved.searchable) == (None, None, "", True)
    assert (big.body, big.searchable) == ("+{}", False)
    assert len({each.hunk_id for each in hunks}) == 5
    assert len({each.content_id for each in hunks}) == 4


def test_very_many_bodies_come_back(index: Index) -> None:
    """So many that an engine which learns from the first how to keep the others has learnt it."""
    bodies = [
        f"+def f_{number}(a_{number * 7919 % 10_007}):\n+    return {number * 31}" * 4
        for number in range(18_000)
    ]
    batches = [bodies[first : first + 3_000] for first in range(0, 18_000, 3_000)]
    with open_writer(index, NO_PASSES) as writer:
        for number, batch in enumerate(batches):
            pieces = [hunk(body, words=False) for body in batch]
            writer.add([commit(f"{number:x}", file("x.py", *pieces))])
            writer.commit()
        stored = index.stored_commits()
        for number, batch in enumerate(batches):
            hunks = stored.hunks(commit_id(writer, f"{number:x}"))
            assert [each.body for each in hunks] == batch


# -- what they add -------------------------------------------------------------------------------


def test_words_written_later_are_words_added_at_once(make_index: MakeIndex) -> None:
    later = fill(make_index("later"), passes=frozenset({Pass.LITERAL}))
    assert later.dump() != fill(make_index("at once")).dump()
    with open_writer(later) as writer:
        writer.passes.write_texts(texts_of(later, writer, *HISTORY))
        assert writer.hunks_pending == 4 + 3  # each hunk, and a little for each commit
        writer.passes.mark(Pass.TEXT, writer.passes.pending(Pass.TEXT))
        writer.commit()
    assert later.dump() == make_index("at once").dump()


def test_words_written_again_replace_the_ones_before(make_index: MakeIndex) -> None:
    index = fill(make_index("one"))
    before = index.dump()
    with open_writer(index) as writer:
        (made,) = texts_of(index, writer, RETRY)
        other = NUMBERING.pack("entirely other")
        changed = tuple(row._replace(added=other) for row in made.rows)
        writer.passes.write_texts([made._replace(rows=changed, vocabulary=all_words())])
        writer.commit()
        assert index.dump() != before
        writer.passes.write_texts([made])
        writer.commit()
    assert index.dump() == before


def test_a_commit_without_words_is_found_by_its_message_and_has_no_file_for_that(
    make_index: MakeIndex,
) -> None:
    silent = commit("a", file("logo.png", left_out=LeftOut.BINARY), message="new logo")
    index = fill(make_index("added"), [silent])
    with index.statistics() as said:
        assert (said.hunks(), said.contents()) == (1, 0)
    with open_writer(index) as writer:
        number = commit_id(writer, "a")
        assert index.stored_commits().hunks(number) == []
    before = index.dump()
    with open_writer(index) as writer:
        writer.passes.write_texts([DerivedTexts(number, (), silent.message_words, silent.vocabulary)])
        writer.commit()
    assert index.dump() == before


def test_a_commit_that_loses_its_words_is_found_by_its_message(make_index: MakeIndex) -> None:
    index = fill(make_index("one"), [RETRY])
    before = index.dump()
    with open_writer(index) as writer:
        (made,) = texts_of(index, writer, RETRY)
        writer.passes.write_texts([made._replace(rows=())])
        writer.commit()
        with index.statistics() as said:
            assert said.hunks() == 2
        writer.passes.write_texts([made])
        writer.commit()
        with index.statistics() as said:
            assert said.hunks() == 1
    assert index.dump() == before


def test_lines_written_later_are_lines_added_at_once(make_index: MakeIndex) -> None:
    history = (*HISTORY, commit("d", file("key.pem", hunk("+MIIB\n-MIIC", signs=5))))
    later = fill(make_index("later"), history, passes=frozenset({Pass.TEXT}))
    with open_writer(later) as writer:
        made = _literals(later, writer, *history)
        writer.passes.write_literals(made)
        assert writer.hunks_pending == 5 + 4
        writer.passes.write_literals(made)  # saying so twice does no harm
        writer.passes.mark(Pass.LITERAL, writer.passes.pending(Pass.LITERAL))
        writer.commit()
    assert later.dump() == fill(make_index("at once"), history).dump()


def test_a_known_content_gets_its_lines_with_the_next_commit_that_has_it(make_index: MakeIndex) -> None:
    index = fill(make_index("one"), [RETRY], passes=frozenset({Pass.TEXT}))
    fill(index, [SAME_LINES])
    with open_writer(index) as writer:
        assert pending_shas(writer, Pass.LITERAL) == [sha("a")]
        writer.passes.write_literals(_literals(index, writer, RETRY))
        writer.passes.mark(Pass.LITERAL, writer.passes.pending(Pass.LITERAL))
        writer.commit()
    assert index.dump() == fill(make_index("other"), [RETRY, SAME_LINES]).dump()


def vectors_of(
    index: Index, writer: Writer, *commits: PreparedCommit, packed: bytes = b"\x0f" * 2
) -> list[DerivedVectors]:
    """Vectors of sixteen bits for commits and those of their contents that have none."""
    stored, numbers = index.stored_commits(), all_ids(writer)
    made: list[DerivedVectors] = []
    known: set[int] = set()
    for each in commits:
        number = numbers[each.commit.sha]
        contents = {
            there.content_id: packed
            for there in stored.hunks(number)
            if there.content_id is not None and not there.has_vector and there.content_id not in known
        }
        known.update(contents)
        made.append(DerivedVectors(number, tuple(contents.items()), packed, b""))
    return made


def _have_vectors(index: Index, *numbers: int) -> list[bool]:
    stored = index.stored_commits()
    return [each.has_vector for number in numbers for each in stored.hunks(number)]


def test_a_content_that_got_its_vector_has_one_wherever_it_occurs(index: Index) -> None:
    fill(index)
    with open_writer(index) as writer:
        old, same, newest = (commit_id(writer, letter) for letter in "abc")
        assert _have_vectors(index, old, same, newest) == [False] * 4
        writer.passes.write_vectors(vectors_of(index, writer, RETRY), 16, VectorForm.BIT)
        assert writer.hunks_pending == 1
        assert _have_vectors(index, old, same, newest) == [False] * 4
        writer.passes.mark(Pass.VECTOR, [old])
        writer.commit()
        assert _have_vectors(index, old, same, newest) == [True, True, False, False]
        assert pending_shas(writer, Pass.VECTOR) == [sha("c"), sha("b")]


def test_vectors_written_twice_are_there_once(make_index: MakeIndex) -> None:
    once, twice = fill(make_index("once")), fill(make_index("twice"))
    with open_writer(once) as writer:
        writer.passes.write_vectors(vectors_of(once, writer, *HISTORY), 16, VectorForm.BIT)
        writer.commit()
    with open_writer(twice) as writer:
        made = vectors_of(twice, writer, *HISTORY)
        writer.passes.write_vectors(made[:2], 16, VectorForm.BIT)
        writer.commit()
        writer.passes.write_vectors(made, 16, VectorForm.BIT)
        writer.commit()
    assert twice.dump() == once.dump()


def test_a_text_without_a_vector_is_done(index: Index) -> None:
    fill(index, [NEWEST])
    with open_writer(index) as writer:
        writer.passes.write_vectors(vectors_of(index, writer, NEWEST, packed=b""), 16, VectorForm.BIT)
        writer.commit()
        assert _have_vectors(index, commit_id(writer, "c")) == [True, True]


def test_vectors_of_signed_bytes_are_kept_as_well(make_index: MakeIndex) -> None:
    bits, signed = fill(make_index("bits")), fill(make_index("bytes"))
    packed = bytes(range(120, 136))
    for index, vector, form in ((bits, b"\x0f\xf0", VectorForm.BIT), (signed, packed, VectorForm.INT8)):
        with open_writer(index) as writer:
            writer.passes.write_vectors(vectors_of(index, writer, *HISTORY, packed=vector), 16, form)
            writer.commit()
            assert _have_vectors(index, *all_ids(writer).values()) == [True] * 4
    assert bits.dump() != signed.dump()


def test_what_is_removed_leaves_nothing_to_what_takes_its_place(make_index: MakeIndex) -> None:
    encoded = commit("d", file("key.pem", hunk("+MIIB", signs=5)), day=4)
    follows = commit("e", file("other.py", hunk("+other")), day=5)
    index, other = make_index("one"), fill(make_index("other"), [RETRY, follows])
    fill(index, [RETRY, encoded])
    with open_writer(index) as writer:
        writer.passes.write_vectors(vectors_of(index, writer, encoded), 16, VectorForm.BIT)
        writer.commit()
        writer.remove_commits([sha("d")])
        writer.upkeep.sweep()
        writer.commit()
        writer.add([follows])
        writer.commit()
        assert _have_vectors(index, commit_id(writer, "e")) == [False]
    assert index.dump() == other.dump()


def test_a_removed_commit_takes_its_vectors(make_index: MakeIndex) -> None:
    index, other = fill(make_index("one")), fill(make_index("other"), [SAME_LINES])
    with open_writer(index) as writer:
        writer.passes.write_vectors(vectors_of(index, writer, *HISTORY), 16, VectorForm.BIT)
        writer.commit()
        writer.remove_commits([sha("a"), sha("c")])
        writer.upkeep.sweep()
        writer.commit()
    with open_writer(other) as writer:
        writer.passes.write_vectors(vectors_of(other, writer, SAME_LINES), 16, VectorForm.BIT)
        writer.commit()
    assert index.dump() == other.dump()
