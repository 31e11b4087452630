"""The subject of a history: a symbol or lines of a file in a commit. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.diff.rows import RowKind, lines_of

if TYPE_CHECKING:
    from ohara.model import Hit
    from tui.widgets.cursor_view import SelectedLine


@dataclass(frozen=True, slots=True)
class Trace:
    """A symbol of a file, or lines of it as it is in a commit; lines are 1-based and inclusive."""

    commit: str
    path: str
    first: int
    last: int
    symbol: str | None = None

    @property
    def label(self) -> str:
        """What it is, in words."""
        if self.symbol:
            return f"{self.symbol} in {self.path}"
        lines = f"line {self.first}" if self.first == self.last else f"lines {self.first}-{self.last}"
        return f"{lines} of {self.path}"

    def of_lines(self) -> Trace:
        """The same lines, whatever they are part of."""
        return Trace(self.commit, self.path, self.first, self.last)


def trace_of_hit(hit: Hit) -> Trace | None:
    """The subject for the history of a hit: its symbol, or else the lines that it changed.

    For a hunk that only removed lines, these lines in the parent.
    """
    marked = {match.line for match in hit.matches}
    rows = [row for row in lines_of(hit) if row.is_line] if hit.excerpt else []
    changed = [row for row in rows if row.kind is not RowKind.CONTEXT]
    meant = [row for row in changed if row.line in marked] or changed or rows
    new = [row.new for row in meant if row.new is not None]
    old = [row.old for row in meant if row.old is not None]
    if new:
        return Trace(hit.commit.sha, hit.path, min(new), max(new), hit.symbol)
    if old and hit.commit.parents:
        return Trace(hit.commit.parents[0], hit.old_path or hit.path, min(old), max(old), hit.symbol)
    return None


def trace_of_line(line: SelectedLine) -> Trace | None:
    """The history of one line of a diff; of a removed one, in the parent."""
    hit = line.hit
    if not line.is_old:
        return Trace(hit.commit.sha, hit.path, line.line, line.line)
    if not hit.commit.parents:
        return None
    return Trace(hit.commit.parents[0], hit.old_path or hit.path, line.line, line.line)


def place_of(trace: Trace) -> str:
    """A trace as it would be typed to have it explained."""
    if trace.symbol:
        return f"{trace.path}:{trace.symbol}"
    return (
        f"{trace.path}:{trace.first}"
        if trace.first == trace.last
        else f"{trace.path}:{trace.first}-{trace.last}"
    )
