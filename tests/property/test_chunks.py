"""Whatever a hunk looks like, its pieces are the hunk: every line once, in order, numbered, in budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohara.model import Hunk
from ohara.parse.chunks import split
from ohara.parse.languages import GRAMMARS

REMARK = "\\ No newline at end of file"

CODE = st.sampled_from(
    ["", "    ", "def f(x):", "    return x", "class A:", "    def m(self):", "        pass", "}", "{",
     "if (a) {", "} else {", "# about it", "/* a", " */", "@decorated", '"""', "fn main() {", "end",
     "x = [", "]", "<div>", "function f() {", "\tindented", "\r", "a\u2028b\x0cc", "int main(void) {",
     "+x", "-y", " z", "\\ No"]
)  # fmt: skip
TEXT = st.one_of(
    CODE, st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=60)
)


@st.composite
def hunks(draw: st.DrawFn) -> Hunk:
    signs = draw(st.sampled_from(["+", "-", "+-", "+ ", "- ", "+- "]))
    lines = draw(st.lists(st.tuples(st.sampled_from(signs), TEXT), min_size=1, max_size=80))
    if all(sign == " " for sign, _ in lines):
        lines.append((signs[0], draw(TEXT)))
    kept = sum(sign == " " for sign, _ in lines)
    old = kept + sum(sign == "-" for sign, _ in lines)
    new = kept + sum(sign == "+" for sign, _ in lines)
    body = [f"{sign}{text}" for sign, text in lines]
    if draw(st.booleans()):
        body.append(REMARK)
    start = draw(st.integers(1, 500))
    return Hunk(
        start if old else start - 1,
        old,
        start if new else start - 1,
        new,
        draw(st.sampled_from(["", "def around():"])),
        "\n".join(body),
    )


LANGUAGES = st.sampled_from([None, "markdown", "toml", "nonsense", *sorted(GRAMMARS)])
BUDGETS = st.tuples(st.integers(1, 400), st.integers(1, 30))


def post_image(hunk: Hunk) -> bytes:
    """A file that holds the hunk where it says it is."""
    absent = "-" if "+" in {line[:1] for line in hunk.body.split("\n")} else "+"
    start = hunk.new_start if absent == "-" else hunk.old_start
    own = [line[1:] for line in hunk.body.split("\n") if line[:1] not in {absent, "\\"}]
    return "\n".join([*[f"before_{number} = 1" for number in range(start - 1)], *own, "after = 1"]).encode()


def count(piece: Hunk, *signs: str) -> int:
    return sum(line[:1] in signs for line in piece.body.split("\n"))


@given(hunks(), LANGUAGES, BUDGETS, st.booleans())
def test_pieces_are_the_hunk(
    hunk: Hunk, language: str | None, budget: tuple[int, int], with_source: bool
) -> None:
    chars, lines = budget
    source = post_image(hunk) if with_source else None
    pieces = split(hunk, source, language, chars=chars, lines=lines)
    are_the_hunk(hunk, pieces, chars, lines)


@given(hunks(), st.integers(1, 400))
def test_so_are_pieces_that_are_cut_where_they_are_full(hunk: Hunk, chars: int) -> None:
    pieces = split(hunk, None, None, chars=chars, by_size=True)
    are_the_hunk(hunk, pieces, chars, lines=chars)
    assert all(piece.header == hunk.header for piece in pieces)


def are_the_hunk(hunk: Hunk, pieces: tuple[Hunk, ...], chars: int, lines: int) -> None:
    """Every line once, in order, numbered, in budget."""
    assert "\n".join(piece.body for piece in pieces) == hunk.body
    assert pieces[0].header == hunk.header
    assert all("\n" not in piece.header for piece in pieces)

    old = hunk.old_start if hunk.old_lines else hunk.old_start + 1
    new = hunk.new_start if hunk.new_lines else hunk.new_start + 1
    for piece in pieces:
        assert piece.old_lines == count(piece, "-", " ")
        assert piece.new_lines == count(piece, "+", " ")
        assert piece.old_start == (old if piece.old_lines else old - 1)
        assert piece.new_start == (new if piece.new_lines else new - 1)
        old += piece.old_lines
        new += piece.new_lines
        assert piece.old_lines + piece.new_lines > 0
        assert not piece.body.startswith("\\")
        changed = count(piece, "+", "-")
        assert changed
        assert changed == 1 or (count(piece, "+", "-", " ") <= lines and len(piece.body) <= chars)
    assert sum(piece.old_lines for piece in pieces) == hunk.old_lines
    assert sum(piece.new_lines for piece in pieces) == hunk.new_lines


@given(hunks(), LANGUAGES, BUDGETS)
def test_the_same_hunk_is_always_cut_the_same(
    hunk: Hunk, language: str | None, budget: tuple[int, int]
) -> None:
    chars, lines = budget
    once, again = (split(hunk, post_image(hunk), language, chars=chars, lines=lines) for _ in range(2))
    assert once == again


@given(hunks(), LANGUAGES)
def test_a_hunk_within_its_budget_is_untouched(hunk: Hunk, language: str | None) -> None:
    assert split(hunk, None, language, chars=len(hunk.body), lines=100) == (hunk,)
