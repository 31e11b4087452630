"""The golden questions, as golden.toml holds them: what people ask, and the commits that answer it."""

from __future__ import annotations

import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

TUNED = "pytest"
"""The one repository whose questions may be tuned on."""

FILE = Path(__file__).with_name("golden.toml")

KINDS = ("beginning", "ending", "cause", "name", "change", "mistyped")


@dataclass(frozen=True, slots=True)
class Golden:
    """A question, any of whose answers will do; `verified` is how they were found with git."""

    repository: str
    kind: str
    ask: str
    answers: tuple[str, ...]
    verified: str


@dataclass(frozen=True, slots=True)
class Absent:
    """A question about something that the repository knows nothing of."""

    repository: str
    ask: str


def golden_questions() -> list[Golden]:
    """All questions that have an answer."""
    return [
        Golden(
            repository=question["repository"],
            kind=question["kind"],
            ask=question["ask"],
            answers=tuple(question["answers"]),
            verified=question["verified"],
        )
        for question in _written()["question"]
    ]


def absent_questions() -> list[Absent]:
    """All questions that have none."""
    return [Absent(group["repository"], ask) for group in _written()["absent"] for ask in group["asks"]]


def resolved(repo: Path, names: Sequence[str]) -> frozenset[str]:
    """The object names of answers; one that the repository does not have is an error."""
    command = [
        "git",
        "--git-dir",
        str(_git_dir(repo)),
        "rev-parse",
        *(f"{name}^{{commit}}" for name in names),
    ]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    return frozenset(said.stdout.split())


def _git_dir(repo: Path) -> Path:
    return repo / ".git" if (repo / ".git").exists() else repo


def _written() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
