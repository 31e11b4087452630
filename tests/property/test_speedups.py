"""What is compiled says the same as Python does, whatever the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ohara import line_counts
from ohara.git import tree
from ohara.index.hunk_texts import CompiledTexts, PythonTexts
from ohara.index.numbered import NO_WORDS, CompiledWords, PythonWords
from ohara.model import ChangeKind, Commit, Hunk, Sha
from ohara.parse import cut_costs
from ohara.speedups import compiled
from ohara.store.prepared import PreparedCommit, PreparedFile
from ohara.store.sqlite import standing_words, trigram_lists
from ohara.store.sqlite.number_arrays import closed
from ohara.store.sqlite.standing_words import Standing
from ohara.store.sqlite.word_pieces import Texts

if TYPE_CHECKING:
    from ohara.index.hunk_texts import HunkTexts
    from ohara.index.numbered import NumberedWords
    from ohara.store.vocabulary import Packed, Vocabulary

pytestmark = pytest.mark.skipif(compiled is None, reason="ohara was installed without a C compiler")

COMMIT = Commit(Sha("a" * 40), (), "", "", 0, 0, 0, 0, "a message of Version 2.7")

# What the two could differ in: points between digits, blanks beyond ASCII, letters that fold to ASCII, lone
# surrogates, control characters, encoded text, signs at the beginning of lines, and runs of every length.
ODD = (
    *("1.2", "v1.2.3", ".5", "5.", "1.a", "#12", "useState", "HTTPServer2", "snake_case_2"),
    *("x" * 300, "9." * 200, "\0", "\x1f", "\x7f", "\t", "\r"),
    *map(chr, (0xA0, 0x85, 0x1680, 0x2003, 0x200B, 0x2028, 0x202F, 0x205F, 0x3000, 0x2080, 0xE9)),
    *map(chr, (0x212A, 0x17F, 0xD800, 0xDFFF, 0x1F600)),
    *("東京都", "e\u0301", "M" + "'`" * 30, "QUJD" * 20, "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA"),
    *("\n+M", "\n-", "\n ", "\n\\", "\n\n", "\n+", "+", "-"),
)
TEXTS = st.lists(st.one_of(st.sampled_from(ODD), st.text(max_size=12), st.from_regex(r"[a-c1.]{0,4}"))).map(
    "".join
)
LINES = st.tuples(st.sampled_from(["+", "-", " ", "\\", ""]), TEXTS).map("".join)
BODIES = st.lists(LINES, max_size=30).map("\n".join)


def both() -> tuple[PythonTexts, CompiledTexts]:
    assert compiled is not None
    return PythonTexts(), CompiledTexts(CompiledWords(compiled.Words))


def rows(texts: HunkTexts, bodies: list[str], *, searchable: bool) -> list[object]:
    """Everything that is indexed of some hunks, with words in place of numbers."""
    hunks = [Hunk(1, 2, 3, 4, f"def f{at}():", body) for at, body in enumerate(bodies)]
    path, prepared = texts.prepared("src/a_b.py", hunks, searchable=searchable, compress=None)
    file = PreparedFile(ChangeKind.MODIFIED, "src/a_b.py", None, None, None, 0, 0, None, path, prepared)
    made = PreparedCommit(COMMIT, texts.pack(COMMIT.message), (file,), (), False, NO_WORDS)
    (commit,) = texts.finished([made])
    vocabulary = commit.vocabulary
    return [
        vocabulary.text(commit.message_words),
        vocabulary.text(commit.files[0].path_words),
        *(
            hunk._replace(words=None if hunk.words is None else tuple(map(vocabulary.text, hunk.words)))  # type: ignore[arg-type]
            for hunk in commit.files[0].hunks
        ),
    ]


@given(st.lists(BODIES, max_size=6), st.booleans())
@example(["+a\n+bc\n+é\n-日本\n+" * 9], True)  # so short that lines without three characters are left out
@example(["+" + "QUJD" * 30 + "\n"], True)
@example(["+M" + "'`" * 30], True)
@example(["", "+", "\n", "+\n-\n \n\\"], True)
def test_hunks_are_taken_apart_alike(bodies: list[str], searchable: bool) -> None:
    of_python, of_c = (rows(texts, bodies, searchable=searchable) for texts in both())
    assert of_c == of_python


def listed(words: NumberedWords, texts: list[str]) -> list[list[str]]:
    packed: list[Packed] = words.pack_all(texts)
    assert packed == [words.pack(text) for text in texts]
    vocabulary: Vocabulary = words.vocabulary(packed)
    assert sorted(vocabulary.words) == sorted({word for text in packed for word in vocabulary.listed(text)})
    return [vocabulary.listed(text) for text in packed]


@given(st.lists(TEXTS, max_size=6))
def test_words_are_found_alike(texts: list[str]) -> None:
    assert compiled is not None
    assert listed(CompiledWords(compiled.Words), texts) == listed(PythonWords(), texts)


def test_words_that_no_longer_fit_are_forgotten_and_found_again() -> None:
    assert compiled is not None
    asked: list[str] = []

    def analyse(run: str) -> tuple[bytes, bool]:
        asked.append(run)
        return len(run).to_bytes(4, "little"), True

    words = compiled.Words(analyse, 3, 7)
    assert words.pack("a bb a ccc bb") == bytes([1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0])
    assert asked == ["a", "bb", "ccc"]
    words.pack("dddd a")
    assert asked == ["a", "bb", "ccc", "dddd", "a"]
    words.clear()
    words.pack("a")
    assert asked[-1] == "a"
    assert len(asked) == 6


def test_a_fault_of_the_analysis_is_raised_and_leaves_things_usable() -> None:
    assert compiled is not None
    answers: list[object] = [ValueError("no"), b"12345678", (b"123", True), ("", True), (b"1234", True)]

    def analyse(_: str) -> object:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    words = compiled.Words(analyse, 9, 7)
    with pytest.raises(ValueError, match="no"):
        words.pack("a")
    for _ in range(3):
        with pytest.raises((TypeError, ValueError)):
            words.pack("a")
    assert words.pack("a a") == b"12341234"
    with pytest.raises(TypeError):
        words.pack(b"a")
    with pytest.raises(ValueError, match="stands for no word"):
        compiled.distinct([b"\1\0\0\0"], 1)


def test_an_analysis_cannot_ask_for_words_itself() -> None:
    assert compiled is not None

    def analyse(run: str) -> tuple[bytes, bool]:
        return bytes(words.pack(run)), True

    words = compiled.Words(analyse, 9, 7)
    with pytest.raises(RuntimeError, match="being analysed"):
        words.pack("a")


# -- words in columns of texts --------------------------------------------


@st.composite
def pieces(draw: st.DrawFn) -> tuple[Standing, Standing, Texts, list[int]]:
    """Words of changes and messages by their ranks, and where to cut them."""
    count = draw(st.integers(1, 9))
    ranks = st.lists(st.integers(0, count - 1), max_size=9)
    busy = st.integers(0, count - 1).flatmap(
        lambda rank: st.integers(10, 200).map(lambda times: [rank] * times)
    )
    units = draw(
        st.lists(st.lists(st.lists(ranks | busy, min_size=5, max_size=5), min_size=1, max_size=3), max_size=6)
    )
    messages = draw(st.lists(ranks | busy, min_size=len(units), max_size=len(units)))
    texts = sum(map(len, units))
    cuts = sorted({0, count, *draw(st.lists(st.integers(0, count), max_size=3))})
    return (
        standing([column for unit in units for text in unit for column in text]),
        standing(messages),
        Texts(np.arange(texts) + 1, np.ones(texts, np.int64), np.array(list(map(len, units)), np.int64)),
        cuts,
    )


def standing(columns: list[list[int]]) -> Standing:
    return Standing(
        np.array([rank for column in columns for rank in column], np.int32),
        np.array(list(map(len, columns)), np.int64),
    )


@given(pieces())
def test_postings_are_written_alike(piece: tuple[Standing, Standing, Texts, list[int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        of_c = list(standing_words.written(*piece))
        patch.setattr(standing_words, "compiled", None)
        of_python = list(standing_words.written(*piece))
    assert [list(map(list, each.strings)) for each in of_c] == [
        list(map(list, each.strings)) for each in of_python
    ]
    assert [list(each.held) for each in of_c] == [list(each.held) for each in of_python]


def test_a_column_or_a_message_with_too_many_words_is_refused() -> None:
    long = Standing(np.zeros(1 << 21, np.int32), np.array([1 << 21], np.int64))
    nothing = Standing(np.zeros(0, np.int32), np.zeros(0, np.int64))
    texts = Texts(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))
    for change, message in ((long, nothing), (nothing, long)):
        with pytest.raises(ValueError, match="too many words"):
            list(standing_words.written(change, message, texts, [0, 1]))


def test_what_is_no_text_has_no_postings() -> None:
    assert compiled is not None
    one = np.zeros(1, np.int32), np.ones(1, np.int64)
    with pytest.raises(ValueError, match="stands for no word"):
        compiled.Standing(np.array([3], np.int32), one[1], 3)
    with pytest.raises(ValueError, match="stands for no word"):
        compiled.Standing(np.array([-1], np.int32), one[1], 3)
    for sizes in ([2], [-1, 2], [], [1 << 40], [0]):
        with pytest.raises(ValueError, match="as long as their words"):
            compiled.Standing(one[0], np.array(sizes, np.int64), 3)
    with pytest.raises(ValueError, match="four bytes each"):
        compiled.Standing(np.zeros(3, np.int8), one[1], 3)
    change = compiled.Standing(one[0], np.array([1, 0, 0, 0, 0], np.int64), 3)
    message = compiled.Standing(*one, 3)
    for units in ([], [2], [-1], [1, 1]):
        with pytest.raises(ValueError, match="no text"):
            compiled.written(change, message, np.array(units, np.int64), 0, 3)
    for first, last in ((0, 4), (-1, 2), (2, 1)):
        with pytest.raises(ValueError, match="not so many words"):
            compiled.written(change, message, np.ones(1, np.int64), first, last)
    with pytest.raises(TypeError):
        compiled.written(change, 7, np.ones(1, np.int64), 0, 1)
    with pytest.raises(TypeError):
        compiled.written(7, 7, np.ones(1, np.int64), 0, 1)


# -- trigrams --------------------------------------------

CODE_SETS = st.sets(st.integers(0, 2**24 - 1) | st.integers(0, 40), max_size=30)


@given(st.lists(CODE_SETS, max_size=30), st.integers(1, 2**31))
@example([set(range(600)), set(range(9_000)), {5}], 1)  # more lists, and more entries, than a block has
def test_trigrams_are_written_alike(sets: list[set[int]], first: int) -> None:
    assert compiled is not None
    packed = [np.array(sorted(codes), "<u4").tobytes() for codes in sets]
    contents = first + 3 * np.arange(len(sets))
    wanted = sorted(
        (code, content) for codes, content in zip(sets, contents.tolist(), strict=True) for code in codes
    )
    found: list[int] = []
    for code, plain in compiled.trigram_blocks(packed, contents):
        entries = trigram_lists.decode(closed(plain))
        assert trigram_lists.codes_of(entries)[0] == code
        again = list(trigram_lists.encode(entries))
        assert again == [(code, closed(plain))]
        found += entries.tolist()
    assert [(entry >> 32, entry & 0xFFFFFFFF) for entry in found] == wanted


def test_trigrams_of_contents_in_disorder_are_refused() -> None:
    assert compiled is not None
    for contents in ([2, 1], [1, 1], [1], [-1, 2], [1, 1 << 32]):
        with pytest.raises(ValueError, match="numbers that rise"):
            compiled.trigram_blocks([b"", b""], np.array(contents, np.int64))
    with pytest.raises(ValueError, match="four bytes"):
        compiled.trigram_blocks([b"12345"], np.array([1], np.int64))
    with pytest.raises(TypeError):
        compiled.trigram_blocks(["1234"], np.array([1], np.int64))


# -- trees --------------------------------------------

NAMES = st.sampled_from(
    [b"a", b"a.b", b"a-", b"a0", b"ab", b"b", b"\xff", b"setup.py", b"src", b" 1", b"100644 a"]
)
IDS = st.sampled_from([b"\0" * 20, b"1" * 20, b"40000 a\0" + b"2" * 12, bytes(range(20))])
MODES = st.sampled_from([b"100644", b"100755", b"40000", b"040000", b"120000", b"160000", b"100664", b"7"])
ENTRIES = st.lists(st.tuples(NAMES, MODES, IDS), max_size=12)


def tree_of(entries: list[tuple[bytes, bytes, bytes]], *, is_sorted: bool) -> bytes:
    """A tree object; names are told apart and put in git's order where it is sorted."""
    if is_sorted:
        once = {name: (name, mode, oid) for name, mode, oid in entries}
        entries = sorted(once.values(), key=lambda each: each[0] + b"/" * (each[1] in {b"40000", b"040000"}))
    return b"".join(b"%b %b\0%b" % (mode, name, oid) for name, mode, oid in entries)


def differences(old: bytes, new: bytes) -> list[object]:
    pairs = tree._paired(*tree._unequal(old, new))
    return [(name, ours, theirs) for name, ours, theirs in pairs if ours != theirs]


@given(ENTRIES, ENTRIES, ENTRIES, st.booleans(), st.booleans())
def test_trees_differ_alike(
    both: list[tuple[bytes, bytes, bytes]],
    one: list[tuple[bytes, bytes, bytes]],
    other: list[tuple[bytes, bytes, bytes]],
    old_is_sorted: bool,
    new_is_sorted: bool,
) -> None:
    assert compiled is not None
    old, new = tree_of(both + one, is_sorted=old_is_sorted), tree_of(both + other, is_sorted=new_is_sorted)
    with pytest.MonkeyPatch.context() as patch:
        found = differences(old, new)
        patch.setattr(tree, "compiled", None)
        assert found == differences(old, new)
    if old_is_sorted and new_is_sorted:
        assert compiled.unequal(old, new) is not None


@given(st.binary(max_size=60), st.binary(max_size=60), ENTRIES)
def test_what_is_no_tree_is_left_to_python(
    old: bytes, new: bytes, entries: list[tuple[bytes, bytes, bytes]]
) -> None:
    assert compiled is not None
    real = tree_of(entries, is_sorted=True)
    for one, other in ((old, new), (real + old, real + new), (old + real, real), (real, real + new)):
        compiled.unequal(one, other)  # whatever it says, it ends
    assert compiled.unequal(b"100644 a\0" + b"1" * 19, b"") is None
    assert compiled.unequal(b"", b"1000000644 a\0" + b"1" * 20) is None
    with pytest.raises(TypeError):
        compiled.unequal("", b"")


# -- cuts --------------------------------------------

BEGINNINGS = st.sampled_from(
    [
        *(
            "#",
            "#include",
            "#if",
            "#endif",
            "# a",
            "//",
            "/*",
            "/",
            "*",
            "* a",
            "*/",
            "--",
            "-",
            ";;",
            ";",
            "@a",
            "%",
        ),
        *(
            "<!--",
            "</a>",
            "/>",
            "<a",
            "[x]",
            "[x] y",
            "[]",
            "[" + "y" * 80 + "]",
            "[" + "y" * 81 + "]",
            ")",
            "]",
            "}",
        ),
        *(
            "end",
            "end.",
            "endif",
            "else",
            "else:",
            "elif",
            "elseif",
            "elsif x",
            "catchy",
            "done",
            "esac",
            "fi",
            "fié",
        ),
        *("finally", "rescue", "except", "end_", "end2", "", "x = 1", "\0", "e", "é", "\u2003"),
    ]
)
MARGINS = st.text(" \t\x1c\u00a0\u3000\r\x0b", max_size=4) | st.sampled_from([" " * 120, "\t" * 40, " \t"])
CUT_LINES = st.tuples(
    st.sampled_from(["+", "-", " ", "\\", ""]),
    MARGINS,
    BEGINNINGS,
    st.sampled_from(["", "", "]", " z", "\n\\ No newline", "é", "\ud800"]),
).map("".join)


@given(
    st.lists(CUT_LINES, max_size=12),
    st.none() | st.dictionaries(st.integers(0, 12), st.integers(0, 60), max_size=6),
    st.lists(st.none() | st.integers(0, 12), min_size=12, max_size=12),
)
def test_cuts_cost_alike(lines: list[str], depths: dict[int, int] | None, places: list[int | None]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        of_c = cut_costs.cut_costs(lines, places, depths)
        patch.setattr(cut_costs, "compiled", None)
        assert of_c == cut_costs.cut_costs(lines, places, depths)


@given(BODIES | st.lists(CUT_LINES).map("\n".join))
@example("")
@example("\\ a\n\\ b\n")
def test_lines_are_counted_alike(body: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        of_c = line_counts.line_counts(body)
        patch.setattr(line_counts, "compiled", None)
        assert of_c == line_counts.line_counts(body)


def test_costs_of_what_is_no_text_are_refused() -> None:
    assert compiled is not None
    for lines, depths in ((("+a",), None), ([b"+a"], None), (["+a"], ["1"]), (["+a"], (1,)), ([1], None)):
        with pytest.raises(TypeError):
            compiled.cut_costs(lines, depths)
    assert compiled.cut_costs(["+\ud800"], None) is None
    with pytest.raises(TypeError):
        compiled.count_lines(b"+")
