"""What keeps an index true: versions, rules, refs that no longer reach, and tidying that changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ohara.model import ChangeKind, LeftOut, Pass, VectorForm, submodule_blob
from ohara.store.derived import NamedSubmodule, TouchedHunk
from ohara.store.facts import FINGERPRINT, HEAD_SYMBOLS
from ohara.store.fingerprint import PIECES_VERSION, Fingerprint
from tests.conformance.histories import (
    HISTORY,
    NEWEST,
    RETRY,
    SAME_LINES,
    all_ids,
    commit,
    commit_id,
    file,
    fill,
    hunk,
    open_writer,
    pending_shas,
    sha,
)
from tests.conformance.test_passes import texts_of, vectors_of
from tests.conformance.test_symbols import CART, OLD, PAY, touched

if TYPE_CHECKING:
    from ohara.store.index import Index
    from ohara.store.writing import Writer
    from tests.conformance.conftest import MakeIndex

MADE_WITH = Fingerprint(words=2, parser=1, embedder="one", vectors=2, pieces=PIECES_VERSION, lines=1)
OTHER = replace(MADE_WITH, embedder="other")


def _make_whole(index: Index) -> None:
    """An index of which every pass has done all there is to do."""
    fill(index)
    with open_writer(index) as writer:
        assert writer.upkeep.reconcile(MADE_WITH) == frozenset()
        writer.symbols.add_blob(OLD, "python", [PAY])
        writer.symbols.replace_head([CART], gone=[])
        hunks = index.stored_commits().hunks(commit_id(writer, "a"))
        writer.symbols.touched([TouchedHunk(hunks[0].hunk_id, (touched("pay"), touched("refund")))])
        writer.record(HEAD_SYMBOLS, sha("c"))
        _embed(index, writer, 1)
        writer.passes.mark(Pass.SYMBOL, writer.passes.pending(Pass.SYMBOL))
        writer.passes.mark(Pass.LINES, writer.passes.pending(Pass.LINES))
        writer.commit()


def _embed(index: Index, writer: Writer, model: int) -> None:
    """Do the vector pass, before the symbol pass."""
    made = vectors_of(index, writer, *HISTORY, packed=bytes([model, model]))
    writer.passes.write_vectors(made, 16, VectorForm.BIT)
    writer.passes.mark(Pass.VECTOR, writer.passes.pending(Pass.VECTOR))
    writer.commit()


def _waiting(writer: Writer) -> set[Pass]:
    return {stage for stage in Pass if writer.passes.any_pending(stage)}


# -- versions ------------------------------------------------------------------------------------


def test_what_an_index_is_made_with_is_recorded(index: Index) -> None:
    with open_writer(index) as writer:
        assert writer.fact(FINGERPRINT) is None
        assert writer.upkeep.reconcile(MADE_WITH) == frozenset()
        assert not writer.in_batch
        assert writer.fact(FINGERPRINT) == MADE_WITH
    assert index.examine().made_with == MADE_WITH


def test_an_index_made_with_the_same_is_left_alone(index: Index) -> None:
    _make_whole(index)
    before = index.dump()
    with open_writer(index) as writer:
        assert writer.upkeep.reconcile(MADE_WITH) == frozenset()
        assert _waiting(writer) == set()
    assert index.dump() == before


@pytest.mark.parametrize(
    ("changed", "stale"),
    [
        (replace(MADE_WITH, words=3), {Pass.TEXT, Pass.SYMBOL}),
        (replace(MADE_WITH, parser=2), {Pass.SYMBOL}),
        (replace(MADE_WITH, vectors=3), {Pass.VECTOR}),
        (replace(MADE_WITH, lines=MADE_WITH.lines + 1), {Pass.LINES}),
        (OTHER, {Pass.VECTOR}),
        (replace(MADE_WITH, embedder=""), {Pass.VECTOR}),
        (replace(MADE_WITH, pieces=PIECES_VERSION + 1), set()),
    ],
)
def test_what_is_stale_waits_again(index: Index, changed: Fingerprint, stale: set[Pass]) -> None:
    _make_whole(index)
    with open_writer(index) as writer:
        assert writer.upkeep.reconcile(changed) == stale
        assert _waiting(writer) == stale
        assert writer.fact(FINGERPRINT) == changed
        is_read_again = Pass.SYMBOL in stale
        assert writer.fact(HEAD_SYMBOLS) == (None if is_read_again else sha("c"))
        assert writer.symbols.parsed_blobs() == (set() if is_read_again else {(OLD, "python")})
    with index.statistics() as said:
        assert said.symbols() == (0 if is_read_again else 2)


def test_submodules_without_commits_are_listed_and_given_some(index: Index) -> None:
    lib = file("lib", hunk("-Subproject commit 1\n+Subproject commit 2"))
    with open_writer(index) as writer:
        writer.add(
            [
                commit("a", lib._replace(kind=ChangeKind.ADDED, old_blob=None, new_blob=None)),
                commit("b", lib._replace(old_blob=None, new_blob=None), file("code.py")),
                commit("c", lib._replace(kind=ChangeKind.DELETED, old_blob=None, new_blob=None)),
                commit("d", lib._replace(kind=ChangeKind.ADDED, old_blob=None)),
                commit("e", lib._replace(kind=ChangeKind.DELETED, new_blob=None)),
            ]
        )
        writer.commit()
        found = writer.upkeep.nameless_submodules()
        assert [
            (each.commit, each.path, each.old_path, each.lacks_old, each.lacks_new) for each in found
        ] == [
            (sha("a"), "lib", "lib", False, True),
            (sha("b"), "lib", "lib", True, True),
            (sha("c"), "lib", "lib", True, False),
        ]
        one, two = submodule_blob(sha("1")), submodule_blob(sha("2"))
        writer.upkeep.name_submodules(
            [
                NamedSubmodule(found[0].file, None, one),
                NamedSubmodule(found[1].file, one, two),
                NamedSubmodule(found[2].file, two, None),
            ]
        )
        writer.commit()
        assert writer.upkeep.nameless_submodules() == []
    with index.copy_source() as source:
        numbers = {each: number for each, (number, _, _) in source.commits().items()}
        (changed,) = source.read([numbers[sha("b")]])
        assert [(each.old_blob, each.new_blob) for each in changed.files if each.path == "lib"] == [
            (one, two)
        ]


def test_passes_made_again_end_in_the_same_index(make_index: MakeIndex) -> None:
    index = make_index("one")
    _make_whole(index)
    before = index.dump()
    with open_writer(index) as writer:
        writer.upkeep.reconcile(replace(MADE_WITH, words=3))
        writer.passes.write_texts(texts_of(index, writer, *HISTORY))
        writer.passes.mark(Pass.TEXT, writer.passes.pending(Pass.TEXT))
        writer.symbols.add_blob(OLD, "python", [PAY])
        writer.symbols.replace_head([CART], gone=[])
        hunks = index.stored_commits().hunks(commit_id(writer, "a"))
        writer.symbols.touched([TouchedHunk(hunks[0].hunk_id, (touched("pay"), touched("refund")))])
        writer.passes.mark(Pass.SYMBOL, writer.passes.pending(Pass.SYMBOL))
        writer.commit()
    assert index.dump() == before


# -- embedders -----------------------------------------------------------------------------------


def _embedded(index: Index, *models: tuple[Fingerprint, int]) -> None:
    """An index whose vectors were made by one model after the other; the symbol pass is never done."""
    fill(index)
    with open_writer(index) as writer:
        for fingerprint, model in models:
            writer.upkeep.reconcile(fingerprint)
            if writer.passes.any_pending(Pass.VECTOR):
                _embed(index, writer, model)
                writer.upkeep.retire_vectors()


def _have_vectors(index: Index, writer: Writer) -> set[bool]:
    stored = index.stored_commits()
    return {each.has_vector for number in all_ids(writer).values() for each in stored.hunks(number)}


def test_a_new_embedder_ends_in_an_index_of_its_own(make_index: MakeIndex) -> None:
    changed, fresh = make_index("changed"), make_index("fresh")
    _embedded(changed, (MADE_WITH, 1), (OTHER, 2))
    _embedded(fresh, (OTHER, 2))
    assert changed.dump() == fresh.dump()


def test_vectors_of_a_former_embedder_are_kept_until_they_are_retired(index: Index) -> None:
    _embedded(index, (MADE_WITH, 1))
    with open_writer(index) as writer:
        writer.upkeep.reconcile(OTHER)
        assert _have_vectors(index, writer) == {False}
        _embed(index, writer, 2)
        kept = index.dump()
        writer.upkeep.retire_vectors()
        assert not writer.in_batch
        retired = index.dump()
        assert len(retired) < len(kept)
        writer.upkeep.retire_vectors()
        assert index.dump() == retired


def test_an_embedder_that_comes_back_goes_on_with_its_own_vectors(make_index: MakeIndex) -> None:
    index, fresh = make_index("one"), make_index("fresh")
    _embedded(index, (MADE_WITH, 1))
    _embedded(fresh, (MADE_WITH, 1))
    with open_writer(index) as writer:
        writer.upkeep.reconcile(OTHER)
        writer.passes.write_vectors(vectors_of(index, writer, NEWEST, packed=b"\2\2"), 16, VectorForm.BIT)
        writer.commit()
        assert writer.upkeep.reconcile(MADE_WITH) == {Pass.VECTOR}
        assert _have_vectors(index, writer) == {True}
        assert pending_shas(writer, Pass.VECTOR) == [sha("c"), sha("b"), sha("a")]
        writer.passes.mark(Pass.VECTOR, writer.passes.pending(Pass.VECTOR))
        writer.commit()
    assert index.dump() == fresh.dump()


def test_vectors_that_were_given_up_half_made_are_made_anew(make_index: MakeIndex) -> None:
    index, fresh = make_index("one"), make_index("fresh")
    _embedded(index, (MADE_WITH, 1))
    _embedded(fresh, (OTHER, 3))
    with open_writer(index) as writer:
        writer.upkeep.reconcile(OTHER)
        writer.passes.write_vectors(vectors_of(index, writer, NEWEST, packed=b"\2\2"), 16, VectorForm.BIT)
        writer.commit()
        writer.upkeep.reconcile(MADE_WITH)
        writer.upkeep.reconcile(OTHER)
        assert _have_vectors(index, writer) == {False}
        _embed(index, writer, 3)
        writer.upkeep.retire_vectors()
    assert index.dump() == fresh.dump()


def test_without_an_embedder_there_are_no_vectors(make_index: MakeIndex) -> None:
    index, fresh = make_index("one"), make_index("fresh")
    none = replace(MADE_WITH, embedder="")
    _embedded(index, (MADE_WITH, 1))
    with open_writer(index) as writer:
        writer.upkeep.reconcile(none)
    fill(fresh)
    with open_writer(fresh) as writer:
        writer.upkeep.reconcile(none)
    assert index.dump() == fresh.dump()


# -- rules ---------------------------------------------------------------------------------------


def _judged(index: Index, verdicts: dict[str, str], rules: str) -> tuple[int, Writer]:
    writer = open_writer(index, verdict=verdicts.get)
    return writer.upkeep.judge_paths(rules), writer


def test_a_path_that_is_left_out_has_its_commits_made_again(index: Index) -> None:
    _make_whole(index)
    changed, writer = _judged(index, {"net/retry.py": "ignored"}, "new rules")
    with writer:
        assert changed == 1
        assert not writer.in_batch
        for stage in (Pass.TEXT, Pass.SYMBOL, Pass.VECTOR):
            assert pending_shas(writer, stage) == [sha("a")]
        assert pending_shas(writer, Pass.LITERAL) == []
        assert writer.fact(HEAD_SYMBOLS) is None
        (left,) = index.stored_commits().hunks(commit_id(writer, "a"))
        assert (left.searchable, left.has_vector) == (False, True)  # another file has the same lines
        writer.upkeep.sweep()
        writer.commit()
    with index.statistics() as said:
        assert said.left_out() == ((LeftOut.IGNORED, 1),)
        assert said.symbols() == 1  # HEAD has it; what only the left-out hunk touched is gone


def test_a_content_that_is_searched_nowhere_has_no_vector(index: Index) -> None:
    _make_whole(index)
    verdicts = {"net/retry.py": "ignored", "net/again.py": "ignored"}
    changed, writer = _judged(index, verdicts, "new rules")
    with writer:
        assert changed == 2
        stored = index.stored_commits()
        assert [stored.hunks(each)[0].has_vector for each in all_ids(writer).values()] == [False, False]


def test_a_path_that_is_taken_back_in_gets_its_vectors_again(make_index: MakeIndex) -> None:
    index = make_index("one")
    _embedded(index, (MADE_WITH, 1))
    before = index.dump()
    _, writer = _judged(index, {"shop/cart.py": "ignored"}, "new rules")
    with writer:
        assert pending_shas(writer, Pass.VECTOR) == [sha("c")]
    _, writer = _judged(index, {}, "old rules")
    with writer:
        _embed(index, writer, 1)
        writer.passes.mark(Pass.TEXT, writer.passes.pending(Pass.TEXT))
        writer.commit()
    assert index.dump() == before


def test_the_same_rules_judge_nothing(index: Index) -> None:
    _make_whole(index)
    _, writer = _judged(index, {}, "rules")
    writer.__exit__(None, None, None)
    before = index.dump()
    changed, writer = _judged(index, {"net/retry.py": "ignored"}, "rules")
    with writer:
        assert changed == 0
    assert index.dump() == before


def test_other_rules_with_the_same_verdicts_change_nothing(index: Index) -> None:
    _make_whole(index)
    before = index.dump()
    changed, writer = _judged(index, {}, "other rules")
    with writer:
        assert changed == 0
        assert _waiting(writer) == set()
        assert writer.fact(HEAD_SYMBOLS) == sha("c")
    assert index.dump() == before


# -- refs that no longer reach -------------------------------------------------------------------


def test_collecting_leaves_an_index_that_never_saw_the_dead(make_index: MakeIndex) -> None:
    alone = commit("d", file("gone/only.py", hunk("+gone", header="class Gone:")), author="Mallory", day=4)
    index, fresh = make_index("one"), fill(make_index("fresh"), [SAME_LINES])
    fill(index, [*HISTORY, alone])
    with open_writer(index) as writer:
        hunks = index.stored_commits().hunks(commit_id(writer, "d"))
        writer.symbols.touched([TouchedHunk(hunks[0].hunk_id, (touched("pay"),))])
        writer.show(live=[], dead=[sha("a"), sha("c"), sha("d")])
        writer.commit()
        assert writer.upkeep.collect() == 3
        assert not writer.in_batch
        assert writer.known_shas() == {sha("b"): True}
        assert index.dump() == fresh.dump()
        assert writer.upkeep.collect() == 0
        writer.add([NEWEST, RETRY, alone])
        writer.commit()
    assert index.dump() == fill(make_index("all"), [*HISTORY, alone]).dump()


def test_sweeping_takes_nothing_that_is_mentioned(index: Index) -> None:
    _make_whole(index)
    before = index.dump()
    with open_writer(index) as writer:
        writer.upkeep.sweep()
        writer.commit()
    assert index.dump() == before


def test_what_was_swept_can_come_again(make_index: MakeIndex) -> None:
    index = fill(make_index("one"))
    before = index.dump()
    with open_writer(index) as writer:
        writer.remove_commits([sha("a"), sha("b"), sha("c")])
        writer.upkeep.sweep()
        writer.commit()
        assert index.dump() == []
        writer.add(HISTORY)
        writer.commit()
    assert index.dump() == before


# -- tidying -------------------------------------------------------------------------------------


def test_tidying_changes_nothing_that_an_index_says(make_index: MakeIndex) -> None:
    index, plain = make_index("tidied"), fill(make_index("plain"))
    with open_writer(index) as writer:
        writer.upkeep.merge_late(late=True)
        assert not writer.in_batch
        for each in HISTORY:
            writer.add([each])
            writer.commit()
        assert index.dump() == plain.dump()
        writer.upkeep.compact()
        assert not writer.in_batch
        writer.upkeep.merge_late(late=False)
    assert index.dump() == plain.dump()
