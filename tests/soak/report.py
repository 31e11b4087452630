"""The figures of a soak as tables that docs/reliability.md can take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.soak.outcome import added

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.soak.outcome import Outcome

_UNITS = {"kills": "kills", "histories": "histories", "inputs": "inputs"}
_TITLES = {
    "kills": "kills, each followed by a run to the end",
    "histories": "random histories with rewrites",
    "inputs": "fuzzed inputs",
}
_MOST_TOLD = 20


def tables(outcomes: Sequence[Outcome], *, heading: str) -> str:
    """Everything that was done, and what fell."""
    lines = [heading, "", "| what | how many | fell | seconds of work |", "|---|---|---|---|"]
    for part, title in _TITLES.items():
        own = [outcome for outcome in outcomes if outcome.part == part]
        if own:
            done = added(outcome.counts for outcome in own)[_UNITS[part]]
            fell = sum(len(outcome.failures) > 0 for outcome in own)
            lines.append(f"| {title} | {done:,} | {fell:,} | {sum(each.elapsed_s for each in own):,.0f} |")
    for part in _TITLES:
        counts = added(outcome.counts for outcome in outcomes if outcome.part == part)
        lines += ["", *_counted(part, counts.items())] if counts else []
    return "\n".join(lines) + "\n"


def _counted(part: str, counts: Iterable[tuple[str, int]]) -> list[str]:
    """What was done in a part, most often first; kinds of one sort beside each other."""
    ordered = sorted(
        counts, key=lambda each: (each[0].split(": ")[0] if ": " in each[0] else "", -each[1], each[0])
    )
    return [f"| {part} | count |", "|---|---|", *(f"| {name} | {count:,} |" for name, count in ordered)]


def failures(outcomes: Iterable[Outcome]) -> list[str]:
    """What fell, each with what it takes to see it again."""
    told = [f"{each.part} {each.unit}: {failure}" for each in outcomes for failure in each.failures]
    return told[:_MOST_TOLD] + ([f"… and {len(told) - _MOST_TOLD} more"] if len(told) > _MOST_TOLD else [])
