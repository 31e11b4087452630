"""No trigram is ever required that a matching line lacks, whatever the expression."""

from __future__ import annotations

import re2
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ohara.model import Pattern
from ohara.retrieve.trigrams import required_trigrams
from ohara.store.trigram_query import ANYTHING, All, Formula

# A small alphabet, so that expressions and texts meet; with letters that have curious cases.
LETTERS = "abcABk_09 .-+*/\u212a\u017fßé中"
text = st.text(LETTERS + "{}[]()\\^$|?,:\"'\r\t", max_size=24)

ESCAPES = r"\. \* \\ \t \x61 \x{62} \060 \d \w \W \s \pL \b \B \A \z ^ $ . \Qa.b\E \Q+\E { {,2} {01} } ]"
escapes = st.sampled_from(ESCAPES.split())
classes = st.sampled_from(
    [
        "[ab]",
        "[^a]",
        "[a-c]",
        "[]a]",
        "[a-]",
        "[0-9]",
        "[[:alpha:]]",
        r"[\d.]",
        r"[\]a]",
        "[kK]",
        "[A-Z]",
        "[b-z]",
    ]
)
atoms = st.one_of(
    st.text("abcABk09 ", min_size=1, max_size=5),
    st.sampled_from(["\u212a", "\u017f", "s", "ß", "é", "中中中", "É"]),
    escapes,
    classes,
)
repeats = st.sampled_from(
    ["", "", "", "*", "+", "?", "{2}", "{3}", "{4}", "{0}", "{0,1}", "{1,2}", "{2,}", "+?", "*?"]
)


def grouped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    opening = st.sampled_from(["(", "(?:", "(?P<n>", "(?i:", "(?-i:", "(?i)(", "(?s:", "(?m:"])
    alternatives = st.lists(inner, min_size=1, max_size=3).map("|".join)
    return st.builds(lambda before, body, repeat: f"{before}{body}){repeat}", opening, alternatives, repeats)


expressions = st.recursive(
    st.lists(st.builds(str.__add__, atoms, repeats), min_size=1, max_size=4).map("".join),
    lambda inner: st.lists(st.one_of(inner, grouped(inner)), min_size=1, max_size=3).map("".join),
    max_leaves=6,
)


def holds(formula: Formula, folded: str) -> bool:
    if isinstance(formula, str):
        return formula in folded
    return (all if isinstance(formula, All) else any)(holds(part, folded) for part in formula.parts)


def fold(line: str) -> str:
    """As the index folds: tests/integration/test_literal.py checks the two curious letters against it."""
    return line.replace("\u212a", "k").replace("\u017f", "s").lower()


@settings(max_examples=300)
@given(expressions, st.lists(text, min_size=1, max_size=12), st.booleans())
@example("(?i)kk(?-i)k", ["\u212aKk"], False)
@example("ab(c|)d", ["abd", "abcd"], False)
@example("(abc|de)+f", ["def", "abcf"], False)
@example(r"\Qab\E*cd", ["acd"], False)
@example("a(?i)*bcd", ["bcd"], False)
def test_a_line_that_matches_holds_what_is_required(source: str, lines: list[str], any_case: bool) -> None:
    options = re2.Options()
    options.case_sensitive = not any_case
    options.log_errors = False
    try:
        compiled = re2.compile(source, options)
    except re2.error:
        assume(False)
    formula = required_trigrams(Pattern(source, is_regex=True, flags="i" if any_case else ""))
    for line in lines:
        if compiled.search(line):
            assert holds(formula, fold(line)), (formula, line)


words = st.text("abcXY_9", min_size=1, max_size=5)


@st.composite
def matching(draw: st.DrawFn, depth: int = 0) -> tuple[str, str]:
    """An expression together with a line made to match it: random pairs seldom do."""
    parts = [_part(draw, depth) for _ in range(draw(st.integers(1, 3)))]
    return "".join(source for source, _ in parts), "".join(line for _, line in parts)


def _part(draw: st.DrawFn, depth: int) -> tuple[str, str]:
    kind = draw(
        st.sampled_from(["word", "case", "class", "many"] + ["choice", "choice", "repeat"] * (depth < 3))
    )
    if kind == "choice":
        options = draw(st.lists(matching(depth + 1), min_size=2, max_size=4))
        padding = [draw(words) for _ in range(draw(st.sampled_from([0, 0, 9])))]
        chosen = draw(st.sampled_from(options))[1]
        return f"({'|'.join([source for source, _ in options] + padding)})", chosen
    if kind == "repeat":
        source, line = draw(matching(depth + 1))
        least, extra = draw(st.integers(0, 4)), draw(st.integers(0, 2))
        return f"(?:{source}){{{least},{least + 2}}}", line * (least + extra)
    word = draw(words)
    if kind == "case":
        return f"(?i:{word})", draw(st.sampled_from([word.upper(), word.lower()]))
    if kind == "class":
        return "[abc9]", draw(st.sampled_from("abc9"))
    return (".*", word) if kind == "many" else (word, word)


@settings(max_examples=300)
@given(matching(), text, text)
def test_a_line_made_to_match_holds_what_is_required(pair: tuple[str, str], before: str, after: str) -> None:
    source, line = pair
    assert re2.search(source, line)
    formula = required_trigrams(Pattern(source, is_regex=True))
    assert holds(formula, fold(before + line + after))


@given(st.text(max_size=80))
def test_a_literal_requires_only_its_own_trigrams(literal: str) -> None:
    formula = required_trigrams(Pattern(literal))
    kept = fold(literal).replace("\0", "")
    assert holds(formula, kept) or not literal.isascii()
    assert (formula == ANYTHING) == all(len(run) < 3 for run in literal.split("\0"))
