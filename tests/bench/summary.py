"""The one table that answers "how good": the rows that matter out of every repository's page."""

from __future__ import annotations

import re
from pathlib import Path

from tests.bench.report import Table, markdown

PAGES = Path(__file__).parents[2] / "docs" / "benchmarks"

_HISTORIES = ("pytest", "kit", "otel-collector", "vector", "twisted")
_SYSTEMS = ("text lane alone", "ohara, no rerank", "ohara")
_KINDS = ("with messages", "message-blind")
# Of a lazy history's table: the columns of its halves.
_HALVES = {"lazy half": 1, "kept half": 3}


def summary(pages: Path = PAGES) -> str:
    """MRR@10 of each repository, as its page has it."""
    rows = []
    for history in _HISTORIES:
        page = (pages / f"{history}.md").read_text(encoding="utf-8")
        scores = [_score(page, f"{history}, {kind}", system) for kind in _KINDS for system in _SYSTEMS]
        scores += [_score(page, f"{history}, lazy", _SYSTEMS[-1], column) for column in _HALVES.values()]
        rows.append((f"[{history}](benchmarks/{history}.md)", *scores))
    columns = ("", *(f"{system}, {kind}" for kind in _KINDS for system in ("BM25", *_SYSTEMS[1:])))
    columns = (*columns, *(f"{_SYSTEMS[-1]}, {half}" for half in _HALVES))
    return markdown(Table("MRR@10", columns, tuple(rows))) + "\n"


def _score(page: str, title: str, system: str, column: int = 1) -> str:
    table = re.search(rf"^\*\*{re.escape(title)}\*\*\n\n((?:\|.*\n)+)", page, flags=re.MULTILINE)
    row = re.search(rf"^\| {re.escape(system)} +\|(.*)\|$", table[1], flags=re.MULTILINE) if table else None
    return row[1].split("|")[column - 1].strip() if row else "not measured"
