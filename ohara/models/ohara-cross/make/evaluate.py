"""Does the cross-encoder add to the fused order? Changelog queries, MRR@10, blends, paired bootstrap.

    python evaluate.py HISTORIES CACHE REPOSITORY[,…] MODEL_FOLDER OUT.npz [--limit 250] [--pool 50]

A stand-in until the benchmark of the whole pipeline runs. The pool is BM25 + the embedded static model
(min-max sum), at most three hunks a commit, its best 50; the blend is prior / best prior + w x score.
Run it with ohara's own environment: it scores through `ohara.embed.fast`, as the stage does.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[4]), str(HERE.parents[2] / "ohara-static" / "make")]
from evaluate_lanes import interval, lane  # noqa: E402
from fragments import fragment_queries  # noqa: E402
from lexical import load  # noqa: E402

from ohara.embed.encoder import TextKind  # noqa: E402
from ohara.embed.fast import folder_reranker  # noqa: E402
from ohara.embed.local import StaticEmbedder  # noqa: E402
from ohara.embed.prepare import document_text, rerank_text  # noqa: E402

WEIGHTS = (0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.13, 0.16, 0.2, 0.25, 0.3, 0.4, 0.6, 1.0)


def reciprocal(commits: np.ndarray, scores: np.ndarray, answer: int) -> float:
    """One over the answer's rank within ten, one hit a commit."""
    seen = list(dict.fromkeys(commits[np.argsort(-scores, kind="stable")].tolist()))[:10]
    return 1.0 / (1 + seen.index(answer)) if answer in seen else 0.0


def main() -> None:
    """Evaluate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("histories", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("repositories")
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--limit", type=int, default=250)
    parser.add_argument("--pool", type=int, default=50)
    parser.add_argument(
        "--share", type=float, default=0.5, help="what a vector score counts beside a text score"
    )
    given = parser.parse_args()
    reranker = folder_reranker(given.model)
    embedder = StaticEmbedder()
    everything: dict[str, list[np.ndarray]] = {"message": [], "blind": []}
    kept = []
    for name in given.repositories.split(","):
        changes, index, owner = load(given.histories, name, given.cache)
        first_row = np.searchsorted(owner, np.arange(len(changes) + 1))
        queries = fragment_queries(name, changes, given.limit)
        texts = [document_text(body) for change in changes for _, _, body in change.hunks]
        matrix = np.concatenate(
            [embedder.embed(texts[s : s + 4096], TextKind.DOCUMENT) for s in range(0, len(texts), 4096)]
        )
        asked = embedder.embed([query for query, _ in queries], TextKind.QUERY)
        vectors = [lane(matrix @ one) for one in asked]
        del matrix, texts
        for mode in ("message", "blind"):
            rows_by_weight: list[list[float]] = []
            pairs, spent = 0, 0.0
            for number, (query, answer) in enumerate(queries):
                fused = dict(lane(index.score(query, messages=mode == "message")))
                for row, score in vectors[number].items():
                    fused[row] = fused.get(row, 0.0) + given.share * score
                taken: Counter[int] = Counter()
                pool = []
                for row in sorted(fused, key=lambda row: (-fused[row], row)):
                    taken[int(owner[row])] += 1
                    if taken[int(owner[row])] <= 3:
                        pool.append(row)
                pool = pool[: given.pool]
                documents = []
                for row in pool:
                    change = changes[int(owner[row])]
                    path, header, body = change.hunks[row - int(first_row[owner[row]])]
                    subject = change.message.strip().split("\n", 1)[0] if mode == "message" else ""
                    documents.append(rerank_text(query, subject, path, header, body))
                began = time.perf_counter()
                scores = np.array(reranker.score(query, documents))
                spent += time.perf_counter() - began
                pairs += len(documents)
                prior = np.array([fused[row] for row in pool])
                prior = prior / max(prior.max(), 1e-9)
                commits = owner[pool]
                kept.append((name, mode, number, answer, commits, prior, scores))
                rows_by_weight.append(
                    [reciprocal(commits, prior + w * scores, answer) for w in WEIGHTS]
                    + [reciprocal(commits, scores, answer)]
                )
            table = np.array(rows_by_weight)
            everything[mode].append(table)
            print(f"\n{name} {mode}: {len(queries)} queries, {pairs / spent:.0f} pairs/s")
            report(table)
    if "," in given.repositories:
        for mode, tables in everything.items():
            print(f"\npooled {mode}")
            report(np.concatenate(tables))
    np.savez(given.out, rows=np.array(kept, dtype=object), allow_pickle=True)


def report(table: np.ndarray) -> None:
    """Every blend against the prior alone."""
    for place, weight in enumerate([*WEIGHTS, "model alone"]):
        print(
            f"  w={weight!s:12s} {table[:, place].mean():.3f}  "
            + "{:+.3f} [{:+.3f}, {:+.3f}]".format(*interval(table[:, place] - table[:, 0])),
            flush=True,
        )


if __name__ == "__main__":
    main()
