"""What stemming and the splitting of identifiers are worth: indexes made without them, asked without them.

Both are baked into the index, so each needs an index of its own, whose text pass is made again; the text lane
alone is compared. The processes that index take the piece away as they start, through `sitecustomize`.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from ohara import words
from ohara.model import Mode
from tests.bench.ablation import ablation_table
from tests.bench.changelog import draw_queries
from tests.bench.evaluate import ask_all
from tests.bench.lazy import with_lazy_messages
from tests.bench.lazy_report import in_halves
from tests.bench.machine import look
from tests.bench.measure import ROOT
from tests.bench.report import Report
from tests.bench.reworded import copy_index, without_messages
from tests.bench.systems import Ohara, Way
from tests.bench.variations import AS_IT_IS
from tests.bench.workspace import at_home, bring_up_to_date, with_messages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.bench.changelog import ChangelogQuery
    from tests.bench.evaluate import Asked
    from tests.bench.workspace import Indexed, Subject

_VARIABLE = "BENCH_WITHOUT"
_AS_PYTHON_STARTS = "from tests.bench.plainwords import as_told\nas_told()\n"
PIECES = ("stemming", "splitting")


@contextmanager
def without(piece: str) -> Iterator[None]:
    """Analyse words without a piece while this lasts."""
    stem, parts = words._stem, words._parts
    _take_away(piece)
    try:
        yield
    finally:
        words._stem, words._parts = stem, parts
        _forget()


def as_told() -> None:
    """Take away what the environment says, for as long as the process lives."""
    if piece := os.environ.get(_VARIABLE):
        _take_away(piece)


def _take_away(piece: str) -> None:
    match piece:
        case "stemming":
            words._stem = lambda folded: folded
        case "splitting":
            words._parts = lambda word: [word]
        case _:
            raise ValueError(f"nothing of words is called {piece}")
    _forget()


def _forget() -> None:
    words._CACHE.clear()
    words._PART_STEMS.clear()
    words._stop_stems.cache_clear()


def index_without(piece: str, indexed: Indexed, folder: Path) -> Indexed:
    """The same history in an index of its own, its words analysed without a piece."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(_AS_PYTHON_STARTS, encoding="utf-8")
    other = replace(indexed, home=folder / "home")
    copy_index(indexed, other.home)
    path = os.pathsep.join((str(folder), str(ROOT)))
    bring_up_to_date(other, "--passes", "text", **{_VARIABLE: piece, "PYTHONPATH": path})
    return other


def measure_words(subject: Subject, work: Path, *, patterns: Sequence[str] = (), limit: int = 300) -> Report:
    """The text lane as it is, and without each piece of the analysis."""
    machine = look()
    drawn = draw_queries(subject.repo, patterns=patterns, limit=limit)
    found: dict[str, list[Asked]] = {}
    indexes = {
        "with messages": with_messages(subject, work, patterns),
        "message-blind": without_messages(subject, work, patterns),
        "lazy": with_lazy_messages(subject, work, drawn.queries, patterns),
    }
    for title, indexed in indexes.items():
        asked = [_ask(AS_IT_IS.name, indexed, drawn.queries)]
        for piece in PIECES:
            other = index_without(piece, indexed, work / f"{subject.name}-{indexed.home.name}-no-{piece}")
            with without(piece):
                asked.append(_ask(f"no {piece}", other, drawn.queries))
        found |= in_halves(asked) if title == "lazy" else {title: asked}
    notes = (f"{len(drawn.queries)} queries, the text lane alone. A minus means that the piece helps.",)
    table = ablation_table(f"{subject.name}: how words are analysed", found, notes)
    numbers = {title: [asdict(each) for each in asked] for title, asked in found.items()}
    return Report(f"words-{subject.name}", machine, (table,), numbers)


def _ask(name: str, indexed: Indexed, queries: Sequence[ChangelogQuery]) -> Asked:
    with at_home(indexed.home):
        return ask_all(name, Ohara(indexed, Way(name, Mode.TEXT)), queries)
