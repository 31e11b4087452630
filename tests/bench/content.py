"""What a megabyte of each kind of content costs to index, beside `git log -p` of the same history.

Processor time counts: of the whole `ohara index`, workers included, first what makes a history searchable
(the text and literal passes), then the symbol and vector passes in a run of their own. A history of one
kind is no real one: it is there because averages hide what one file can do.
"""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.bench.content_kinds import KINDS, write_archive, write_kind, write_tiny
from tests.bench.indexing import index_bytes, pack_bytes
from tests.bench.machine import look
from tests.bench.measure import environment, ohara_command, weigh
from tests.bench.report import Report, Table, megabytes, ratio, talk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.bench.content_kinds import Written

_MEGABYTES = 8.0  # of diff a kind: starting the workers is then a sixth of the least
_ASKED = 6  # lines a kind that are looked for
_LONGEST = 60  # characters of such a line
_PATIENCE_S = 7_200.0


@dataclass(frozen=True, slots=True)
class ContentFigures:
    """What one history cost."""

    kind: str
    commits: int
    diff_bytes: int
    git_cpu_s: float
    git_s: float
    searchable_cpu_s: float
    searchable_s: float
    everything_cpu_s: float
    everything_s: float
    index_bytes: int
    git_bytes: int
    asked: int
    found: int

    def a_megabyte(self, cpu_s: float) -> float:
        """Processor seconds for a million bytes of diff."""
        return cpu_s / (self.diff_bytes / 1e6)


def measure_content(names: Sequence[str] = ()) -> Report:
    """Every kind (or those named), the archive and the tiny commits."""
    machine = look()
    histories: dict[str, Callable[[Path], list[Written]]] = {
        kind.name: partial(write_kind, kind=kind, megabytes=_MEGABYTES) for kind in KINDS
    }
    histories["archive of 1.5 MB, 70 times"] = write_archive
    histories["6,000 tiny commits"] = write_tiny
    figures = [
        _measured(name, write)
        for name, write in histories.items()
        if not names or any(wanted in name for wanted in names)
    ]
    return Report("content", machine, (_table(figures),), {each.kind: asdict(each) for each in figures})


def _measured(name: str, write: Callable[[Path], list[Written]]) -> ContentFigures:
    with TemporaryDirectory(prefix="ohara-bench-") as folder:
        repo, home = Path(folder) / "history.git", Path(folder) / "home"
        commits = write(repo)
        shown = weigh(["sh", "-c", f"git -C '{repo}' log -p | wc -c"])
        index = ohara_command("index", "-q", "--repo", str(repo))
        first = weigh([*index, "--passes", "text,literal"], env=environment(home), timeout_s=_PATIENCE_S)
        rest = weigh(index, env=environment(home), timeout_s=_PATIENCE_S)
        lines = _sampled(commits)
        found = sum(_is_found(repo, home, line) for line in lines)
        figures = ContentFigures(
            name,
            len(commits),
            int(shown.said),
            shown.cpu_s,
            shown.wall_s,
            first.cpu_s,
            first.wall_s,
            first.cpu_s + rest.cpu_s,
            first.wall_s + rest.wall_s,
            index_bytes(home),
            pack_bytes(repo),
            len(lines),
            found,
        )
    talk(" ".join(_row(figures)))
    return figures


def _sampled(commits: Sequence[Written]) -> list[str]:
    """Parts of lines from all over the history that can be written between quotes."""
    chance = random.Random(7)  # noqa: S311 a repeatable draw
    drawn: list[str] = []
    while len(drawn) < _ASKED:
        line = chance.choice(chance.choice(commits).data.split(b"\n"))
        try:
            text = line.decode()
        except UnicodeDecodeError:
            text = line.decode("cp1252", "ignore")
            if text.encode("cp1252") != line:
                continue
        at = chance.randrange(max(1, len(text) - _LONGEST))
        part = max(text[at : at + _LONGEST].split('"'), key=len).strip()
        if part.isprintable() and "\\" not in part and (len(part) >= 8 or 1 < len(text) <= 3 == len(part)):
            drawn.append(part)
    return drawn


def _is_found(repo: Path, home: Path, part: str) -> bool:
    asked = ohara_command("find", "-q", "--no-daemon", "--repo", str(repo), f'"{part}"')
    return weigh(asked, env=environment(home), allowed=(0, 1)).exit_code == 0


def _row(figures: ContentFigures) -> tuple[str, ...]:
    return (
        figures.kind,
        f"{figures.commits:,}",
        megabytes(figures.diff_bytes),
        f"{figures.a_megabyte(figures.searchable_cpu_s):.2f}",
        f"{figures.a_megabyte(figures.everything_cpu_s):.2f}",
        ratio(figures.searchable_cpu_s / figures.git_cpu_s),
        ratio(figures.everything_cpu_s / figures.git_cpu_s),
        ratio(figures.everything_s / figures.git_s),
        megabytes(figures.index_bytes),
        ratio(figures.index_bytes / figures.git_bytes),
        f"{figures.found} of {figures.asked}",
    )


def _table(figures: Sequence[ContentFigures]) -> Table:
    return Table(
        "Indexing one kind of content at a time",
        (
            "kind",
            "commits",
            "diff",
            "CPU s a MB, text and literal",
            "all passes",
            "x git log -p, text and literal (CPU)",
            "all passes (CPU)",
            "all passes (wall)",
            "index",
            "x .git",
            "lines found",
        ),
        tuple(map(_row, figures)),
        ("CPU: user and system time of `ohara index` with its workers. All: symbols and vectors too.",),
    )
