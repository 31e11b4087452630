"""Reads histories with plain git: the benchmark's own eyes, sharing no code with what it measures."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

# A commit line cannot be taken for a path: git would quote this byte in a name.
_COMMIT = "\x01"


@dataclass(frozen=True, slots=True)
class Added:
    """Files that a commit added under the patterns asked for."""

    commit: str
    paths: tuple[str, ...]


def git(repo: Path, *arguments: str, given: bytes | None = None, timeout_s: float = 600.0) -> bytes:
    """What a git command prints; its failure is the benchmark's failure."""
    done = subprocess.run(
        ["git", "-C", str(repo), *arguments], input=given, capture_output=True, check=False, timeout=timeout_s
    )
    if done.returncode:
        raise RuntimeError(f"git {' '.join(arguments[:3])}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def files_added(repo: Path, patterns: Sequence[str], ref: str = "HEAD") -> Iterator[Added]:
    """Non-merge commits that added files matching the patterns, newest first; a renamed file is not added."""
    listed = git(
        repo, "log", ref, "--no-merges", "-M80%", "--diff-filter=A", "--name-only", "-z",
        f"--format={_COMMIT}%H", "--", *(f":(glob){pattern}" for pattern in patterns),
    )  # fmt: skip
    for block in listed.decode("utf-8", "surrogateescape").split(_COMMIT)[1:]:
        commit, *paths = (part.strip("\n") for part in block.split("\0"))
        yield Added(commit, tuple(path for path in paths if path))


def paths_touched(repo: Path, commits: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Every path each commit changed against its parent."""
    listed = git(
        repo, "diff-tree", "--stdin", "--root", "-r", "-z", "--no-renames", "--name-only",
        f"--format={_COMMIT}%H",
        given="".join(f"{commit}\n" for commit in commits).encode(),
    )  # fmt: skip
    touched: dict[str, tuple[str, ...]] = {}
    for block in listed.decode("utf-8", "surrogateescape").split(_COMMIT)[1:]:
        commit, *paths = (part.strip("\n") for part in block.split("\0"))
        touched[commit] = tuple(path for path in paths if path)
    return touched


def read_files(repo: Path, names: Sequence[str]) -> list[str]:
    """The text of objects named as `commit:path`, in order; one that is missing reads as empty."""
    found = git(
        repo,
        "cat-file",
        "--batch",
        "-z",
        given="".join(f"{name}\0" for name in names).encode("utf-8", "surrogateescape"),
    )
    texts = []
    at = 0
    for _ in names:
        end = found.index(b"\n", at)
        header = found[at:end].split(b" ")
        at = end + 1
        if header[-1] == b"missing":
            texts.append("")
            continue
        size = int(header[-1])
        texts.append(found[at : at + size].decode("utf-8", "replace"))
        at += size + 1
    return texts


def commit_count(repo: Path, ref: str = "HEAD", *, merges: bool = False) -> int:
    """How many commits a ref reaches."""
    return int(git(repo, "rev-list", "--count", *([] if merges else ["--no-merges"]), ref))


def commits_of(repo: Path, ref: str = "HEAD") -> list[str]:
    """Every commit a ref reaches, merges too, newest first."""
    return git(repo, "rev-list", ref).decode().split()


def borrow(into: Path, repos: Sequence[Path]) -> None:
    """Make a bare repository that can read the objects of others."""
    subprocess.run(["git", "init", "--quiet", "--bare", str(into)], check=True, timeout=60)
    objects = [git(repo, "rev-parse", "--path-format=absolute", "--git-path", "objects") for repo in repos]
    (into / "objects" / "info" / "alternates").write_bytes(b"".join(objects))
