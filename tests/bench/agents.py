"""Does ohara help an agent? How many tokens it reads before the answer to a golden question is among them.

No model is asked. ohara is given the question as it stands, page after page; git the obvious calls for its
words, most telling word first. What is counted is all that was read up to the end of the first hunk of an
answering commit, by the counter that budgets use. git is favoured: its reader knows the answer when it sees
it, reads on without a limit on one call, and loses nothing by asking again.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ohara.engine import Engine
from ohara.mcp.arguments import DEFAULT_BUDGET
from ohara.mcp.found import fitted, found_text
from ohara.model import WHOLE_HUNK, SearchOptions
from ohara.present.budget import BYTES_A_TOKEN, tokens
from ohara.settings import Settings
from tests.bench.agents_start import as_data, first_answers, start_table
from tests.bench.golden_set import golden_questions, resolved
from tests.bench.machine import look
from tests.bench.metrics import median
from tests.bench.report import Report, Table, talk
from tests.bench.systems import NOW
from tests.bench.workspace import Indexed, at_home, bring_up_to_date

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.bench.agents_start import FirstAnswer
    from tests.bench.workspace import Subject

LIMITS = (2_000, 6_000, 20_000)
OHARA, BEST = "`find_pattern`", "the best of the four for each question"

_MOST_WORDS = 3
_COMMIT = re.compile(r"^commit ([0-9a-f]{40})", re.MULTILINE)
_HUNK = re.compile(r"^@@ ", re.MULTILINE)
_WORD = re.compile(r"[\w./~:#-]*\w(?:\(\))?")
_TELLING = re.compile(r"[_./~:#-]|\w[A-Z]|\d")
_COMMON = frozenset(
    [
        "a",
        "about",
        "add",
        "added",
        "after",
        "all",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "became",
        "because",
        "been",
        "before",
        "by",
        "can",
        "change",
        "changed",
        "code",
        "command",
        "commit",
        "could",
        "deleted",
        "did",
        "do",
        "does",
        "drop",
        "dropped",
        "first",
        "for",
        "from",
        "function",
        "get",
        "gone",
        "go",
        "had",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "instead",
        "into",
        "introduced",
        "is",
        "it",
        "its",
        "made",
        "make",
        "many",
        "not",
        "of",
        "off",
        "on",
        "only",
        "option",
        "or",
        "our",
        "out",
        "over",
        "remove",
        "removed",
        "replaced",
        "should",
        "since",
        "so",
        "start",
        "support",
        "than",
        "that",
        "the",
        "their",
        "them",
        "there",
        "they",
        "this",
        "to",
        "too",
        "up",
        "use",
        "used",
        "using",
        "value",
        "was",
        "way",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
        "without",
        "you",
    ]
)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one way of asking cost for one question: tokens until the answer; None beyond the last limit."""

    way: str
    repository: str
    kind: str
    ask: str
    tokens: int | None


def measure_agents(subjects: Sequence[Subject], work: Path) -> Report:
    """The share of questions that are answered within so many tokens."""
    machine = look()
    costs: list[Cost] = []
    starts: list[FirstAnswer] = []
    for subject in subjects:
        indexed = Indexed(subject.repo, work / "golden", Settings())
        bring_up_to_date(indexed)
        asked = next(each.ask for each in golden_questions() if each.repository == subject.name)
        starts += first_answers(subject.name, indexed, asked)
        with at_home(indexed.home):
            engine = Engine.open(indexed.repo, indexed.settings)
            for question in (each for each in golden_questions() if each.repository == subject.name):
                answers = resolved(subject.repo, question.answers)
                one = [(OHARA, by_ohara(engine, question.ask, answers))]
                one += [
                    (way, by_git(subject.repo, call, question.ask, answers)) for way, call in WAYS.items()
                ]
                known = [cost for way, cost in one if way != OHARA and cost is not None]
                one.append((BEST, min(known, default=None)))
                costs += [Cost(way, subject.name, question.kind, question.ask, cost) for way, cost in one]
                talk(f"  {question.ask}: {', '.join(str(cost) for _, cost in one)}")
            engine.close()
    data = {"costs": [asdict(cost) for cost in costs], "starts": as_data(starts)}
    return Report("agents", machine, (*tables(costs), start_table(starts)), data)


def tables(costs: Sequence[Cost]) -> tuple[Table, Table]:
    """All questions; and those in words, as of an address or a name git is only asked for the text itself."""
    return _table(costs, "questions"), _table(
        [cost for cost in costs if cost.kind != "name"], "of them in words"
    )


def _table(costs: Sequence[Cost], what: str) -> Table:
    ways = [OHARA, *WAYS, BEST]
    rows = []
    for way in ways:
        own = [cost.tokens for cost in costs if cost.way == way]
        shares = [sum(each is not None and each <= limit for each in own) / len(own) for limit in LIMITS]
        read = [each for each in own if each is not None]
        rows.append(
            (way, *(f"{100 * share:.0f} %" for share in shares), f"{median(read):,.0f}" if read else "-")
        )
    count = len([cost for cost in costs if cost.way == OHARA])
    return Table(
        f"{count} {what}: the answering hunk is in the context within so many tokens",
        ("the agent calls", *(f"{limit:,}" for limit in LIMITS), "tokens, median where found"),
        tuple(rows),
    )


# -- ohara -----------------------------------------------------------------------------------------


def by_ohara(engine: Engine, ask: str, answers: frozenset[str]) -> int | None:
    """What find_pattern costs with its defaults, page after page."""
    read, after = 0, None
    while read < LIMITS[-1]:
        options = SearchOptions(k=5, context=WHOLE_HUNK, now=NOW, after=after)
        results = engine.find_pattern(ask, options)
        fit = fitted(results, DEFAULT_BUDGET, now=NOW)
        text = found_text(results, fit, DEFAULT_BUDGET, now=NOW)
        for hit in results.hits[: fit.count]:
            if answers & {hit.commit.sha, *hit.also_in}:
                at = text.index(f"\n{hit.rank}. {hit.commit.sha[:10]} ")
                end = text.find("\n\n", text.index("\n# ", at)) if "\n# " in text[at:] else len(text)
                total = read + tokens(text[: end if end > 0 else len(text)])
                return total if total <= LIMITS[-1] else None
        read += tokens(text)
        if results.next_cursor is None or fit.count < len(results.hits):
            return None
        after = results.next_cursor
    return None


# -- git -------------------------------------------------------------------------------------------


def by_git(
    repo: Path, call: Callable[[Path, str], list[str] | None], ask: str, answers: frozenset[str]
) -> int | None:
    """What one kind of call costs, for one telling word of the question after the other."""
    read = 0
    for word in telling_words(ask):
        arguments = call(repo, word)
        if arguments is None:
            continue
        said = _git(repo, arguments, (LIMITS[-1] - read) * BYTES_A_TOKEN)
        found = reached(said, answers)
        if found is not None:
            total = read + tokens(said[:found])
            return total if total <= LIMITS[-1] else None
        read += tokens(said)
        if read >= LIMITS[-1]:
            return None
    return None


def telling_words(ask: str) -> list[str]:
    """The words of a question that one would look for, those first that look like names."""
    words = [word.removesuffix("()") for word in _WORD.findall(ask)]
    words = list(
        dict.fromkeys(word for word in words if word.lower().strip("-") not in _COMMON and len(word) > 1)
    )
    named = [word for word in words if _TELLING.search(word)]
    others = sorted((word for word in words if word not in named), key=len, reverse=True)
    return [*named, *others][:_MOST_WORDS]


def reached(said: str, answers: frozenset[str]) -> int | None:
    """Where the first hunk of an answering commit ends; where the commit does, when it shows none."""
    entries = list(_COMMIT.finditer(said))
    for number, entry in enumerate(entries):
        if entry[1] in answers:
            end = entries[number + 1].start() if number + 1 < len(entries) else len(said)
            hunks = [hunk.start() for hunk in _HUNK.finditer(said, entry.end(), end)]
            return hunks[1] if len(hunks) > 1 else end
    return None


def _pickaxe(repo: Path, word: str) -> list[str] | None:
    del repo
    return ["log", "-p", f"-S{word}"]


def _regex(repo: Path, word: str) -> list[str] | None:
    del repo
    return ["log", "-p", "-i", f"-G{re.escape(word)}"]


def _grep(repo: Path, word: str) -> list[str] | None:
    del repo
    return ["log", "-p", "-i", "-F", f"--grep={word}"]


def _file(repo: Path, word: str) -> list[str] | None:
    """What a word names: a revision, a path, or the file of HEAD whose name holds it."""
    if _git(repo, ["rev-parse", "--quiet", "--verify", f"{word}^{{commit}}"], 100):
        return ["show", word]
    path = word.partition(":")[0]
    if _git(repo, ["log", "-1", "--format=%H", "--", path], 100):
        return ["log", "-p", "--", path]
    names = _git(repo, ["ls-tree", "-r", "--name-only", "HEAD"], 10**7).splitlines()
    alike = [name for name in names if path.lower() in name.lower()]
    return ["log", "-p", "--", min(alike, key=len)] if alike else None


WAYS: dict[str, Callable[[Path, str], list[str] | None]] = {
    "`git log -p -S`": _pickaxe,
    "`git log -p -i -G`": _regex,
    "`git log -p -i --grep`": _grep,
    "`git log -p` of the file, `git show`": _file,
}


def _git(repo: Path, arguments: Sequence[str], most_bytes: int) -> str:
    """What git says, up to so many bytes; what is longer is not waited for."""
    with subprocess.Popen(
        ["git", "--no-pager", "-C", str(repo), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        said = process.stdout.read(max(1, most_bytes))
        process.kill()
    return said.decode("utf-8", "replace")
