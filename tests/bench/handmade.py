"""What is written by hand beside the library that could do it: the same work, what it costs and what differs.

Each table compares ohara's own code with the obvious library; docs/architecture.md shows them and says what
was decided. Random input is drawn with a fixed seed.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
import tomllib
from collections import Counter
from typing import TYPE_CHECKING

from ohara.cli.config_edit import changed
from ohara.query.values import GUESSED_NAMES
from ohara.suggest import edits, nearest
from tests.bench.machine import look
from tests.bench.report import Report, Table, millis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.bench.workspace import Subject

_FILES = 10_000
_TYPOS_A_NAME = 20


def measure_handmade(subject: Subject, *, commits: int = 2_000) -> Report:
    """All comparisons; the diffs are those of a repository's newest commits."""
    from tests.bench.handmade_git import attributes_table, diff_table
    from tests.bench.handmade_hub import download_table

    machine = look()
    tables = (
        settings_table(),
        suggestions_table(),
        download_table(),
        attributes_table(),
        diff_table(subject, commits),
    )
    return Report("handmade", machine, tables)


def import_ms(module: str) -> float:
    """The processor time that an import takes in a new interpreter, the least of five."""
    code = f"import time; t = time.process_time(); import {module}; print((time.process_time() - t) * 1000)"
    runs = [subprocess.check_output([sys.executable, "-c", code], text=True) for _ in range(5)]
    return min(map(float, runs))


# -- one setting changed in a TOML file ------------------------------------------------------------


def settings_table() -> Table:
    """Random settings files in which one value is changed or added."""
    texts = list(_settings_files(random.Random(1)))  # noqa: S311 - drawn the same every time
    ours, our_ms = _amended(texts, changed)
    theirs, their_ms = _amended(texts, _with_tomlkit)
    outcomes = (
        ("changed, nothing else touched", "changed"),
        ("refused: the person is told what to write", "refused"),
        ("line ends mixed afterwards", "mixed line ends"),
        ("written behind the comment of the next section", "behind a comment"),
        ("another value changed, or an error", "wrong"),
    )
    rows = [(label, f"{ours[name]:,}", f"{theirs[name]:,}") for label, name in outcomes]
    rows.append(("a file, processor time", f"{our_ms:.2f} ms", f"{their_ms:.2f} ms"))
    rows.append(("import", millis(import_ms("ohara.cli.config_edit")), millis(import_ms("tomlkit"))))
    return Table(
        f"One setting changed in {len(texts):,} random files",
        ("", "`cli/config_edit`", "tomlkit"),
        tuple(rows),
    )


def _settings_files(chance: random.Random) -> Iterator[str]:
    """Valid files of a few sections, comments, values of several kinds and either line end."""
    values = ('"x"', "'y'", "3", '"""a\nb"""', "['a', 'b']", '"a # b"  # why')
    made = 0
    while made < _FILES:
        lines = []
        for section in chance.sample(("find", "models", "tui", "index"), chance.randrange(4)):
            lines += chance.choice(([], [""], ["", f"# about {section}"]))
            lines.append(f"[{section}]")
            names = chance.sample(("embedder", "reranker", "k", "theme"), chance.randrange(4))
            lines += [f"{name} = {chance.choice(values)}" for name in names]
        text = "\n".join(lines) + chance.choice(("", "\n"))
        made += 1
        yield text.replace("\n", "\r\n") if chance.random() < 0.5 else text


def _amended(
    texts: Sequence[str], change: Callable[[str, str, str, str], str | None]
) -> tuple[Counter[str], float]:
    outcomes: Counter[str] = Counter()
    spent = 0.0
    for text in texts:
        before = time.process_time()
        try:
            after = change(text, "models", "embedder", "new")
        except ValueError:
            after = ""
        spent += time.process_time() - before
        outcomes[_outcome(text, after)] += 1
    return outcomes, spent * 1000 / len(texts)


def _outcome(text: str, after: str | None) -> str:
    if after is None:
        return "refused"
    wanted = tomllib.loads(text)
    wanted.setdefault("models", {})["embedder"] = "new"
    if not after or tomllib.loads(after) != wanted:
        return "wrong"
    if "\r\n" in text and "\n" in after.replace("\r\n", ""):
        return "mixed line ends"
    lines = after.replace("\r", "").split("\n")
    written = next(number for number, line in enumerate(lines) if '= "new"' in line)
    return "behind a comment" if lines[written - 1].startswith("# about") else "changed"


def _with_tomlkit(text: str, section: str, name: str, value: str) -> str | None:
    import tomlkit

    document = tomlkit.parse(text)
    if section not in document:
        document[section] = tomlkit.table()
    table = document[section]
    assert isinstance(table, tomlkit.items.Table)
    table[name] = value
    return tomlkit.dumps(document)


# -- what a mistyped name was meant to be ----------------------------------------------------------


def suggestions_table() -> Table:
    """Names with one or two slips in them, and words that are no slip of any name."""
    from ohara.settings import SETTINGS
    from tui.actions import BY_NAME

    names = [*(f"{each.section}.{each.name}" for each in SETTINGS), *BY_NAME]
    chance = random.Random(2)  # noqa: S311 - drawn the same every time
    typed = [
        (slips, _mistyped(name, slips, chance), name)
        for name in names
        for slips in (1, 2)
        for _ in range(_TYPOS_A_NAME)
    ]
    strangers = ["".join(chance.choices("etaoinshrdlu", k=chance.randrange(3, 9))) for _ in range(500)]
    columns: list[tuple[str, ...]] = []
    for guess in (_by_edits, _by_ratio):
        before = time.process_time()
        guessed = [(slips, guess(word, names) == name) for slips, word, name in typed]
        spent = time.process_time() - before
        far = sum(guess(word, names) is not None for word in strangers)
        right = [
            sum(hit for slips, hit in guessed if slips == number)
            / sum(1 for slips, _ in guessed if slips == number)
            for number in (1, 2)
        ]
        columns.append(
            (f"{right[0]:.1%}", f"{right[1]:.1%}", f"{far} of 500", millis(spent * 1000 / len(typed)))
        )
    labels = ("right after one slip", "right after two", "a word that is no slip gets a guess", "a guess")
    rows = [(label, *cells) for label, *cells in zip(labels, *columns, strict=True)]
    rows.append(("one slip in a filter's name taken for more, or two for one", *_told_apart(chance)))
    rows.append(("import", millis(import_ms("ohara.suggest")), millis(import_ms("difflib"))))
    return Table(
        f"{len(typed):,} mistyped names of {len(names)}",
        ("", "`suggest`, within 2 edits", "difflib, cutoff 0.6"),
        tuple((row[0], row[1], row[2]) for row in rows),
    )


def _told_apart(chance: random.Random) -> tuple[str, str]:
    """How often one slip is not told from two, which decides whether `nmae:` in a query is a filter or text.

    Difflib gets the cutoff that serves it best.
    """
    from difflib import SequenceMatcher

    typed = [
        (slips, _mistyped(name, slips, chance))
        for name in GUESSED_NAMES
        for slips in (1, 2)
        for _ in range(_TYPOS_A_NAME)
    ]
    # Two slips may undo each other: what counts is how far a word is in the end.
    far = [(min(edits(word, name) for name in GUESSED_NAMES) <= 1, word) for _, word in typed]
    ours = sum((nearest(word, GUESSED_NAMES, within=1) is not None) != is_one for is_one, word in far)
    ratios = [
        (is_one, max(SequenceMatcher(None, word, name).ratio() for name in GUESSED_NAMES))
        for is_one, word in far
    ]
    theirs = min(
        sum((ratio >= cutoff / 100) != is_one for is_one, ratio in ratios) for cutoff in range(50, 100)
    )
    return f"{ours / len(far):.1%}", f"{theirs / len(far):.1%}"


def _mistyped(name: str, slips: int, chance: random.Random) -> str:
    for _ in range(slips):
        at = chance.randrange(len(name) - 1)
        letter = chance.choice("abcdefghijklmnopqrstuvwxyz_")
        name = chance.choice(
            (
                name[:at] + name[at + 1 :],
                name[:at] + letter + name[at:],
                name[:at] + letter + name[at + 1 :],
                name[:at] + name[at + 1] + name[at] + name[at + 2 :],
            )
        )
    return name


def _by_edits(word: str, names: Sequence[str]) -> str | None:
    return nearest(word, names, within=2)


def _by_ratio(word: str, names: Sequence[str]) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, names, n=1)), None)
