"""What a benchmark says: tables for people, JSON for programs, and the documents that they keep true."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.bench.machine import Machine

DEFAULT_OUT = Path(tempfile.gettempdir()) / "ohara-bench"
DOCS = Path(__file__).parents[2] / "docs"
DOCUMENTS = tuple(sorted(DOCS.rglob("*.md")))

_SLOT = re.compile(r"<!-- bench:([\w.-]+) -->\n(.*?)<!-- /bench -->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of ready text under a title."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of one part: its tables, and the numbers behind them."""

    name: str
    machine: Machine
    tables: tuple[Table, ...]
    numbers: Mapping[str, object] = field(default_factory=dict)


def markdown(table: Table) -> str:
    """A table as GitHub shows it: the first column is text, the others are numbers."""
    widths = [max(len(row[at]) for row in (table.columns, *table.rows)) for at in range(len(table.columns))]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [f"**{table.title}**", "", line(table.columns), line(rule), *map(line, table.rows)]
    if table.notes:
        lines += ["", *table.notes]
    return "\n".join(lines)


def publish(report: Report, out: Path) -> Path:
    """Print the tables and write the numbers."""
    for table in report.tables:
        print(f"\n{markdown(table)}", flush=True)
    print(f"\n{report.machine.sentence()}", flush=True)
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"{report.name}.json"
    file.write_text(json.dumps(asdict(report), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    talk(f"written: {file}")
    return file


def talk(line: str) -> None:
    """Say how far a run has come, beside the data."""
    print(line, file=sys.stderr, flush=True)


def rendered(written: Mapping[str, object]) -> str:
    """The part of the document that one JSON file speaks for."""
    tables = [
        Table(
            str(table["title"]),
            tuple(table["columns"]),
            tuple(tuple(row) for row in table["rows"]),
            tuple(table["notes"]),
        )
        for table in written["tables"]  # type: ignore[attr-defined]
    ]
    said = "\n\n".join(markdown(table) for table in tables)
    return f"{said}\n\n{_sentence(written['machine'])}\n"


def refreshed(document: str, out: Path) -> tuple[str, list[str]]:
    """The document with every slot filled whose numbers are at hand, and the names of those slots."""
    filled: list[str] = []

    def fill(slot: re.Match[str]) -> str:
        file = out / f"{slot[1]}.json"
        if not file.is_file():
            return slot[0]
        filled.append(slot[1])
        body = rendered(json.loads(file.read_text(encoding="utf-8")))
        return f"<!-- bench:{slot[1]} -->\n{body}<!-- /bench -->"

    return _SLOT.sub(fill, document), filled


def filled(document: str, name: str, body: str) -> str:
    """The document with one slot filled."""
    slot = rf"<!-- bench:{re.escape(name)} -->\n.*?<!-- /bench -->"
    return re.sub(slot, lambda _: f"<!-- bench:{name} -->\n{body}<!-- /bench -->", document, flags=re.DOTALL)


def _sentence(machine: object) -> str:
    from tests.bench.machine import Machine

    assert isinstance(machine, dict)
    return f"Measured on {Machine(**machine).sentence()}."


# -- numbers as text -------------------------------------------------------------------------------


def score(value: float) -> str:
    """A number between 0 and 1, as in papers: .812."""
    return f"{value:.3f}".removeprefix("0")


def signed(value: float) -> str:
    """A difference of scores: +.012."""
    return ("+" if value >= 0 else "-") + score(abs(value))


def seconds(value: float) -> str:
    """A time in seconds."""
    return f"{value:.2f} s" if value < 10 else f"{value:.0f} s"


def millis(value: float) -> str:
    """A time in milliseconds."""
    return f"{value:.1f} ms" if value < 10 else f"{value:,.0f} ms"


def ratio(value: float) -> str:
    """How many times as much."""
    return f"{value:.2f} x" if value < 10 else f"{value:,.0f} x"


def megabytes(size: float) -> str:
    """A size in megabytes."""
    return f"{size / 2**20:,.0f} MB" if size >= 10 * 2**20 else f"{size / 2**20:.1f} MB"
