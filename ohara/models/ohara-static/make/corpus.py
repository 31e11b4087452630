"""The histories as training text: which repositories, which paths are left out, what counts as a query.

The split is fixed: TRAIN is trained on, TUNE is looked at while choosing, REPORT only to report.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TRAIN = (
    "redis+redis", "pallets+flask", "psf+requests", "Textualize+textual", "jesseduffield+lazygit", "encode+httpx",
    "jelmer+dulwich", "simonw+datasette", "libgit2+pygit2", "sourcegraph+zoekt", "BurntSushi+ripgrep",
    "agronholm+anyio", "python-trio+trio",
)  # fmt: skip
TUNE = ("pytest-dev+pytest",)
REPORT = ("sveltejs+kit", "open-telemetry+opentelemetry-collector", "vectordotdev+vector", "twisted+twisted")

# Files that retell the change in words: an index that held them would answer from the answer sheet.
CHANGELOG = re.compile(
    r"(^|/)(changelog|changelog\.d|changes|news|newsfragments|\.changeset|\.chloggen|\.changes|releasenotes|topfiles)/"
    r"|(^|/)(changelog|changes|history|news|release[-_ ]?notes?|00-releasenotes|authors)[^/]*$"
    r"|(^|/)(docs?|website|doc/en)/(.*/)?(changelog|changes|history|news|release|releases|announce|whatsnew|upgrade)[^/]*(/|$)"
    r"|(^|/)docs/admin/release-notes|(^|/)website/cue/reference/releases",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Change:
    """One commit: its words, and its hunks as (path, header, body) without changelog files."""

    sha: str
    time: int
    message: str
    hunks: list[tuple[str, str, str]]
    fragments: list[str]


def read(folder: Path, name: str) -> Iterator[Change]:
    """The commits of one history, newest first; changelog hunks are kept apart, as text that was added."""
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            hunks: list[tuple[str, str, str]] = []
            fragments: list[str] = []
            for path, header, body in row["hunks"]:
                if CHANGELOG.search(path):
                    fragments.append(
                        path + "\n" + "\n".join(r[1:] for r in body.split("\n") if r.startswith("+"))
                    )
                else:
                    hunks.append((path, header, body))
            yield Change(row["sha"], row["time"], row["message"], hunks, fragments)


_TRAILER = re.compile(
    r"^[A-Z][A-Za-z-]+-(by|to|for|of|from|authored-by)\s*:|^(Fixes|Closes|See|Refs?)\s*:?\s*#?\d+\.?$",
    re.IGNORECASE,
)
_LINK = re.compile(r"https?://\S+")
_ROLE = re.compile(r":[a-z:+-]+:`~?([^`<]*?)(?:\s*<[^`>]*>)?`")
_NUMBER = re.compile(r"\(?(?:[\w./-]+)?#\d+\)?|\bGH-\d+|\bPR \d+")
_PREFIX = re.compile(
    r"^\s*(?:(?:feat|fix|docs?|chore|refactor|test|tests|perf|build|ci|style|breaking|revert)(?:\([^)]*\))?!?:\s*|\[[^\]]{1,30}\]\s*)",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """Prose without links, markup, issue numbers and the credit at the end."""
    text = _ROLE.sub(r"\1", _LINK.sub(" ", text))
    text = _NUMBER.sub(" ", text).replace("``", "").replace("`", "").replace("**", "")
    text = re.sub(r"(?:--?|by|thanks)\s*@[\w-]+.*$", " ", text, flags=re.IGNORECASE)
    return re.sub(r"\s+", " ", text).strip(" -*.:;")


def queries_of(change: Change) -> list[str]:
    """What a person might ask that this commit answers: its subject, body paragraphs and changelog entries."""
    lines = change.message.replace("\r", "").strip().split("\n")
    subject = plain(_PREFIX.sub("", lines[0]))
    out = [subject]
    body = "\n".join(line for line in lines[1:] if not _TRAILER.match(line.strip()))
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*[-*+] )", body):
        out.append(plain(re.sub(r"^\s*[-*+]\s+", "", paragraph)))
    for fragment in change.fragments:
        for entry in re.split(r"\n\s*\n|\n(?=\s*[-*+] )", fragment.split("\n", 1)[1]):
            out.append(plain(re.sub(r"^\s*[-*+]\s+", "", entry)))
    seen: list[str] = []
    for text in out:
        words = text.split()
        if len(words) >= 3 and text not in seen:
            seen.append(" ".join(words[:60]))
    return seen[:6]
