"""Explains the rank of a hit: each lane's rank and score, the fused score, reranking, recency."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from tui.cells import cut, sanitize
from tui.formats import author_day, milliseconds
from tui.screens.dialog import Dialog

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ohara.model import Hit, Results

_BAR = 16


class WhyScreen(Dialog[None]):
    """Explains one hit."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w,q,enter", "dismiss(None)", "Back"),
    ]

    def __init__(self, hit: Hit, results: Results, position: int) -> None:
        super().__init__()
        self._hit = hit
        self._results = results
        self._position = position

    def compose(self) -> ComposeResult:
        """A small table."""
        box = Static(explained(self._hit, self._results), classes="dialog")
        box.border_title = f"Why hit {self._position + 1}"
        box.border_subtitle = "esc back"
        yield box

    def on_click(self) -> None:
        """A click anywhere leaves."""
        self.dismiss(None)


def explained(hit: Hit, results: Results) -> Content:
    """The words and bars of the explanation."""
    lines = [
        Content.assemble((cut(sanitize(hit.commit.subject), 70), "bold")),
        Content.styled(
            f"{hit.commit.sha[:10]} · {author_day(hit.commit)} · {sanitize(hit.path)}:{hit.line}",
            "$muted",
        ),
        Content(""),
        Content.styled(f"{'':14}{'rank':>5}  {'score':>8}", "$muted"),
    ]
    for lane in results.lanes:
        if lane.name == "rerank":
            continue
        rank = hit.lanes.get(lane.name)
        score = hit.lane_scores.get(lane.name)
        row = f"{lane.name:<14}{rank if rank is not None else '—':>5}  {_number(score):>8}  "
        took = milliseconds(lane.elapsed_ms)
        rest = f"{lane.status}, {lane.count} in {took}" if rank is None else f"  of {lane.count} in {took}"
        lines.append(
            Content.assemble(
                (row, "$foreground" if rank is not None else "$faint"),
                (_bar(score), "$primary"),
                (rest, "$faint"),
            )
        )
    lines += [
        Content(""),
        _row("fused", hit.fused, f"by {results.fusion}"),
        _row("rerank", hit.rerank, "" if hit.rerank is not None else "the reranker did not judge it"),
        _row("recency", hit.recency, "a factor: 1.00 changes nothing"),
        _row("score", hit.score, f"the {results.query.query_class} query's order is by this"),
    ]
    elsewhere = [f"{sanitize(copy.branches[0])} ({copy.sha[:8]})" for copy in hit.also_on if copy.branches]
    if elsewhere:
        lines.append(Content.styled(f"\nalso on {', '.join(elsewhere[:6])}", "$muted"))
    if hit.also_in:
        lines.append(Content.styled(f"\nalso in {', '.join(sha[:8] for sha in hit.also_in[:6])}", "$muted"))
    return Content("\n").join(lines)


def _row(name: str, value: float | None, note: str) -> Content:
    return Content.assemble(
        (f"{name:<14}{'':>5}  {_number(value):>8}  ", "bold" if name == "score" else "$foreground"),
        (note, "$muted"),
    )


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:.3f}"


def _bar(score: float | None) -> str:
    if score is None:
        return ""
    return "█" * max(1, min(_BAR, round(score * _BAR)))
