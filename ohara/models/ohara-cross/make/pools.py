"""Record what the pipeline would hand to the reranker, so that ways to blend can be tried in seconds.

    python pools.py WORK OUT_DIR NAME=PATH … [--queries N] [--history FOLDER] [--wide] [--ways lazy,blind]

WORK is the benchmark's folder of indexes (`python -m tests.bench quality` makes them). For each repository three
files are written, `NAME.messages.pkl`, `NAME.blind.pkl` and `NAME.lazy.pkl`: for each query its answers, the pool's best
hunks with their lane scores, the text a cross-encoder reads and a digest of their commit, and what each lane answered. Queries are changelog fragments; with
`--history` (the files of `histories.py`) those of training repositories: entries that a commit added to a
changelog file and, for the blind index, paragraphs of its message. With `--wide` everything that the lanes found is
kept, so that other pools can be made of it; the pipeline's own pool is the first fifty by their fused score.
"""

from __future__ import annotations

import argparse
import pickle
import random
import re
import sys
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from ohara.model import SearchOptions

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[4]), str(HERE.parent), str(HERE.parents[2] / "ohara-static" / "make")]
from commit_text import HUNKS_LOOKED_AT, commit_text  # noqa: E402
from corpus import plain, queries_of, read  # noqa: E402

from ohara.embed.model_text import rerank_text  # noqa: E402
from ohara.engine import Engine  # noqa: E402
from ohara.query import parse  # noqa: E402
from ohara.retrieve import rank as ranking  # noqa: E402
from ohara.retrieve.diversify import in_order  # noqa: E402
from ohara.words import query_terms  # noqa: E402
from tests.bench.changelog import draw_queries, touches_code  # noqa: E402
from tests.bench.lazy import with_lazy_messages  # noqa: E402
from tests.bench.reworded import without_messages  # noqa: E402
from tests.bench.systems import NOW  # noqa: E402
from tests.bench.workspace import Indexed, Subject, at_home, with_messages  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ohara.model import HunkId
    from ohara.retrieve.comparing import WordCounts
    from ohara.retrieve.rank import ToRank
    from ohara.retrieve.ranking import Ranking, ScoredHunk
    from ohara.store.answers import StoredHunk
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

DEPTH = 50
EVERYTHING = 1_000
COMMITS_READ = 100
PATIENCE_S = 60.0


@dataclass(slots=True)
class Candidate:
    """One hunk of a pool."""

    commit: str
    fused: float
    score: float
    lanes: dict[str, int]
    lane_scores: dict[str, float]
    path: str
    symbol: str
    message: str
    body: str
    document: str
    pinned: bool
    hunk: int = 0
    digest: str = ""
    """What a cross-encoder reads of the whole commit; "" below the commits that are read."""


@dataclass(slots=True)
class Pool:
    """A query, the commits that answer it, and what the pipeline found, best first."""

    query: str
    answers: tuple[str, ...]
    kind: str
    candidates: list[Candidate]
    rows_of_word: dict[str, int]
    rows: int
    lanes: dict[str, list[tuple[int, str, float]]] = field(default_factory=dict)
    """What each lane answered: hunk, commit and score, best first."""


def asked_of(
    name: str, history: Path, *, blind: bool, limit: int
) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Queries of a training repository: changelog entries and, blind, as many paragraphs of messages."""
    entries, paragraphs = [], []
    for change in read(history, name):
        if not 0 < len(change.hunks) <= 60 or not touches_code(path for path, _, _ in change.hunks):
            continue
        added = [
            text
            for fragment in change.fragments
            for entry in re.split(r"\n\s*\n|\n(?=\s*[-*+] )", fragment.split("\n", 1)[1])
            if 5 <= len((text := plain(re.sub(r"^\s*[-*+]\s+", "", entry))).split()) <= 60
        ]
        if len(added) == 1:
            entries.append((added[0], (change.sha,), "entry"))
        paragraphs += [
            (text, (change.sha,), "paragraph")
            for text in queries_of(change)[1:3]
            if 5 <= len(text.split()) <= 60
        ]
    chance = random.Random(name)
    chance.shuffle(entries)
    chance.shuffle(paragraphs)
    yield from entries[:limit]
    if blind:
        yield from paragraphs[:limit]


def counted(reader: Reader, words: tuple[str, ...]) -> tuple[dict[str, int], int]:
    """How many rows hold each word, and how many rows there are."""
    return reader.document_frequencies(words), reader.hunk_count()


def digests(reader: Reader, *, words: str, found: Sequence[StoredHunk], allowed: Allowed) -> dict[int, str]:
    """The digest of each commit of the hunks that were found, best first; its other hunks are read along, all at once.

    What an index leaves out is stored and not searched, and must not be read here: it holds the changelog, which is the
    question word for word.
    """
    known: dict[int, dict[HunkId, StoredHunk]] = {}
    for row in found:
        known.setdefault(row.commit_id, {})[row.hunk] = row
    others: dict[int, list[HunkId]] = {commit: [] for commit in known}
    for commit, hunk, content in reader.hunks_of(known, allowed, HUNKS_LOOKED_AT):
        room = HUNKS_LOOKED_AT - len(known[commit]) - len(others[commit])
        if content is not None and hunk not in known[commit] and room > 0:
            others[commit].append(hunk)
    rows = reader.hydrate(hunk for hunks in others.values() for hunk in hunks)
    return {
        commit: commit_text(
            words,
            next(iter(hunks.values())).commit.subject,
            [
                (row.path, row.header, row.body)
                for row in (*hunks.values(), *(rows[hunk] for hunk in others[commit] if hunk in rows))
                if row.left_out is None
            ],
        )
        for commit, hunks in known.items()
    }


def record(
    indexed: Indexed,
    queries: list[tuple[str, tuple[str, ...], str]],
    *,
    k: int = 10,
    depth: int = DEPTH,
    wide: bool = False,
) -> list[Pool]:
    """Ask each query and keep what would be reranked, or all that the lanes found."""
    caught: list[tuple[ScoredHunk, StoredHunk]] = []

    told: dict[int, str] = {}
    retitled: dict[int, str] = {}

    async def catch(
        asked: ToRank,
        found: list[ScoredHunk],
        rows: Mapping[HunkId, StoredHunk],
        counts: WordCounts,
        titles: Mapping[int, str],
    ) -> object:
        caught[:] = [(one, rows[one.hunk]) for one in in_order(found)[: None if wide else depth]]
        retitled.update(titles)
        commits = list(dict.fromkeys(row.commit_id for _, row in caught))[:COMMITS_READ]
        first = [row for _, row in caught if row.commit_id in commits]
        read = partial(digests, words=asked.query.words, found=first, allowed=asked.allowed)
        told.update(await asked.sources.pool.read(read))
        return await reranked(
            replace(asked, plan=replace(asked.plan, options=replace(asked.plan.options, rerank=False))),
            found,
            rows,
            counts,
            titles,
        )

    answered: dict[str, list[tuple[int, str, float]]] = {}

    def listen(answers: Sequence[Ranking], *given: object, **named: object) -> object:
        for one in answers:
            answered[one.lane] = [(c.hunk, c.sha.hex(), c.score) for c in one.candidates]
        return pool_of(answers, *given, **named)  # type: ignore[arg-type]

    times = ranking.POOL_TIMES
    if wide:
        ranking.POOL_TIMES = EVERYTHING
    reranked, ranking.reranked = ranking.reranked, catch
    pool_of, ranking.pool = ranking.pool, listen  # type: ignore[assignment]
    pools = []
    with at_home(indexed.home):
        find = replace(indexed.settings.find, lane_timeout_s=PATIENCE_S)
        search = Engine.open(indexed.repo, replace(indexed.settings, find=find)).search
        for text, answers, kind in queries:
            query = parse(text, now=NOW)
            caught.clear()
            answered.clear()
            told.clear()
            retitled.clear()
            anyio.run(search.find, query, search.plan(SearchOptions(now=NOW, k=k)))
            pools.append(
                Pool(
                    text,
                    answers,
                    kind,
                    [
                        Candidate(
                            commit=row.commit.sha,
                            fused=one.fused,
                            score=one.score,
                            lanes=dict(one.lanes),
                            lane_scores=dict(one.lane_scores),
                            path=row.path,
                            symbol=row.symbols[0] if row.symbols else "",
                            message=row.commit.message,
                            body="" if wide else row.body,
                            document=rerank_text(
                                query.words,
                                retitled.get(row.commit_id) or row.commit.subject,
                                row.path,
                                row.symbols[0] if row.symbols else "",
                                row.body,
                            ),
                            pinned=one.pinned,
                            hunk=one.hunk,
                            digest=told.get(row.commit_id, ""),
                        )
                        for one, row in caught
                    ],
                    *anyio.run(search._pool.read, partial(counted, words=query_terms(text))),
                    dict(answered),
                )
            )
    ranking.reranked, ranking.pool, ranking.POOL_TIMES = reranked, pool_of, times
    return pools


def main() -> None:
    """Record every repository given, both ways."""
    parser = argparse.ArgumentParser()
    parser.add_argument("work", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--history", type=Path)
    parser.add_argument("--k", type=int, default=10, help="hits asked for; lanes and pool are the deeper")
    parser.add_argument("--depth", type=int, default=DEPTH, help="hunks kept of a pool")
    parser.add_argument("--wide", action="store_true", help="keep all that the lanes found")
    parser.add_argument("--ways", default="messages,blind,lazy")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for repository in given.repositories:
        name, _, path = repository.partition("=")
        subject = Subject(name, Path(path))
        drawn = draw_queries(Path(path), limit=given.queries).queries
        lazy = partial(with_lazy_messages, queries=drawn)
        ways = {"messages": with_messages, "blind": without_messages} | (
            {} if given.history else {"lazy": lazy}
        )
        for mode, index in ways.items():
            file = given.out / f"{name}.{mode}.pkl"
            if file.exists() or mode not in given.ways.split(","):
                continue
            queries = (
                list(asked_of(name, given.history, blind=mode == "blind", limit=given.queries))
                if given.history
                else [(q.text, q.answers, "fragment") for q in drawn]
            )
            if not queries:
                continue
            pools = record(index(subject, given.work), queries, k=given.k, depth=given.depth, wide=given.wide)
            file.write_bytes(pickle.dumps(pools))
            print(f"{name} {mode}: {len(pools)} pools", flush=True)


if __name__ == "__main__":
    main()
