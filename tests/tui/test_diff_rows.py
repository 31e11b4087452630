"""A hit becomes rows that are numbered as the files are, whatever it holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from ohara.model import ChangeKind, Match
from tests.tui.hits import COMMIT, hit
from tui.cells import display_line
from tui.diff.context import ContextWindow, Lines, lead, missing, narrowed, tail, widened
from tui.diff.document import DiffDocument, following, preceding
from tui.diff.rows import Pair, Row, RowKind, lines_of, pairs_of, rows_of
from tui.diff.selection import Selection, Spot
from tui.diff.words import changed, partners

if TYPE_CHECKING:
    from ohara.model import Hit

BODY = " import os\n-a = 1\n-b = 2\n+a = 3\n+b = 4\n+c = 5\n done"

SIGNED = st.lists(
    st.builds(lambda sign, text: sign + text, st.sampled_from("+- "), st.text("ab \t", max_size=6)),
    min_size=1,
    max_size=30,
)


def test_rows_carry_the_numbers_of_both_files() -> None:
    rows = rows_of([hit(BODY, symbol="Client.connect", matches=(Match(3, 0, 1),), top=20)])
    assert [(row.kind, row.old, row.new, row.text) for row in rows] == [
        (RowKind.FILE, None, None, "net/client.py"),
        (RowKind.HUNK, None, None, "@@ -10,4 +20,5 @@ Client.connect"),
        (RowKind.CONTEXT, 10, 20, "import os"),
        (RowKind.REMOVED, 11, None, "a = 1"),
        (RowKind.REMOVED, 12, None, "b = 2"),
        (RowKind.ADDED, None, 21, "a = 3"),
        (RowKind.ADDED, None, 22, "b = 4"),
        (RowKind.ADDED, None, 23, "c = 5"),
        (RowKind.CONTEXT, 13, 24, "done"),
    ]
    assert [row.matches for row in rows if row.matches] == [((0, 1),)]


@given(SIGNED, st.integers(0, 99), st.integers(0, 99))
def test_numbers_count_every_line_of_each_side_once(lines: list[str], old: int, new: int) -> None:
    rows = list(lines_of(hit("\n".join(lines), top=new, old_top=old)))
    assert [row.sign + row.text for row in rows] == lines
    assert [row.new for row in rows if row.new is not None] == list(
        range(new, new + sum(line[0] in "+ " for line in lines))
    )
    assert [row.old for row in rows if row.old is not None] == list(
        range(old, old + sum(line[0] in "- " for line in lines))
    )


def test_a_file_is_headed_once_and_says_what_became_of_it() -> None:
    moved = hit("+x", path="new.py", old_path="old.py", kind=ChangeKind.RENAMED)
    rows = rows_of([moved, moved, hit("+y", path="other.py", kind=ChangeKind.ADDED)])
    assert [row.text for row in rows if row.kind is RowKind.FILE] == [
        "old.py → new.py  (renamed)",
        "other.py  (added)",
    ]
    assert [row.hit for row in rows if row.kind is RowKind.HUNK] == [0, 1, 2]


def test_what_has_no_lines_says_so() -> None:
    assert [row.text for row in rows_of([hit("", path="logo.png")])] == [
        "logo.png",
        "No lines to show: the file was moved, changed its mode, is binary, or too large to read.",
    ]
    assert [row.text for row in rows_of([hit("", path="")])] == COMMIT.message.rstrip().split("\n")
    (*_, remark) = rows_of([hit("+x\n\\ No newline at end of file")])
    assert (remark.kind, remark.sign, remark.text) == (RowKind.REMARK, "\\", " No newline at end of file")


# -- side by side ----------------------------------------------------------------------------------


def test_removed_lines_stand_beside_those_that_took_their_place() -> None:
    rows = list(lines_of(hit(BODY)))
    assert pairs_of(rows) == [Pair(0, 0), Pair(1, 3), Pair(2, 4), Pair(None, 5), Pair(6, 6)]


@given(st.lists(SIGNED, min_size=1, max_size=4))
def test_side_by_side_shows_every_row_once_and_in_order(bodies: list[list[str]]) -> None:
    rows = rows_of([hit("\n".join(lines)) for lines in bodies])
    pairs = pairs_of(rows)
    assert sorted(row for pair in pairs for row in pair.rows) == list(range(len(rows)))
    for side in ("left", "right", "heading"):
        numbers = [number for pair in pairs if (number := getattr(pair, side)) is not None]
        assert numbers == sorted(numbers)
    sheet = DiffDocument(tuple(hit("\n".join(lines)) for lines in bodies), is_split=True)
    assert all(sheet.position_of(sheet.row_at(place)) == place for place in range(sheet.height))


# -- words -----------------------------------------------------------------------------------------


def test_only_what_changed_within_a_line_is_pointed_out() -> None:
    old, new = "port = connect(host, 80)", "port = connect(host, 443, timeout)"
    removed, added = changed(old, new)
    assert [old[start:end] for start, end in removed] == ["80"]
    assert [new[start:end] for start, end in added] == ["443, timeout"]


def test_lines_with_little_in_common_are_not_compared() -> None:
    assert changed("import os", "return self._value + 1") == ((), ())
    assert changed("x" * 500, "x" * 501) == ((), ())


@given(st.text(max_size=40), st.text(max_size=40))
def test_without_what_is_pointed_out_the_two_lines_are_equal(old: str, new: str) -> None:
    removed, added = changed(old, new)
    if removed or added:
        assert _without(old, removed) == _without(new, added)


def _without(line: str, spans: tuple[tuple[int, int], ...]) -> str:
    for start, end in reversed(spans):
        line = line[:start] + line[end:]
    return line


def test_lines_are_partners_only_in_runs_of_equal_length() -> None:
    assert partners(list(lines_of(hit("-a\n-b\n+c\n+d\n x\n-e\n+f\n+g")))) == {0: 2, 1: 3, 2: 0, 3: 1}


# -- moving ----------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 50), unique=True, max_size=9).map(sorted), st.integers(0, 50))
def test_stepping_comes_by_every_place_and_round_again(places: list[int], here: int) -> None:
    if not places:
        assert following(places, here) is None is preceding(places, here)
        return
    assert following(places, here) == next((place for place in places if place > here), places[0])
    assert preceding(places, here) == next((place for place in reversed(places) if place < here), places[-1])


# -- context ---------------------------------------------------------------------------------------

FILE = [f"line {number}" for number in range(1, 41)]


def changed_at_20() -> str:
    return " line 18\n line 19\n-old\n+line 20\n line 21"


def test_context_is_put_around_a_hunk_and_taken_off_again() -> None:
    given_hit = hit(changed_at_20(), top=18, old_top=18, matches=(Match(3, 5, 7),))
    assert (lead(given_hit), tail(given_hit)) == (2, 1)
    wanted = missing(given_hit, 4)
    assert wanted == (16, 24)
    wide = widened(given_hit, wanted[0], FILE[15:24])
    assert wide.excerpt.split("\n") == [
        " line 16", " line 17", " line 18", " line 19", "-old", "+line 20",
        " line 21", " line 22", " line 23", " line 24",
    ]  # fmt: skip
    assert (wide.top, wide.old_top, wide.matches) == (16, 16, (Match(5, 5, 7),))
    tight = narrowed(wide, 0)
    assert (tight.excerpt, tight.top, tight.matches) == ("-old\n+line 20", 20, (Match(1, 5, 7),))


@given(st.integers(0, 30), st.integers(0, 30))
def test_as_much_context_is_shown_as_is_wished_and_there(wish: int, then: int) -> None:
    given_hit = hit(changed_at_20(), top=18, old_top=18)
    wanted = missing(given_hit, wish)
    around = {0: Lines(wanted[0], tuple(FILE[wanted[0] - 1 : wanted[1]]))} if wanted else {}
    (framed,) = ContextWindow((given_hit,), wish, around).shown()
    assert (lead(framed), tail(framed)) == (min(wish, 19), min(wish, 20))
    numbered = {row.new: row.text for row in lines_of(framed) if row.new is not None}
    assert all(FILE[number - 1] == text for number, text in numbered.items())
    assert lead(narrowed(framed, then)) == min(then, lead(framed))


def lines_around(given_hit: Hit, wish: int) -> Lines:
    wanted = missing(given_hit, wish)
    assert wanted is not None
    return Lines(wanted[0], tuple(FILE[wanted[0] - 1 : wanted[1]]))


def test_what_another_hunk_added_is_no_context() -> None:
    above = hit("+line 14\n line 15", top=14, old_top=14)
    middle = hit(changed_at_20(), top=18, old_top=17)
    below = hit(" line 25\n+line 26", top=25, old_top=24)
    given_hits = (middle, above, below)  # the hit that was found comes first
    shown = ContextWindow(given_hits, 30, {0: lines_around(middle, 30)}).shown()[0]
    assert [row.text for row in lines_of(shown) if row.new is not None] == FILE[15:24]
    assert (shown.top, shown.old_top) == (16, 15)


def test_a_part_of_a_new_file_has_no_context() -> None:
    part = hit("+line 18\n+line 19", top=18, old_top=0, kind=ChangeKind.ADDED)
    assert ContextWindow((part,), 8, {0: lines_around(part, 8)}).shown() == (part,)


def test_lines_that_an_excerpt_leaves_out_are_no_context() -> None:
    part = replace(hit(changed_at_20(), top=18, old_top=18), above=2)
    (shown,) = ContextWindow((part,), 8, {0: lines_around(part, 8)}).shown()
    assert (shown.top, lead(shown), tail(shown)) == (18, 2, 8)


def test_no_lines_are_fetched_for_a_deleted_file() -> None:
    assert missing(hit("-a\n-b", top=0, old_top=1, kind=ChangeKind.DELETED), 10) is None
    assert ContextWindow((hit(""),)).lines() == 0


# -- selection -------------------------------------------------------------------------------------


def test_the_selected_text_is_the_repositorys_own() -> None:
    rows = rows_of([hit("+\tif x:\n+\t\treturn 한\n done")])
    code = [number for number, row in enumerate(rows) if row.is_line]
    selection = Selection(Spot(code[2], 2), Spot(code[0], 4))  # drawn from below
    assert selection.text(rows, lambda row: display_line(row.text)) == "if x:\n\t\treturn 한\ndo"
    assert selection.stretch(code[1], 9) == (0, 9)
    assert selection.stretch(code[2] + 1, 9) is None
    assert Selection(Spot(3, 1), Spot(3, 1)).text(rows, lambda row: display_line(row.text)) == ""


# -- finding one's way -----------------------------------------------------------------------------


def test_a_sheet_knows_its_places() -> None:
    hits = (hit(BODY, matches=(Match(1, 0, 1), Match(3, 0, 1))), hit("+x", path="b.py"))
    plain, split = DiffDocument(hits), DiffDocument(hits, is_split=True)
    assert (plain.matches, split.matches) == ([3, 5], [3])
    assert plain.headings(RowKind.HUNK) == [1, 10]
    assert (plain.opening(), plain.start_of(1), plain.start_of(2)) == (3, 9, None)
    assert (
        DiffDocument((hit(" a\n+b\n c", matches=(Match(0, 0, 1),)),)).opening() == 2
    )  # a match, though in context
    assert DiffDocument((hit(" a\n+a\n c", matches=(Match(0, 0, 1), Match(1, 0, 1))),)).opening() == 3
    row = split.rows[split.row_at(4)]
    assert row == Row(RowKind.ADDED, "b = 4", 0, 4, None, 12)
    assert plain.same_row(row) == 6
    assert plain.partner(3) is None  # two lines became three: nobody knows which is which
