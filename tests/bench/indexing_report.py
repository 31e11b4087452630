"""The figures of indexing as tables: what was to be reached, what was, and how it grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.bench.indexing import FIRST_COMMITS
from tests.bench.report import Table, megabytes, ratio, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.bench.indexing import IndexFigures


def figures_table(figures: IndexFigures) -> Table:
    """One history, each figure beside what it should be."""
    git = figures.git_log_s
    rows = [
        ("`git log -p --no-merges` piped to `wc -c`", seconds(git), "1", ""),
        _row(f"newest {FIRST_COMMITS:,} commits searchable", figures.first_s, git, "at most 4 s"),
        _row("whole history searchable (text, literal)", figures.searchable_s, git, "at most 5 x"),
    ]
    if figures.everything_s:
        rows.append(_row("everything (symbols, vectors too)", figures.everything_s, git, "at most 20 x"))
    if figures.first_question_s:
        asked = f"{seconds(figures.first_question_s)}; {seconds(figures.next_question_s)}"
        rows.append(("the first question after a commit, nothing running; asked again", asked, "", ""))
    rows += [
        _row("nothing changed", figures.unchanged_s, git, "at most 0.35 s"),
        _row("one new commit (text, literal)", figures.one_commit_s, git, "at most 0.7 s"),
        ("peak memory of all processes (PSS)", megabytes(figures.peak_pss), "", "at most 700 MB"),
        (
            "index size, beside the packed repository",
            megabytes(figures.index_bytes),
            ratio(figures.index_bytes / max(1, figures.pack_bytes)),
            "at most 2.5 x",
        ),
        _cpu("processor time, text and literal", figures.searchable_cpu_s, figures),
        _cpu("processor time, everything", figures.everything_cpu_s, figures),
    ]
    loads = ", ".join(f"{load:.1f}" for load in figures.loads)
    return Table(
        f"Indexing {figures.name}: {figures.commits:,} commits, {figures.hunks:,} hunks",
        ("what", "measured", "x git log -p", "to reach"),
        tuple(rows),
        (f"Medians of {len(figures.loads)} round(s), alternating with git; load at each round: {loads}.",),
    )


def growth_table(many: Sequence[IndexFigures]) -> Table:
    """Several histories by size: what a commit and a hunk cost must not grow."""
    rows = []
    for figures in sorted(many, key=lambda each: each.commits):
        quarters = " ".join(f"{pace:,.0f}" for pace in figures.pace_by_quarter)
        rows.append(
            (
                figures.name,
                f"{figures.commits:,}",
                f"{figures.hunks:,}",
                seconds(figures.git_log_s),
                seconds(figures.searchable_s),
                ratio(figures.searchable_s / figures.git_log_s),
                ratio(figures.searchable_cpu_s / figures.git_log_cpu_s),
                f"{figures.searchable_s / max(1, figures.commits) * 1_000:.2f} ms",
                f"{figures.searchable_s / max(1, figures.hunks) * 1_000:.3f} ms",
                quarters,
                megabytes(figures.peak_pss),
                megabytes(figures.index_bytes),
            )
        )
    columns = (
        "history", "commits", "hunks", "git log -p", "text, literal", "ratio", "processor ratio",
        "a commit", "a hunk", "hunks/s by quarter", "memory", "index",
    )  # fmt: skip
    return Table("Growth with the size of a history", columns, tuple(rows))


def _row(what: str, measured_s: float, git_s: float, reach: str) -> tuple[str, str, str, str]:
    return (what, seconds(measured_s), ratio(measured_s / git_s), reach)


def _cpu(what: str, cpu_s: float, figures: IndexFigures) -> tuple[str, str, str, str]:
    """On a busy machine the processor time still tells; git's own is the measure."""
    return (what, seconds(cpu_s), f"{ratio(cpu_s / figures.git_log_cpu_s)} (processor)", "")
