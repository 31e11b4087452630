"""Every look-up of a reader, on a history made by hand, against answers written by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import pytest

from ohara.model import (
    ChangedFile,
    ChangeKind,
    Filters,
    HunkId,
    Kin,
    LeftOut,
    Pass,
    PassStatus,
    VectorForm,
)
from ohara.store.answers import (
    HunkPieces,
    HunkRange,
    ResolvedCommits,
    ScoredByWords,
    TouchedBy,
    UnreadCounts,
    VectorSets,
    WordQuery,
)
from ohara.store.derived import DerivedVectors, TouchedHunk, TouchedSymbol
from ohara.store.facts import TIPS
from ohara.store.fingerprint import PIECES_VERSION, Fingerprint
from ohara.store.reading import Interrupted
from ohara.store.trigram_query import ANYTHING, All, Either
from ohara.words import index_text
from tests.conformance.histories import (
    NEW_BLOB,
    OLD_BLOB,
    commit,
    commit_id,
    file,
    fill,
    hunk,
    open_writer,
    sha,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ohara.model import VectorBlock
    from ohara.store.answers import Occurrence, PathChange, PlacedHunk, TrigramMatch, Weights
    from ohara.store.index import Index
    from ohara.store.prepared import PreparedCommit, PreparedFile, PreparedHunk
    from ohara.store.reading import Reader, Readers

    HasSha = Occurrence | TrigramMatch | PlacedHunk | PathChange

MODEL = "numbers@1"
MESSAGE, PATH, HEADER, ADDED, REMOVED, CONTEXT = range(6)
EVEN = ((1.0, 1.0, 1.0, 1.0, 1.0, 1.0), 1.0)
FIRST_DAY = 1_700_000_000
DAY = 86_400


def child(part: PreparedCommit, *parents: str) -> PreparedCommit:
    """The same commit with these parents."""
    return part._replace(commit=replace(part.commit, parents=tuple(map(sha, parents))))


def renamed(old: str, new: str, *hunks: PreparedHunk) -> PreparedFile:
    """A file that moved, with its hunks."""
    return file(new, *hunks)._replace(kind=ChangeKind.RENAMED, old_path=old)


# a leads to b and c, which d merges without lines of its own; e follows d, and so did f before a rewrite.
HISTORY: tuple[PreparedCommit, ...] = (
    commit(
        "a",
        file("net/retry.py", hunk("+wait twice\n keep\n-wait", header="def retry():")),
        message="retry uploads",
        day=1,
    ),
    child(
        commit("b", file("net/again.py", hunk("+wait twice\n keep\n-wait", at=7)), day=2, author="Grace"), "a"
    ),
    child(commit("c", file("shop/Cart.py", hunk("+total = 0", at=3), hunk("-price", at=9)), day=3), "a"),
    child(commit("d", message="merge the shop", day=4), "b", "c"),
    child(
        commit(
            "e",
            renamed("net/retry.py", "net/backoff.py", hunk("+wait longer\n-wait twice", at=1)),
            file("poetry.lock", hunk("+hash", words=False), left_out=LeftOut.GENERATED),
            message="back off",
            day=5,
        ),
        "d",
    ),
    child(commit("f", file("net/retry.py", hunk("+wait for ever")), day=6), "d"),
)


@pytest.fixture
def filled(index: Index) -> Index:
    """The history, its last commit hidden, symbols and vectors made."""
    fill(index, HISTORY)
    with open_writer(index) as writer:
        writer.show(live=(), dead=[sha("f")])
        stored = index.stored_commits()
        writer.begin()
        for letter, names in (("a", ("retry",)), ("c", ("Cart", "Cart.total")), ("e", ("backoff",))):
            number = commit_id(writer, letter)
            first, *_ = stored.hunks(number)
            symbols = tuple(TouchedSymbol("function", name.rpartition(".")[2], name) for name in names)
            writer.symbols.touched([TouchedHunk(first.hunk_id, symbols)])
            writer.passes.mark(Pass.SYMBOL, [number])
        writer.record(TIPS, {"HEAD": sha("e")})
        writer.commit()
    return index


@pytest.fixture
def readers(filled: Index) -> Iterator[Readers]:
    """Readers of the filled index."""
    opened = filled.readers()
    yield opened
    opened.close()


def borrowed(readers: Readers) -> Reader:
    """One reader, kept for a whole test."""
    kept: list[Reader] = []

    async def borrow() -> None:
        await readers.read(kept.append)

    anyio.run(borrow)
    return kept[0]


@pytest.fixture
def reader(readers: Readers) -> Reader:
    """One reader of the filled index."""
    return borrowed(readers)


def named(reader: Reader) -> dict[int, str]:
    """The letter of each shown commit, by its number."""
    shas = {sha(letter): letter for letter in "abcdef"}
    return {number: shas[each] for each, number in reader.indexed(list(shas)).items()}


def everything(reader: Reader) -> list[tuple[str, HunkId]]:
    return [(at.sha.hex()[0], at.hunk) for at in reader.recent(reader.allow(Filters()))]


def letters(found: Sequence[ScoredByWords] | Sequence[TouchedBy] | Sequence[HasSha]) -> str:
    """The commits of what was found, one letter each, in order."""
    places = [one.at if isinstance(one, ScoredByWords | TouchedBy) else one for one in found]
    return "".join(one.sha.hex()[0] for one in places)


# -- which hunks may answer ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("filters", "answer"),
    [
        (Filters(), "eedccba"),
        (Filters(authors=("grace",)), "b"),
        (Filters(authors=("ADA@example",)), "eedcca"),
        (Filters(authors=("nobody",)), ""),
        (Filters(paths=("net/*",)), "eba"),
        (Filters(paths=("net/retry.py",)), "ea"),  # under its former name as well
        (Filters(not_paths=("net/*",)), "edcc"),
        (Filters(exts=("lock",)), "e"),
        (Filters(langs=("python",)), "eccba"),
        (Filters(kinds=(ChangeKind.RENAMED,)), "e"),
        (Filters(messages=("MERGE",)), "d"),
        (Filters(symbols=("total",)), "c"),
        (Filters(symbols=("Cart::total",)), "c"),
        (Filters(symbols=("nothing",)), ""),
        (Filters(not_authors=("grace",)), "eedcca"),
        (Filters(not_authors=("grace", "ADA@example")), ""),
        (Filters(not_authors=("nobody",)), "eedccba"),
        (Filters(not_langs=("python",)), "ed"),
        (Filters(not_exts=("lock",)), "edccba"),
        (Filters(not_kinds=(ChangeKind.RENAMED,)), "edccba"),
        (Filters(not_messages=("MERGE",)), "eeccba"),
        (Filters(not_symbols=("total",)), "eedcba"),
        (Filters(authors=("ada",), not_paths=("net/*",), not_messages=("merge",)), "ecc"),
        (Filters(since=FIRST_DAY + 3 * DAY), "eedcc"),
        (Filters(until=FIRST_DAY + 2 * DAY), "ba"),
        (Filters(since=FIRST_DAY + 2 * DAY, authors=("ada",), paths=("shop/*",)), "cc"),
    ],
)
def test_filters_let_through_what_they_say(reader: Reader, filters: Filters, answer: str) -> None:
    allowed = reader.allow(filters)
    assert letters(reader.recent(allowed)) == answer


@pytest.mark.parametrize(
    ("filters", "answer"),
    [
        (Filters(), "cba"),
        (Filters(messages=("commit",)), "cba"),
        (Filters(not_paths=("poetry.lock",)), "cb"),
        (Filters(not_exts=("lock",)), "cb"),
        (Filters(not_kinds=(ChangeKind.MODIFIED,)), "c"),
        (Filters(not_langs=("toml",)), "cb"),
        (Filters(not_paths=("poetry.lock",), not_exts=("png",)), "c"),
        (Filters(not_paths=("nowhere/",)), "cba"),
    ],
)
def test_a_commit_without_searched_lines_is_listed_once_and_left_out_with_its_files(
    index: Index, filters: Filters, answer: str
) -> None:
    locked = file("poetry.lock", hunk("+hash", words=False), left_out=LeftOut.GENERATED)
    drawn = file("logo.png", left_out=LeftOut.BINARY)
    fill(index, (commit("a", locked, day=1), commit("b", drawn, day=2), commit("c", day=3)))
    readers = index.readers()
    try:
        reader = borrowed(readers)
        allowed = reader.allow(filters)
        listed = reader.recent(allowed)
        assert letters(listed) == answer
        assert all(bool(at.lineless) is (at.sha.hex() != sha("a")) for at in listed)
        assert letters([at for letter in "cba" for at in reader.of_commit(letter * 4, allowed)]) == answer
        by_message = reader.by_words(WordQuery(("commit",), columns=("message",)), [EVEN], allowed, 9)
        assert sorted(letters(by_message)) == sorted(answer)
    finally:
        readers.close()


def test_refs_and_named_commits_narrow(reader: Reader) -> None:
    numbers = {letter: number for number, letter in named(reader).items()}
    side = ResolvedCommits.of([numbers["a"], numbers["c"]])
    both = ResolvedCommits.of(None, [sha("b"), sha("f")])
    assert letters(reader.recent(reader.allow(Filters(refs=("side",)), side))) == "cca"
    assert letters(reader.recent(reader.allow(Filters(commits=("x",)), both))) == "b"
    with pytest.raises(ValueError, match="reach"):
        reader.allow(Filters(refs=("side",)))
    beyond = reader.allow(Filters(not_refs=("side",)), excluded=side)
    assert letters(reader.recent(beyond)) == "eedb"
    others = reader.allow(Filters(not_commits=("x",)), excluded=both)
    assert letters(reader.recent(others)) == "eedcca"
    with pytest.raises(ValueError, match="refs"):
        reader.allow(Filters(not_refs=("side",)))


def test_whether_anything_may_answer(reader: Reader) -> None:
    assert reader.lets_any(reader.allow(Filters()))
    assert reader.lets_any(reader.allow(Filters(authors=("grace",))))
    assert not reader.lets_any(reader.allow(Filters(authors=("nobody",))))
    assert not reader.lets_any(reader.allow(Filters(authors=("grace",), not_authors=("Grace",))))


def test_a_filter_is_narrowed_to_hunks_and_to_words(reader: Reader) -> None:
    allowed = reader.allow(Filters())
    first = [hunk for letter, hunk in everything(reader) if letter in "ab"]
    assert letters(reader.recent(allowed.among(first))) == "ba"
    assert letters(reader.recent(allowed.among([]))) == ""
    twice = WordQuery(("twice",), columns=("added",))
    assert letters(reader.recent(allowed.holding(twice))) == "ba"
    assert letters(reader.recent(allowed.holding(replace(twice, columns=("removed",))))) == "e"
    assert letters(reader.recent(allowed.holding(twice).among(first[:1]))) == "b"


def test_a_filter_of_very_many_hunks_is_narrowed_like_one_of_few(reader: Reader) -> None:
    allowed = reader.allow(Filters())
    first = [hunk for letter, hunk in everything(reader) if letter in "ab"]
    others = [HunkId(number) for number in range(1_000_000, 1_003_000)]
    few, many = first, [*others, *first]
    assert letters(reader.recent(allowed.among(many))) == letters(reader.recent(allowed.among(few))) == "ba"
    apart = letters(reader.recent(allowed.apart_from(few)))
    assert letters(reader.recent(allowed.apart_from(many))) == apart
    assert sorted(apart + "ab") == sorted(letters(reader.recent(allowed)))
    assert letters(reader.recent(allowed.apart_from(few[:1]).among(many))) == "a"


def test_everything_is_said_when_nothing_is_hidden_or_filtered(index: Index) -> None:
    fill(index)
    opened = index.readers()

    async def ask() -> tuple[bool, bool]:
        return await opened.read(
            lambda reader: (
                reader.allow(Filters()).everything,
                reader.allow(Filters(authors=("ada",))).everything,
            )
        )

    assert anyio.run(ask) == (True, False)
    opened.close()


# -- words ---------------------------------------------------------------------------------------


def test_words_select_and_score(reader: Reader) -> None:
    allowed = reader.allow(Filters())
    found = reader.by_words(WordQuery(("twice",)), [EVEN], allowed, 10)
    assert set(letters(found)) == {"a", "b", "e"}
    assert all(one.scores[0] > 0 for one in found)
    assert [one.scores for one in found] == sorted((one.scores for one in found), reverse=True)
    assert letters(reader.by_words(WordQuery(("twice",)), [EVEN], allowed, 2)) == letters(found)[:2]
    assert (
        letters(reader.by_words(WordQuery(("wait twice",), columns=("removed",)), [EVEN], allowed, 9)) == "e"
    )
    assert reader.by_words(WordQuery(("twice wait",)), [EVEN], allowed, 9) == []  # a phrase has an order
    assert reader.by_words(WordQuery(("absent",)), [EVEN], allowed, 9) == []


def test_common_words_score_without_selecting(reader: Reader) -> None:
    allowed = reader.allow(Filters())
    found = reader.by_words(WordQuery(("longer",), ("wait",)), [EVEN], allowed, 9)
    assert letters(found) == "e"
    alone = reader.by_words(WordQuery(("longer",)), [EVEN], allowed, 9)
    assert found[0].scores[0] != alone[0].scores[0]


def test_each_weighting_has_its_score_and_the_mixture_its_order(reader: Reader) -> None:
    def weights(column: int) -> tuple[float, float, float, float, float, float]:
        one = [0.0] * 6
        one[column] = 1.0
        return (one[0], one[1], one[2], one[3], one[4], one[5])

    allowed = reader.allow(Filters())
    message_and_path = [(weights(MESSAGE), 1.0), (weights(PATH), 0.1)]
    found = reader.by_words(WordQuery(("retry", "back")), message_and_path, allowed, 9)
    scores = {letters([one]): one.scores for one in found}
    assert scores["a"][0] > 0  # "retry uploads"
    assert scores["e"][0] > 0  # "back off"
    by_path = reader.by_words(WordQuery(("net",)), [(weights(PATH), 1.0)], allowed, 9)
    assert set(letters(by_path)) == {"a", "b", "e"}


def test_a_message_without_lines_is_found_and_marked(reader: Reader) -> None:
    (found,) = reader.by_words(WordQuery(("shop",), columns=("message",)), [EVEN], reader.allow(Filters()), 9)
    assert (letters([found]), found.at.lineless, found.at.merge) == ("d", True, True)


def test_quotes_and_operators_in_words_are_words(reader: Reader) -> None:
    allowed = reader.allow(Filters())
    for hostile in ('"', "a OR b", "NEAR(", "x*", "-wait", "added:wait", "'", "\0"):
        reader.by_words(WordQuery((hostile,)), [EVEN], allowed, 9)
        reader.symbols_by_words([hostile], (1.0, 1.0, 1.0), 9)


def test_frequencies_and_counts(reader: Reader) -> None:
    found = reader.document_frequencies(["longer", "twice", "absent"])
    assert (found["longer"], found["twice"], found["absent"]) == (1, 3, 0)
    assert reader.hunk_count() >= 7
    counts = reader.counts()
    assert counts.commits == 5
    by_stage = {each.stage: each for each in counts.passes}
    assert by_stage[Pass.TEXT] == PassStatus(Pass.TEXT, done=5, total=5)
    assert by_stage[Pass.SYMBOL] == PassStatus(Pass.SYMBOL, done=3, total=5)


# -- words of whole commits ----------------------------------------------------------------------

FLAT = EVEN[0]
MIXED = (6.0, 1.0, 1.0, 1.0, 0.2, 0.1)


def whole_commits(
    reader: Reader, words: WordQuery, weights: Weights = FLAT, filters: Filters | None = None
) -> list[ScoredByWords]:
    """What is found; both engines can tell."""
    found = reader.commits_by_words(words, weights, reader.allow(filters or Filters()), 9)
    assert found is not None
    return found


def test_a_commit_is_found_by_words_that_no_hunk_of_it_holds_together(reader: Reader) -> None:
    found = whole_commits(reader, WordQuery(("total", "price")))
    assert letters(found) == "c"
    (alone,) = whole_commits(reader, WordQuery(("total",)))
    assert found[0].scores[0] > 1.9 * alone.scores[0]  # each word adds its own, whichever hunk it is in


def test_the_score_of_a_commit_is_bm25_over_all_its_hunks(index: Index) -> None:
    """Commits of 6, 3 and 3 words, message and path in each hunk; two words stand in the first alone."""
    fill(
        index,
        (
            commit("a", file("p", hunk("+one", at=1), hunk("-two", at=9)), message="m", day=1),
            commit("b", file("p", hunk("+other")), message="m", day=2),
            commit("c", file("p", hunk("+else")), message="m", day=3),
        ),
    )
    opened = index.readers()
    (found,) = whole_commits(borrowed(opened), WordQuery(("one", "two")), MIXED)
    opened.close()
    norm = 2.0 * (1 - 0.9 + 0.9 * 6 / 4)
    worth = math.log(2.5 / 1.5)
    assert found.scores[0] == pytest.approx(worth * (1.0 * 3 / (1.0 + norm) + 0.2 * 3 / (0.2 + norm)))


def test_a_commit_that_came_in_parts_is_one_text(index: Index) -> None:
    """Between the parts of a large commit, those of others are written."""
    parts = [
        commit("a", file(f"{n}.py", hunk(f"+needle{n}")), first=n == 0, last=n == 2, day=1) for n in range(3)
    ]
    others = [commit(letter, file(f"{letter}.py", hunk(f"+{letter * 3}")), day=2) for letter in "bcd"]
    with open_writer(index) as writer:
        for part, other in zip(parts, others, strict=True):
            writer.add([part])
            writer.add([other])
        writer.commit()
    opened = index.readers()
    reader = borrowed(opened)
    found = whole_commits(reader, WordQuery(("needle0", "needle1", "needle2")))
    (alone,) = whole_commits(reader, WordQuery(("needle1",)))
    opened.close()
    assert letters(found) == "a"
    assert found[0].scores[0] == pytest.approx(3 * alone.scores[0])


def test_a_message_counts_once_however_many_hunks_a_commit_has(index: Index) -> None:
    one = commit("a", file("a.py", hunk("+x", at=1)), message="needle", day=1)
    three = commit(
        "b", file("b.py", hunk("+y", at=1), hunk("+z", at=5), hunk("+w", at=9)), message="needle", day=2
    )
    others = [commit(letter, file(f"{letter}.py", hunk(f"+{letter * 3}")), day=3) for letter in "cdef"]
    fill(index, (one, three, *others))
    opened = index.readers()
    reader = borrowed(opened)
    found = {letters([each]): each.scores[0] for each in whole_commits(reader, WordQuery(("needle",)))}
    opened.close()
    assert found.keys() == {"a", "b"}
    assert found["a"] > found["b"]  # it is the shorter one, and says it as often


def test_a_commit_is_told_by_a_hunk_that_may_answer(reader: Reader) -> None:
    (found,) = whole_commits(reader, WordQuery(("price",), ("total",)))
    (other,) = whole_commits(reader, WordQuery(("total",), ("price",)))
    assert found.at.commit == other.at.commit
    assert found.at.hunk != other.at.hunk
    assert whole_commits(reader, WordQuery(("total",)), filters=Filters(authors=("grace",))) == []
    assert letters(whole_commits(reader, WordQuery(("wait",)), filters=Filters(authors=("grace",)))) == "b"


def test_hidden_commits_and_other_columns_are_not_found(reader: Reader) -> None:
    assert "f" not in letters(whole_commits(reader, WordQuery(("wait",))))
    assert letters(whole_commits(reader, WordQuery(("price",), columns=("added",)))) == ""
    assert letters(whole_commits(reader, WordQuery(("price",), columns=("removed",)))) == "c"
    assert whole_commits(reader, WordQuery(("absent",))) == []


# -- symbols and paths ---------------------------------------------------------------------------


def test_symbols_by_name_and_by_words(reader: Reader) -> None:
    allowed = reader.allow(Filters())
    (total,) = reader.symbols_named(["Cart.total"])
    assert reader.symbols_named(["total"]) == [total]
    assert reader.symbols_named(["Basket.total"]) == []
    assert reader.symbols_named(["\udcff"]) == []
    assert letters(reader.touching([total], allowed)) == "c"
    assert [one.symbol for one in reader.touching([total], allowed)] == [total]
    assert letters(reader.touching([total], reader.allow(Filters(authors=("grace",))))) == ""
    (best, score), *_ = reader.symbols_by_words([index_text("retry")], (0.5, 3.0, 0.5), 9)
    assert score > 0
    assert letters(reader.touching([best], allowed)) == "a"


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("net/retry.py", "ea"),
        ("retry.py", "ea"),
        ("backoff.py", "e"),
        ("net", "eba"),
        ("SHOP/cart.PY", "cc"),
        ("etry.py", ""),
        ("absent.py", ""),
    ],
)
def test_hunks_at_a_path(reader: Reader, written: str, answer: str) -> None:
    found = reader.at_path(written, reader.allow(Filters()), 9)
    assert letters(found) == answer
    assert letters(reader.at_path(written, reader.allow(Filters()), 1)) == answer[:1]


def test_hunks_of_a_commit_by_its_name(reader: Reader) -> None:
    allowed = reader.allow(Filters())
    assert letters(reader.of_commit("cccc", allowed)) == "cc"
    assert letters(reader.of_commit("C" * 40, allowed)) == "cc"
    assert letters(reader.of_commit("ffff", allowed)) == ""
    assert letters(reader.of_commit("cd", allowed)) == ""


# -- trigrams ------------------------------------------------------------------------------------


def test_trigrams_never_miss_and_come_newest_first(reader: Reader) -> None:
    allowed = reader.allow(Filters())
    assert letters(reader.by_trigrams("twi", allowed)) == "eba"
    assert letters(reader.by_trigrams(All(("lon", "ger")), allowed)) == "e"
    assert letters(reader.by_trigrams(Either(("lon", "pri")), allowed)) == "ec"
    assert letters(reader.by_trigrams(ANYTHING, allowed)) == "eeccba"
    assert letters(reader.by_trigrams("twi", reader.allow(Filters(paths=("net/again.py",))))) == "b"
    found = reader.by_trigrams("twi", allowed)
    assert found[1].content == found[2].content  # equal hunks share their text
    bodies = reader.bodies({one.content for one in found})
    assert bodies[found[1].content] == b"+wait twice\n keep\n-wait"
    assert reader.bodies([]) == {}


def test_commits_without_trigrams_yet_are_candidates(index: Index) -> None:
    fill(index, HISTORY[:2], passes=frozenset({Pass.TEXT}))
    opened = index.readers()

    async def ask() -> str:
        return await opened.read(lambda reader: letters(reader.by_trigrams("zzz", reader.allow(Filters()))))

    assert anyio.run(ask) == "ba"
    opened.close()


# -- vectors -------------------------------------------------------------------------------------


class Owned(list[tuple[int, bytes]]):
    """Vectors with their owners, as `Numbers` searches them."""

    @property
    def size(self) -> int:
        return len(self)


class Numbers:
    """Vectors of one byte for tests: the more bits two share, the more alike they are."""

    form = VectorForm.BIT

    def __init__(self, bits: int) -> None:
        self.packed = bytes([bits])

    def likeness(self, stored: Sequence[bytes]) -> list[float]:
        return [1.0 - (each[0] ^ self.packed[0]).bit_count() / 8 for each in stored]

    def gather(self, blocks: Sequence[VectorBlock]) -> Owned:
        found = Owned()
        for block in blocks:
            slots = len(block.rows) // 8
            width = len(block.vectors) // slots if slots else 0
            for slot in range(slots):
                if block.valid[slot // 8] >> slot % 8 & 1:
                    owner = int.from_bytes(block.rows[slot * 8 : slot * 8 + 8], "little")
                    found.append((owner, block.vectors[slot * width : slot * width + width]))
        return found

    def likeness_of(self, gathered: Owned, owners: Iterable[int]) -> dict[int, float]:
        asked = set(owners)
        return {owner: self.likeness([vector])[0] for owner, vector in gathered if owner in asked}

    def nearest(self, gathered: Owned, limit: int, among: bytes | None) -> list[tuple[int, float]]:
        scored = [
            (owner, self.likeness([vector])[0])
            for owner, vector in gathered
            if among is None or among[owner - 1 : owner] == b"\x01"
        ]
        return sorted(scored, key=lambda one: (-one[1], one[0]))[:limit]


def vectors_of(index: Index, bits: dict[str, tuple[int, int, int]]) -> None:
    """Give each commit a vector of its first content, of its subject and of its change."""
    with open_writer(index) as writer:
        stored = index.stored_commits()
        made = []
        for number in writer.passes.pending(Pass.VECTOR):
            letter = writer.sha_of(number)[0]
            if letter in bits:
                content, subject, change = bits[letter]
                rows = [
                    (each.content_id, bytes([content]))
                    for each in stored.hunks(number)[:1]
                    if each.content_id
                ]
                made.append(DerivedVectors(number, tuple(rows), bytes([subject]), bytes([change])))
        writer.begin()
        writer.passes.write_vectors(made, 8, VectorForm.BIT)
        writer.passes.mark(Pass.VECTOR, [one.commit_id for one in made])
        writer.commit()


@pytest.fixture
def near(filled: Index) -> Iterator[Reader]:
    """A reader of the history whose commits have vectors; a and b share one content."""
    with open_writer(filled) as writer:
        made_with = Fingerprint(words=1, parser=1, embedder=MODEL, vectors=1, pieces=PIECES_VERSION, lines=1)
        writer.upkeep.reconcile(made_with)
        writer.commit()
    vectors_of(
        filled,
        {
            "a": (0b1111_0000, 0b1111_1111, 0b0000_0001),
            "c": (0b1100_0000, 0b0000_0000, 0b1111_1110),
            "e": (0b0000_1111, 0b0000_0000, 0b0000_0000),
        },
    )
    opened = filled.readers()
    yield borrowed(opened)
    opened.close()


def test_which_models_made_vectors(near: Reader) -> None:
    assert near.vector_sets() == VectorSets(current=MODEL, kept=None)
    assert near.has_commit_vectors(MODEL)
    assert not near.has_commit_vectors("other@1")


def test_contents_near_to_a_query(near: Reader) -> None:
    allowed = near.allow(Filters())
    probe = Numbers(0b1111_0000)
    found = near.nearest_contents(probe, MODEL, allowed, 9)
    assert found is not None
    assert [score for _, score in found] == [1.0, 0.75, 0.0]
    newest = near.newest_occurrences([content for content, _ in found], allowed)
    assert letters([newest[content] for content, _ in found]) == "bce"  # b is the newest with a's content
    only_ada = near.allow(Filters(authors=("ada",)))
    assert letters([near.newest_occurrences([found[0][0]], only_ada)[found[0][0]]]) == "a"
    shop = near.nearest_contents(probe, MODEL, near.allow(Filters(paths=("shop/*",))), 9)
    assert shop == [found[1]]
    assert near.nearest_contents(probe, MODEL, allowed, 1) == found[:1]
    assert near.nearest_contents(probe, "other@1", allowed, 9) is None
    stored = near.content_vectors([content for content, _ in found], MODEL)
    assert stored == {found[0][0]: b"\xf0", found[1][0]: b"\xc0", found[2][0]: b"\x0f"}
    assert near.content_vectors([found[0][0]], "other@1") == {}
    assert near.content_likeness(probe, [*stored, 1 << 30], MODEL) == dict(found)
    assert near.content_likeness(probe, list(stored), "other@1") == {}


def test_commits_near_to_a_query_by_their_nearer_vector(near: Reader) -> None:
    letter = named(near)
    found = near.nearest_commits(Numbers(0b1111_1111), MODEL, near.allow(Filters()), 9)
    assert [(letter[commit], score) for commit, score in found] == [("a", 1.0), ("c", 0.875), ("e", 0.0)]
    among = near.nearest_commits(Numbers(0b1111_1111), MODEL, near.allow(Filters(paths=("shop/*",))), 9)
    assert [letter[commit] for commit, _ in among] == ["c"]
    assert len(near.nearest_commits(Numbers(0b1111_1111), MODEL, near.allow(Filters()), 1)) == 1
    assert near.nearest_commits(Numbers(1), "other@1", near.allow(Filters()), 9) == []


def test_hunks_of_commits(near: Reader) -> None:
    numbers = {letter: number for number, letter in named(near).items()}
    shop = near.allow(Filters(paths=("shop/*",)))
    found = near.hunks_of([numbers["c"], numbers["a"]], near.allow(Filters()), 10)
    assert [named(near)[commit] for commit, _, _ in sorted(found)] == ["a", "c", "c"]
    assert {commit for commit, _, _ in near.hunks_of([numbers["c"], numbers["a"]], shop, 10)} == {
        numbers["c"]
    }
    assert letters(near.occurrences([hunk for commit, hunk, _ in found if commit == numbers["a"]])) == "a"
    assert near.hunks_of([numbers["c"], numbers["a"]], near.allow(Filters()), 10) == found


# -- whole hunks ---------------------------------------------------------------------------------


def test_a_whole_hunk(reader: Reader) -> None:
    hunks = dict(reversed(everything(reader)))
    every = [hunk for _, hunk in everything(reader)]
    rows = reader.hydrate([*every, HunkId(999_999)])
    assert set(rows) == set(every)
    first = rows[hunks["a"]]
    assert (first.commit.sha, first.commit.author, first.commit.message) == (sha("a"), "Ada", "retry uploads")
    assert (first.path, first.old_path, first.language, first.kind) == (
        "net/retry.py", None, "python", ChangeKind.MODIFIED,
    )  # fmt: skip
    assert (first.header, first.symbols, first.left_out) == ("def retry():", ("retry",), None)
    assert (first.body, first.old_start, first.new_start) == ("+wait twice\n keep\n-wait", 1, 1)
    message = rows[hunks["d"]]
    assert (message.path, message.content, message.body) == ("", None, "")
    assert message.commit.parents == (sha("b"), sha("c"))
    removal = next(row for row in rows.values() if row.body == "-price")
    assert (removal.old_start, removal.new_start) == (9, 10)  # on the empty side, where a line would come
    moved, generated = (rows[hunk] for letter, hunk in everything(reader) if letter == "e")
    assert (moved.path, moved.old_path, moved.kind) == ("net/backoff.py", "net/retry.py", ChangeKind.RENAMED)
    assert (generated.path, generated.left_out) == ("poetry.lock", LeftOut.GENERATED)


def test_contents_commits_and_paths(reader: Reader) -> None:
    allowed = reader.allow(Filters())
    hunks = dict(reversed(everything(reader)))
    contents = reader.contents_of(hunks.values())
    assert hunks["d"] not in contents
    assert contents[hunks["a"]] == contents[hunks["b"]]
    assert reader.commits_with_content([contents[hunks["a"]]], allowed) == {
        contents[hunks["a"]]: (sha("b"), sha("a"))
    }
    assert reader.commits_with_content([contents[hunks["a"]]], reader.allow(Filters(authors=("ada",)))) == {
        contents[hunks["a"]]: (sha("a"),)
    }
    numbers = {letter: number for number, letter in named(reader).items()}
    assert reader.hunk_pieces([numbers["c"], numbers["a"]]) == {
        numbers["c"]: HunkPieces(2, {}),
        numbers["a"]: HunkPieces(1, {}),
    }
    paths = reader.paths_of_commits([numbers["e"], numbers["d"]])
    assert {number: sorted(found) for number, found in paths.items()} == {
        numbers["e"]: ["net/backoff.py", "poetry.lock"]
    }


# -- history -------------------------------------------------------------------------------------


def test_commits_and_where_they_lead(reader: Reader) -> None:
    numbers = {letter: number for number, letter in named(reader).items()}
    assert set(numbers) == set("abcde")  # f is hidden
    assert reader.indexed([sha("a"), sha("9")]) == {sha("a"): numbers["a"]}
    assert set(reader.ancestors([sha("c")]) or ()) == {numbers["c"], numbers["a"]}
    assert set(reader.ancestors([sha("b"), sha("c")]) or ()) == {numbers[each] for each in "abc"}
    assert reader.ancestors([sha("9")]) is None
    links = reader.known_links()
    assert set(links) == {bytes.fromhex(sha(each)) for each in "abcde"}
    assert links[bytes.fromhex(sha("c"))][1] == bytes.fromhex(sha("a"))
    assert links[bytes.fromhex(sha("a"))][1] == b""
    assert reader.log_order() is None  # times say it all
    assert reader.places_in_second() == {}


def test_the_order_of_the_log_where_clocks_were_wrong(index: Index) -> None:
    fill(
        index,
        [
            commit("a", file("x.py", hunk("+one")), day=9),
            child(commit("b", file("x.py", hunk("+two")), day=1), "a"),
            child(commit("c", file("x.py", hunk("+three")), day=5), "b"),
        ],
    )
    opened = index.readers()
    assert borrowed(opened).log_order() == {sha("c"): 0, sha("b"): 1, sha("a"): 2}
    opened.close()


def test_the_places_of_a_series_of_one_second(index: Index) -> None:
    fill(
        index,
        [
            child(commit("f", file("x.py", hunk("+zero")), day=1)),
            child(commit("d", file("x.py", hunk("+one")), day=2), "f"),
            child(commit("a", file("x.py", hunk("+two")), day=2), "d"),
            child(commit("e", file("x.py", hunk("+three")), day=2), "d"),
            child(commit("b", file("x.py", hunk("+four")), day=2), "d", "e"),
            child(commit("c", file("x.py", hunk("+five")), day=3), "b"),
        ],
    )
    opened = index.readers()
    places = borrowed(opened).places_in_second()
    assert places == {bytes.fromhex(sha("a")): 1, bytes.fromhex(sha("e")): 1, bytes.fromhex(sha("b")): 2}
    opened.close()


def test_files_and_kin(reader: Reader) -> None:
    numbers = {letter: number for number, letter in named(reader).items()}
    assert reader.files_of(numbers["e"]) == (
        ChangedFile(ChangeKind.RENAMED, "net/backoff.py", "net/retry.py", 1, 1, 1, None),
        ChangedFile(ChangeKind.MODIFIED, "poetry.lock", None, 1, 0, 1, LeftOut.GENERATED),
    )
    assert reader.files_of(numbers["d"]) == ()
    assert reader.kin([sha("c"), sha("9")]) == (
        Kin(sha("c"), "commit c", FIRST_DAY + 3 * DAY),
        Kin(sha("9"), "", 0),
    )
    assert [one.sha for one in reader.children_of(sha("a"))] == [sha("b"), sha("c")]
    assert [one.sha for one in reader.children_of(sha("d"))] == [sha("e")]  # not the hidden one


def test_a_file_under_its_names(reader: Reader) -> None:
    assert set(reader.names_of_file("net/backoff.py")) == {"net/backoff.py", "net/retry.py"}
    assert reader.names_of_file("net/backoff.py")[0] == "net/backoff.py"
    assert reader.names_of_file("shop/Cart.py") == ("shop/Cart.py",)
    hunks = dict(reversed(everything(reader)))
    assert reader.paths_reached([hunks["a"]]) == ["net/backoff.py", "net/retry.py"]
    assert reader.paths_reached([hunks["c"]]) == ["shop/Cart.py"]
    (touching,) = reader.hunks_touching("Cart.total", ["shop/Cart.py"], 9)
    assert letters(reader.occurrences([touching])) == "c"
    assert reader.hunks_touching("Cart.total", ["net/retry.py"], 9) == []
    assert reader.hunks_touching("Cart.total", [], 9) == [touching]


def test_what_made_a_content(reader: Reader) -> None:
    late = FIRST_DAY + 30 * DAY
    (made,) = reader.made("net/backoff.py", NEW_BLOB, late)
    assert (made.sha, made.time, made.parents) == (sha("e"), FIRST_DAY + 5 * DAY, (sha("d"),))
    assert (made.old_path, made.old_blob) == ("net/retry.py", OLD_BLOB)
    assert reader.made("net/backoff.py", NEW_BLOB, FIRST_DAY) == []
    assert reader.made("net/backoff.py", "00" * 20, late) == []
    (there,) = reader.hunks_of_file(made.commit_id, made.file_id)
    assert there[1:] == HunkRange(HunkId(0), 1, 1, 1, 1)[1:]


# -- names ---------------------------------------------------------------------------------------


def test_what_names_stand_for(reader: Reader) -> None:
    allowed = reader.allow(Filters())
    letter = named(reader)
    found = reader.messages_with(WordQuery(("retry", "shop"), columns=("message",)), allowed)
    assert {letter[number]: message for number, message in found.items()} == {
        "a": "retry uploads",
        "d": "merge the shop",
    }
    numbers = {name: number for number, name in letter.items()}
    assert letters(reader.hunks_of_commits([numbers["c"], numbers["a"]], allowed)) == "cca"
    changes = reader.changes_with(WordQuery(("twice",), columns=("added",)), allowed, 9)
    assert [(letters([one]), one.path) for one in changes] == [("b", "net/again.py"), ("a", "net/retry.py")]
    assert sorted(reader.paths_meant("net")) == ["net/again.py", "net/backoff.py", "net/retry.py"]
    assert [
        (letters([one]), one.path, one.old_path, one.kind) for one in reader.changes_at("retry.py", allowed)
    ] == [
        ("e", "net/backoff.py", "net/retry.py", ChangeKind.RENAMED),
        ("a", "net/retry.py", None, ChangeKind.MODIFIED),
    ]


# -- readers -------------------------------------------------------------------------------------


def test_facts_and_state(filled: Index, reader: Reader) -> None:
    assert reader.fact(TIPS) == {"HEAD": sha("e")}
    assert reader.failed() == []
    before = reader.state()
    with open_writer(filled) as writer:
        writer.add([child(commit("7", file("x.py", hunk("+x")), day=8), "e")])
        writer.record_failure(sha("8"), "damaged")
        writer.commit()
    assert reader.state() != before
    assert reader.failed() == [sha("8")]


def test_what_is_remembered_goes_when_the_index_changes(filled: Index, reader: Reader) -> None:
    made: list[int] = []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    assert [reader.remembered("x", make), reader.remembered("x", make)] == [0, 0]
    with open_writer(filled) as writer:
        writer.record(TIPS, {})
        writer.commit()
    assert reader.remembered("x", make) == 1


def test_a_snapshot_is_one_state(filled: Index, reader: Reader) -> None:
    with reader.snapshot():
        before = everything(reader)
        with open_writer(filled) as writer:
            writer.add([child(commit("7", file("x.py", hunk("+x")), day=8), "e")])
            writer.commit()
        assert everything(reader) == before
    assert everything(reader)[0][0] == "7"


def test_a_reader_stops_when_nobody_listens(readers: Readers) -> None:
    stopped: list[bool] = []

    def work(reader: Reader) -> None:
        try:
            while True:
                reader.recent(reader.allow(Filters()))
                reader.check()
        except Interrupted:
            stopped.append(True)
            raise

    async def ask() -> bool:
        with anyio.move_on_after(0.2) as scope:
            await readers.read(work)
        return scope.cancelled_caught and bool(await readers.read(lambda reader: reader.counts().commits))

    assert anyio.run(ask)
    with pytest.raises(TimeoutError):
        anyio.run(lambda: readers.read(work, timeout_s=0.1))


def test_one_question_is_answered_by_one_index(filled: Index, readers: Readers) -> None:
    asked: list[int] = []

    async def question() -> int:
        asked.append(await readers.read(lambda reader: reader.counts().commits))
        if len(asked) == 1:
            filled.forget(wait_s=5)
            filled.location.prepare()
            fill(filled, HISTORY[:2])
        return await readers.read(lambda reader: reader.counts().commits)

    assert anyio.run(readers.of_one_index, question) == 2
    assert asked == [5, 2]
    assert not readers.is_outdated
    filled.forget(wait_s=5)
    assert readers.is_outdated


# -- what was not read ------------------------------------------------------------------------------


TREE = "0e" * 20
UNREAD_HISTORY = (
    commit("a", file("a.txt", hunk("+read")), day=1),
    commit(
        "b",
        file("b.py", left_out=LeftOut.MISSING),
        file("image.png", left_out=LeftOut.BINARY),
        day=2,
        missing=(NEW_BLOB,),
    ),
    commit("c", file("data/c.csv", left_out=LeftOut.OVERSIZED), file("c.py", hunk("+three")), day=3),
    commit("d", file("data/c.csv", left_out=LeftOut.OVERSIZED), day=4, author="Grace"),
    commit("e", file("e.py", left_out=LeftOut.MISSING), day=5, missing=(NEW_BLOB, TREE)),
    commit("f", file("f.txt", hunk("+six")), day=6, left_out="a folder left out"),
    commit("9", file("image.png", left_out=LeftOut.BINARY), day=7),
)


def test_what_was_not_read_is_counted_within_filters(index: Index) -> None:
    fill(index, UNREAD_HISTORY)
    with open_writer(index) as writer:
        writer.record_failure(sha("0"), "it cannot be read")  # is not indexed, and counted as such
        writer.record_failure(sha("a"), "its symbol pass ended its worker")  # it was read before
        writer.commit()
    readers = index.readers()
    reader = borrowed(readers)
    assert {each.sha: each.time for each in reader.unread_commits()} == {
        sha(letter): FIRST_DAY + day * DAY for day, letter in enumerate("bcdef", 2)
    }
    assert reader.unread(Filters()) == UnreadCounts(commits=5, lacking=2, oversized=1, cut=1)
    for filters, counts in (
        # Which files the folders of e and f held is not known.
        (Filters(paths=("b.py",)), UnreadCounts(commits=3, lacking=2, cut=1)),
        (Filters(exts=("csv",)), UnreadCounts(commits=4, lacking=1, oversized=1, cut=1)),
        (Filters(not_paths=("data/",)), UnreadCounts(commits=3, lacking=2, cut=1)),
        (Filters(langs=("python",)), UnreadCounts(commits=3, lacking=2, cut=1)),
        (Filters(kinds=(ChangeKind.ADDED,)), UnreadCounts(commits=2, lacking=1, cut=1)),
        (Filters(authors=("grace",)), UnreadCounts(commits=1, oversized=1)),
        (Filters(not_authors=("ada",)), UnreadCounts(commits=1, oversized=1)),
        (Filters(until=FIRST_DAY + 2 * DAY), UnreadCounts(commits=1, lacking=1)),
        (Filters(since=FIRST_DAY + 7 * DAY), UnreadCounts()),
        (Filters(symbols=("nobody",)), UnreadCounts(commits=5, lacking=2, oversized=1, cut=1)),
    ):
        assert reader.unread(filters) == counts, filters
    of_b = reader.indexed([sha("b")])[sha("b")]
    assert reader.unread(Filters(refs=("old",)), ResolvedCommits.of([of_b])) == UnreadCounts(
        commits=1, lacking=1
    )
    assert reader.unread(Filters(commits=("d",)), ResolvedCommits.of(None, [sha("d")])) == UnreadCounts(
        commits=1, oversized=1
    )
    readers.close()
    with open_writer(index) as writer:
        writer.show(live=(), dead=[sha("b"), sha("e")])
        writer.commit()
    readers = index.readers()
    reader = borrowed(readers)
    assert {each.sha for each in reader.unread_commits()} == {sha(letter) for letter in "cdf"}
    assert reader.unread(Filters()) == UnreadCounts(commits=3, oversized=1, cut=1)
    readers.close()


def test_binary_files_are_counted_within_filters(index: Index) -> None:
    fill(index, UNREAD_HISTORY)
    readers = index.readers()
    reader = borrowed(readers)
    for filters, files in (
        (Filters(), {"image.png": 2}),
        (Filters(paths=("*.png",), symbols=("nobody",)), {"image.png": 2}),
        (Filters(exts=("png",), since=FIRST_DAY + 7 * DAY), {"image.png": 1}),
        (Filters(not_paths=("*.png",)), {}),
        (Filters(paths=("b.py",)), {}),
        (Filters(authors=("grace",)), {}),
    ):
        assert reader.binary_files(filters) == files, filters
    of_b = reader.indexed([sha("b")])[sha("b")]
    assert reader.binary_files(Filters(refs=("old",)), ResolvedCommits.of([of_b])) == {"image.png": 1}
    assert reader.binary_files(
        Filters(not_commits=("b",)), excluded=ResolvedCommits.of(None, [sha("b")])
    ) == {"image.png": 1}
    readers.close()
    with open_writer(index) as writer:
        writer.show(live=(), dead=[sha("b")])
        writer.commit()
    readers = index.readers()
    assert borrowed(readers).binary_files(Filters()) == {"image.png": 1}
    readers.close()


def test_of_a_history_that_was_wholly_read_nothing_is_unread(reader: Reader) -> None:
    assert list(reader.unread_commits()) == []
    assert reader.unread(Filters(paths=("net/",))) == UnreadCounts()
