"""Make training groups that resemble what the rerank stage reads today, to train the shipped weights further.

    python groups_in_use.py HISTORIES TOKENIZER.json OUT_DIR [--limit N] [REPOSITORY …]

As `groups.py` without `--commits`, and of the same shape, but:

- the lexical order that finds the others, and that the loss adds as the prior, is BM25 of hunks and .4 of a BM25 of whole commits, as
  the lanes are joined since;
- four of the seven others are among its twelve best, three among the next twenty-eight;
- a hunk is named by the innermost symbol that its first changed line is in, as the index names it, not by git's header;
- changelog entries are drawn three times and paragraphs twice as readily as subjects; of what was drawn half of the subjects are then
  left out and entries are there twice;
- in a third of the groups that show subjects, 45 % of all commits have one that says nothing: answers as often as others, so that
  silence alone tells nothing.

Re-running skips finished files.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve()
sys.path[:0] = [
    str(HERE.parents[4]),
    str(HERE.parents[2] / "ohara-static" / "make"),
    str(HERE.parents[2] / "ohara-commit" / "make"),
    str(HERE.parent),
]
from corpus import TRAIN, Change, plain, queries_of, read  # noqa: E402
from digest import LAZY  # noqa: E402
from groups import (  # noqa: E402
    CODE,
    GROUP,
    MAX_HUNKS,
    MAX_TOKENS,
    NAME,
    answer_among,
    as_arrays,
    pair_tokenizer,
    told,
    variant,
    write,
)
from lexical import K1, B, Index, query_terms, terms_of, top_commits  # noqa: E402

from ohara.embed.model_text import (  # noqa: E402
    document_text,
    prepared_document,
    prepared_query,
    rerank_text,
)

COMMIT_SHARE = 0.4
NEAR, NEAREST, POOL = 12, 4, 40
LAZY_SHOWN, LAZY_COMMITS = 0.33, 0.45
SHOWN = {"subject": 0.0, "paragraph": 0.35, "entry": 0.5}
DRAWN = {"subject": 1, "paragraph": 2, "entry": 3}
ENTRIES = 3
SEED = "in use"
_RELEASE = re.compile(r"\b(?:releas\w*|version|bump)\b|^v?\d+\.\d+|changelog|release notes", re.IGNORECASE)
_CLASS = re.compile(r"\b(?:class|impl|struct|interface|trait)\s+([A-Za-z_]\w*)")
_CALLED = re.compile(r"([A-Za-z_]\w{2,})\s*\(")


def weighted(
    row: np.ndarray, col: np.ndarray, counts: np.ndarray, lengths: np.ndarray, constants: tuple[float, float]
) -> np.ndarray:
    """BM25 of every posting."""
    k1, b = constants
    seen = np.bincount(col, weights=counts > 0)
    idf = np.log1p((len(lengths) - seen + 0.5) / (seen + 0.5)).astype(np.float32)
    scale = (k1 * (1 - b + b * lengths / lengths.mean())).astype(np.float32)
    return (idf[col] * counts * (k1 + 1) / (counts + scale[row])).astype(np.float32)


class Postings:
    """Term counts of rows as they come, with and without messages."""

    def __init__(self, vocabulary: dict[str, int], message: float, constants: tuple[float, float]) -> None:
        self._vocabulary, self._message, self._constants = vocabulary, message, constants
        self._parts: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
        self._lengths: list[tuple[int, int]] = []

    def add(self, inside: Counter[str], message: Counter[str]) -> None:
        """One row."""
        both = list(inside.keys() | message.keys())
        ids = np.array(
            [self._vocabulary.setdefault(term, len(self._vocabulary)) for term in both], dtype=np.int32
        )
        blind = np.array([inside.get(term, 0) for term in both], dtype=np.float32)
        full = blind + np.array([self._message * message.get(term, 0) for term in both], dtype=np.float32)
        self._parts.append((np.full(len(ids), len(self._lengths), dtype=np.int32), ids, blind, full))
        size = sum(inside.values())
        self._lengths.append((size, size + sum(message.values())))

    def index(self) -> Index:
        """All rows."""
        row, col, blind, full = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        order = np.argsort(col, kind="stable")
        row, col, blind, full = row[order], col[order], blind[order], full[order]
        starts = np.searchsorted(col, np.arange(len(self._vocabulary) + 1))
        lengths = np.array(self._lengths, dtype=np.float32)
        return Index(
            self._vocabulary, starts, row,
            weighted(row, col, blind, lengths[:, 0], self._constants),
            weighted(row, col, full, lengths[:, 1], self._constants),
            len(lengths),
        )  # fmt: skip


def build(changes: list[Change]) -> tuple[Index, Index, np.ndarray]:
    """An index of hunks, one of commits, and the commit number of each hunk."""
    vocabulary: dict[str, int] = {}
    hunks, commits = Postings(vocabulary, 3.0, (K1, B)), Postings(vocabulary, 6.0, (2.0, 0.9))
    owner: list[int] = []
    for number, change in enumerate(changes):
        message = Counter(terms_of(change.message))
        whole: Counter[str] = Counter()
        for path, header, body in change.hunks:
            inside = Counter(terms_of(f"{path}\n{header}\n{document_text(body)}"))
            whole.update(inside)
            hunks.add(inside, message)
            owner.append(number)
        commits.add(whole, message)
    return hunks.index(), commits.index(), np.array(owner, dtype=np.int32)


def symbol_of(header: str, body: str) -> str:
    """The innermost symbol that the first changed line is in or defines, after its class where that is known."""
    inside = _CLASS.search(header)
    outer = inside.group(1) if inside else ""
    found = NAME.findall(header) or _CALLED.findall(header)[:1]
    name = found[0] if found and found[0] != outer else ""
    for line in body.split("\n"):
        text = line[1:]
        if start := _CLASS.search(text):
            outer, name = start.group(1), ""
        elif defined := NAME.findall(text):
            name = defined[0]
            outer = outer if text[:1].isspace() else ""
        if line[:1] in ("+", "-") and text.strip():
            break
    return ".".join(part for part in (outer, name) if part)


def tasks_of(changes: list[Change], chance: random.Random) -> list[tuple[int, str, str]]:
    """(commit, kind, query), in the order in which they are taken."""
    tasks = []
    for number, change in enumerate(changes):
        if not 0 < len(change.hunks) <= MAX_HUNKS or not any(
            CODE.search(path) for path, _, _ in change.hunks
        ):
            continue
        silent = Change(change.sha, change.time, change.message, change.hunks, [])
        said = queries_of(silent)
        subject = plain(change.message.strip().split("\n", 1)[0])
        for place, query in enumerate(said):
            tasks.append((number, "subject" if place == 0 or query in subject else "paragraph", query))
        entries = [query for query in queries_of(change) if query not in said]
        if len(entries) <= ENTRIES and not _RELEASE.search(subject):  # a release retells what others did
            tasks += [(number, "entry", query) for query in entries]
    worth = {task: chance.random() ** (1 / DRAWN[task[1]]) for task in dict.fromkeys(tasks)}
    return sorted(worth, key=lambda task: -worth[task])


def groups_of(changes: list[Change], chance: random.Random, limit: int):
    """Yields (query, eight documents, eight priors, kind) with the answer first."""
    hunks, commits, owner = build(changes)
    first_row = np.searchsorted(owner, np.arange(len(changes) + 1))
    made = 0
    for number, source, query in tasks_of(changes, chance):
        if made >= limit:
            return
        asked, way = variant(query, changes[number], chance)
        shown = chance.random() < SHOWN[source]
        lazy = shown and chance.random() < LAZY_SHOWN
        if not query_terms(asked):
            continue
        single = hunks.score(asked, messages=shown)
        whole = commits.score(asked, messages=shown)
        lost = np.zeros(len(changes), dtype=bool)
        if lazy:  # what lost its message is found by its lines alone
            lost = np.array([chance.random() < LAZY_COMMITS for _ in changes])
            single = np.where(lost[owner], hunks.score(asked, messages=False), single)
            whole = np.where(lost, commits.score(asked, messages=False), whole)
        if single.max() <= 0 or whole.max() <= 0:
            continue
        scores = single / single.max() + COMMIT_SHARE * (whole / whole.max())[owner] * (single > 0)
        own = slice(first_row[number], first_row[number + 1])
        answer = answer_among(scores[own], chance, best=0.75)
        if answer is None:
            continue
        top = float(scores.max())
        hidden = scores.copy()
        hidden[own] = 0
        pool = top_commits(hidden, owner, POOL, per_commit=2)
        if len(pool) < GROUP - 1 + NEAR - NEAREST:
            continue
        picked = chance.sample(range(NEAR), NEAREST) + chance.sample(
            range(NEAR, len(pool)), GROUP - 1 - NEAREST
        )
        rows = [int(first_row[number]) + answer] + [pool[place] for place in sorted(picked)]
        texts = []
        for row in rows:
            change = changes[int(owner[row])]
            path, header, body = change.hunks[row - int(first_row[owner[row]])]
            subject = change.message.strip().split("\n", 1)[0] if shown else ""
            if lost[owner[row]]:
                subject = chance.choice(LAZY)
            texts.append(prepared_document(rerank_text(asked, subject, path, symbol_of(header, body), body)))
        if texts[0] in texts[1:]:
            continue
        made += 1
        kind = f"{source} {way}{'~' if lazy else '+' if shown else ''}"
        yield prepared_query(asked), texts, [float(scores[row]) / top for row in rows], kind


def kept(kinds: list[str]) -> np.ndarray:
    """Which groups are written: half of those that ask for a subject, and changelog entries twice."""
    source = np.array([kind.split()[0] for kind in kinds])
    some = np.random.default_rng(7).random(len(source)) < 0.5
    return np.concatenate([np.flatnonzero((source != "subject") | some), np.flatnonzero(source == "entry")])


def main() -> None:
    """Make the groups of every training repository, or of those named."""
    parser = argparse.ArgumentParser()
    for name in ("histories", "tokenizer", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("repositories", nargs="*")
    parser.add_argument("--limit", type=int, default=4_000)
    given = parser.parse_intermixed_args()
    given.out.mkdir(parents=True, exist_ok=True)
    tokenizer = pair_tokenizer(given.tokenizer, MAX_TOKENS)
    for name in given.repositories or sorted(TRAIN):
        file = given.out / f"{name}.npz"
        if file.exists():
            continue
        started = time.time()
        changes = list(read(given.histories, name))
        groups = groups_of(changes, random.Random(f"{SEED} {name}"), given.limit)
        made = as_arrays(groups, tokenizer, MAX_TOKENS)
        kinds = made["kind"].tolist()
        some = kept(kinds) if name in TRAIN else np.arange(len(kinds))
        write(file, {key: values[some] for key, values in made.items()})
        sources = dict(Counter(kind.split()[0] for kind in kinds))
        print(f"{told(name, made, started)}, {len(some)} written of {sources}", flush=True)


if __name__ == "__main__":
    main()
