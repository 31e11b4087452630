"""A hunk's body taken apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohara.index.lines import changed_spans, sides, with_trigrams

BODY = " def f():\n-    return 1\n+    retry()\n+    return 2\n  \n\\ No newline at end of file"


def test_lines_are_sorted_by_their_sign() -> None:
    found = sides(BODY)
    assert found.added == "    retry()\n    return 2"
    assert found.removed == "    return 1"
    assert found.context == "def f():\n "
    assert found.changed == "    return 1\n    retry()\n    return 2"


def test_spans_say_where_the_changed_lines_stand_in_each_file() -> None:
    removed, added = changed_spans(BODY, old_start=10, new_start=20)
    assert removed == ((11, 11),)
    assert added == ((21, 22),)


def test_separate_runs_are_separate_spans() -> None:
    _, added = changed_spans("+a\n b\n+c", old_start=1, new_start=1)
    assert added == ((1, 1), (3, 3))


def test_what_has_no_sign_is_no_line_of_either_side() -> None:
    assert sides("") == ("", "", "", "")
    assert sides("+a\n\n-b\n\\ No newline at end of file\n\\ again\n c\n") == ("a", "b", "c", "a\nb")


signed = st.lists(st.tuples(st.sampled_from("+- "), st.text(st.characters(exclude_characters="\n")))).map(
    lambda lines: [sign + text for sign, text in lines]
)


@given(signed)
def test_no_line_is_lost(lines: list[str]) -> None:
    found = sides("\n".join(lines))
    parts = {"+": found.added, "-": found.removed, " ": found.context}
    for sign, text in parts.items():
        assert text == "\n".join(line[1:] for line in lines if line[0] == sign)


@given(signed, st.integers(1, 1000), st.integers(1, 1000))
def test_spans_cover_every_changed_line_that_is_not_blank(lines: list[str], old: int, new: int) -> None:
    removed, added = changed_spans("\n".join(lines), old_start=old, new_start=new)
    for sign, spans in (("+", added), ("-", removed)):
        said = sum(line[0] == sign and bool(line[1:].strip()) for line in lines)
        assert sum(last - first + 1 for first, last in spans) == said


@given(st.text(alphabet="ab \n", max_size=60))
def test_of_short_lines_no_trigram_is_lost(changed: str) -> None:
    def trigrams(text: str) -> set[str]:
        return {line[at : at + 3] for line in text.split("\n") for at in range(len(line) - 2)}

    kept = with_trigrams(changed)
    assert trigrams(kept) == trigrams(changed)
    assert len(kept) <= len(changed)


def test_lines_without_a_trigram_are_left_out_only_where_lines_are_short() -> None:
    assert with_trigrams("a\nbcd\ne\nfg") == "bcd"
    prose = "a line of some length\nx\nanother one"
    assert with_trigrams(prose) == prose
