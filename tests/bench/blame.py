"""Whose the lines of files drawn by chance are, line by line beside `git blame`; of what merges made, too."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from ohara.engine import Engine
from ohara.git.tree import SUBMODULE
from ohara.settings import Settings
from tests.bench.fate import git_lines
from tests.bench.machine import look
from tests.bench.report import Report, Table
from tests.bench.workspace import Indexed, at_home, bring_up_to_date

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ohara.store.lines import LineHistory
    from tests.bench.workspace import Subject

_SHA = 40
_TOLD = 8  # files that differ


def measure_blame(subject: Subject, work: Path, *, files: int, seed: int = 7) -> Report:
    """Draw files of HEAD and compare the commit of every line with what git says."""
    machine = look()
    indexed = Indexed(subject.repo, work / "fate", Settings())
    bring_up_to_date(indexed, "--passes", "text,literal,lines")
    with at_home(indexed.home):
        engine = Engine.open(subject.repo)
        with engine.store.line_history() as history:
            merged = _made_by_merges(engine, history)
            listed = engine.repository.head_tree_files()
            paths = sorted({path for path, _, mode in listed if mode != SUBMODULE})  # git blames no submodule
            chance = random.Random(seed)  # noqa: S311 - a repeatable draw, not a secret
            drawn = chance.sample(paths, min(files, len(paths)))
            there = chance.sample(sorted(merged), min(files // 2, len(merged)))
            rows = [_row("drawn by chance", engine, history, drawn)]
            if there:
                rows.append(_row("whose content a merge made", engine, history, there))
    table = Table(f"Whose each line of {subject.name}'s files is, beside git blame", _COLUMNS, tuple(rows))
    return Report(f"blame-{subject.name}", machine, (table,), {"files": len(drawn)})


_COLUMNS = ("files", "how many", "lines", "the same commit", "files that differ")


def _row(name: str, engine: Engine, history: LineHistory, paths: Sequence[str]) -> tuple[str, ...]:
    links = {link.commit: link.sha for link in history.links()}
    compared, lines, same = 0, 0, 0
    differing: list[str] = []
    for path in paths:
        ours = _ours(engine, history, links, path)
        blame = git_lines(engine.repository.path, "blame", "-s", "-l", "--root", "HEAD", "--", path)
        theirs = [line.split(" ", 1)[0].lstrip("^")[:_SHA] for line in blame if line]
        if not ours or len(ours) != len(theirs):
            continue  # binary, or without a newline in the middle of it
        agree = sum(one == other for one, other in zip(ours, theirs, strict=True))
        compared, lines, same = compared + 1, lines + len(ours), same + agree
        if agree < len(ours):
            differing.append(f"{path} ({len(ours) - agree})")
    return name, f"{compared}", f"{lines:,}", f"{same:,}", ", ".join(differing[:_TOLD]) or "none"


def _ours(engine: Engine, history: LineHistory, links: Mapping[int, str], path: str) -> list[str]:
    blob = engine.repository.blob_at(engine.repository.commit_named("HEAD"), path)
    data = engine.repository.read_blob(blob) if blob else None
    segments = history.head_origins(path, blob, of_head=True) if blob else None
    if not data or segments is None or b"\0" in data:
        return []
    total = data.count(b"\n") + (not data.endswith(b"\n"))
    commits = history.commits_of({hunk for _, hunk, _ in segments if hunk})
    found: list[str] = []
    for count, hunk, _ in segments:
        found += [links.get(commits.get(hunk, 0), "")] * min(count, total - len(found))
    return found


def _made_by_merges(engine: Engine, history: LineHistory) -> list[str]:
    """The files of HEAD whose content a merge made: of several versions, or out of another folder."""
    return [
        path
        for path, blob, mode in engine.repository.head_tree_files()
        if mode != SUBMODULE and any(maker.file is None for maker in history.makers(path, blob))
    ]
