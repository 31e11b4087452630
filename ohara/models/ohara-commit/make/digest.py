"""What the commit encoder reads of a change: a digest of its hunks, without the commit's message.

Code first, then docs, then tests: each hunk gives its share of words (path, header, changed lines, in their order), so that a
hundred words tell of every part of a change; what is left over fills the rest. Words are said as often as
they occur: what a change repeats is what it is about. (Each word once: .460 instead of .514 to .538, the
static table on pytest.)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))
from ohara.embed.model_text import prepared

HUNKS = 60
WORDS = 140
LEAST_OF_HUNK = 30

# Subjects that say nothing, to train with; the benchmark has others.
LAZY = (
    "bugfix", "progress", "tidy", "updates", "review comments", "repair ci", "as discussed", "spelling", "small things", "more work",
    "rework", "squash me", "some changes", "green build", "tweaks", "conflicts", "second try", "whoops", "what the reviewer said",
    "tests", "try again", "fixes", "polish", "temp", "checkpoint", "merge feedback", "forgot a file", "formatting", "more",
    "repair what broke last week", "things found while testing", "continue with the plan", "small follow up", "prepare the next change",
    "do what was agreed in the issue", "finish the work of monday", "better version of the last commit", "clean up after review",
)  # fmt: skip

_TEST = re.compile(
    r"(^|/)(tests?|testing|spec|__tests__|e2e)(/|$)|(^|/)test_[^/]*$|[_.-](test|spec)s?\.\w+$", re.IGNORECASE
)
_DOC = re.compile(r"\.(md|rst|txt|adoc|mdx|html)$|(^|/)(docs?|documentation|website)/", re.IGNORECASE)
_NO_WORD = frozenset(
    {
        "the",
        "a",
        "an",
        "of",
        "to",
        "in",
        "is",
        "it",
        "and",
        "or",
        "for",
        "on",
        "with",
        "as",
        "be",
        "by",
        "at",
        "this",
        "that",
        "self",
        "return",
        "if",
        "else",
        "elif",
        "def",
        "import",
        "from",
        "none",
        "true",
        "false",
        "not",
        "var",
        "let",
        "const",
        "int",
        "char",
        "void",
        "new",
        "end",
        "then",
        "fn",
        "pub",
        "mut",
        "use",
        "func",
        "err",
        "nil",
        "str",
    }
)


def kind(path: str) -> int:
    """0 for code, 1 for docs, 2 for tests: the order in which a digest tells them."""
    return 2 if _TEST.search(path) else 1 if _DOC.search(path) else 0


def words_of(text: str) -> list[str]:
    """The words that say something: parts of names, without single letters, numbers and the grammar of code."""
    return [w for w in prepared(text).split() if len(w) > 1 and w not in _NO_WORD and not w.isdigit()]


def digest(hunks: Sequence[tuple[str, str, str]], words: int = WORDS) -> str:
    """The digest of a change of (path, header, body) hunks."""
    chosen = sorted(hunks[:HUNKS], key=lambda hunk: kind(hunk[0]))
    share = max(LEAST_OF_HUNK, words // max(1, len(chosen)))
    out: list[str] = []
    rest: list[str] = []
    before = ""
    for path, header, body in chosen:
        changed = "\n".join(row[1:] for row in body.split("\n") if row[:1] in ("+", "-"))
        own = words_of(f"{path if path != before else ''} {header} {changed}")
        before = path
        out += own[:share]
        rest += own[share:]
        if len(out) >= words:
            break
    return " ".join((out + rest)[:words])


def query_text(query: str) -> str:
    """A query as the encoder reads it."""
    return prepared(query)


def subject_text(subject: str) -> str:
    """A subject as the encoder reads it."""
    return " ".join(prepared(subject).split()[:24])
