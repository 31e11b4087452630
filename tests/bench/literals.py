"""Literal and regex search against `git log -G`: the same commits, and how much sooner.

Patterns are drawn from the history itself, so that they match something in any repository, and mean the same
to RE2 and to POSIX extended regular expressions.
"""

from __future__ import annotations

import random
import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.bench.githistory import git

if TYPE_CHECKING:
    from pathlib import Path

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{4,24}")
_CALL = re.compile(r"[A-Za-z_][\w.]{4,24}\(")
_DOTTED = re.compile(r"[A-Za-z_]\w{2,16}\.[A-Za-z_]\w{2,16}")
_PHRASE = re.compile(r"[A-Za-z]{3,12} [A-Za-z]{3,12} [A-Za-z]{3,12}")
_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]{4,24}) ?[(=]")
_SAMPLED_COMMITS = 400
_LINES_A_COMMIT = 40  # a commit that imports a library would fill the sample


@dataclass(frozen=True, slots=True)
class HistoryPattern:
    """A pattern as git and as ohara take it: `query` is what a person would type."""

    kind: str
    expression: str
    query: str

    @property
    def is_regex(self) -> bool:
        """True when the query is written /so/."""
        return self.query.startswith("/")


def draw_patterns(repo: Path, count: int = 50, *, seed: int = 7, ref: str = "HEAD") -> list[HistoryPattern]:
    """Seeded patterns of seven kinds in turn, each from lines that the history changed."""
    chance = random.Random(seed)  # noqa: S311 a repeatable draw, not a secret
    lines = changed_lines(repo, chance, ref)
    names = _all(_NAME, lines)
    drawn: dict[str, HistoryPattern] = {}
    while len(drawn) < count:
        pattern = _pattern(len(drawn) % 7, chance, lines, names)
        if pattern is not None and '"' not in pattern.query[1:-1] and "/" not in pattern.expression:
            drawn.setdefault(pattern.expression, pattern)
    return list(drawn.values())


def _pattern(kind: int, chance: random.Random, lines: list[str], names: list[str]) -> HistoryPattern | None:
    """One pattern, or None when the line drawn has nothing of that kind."""
    line = chance.choice(lines)
    first, second = chance.choice(names), chance.choice(sorted(set(names)))
    match kind:
        case 0:
            return _literal("name", first)
        case 1:
            return _literal("call", found[0]) if (found := _CALL.search(line)) else None
        case 2:
            return _literal("dotted name", found[0]) if (found := _DOTTED.search(line)) else None
        case 3:
            return _literal("phrase", found[0]) if (found := _PHRASE.search(line)) else None
        case 4:
            return _regex("alternatives", f"{escaped(first)}|{escaped(second)}")
        case 5:
            both = _NAME.findall(line)
            return _regex("two names on a line", f"{both[0]}.*{both[-1]}") if len(both) > 1 else None
        case _:
            named = _ASSIGNED.search(line)
            return _regex("class and repeat", rf"{named[1][:5]}[A-Za-z0-9_]*[ ]?[(=]") if named else None


def _literal(kind: str, text: str) -> HistoryPattern:
    return HistoryPattern(kind, escaped(text), f'"{text}"')


def _regex(kind: str, expression: str) -> HistoryPattern:
    return HistoryPattern(kind, expression, f"/{expression}/")


def escaped(text: str) -> str:
    """A literal as an expression that POSIX and RE2 read alike."""
    return re.sub(r"([][\\.^$*+?(){}|])", r"\\\1", text)


def changed_lines(repo: Path, chance: random.Random, ref: str) -> list[str]:
    """Lines added or removed by commits from all over the history."""
    commits = git(repo, "rev-list", "--no-merges", ref).decode().split()
    some = sorted(chance.sample(commits, min(_SAMPLED_COMMITS, len(commits))))
    lines: list[str] = []
    for block in git(repo, "show", "-U0", "--format=%x01", "--no-renames", *some).split(b"\x01"):
        text = block.decode("ascii", "ignore").split("\n")
        changed = [line[1:] for line in text if line[:1] in {"+", "-"} and line[:3] not in {"+++", "---"}]
        lines += chance.sample(changed, min(_LINES_A_COMMIT, len(changed)))
    return lines


def git_commits(repo: Path, pattern: HistoryPattern, *, timeout_s: float = 600.0) -> frozenset[str]:
    """What git finds for a pattern."""
    done = subprocess.run(
        ["git", "-C", str(repo), "log", "--no-merges", "--format=%H", "-E", f"-G{pattern.expression}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=timeout_s,
    )
    return frozenset(done.stdout.split())


def _all(shape: re.Pattern[str], lines: list[str]) -> list[str]:
    return [found for line in lines for found in shape.findall(line)]
