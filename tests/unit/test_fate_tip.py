"""Lines of a file that are back: found by their places as by looking at each, and who made them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohara.fate.moves import AddedLines
from ohara.fate.tip import FileLines, MadeBy, MadeLines

_lines = st.lists(
    st.sampled_from(["a", "b", "return a long line that nobody writes twice", "", " "]), max_size=12
)


@given(_lines, _lines)
def test_moves_are_the_same_however_places_are_known(file: list[str], removed: list[str]) -> None:
    wanted = {line for line in removed if line.strip()}
    places = FileLines(file).places(wanted)
    for least in (0, len(removed)):
        looked_through = AddedLines([(0, file)], wanted).moves(removed, least=least)
        assert AddedLines.of_file(file, places).moves(removed, least=least) == looked_through


@given(_lines, _lines)
def test_places_of_wanted_texts(file: list[str], wanted: list[str]) -> None:
    there = {text for text in wanted if text in file}
    assert FileLines(file).places(set(wanted)) == {
        text: [at for at, line in enumerate(file) if line == text] for text in there
    }


def test_who_made_a_line() -> None:
    made = MadeBy([MadeLines(2, 2, 7), MadeLines(4, 1, 8), MadeLines(9, 3, 7)])
    assert [made.commit_of(line) for line in range(1, 13)] == [
        None, 7, 7, 8, None, None, None, None, 7, 7, 7, None,
    ]  # fmt: skip
    assert MadeBy([]).commit_of(1) is None
