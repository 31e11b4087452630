"""What vectors and reranking add where nothing was tuned: quality runs of held-out repositories, together."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.bench.lazy_report import KEPT_HALF, halves_of, lazy_table
from tests.bench.machine import look
from tests.bench.metrics import gain, quality
from tests.bench.report import Report, Table, score, signed
from tests.bench.systems import OURS, OURS_RERANKED, WITHOUT_VECTORS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tests.bench.metrics import Interval

    Ranks = Mapping[str, Sequence[int | None]]
    """The rank of the answer to each query, by system."""

HELD_OUT = ("kit", "otel-collector", "twisted", "vector")
MODES = ("with messages", "message-blind")

# What is added, and to what.
STEPS = {
    "vectors": (OURS.name, WITHOUT_VECTORS.name),
    "reranking": (OURS_RERANKED.name, OURS.name),
}


def together(out: Path) -> Report:
    """The gain of each step on each held-out repository whose quality was measured, and on all of them."""
    runs = {name: file for name in HELD_OUT if (file := out / f"quality-{name}.json").is_file()}
    read = {name: json.loads(file.read_text(encoding="utf-8"))["numbers"] for name, file in runs.items()}
    ranks = {mode: {name: _ranks(numbers[mode]) for name, numbers in read.items()} for mode in MODES}
    return Report("held-out", look(), (_levels(ranks), _gains(ranks)), {"repositories": list(runs)})


def lazy_together(out: Path) -> Report:
    """The halves of all held-out repositories whose lazy history was asked."""
    written = [file for name in HELD_OUT if (file := _lazy_file(out, name)) is not None]
    numbers = [json.loads(file.read_text(encoding="utf-8"))["numbers"] for file in written]
    names = [file.stem.partition("-")[2] for file in written]
    asked = sum(len(each[KEPT_HALF][0]["ranks"]) for each in numbers)
    note = f"{', '.join(names)}: {asked} questions in each half."
    table = lazy_table("held out, lazy", halves_of(numbers), OURS.name, [note])
    return Report("lazy-held-out", look(), (table,), {"repositories": names})


def _lazy_file(out: Path, name: str) -> Path | None:
    """Where a repository's halves were written: by themselves, or with the other tables."""
    for file in (out / f"lazy-{name}.json", out / f"quality-{name}.json"):
        if file.is_file() and KEPT_HALF in json.loads(file.read_text(encoding="utf-8"))["numbers"]:
            return file
    return None


def _ranks(asked: Sequence[Mapping[str, object]]) -> Ranks:
    return {str(each["name"]): each["ranks"] for each in asked}  # type: ignore[misc]  # as they were written


def _levels(ranks: Mapping[str, Mapping[str, Ranks]]) -> Table:
    systems = (WITHOUT_VECTORS.name, OURS.name, OURS_RERANKED.name)
    rows = []
    for name in (*ranks[MODES[0]], "all"):
        row = [name, str(len(_of(ranks[MODES[0]], name, OURS.name)))]
        for mode in MODES:
            row += [score(quality(_of(ranks[mode], name, system)).mrr.mean) for system in systems]
        rows.append(tuple(row))
    columns = tuple(f"{system}, {mode}" for mode in MODES for system in systems)
    return Table("held out: MRR@10", ("repository", "queries", *columns), tuple(rows))


def _gains(ranks: Mapping[str, Mapping[str, Ranks]]) -> Table:
    rows = []
    for name in (*ranks[MODES[0]], "all"):
        row = [name]
        for with_it, without in STEPS.values():
            for mode in MODES:
                pair = _of(ranks[mode], name, with_it), _of(ranks[mode], name, without)
                row.append(_said(gain(*pair)))
        rows.append(tuple(row))
    columns = tuple(f"{step}, {mode}" for step in STEPS for mode in MODES)
    return Table("held out: what is added to MRR@10", ("repository", *columns), tuple(rows))


def _of(ranks: Mapping[str, Ranks], name: str, system: str) -> list[int | None]:
    names = ranks if name == "all" else (name,)
    return [rank for each in names for rank in ranks[each][system]]


def _said(found: Interval) -> str:
    return f"{signed(found.mean)} [{signed(found.low)}, {signed(found.high)}]"
