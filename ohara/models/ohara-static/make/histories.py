"""Read local clones into plain files: one gzip of JSON lines per repository, one line per commit.

    python histories.py OUT_DIR owner+name=/path/to/repo …

Every non-merge commit reachable from HEAD, newest first, as
`{"sha", "time", "message", "hunks": [[path, header, body], …]}`; bodies are in unified form and a long
hunk is cut by lines into pieces of at most 60 lines or 1,500 characters, as the indexer's budget is.
Nothing is fetched: blobs that a partial clone lacks are skipped and counted.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import time
from pathlib import Path

import pygit2

MAX_BLOB = 400_000
PIECE_LINES = 60
PIECE_CHARS = 1_500
SKIP = re.compile(
    r"(^|/)(vendor|node_modules|third_party|deps|dist|_vendor|__snapshots__|snapshots)/"
    r"|\.(lock|svg|min\.js|min\.css|map|snap|po|pot|pem|crt|key|pyc|ipynb|sum|ai|eps|xml|csv|out)$"
    r"|(^|/)(package-lock\.json|pnpm-lock\.yaml|yarn\.lock|go\.sum|Cargo\.lock|poetry\.lock|uv\.lock|cabundle.*)$"
)


def pieces(lines: list[str]) -> list[str]:
    """Cut one hunk's lines at the budget; no line is dropped."""
    out: list[str] = []
    current: list[str] = []
    size = 0
    for line in lines:
        if current and (len(current) >= PIECE_LINES or size + len(line) > PIECE_CHARS):
            out.append("\n".join(current))
            current, size = [], 0
        current.append(line[:2_000])
        size += len(line) + 1
    if current:
        out.append("\n".join(current))
    return [piece for piece in out if any(line[:1] in "+-" for line in piece.split("\n"))]


def hunks_of(repo: pygit2.Repository, commit: pygit2.Commit) -> tuple[list[list[str]], int]:
    """All hunk pieces of one commit against its first parent, and how many files could not be read."""
    if commit.parents:
        diff = commit.parents[0].tree.diff_to_tree(commit.tree, context_lines=3)
    else:
        diff = commit.tree.diff_to_tree(swap=True)
    found: list[list[str]] = []
    missing = 0
    for index in range(len(diff)):
        try:
            patch = diff[index]
        except (KeyError, pygit2.GitError):
            missing += 1
            continue
        if patch is None:
            continue
        delta = patch.delta
        path = delta.new_file.path or delta.old_file.path
        if delta.is_binary or SKIP.search(path) or max(delta.new_file.size, delta.old_file.size) > MAX_BLOB:
            continue
        for hunk in patch.hunks:
            header = hunk.header.split("@@", 2)[-1].strip()[:200]
            lines = [
                line.origin + line.raw_content.decode("utf-8", "replace").rstrip("\r\n")
                for line in hunk.lines
                if line.origin in "+- "
            ]
            if len(lines) > 20_000:
                continue
            found.extend([path, header, body] for body in pieces(lines))
    return found, missing


def read_history(path: str, out: Path) -> None:
    """Write one repository's history to `out`, or do nothing when it is already there."""
    if out.exists():
        return
    pygit2.option(pygit2.enums.Option.ENABLE_STRICT_HASH_VERIFICATION, False)
    repo = pygit2.Repository(path)
    started = time.time()
    commits = hunks = missing = broken = 0
    part = out.with_suffix(".part")
    with gzip.open(part, "wt", compresslevel=1, encoding="utf-8") as stream:
        for commit in repo.walk(repo.head.target, pygit2.enums.SortMode.TIME):
            if len(commit.parents) > 1:
                continue
            try:
                found, lost = hunks_of(repo, commit)
            except (KeyError, pygit2.GitError):
                broken += 1
                continue
            missing += lost
            commits += 1
            hunks += len(found)
            row = {
                "sha": str(commit.id),
                "time": commit.commit_time,
                "message": commit.raw_message.decode("utf-8", "replace"),
                "hunks": found,
            }
            stream.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace").decode() + "\n")
    part.rename(out)
    print(
        f"{out.name}: {commits} commits, {hunks} hunks, {missing} files missing, {broken} commits unreadable, "
        f"{time.time() - started:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    for argument in sys.argv[2:]:
        name, _, location = argument.partition("=")
        read_history(location, target / f"{name}.jsonl.gz")
