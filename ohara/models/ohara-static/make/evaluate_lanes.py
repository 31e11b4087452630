"""Does the vector lane add to BM25? Changelog queries, MRR@10, with messages and blind, paired bootstrap.

    python evaluate_lanes.py HISTORIES CACHE REPOSITORY[,…] NAME=WEIGHTS.npz … --tokenizer TOKENIZER.json [--int8] [--json FILE]

A stand-in until the benchmark of the whole pipeline runs: one BM25 lane and one vector lane, each lane's
best 100 hunks, min-max scores per query, a plain sum with the vector's share as given, one hit a commit.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))
from export import quantised
from fragments import fragment_queries
from lexical import load

from ohara.embed.encoder import TextKind
from ohara.embed.model_text import document_text
from ohara.embed.static_model import _Loaded, _WordMemory

LANE = 100
SHARES = (0.25, 0.5, 0.75, 1.0)


def loaded(file: Path, tokenizer: Path, *, int8: bool) -> _Loaded:
    """The weights as ohara runs them, rounded as shipped when asked."""
    data = np.load(file)
    table = data["table"].astype(np.float32)
    if int8:
        rows, scale = quantised(table)
        table = rows.astype(np.float32) * scale[:, None]
    query = data["query_weights"] if "query_weights" in data else data["weights"]
    document = data["document_weights"] if "document_weights" in data else data["weights"]
    memory = _WordMemory(tokenizer.read_text(encoding="utf-8"))
    weights = {TextKind.QUERY: query, TextKind.DOCUMENT: document}
    return _Loaded(table=table, weights=weights, words=memory, centre=np.zeros(table.shape[1], np.float32))


def lane(scores: np.ndarray) -> dict[int, float]:
    """A lane's best rows with min-max scores."""
    some = np.argpartition(-scores, LANE)[:LANE]
    some = some[scores[some] > 0]
    if not len(some):
        return {}
    low, high = float(scores[some].min()), float(scores[some].max())
    return {int(row): (float(scores[row]) - low) / (high - low + 1e-9) for row in some}


def reciprocal(ranking: list[int], answer: int) -> float:
    """One over the answer's rank within ten."""
    return 1.0 / (1 + ranking.index(answer)) if answer in ranking[:10] else 0.0


def by_commit(scores: dict[int, float], owner: np.ndarray) -> list[int]:
    """Commits in order of their best row."""
    order = sorted(scores, key=lambda row: (-scores[row], row))
    return list(dict.fromkeys(int(owner[row]) for row in order))


def interval(difference: np.ndarray, draws: int = 4_000) -> tuple[float, float, float]:
    """Mean and 95 % bootstrap interval."""
    chance = np.random.default_rng(1)
    means = difference[chance.integers(0, len(difference), (draws, len(difference)))].mean(1)
    return float(difference.mean()), float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def main() -> None:
    """Evaluate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("histories", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("repositories")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--int8", action="store_true")
    parser.add_argument("--limit", type=int, default=400)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    gathered: dict[str, list[np.ndarray]] = {}
    for name in given.repositories.split(","):
        changes, index, owner = load(given.histories, name, given.cache)
        queries = fragment_queries(name, changes, given.limit)
        texts = [document_text(body) for change in changes for _, _, body in change.hunks]
        answers = [answer for _, answer in queries]
        text_lanes = {m: [lane(index.score(q, messages=m)) for q, _ in queries] for m in (True, False)}
        columns: dict[str, np.ndarray] = {}
        for m in (True, False):
            columns[f"{'message' if m else 'blind'} text"] = np.array(
                [
                    reciprocal(by_commit(found, owner), a)
                    for found, a in zip(text_lanes[m], answers, strict=True)
                ]
            )
        for model in given.models:
            label, _, file = model.partition("=")
            table = loaded(Path(file), given.tokenizer, int8=given.int8)
            parts = [[(text,) for text in texts[s : s + 4096]] for s in range(0, len(texts), 4096)]
            matrix = np.concatenate([table.embed(part, TextKind.DOCUMENT) for part in parts])
            asked = table.embed([(q,) for q, _ in queries], TextKind.QUERY)
            lanes = [lane(matrix @ one) for one in asked]
            columns[f"vector alone {label}"] = np.array(
                [reciprocal(by_commit(found, owner), a) for found, a in zip(lanes, answers, strict=True)]
            )
            for m in (True, False):
                for share in SHARES:
                    fused = []
                    for text, vector, answer in zip(text_lanes[m], lanes, answers, strict=True):
                        both = dict(text)
                        for row, score in vector.items():
                            both[row] = both.get(row, 0.0) + share * score
                        fused.append(reciprocal(by_commit(both, owner), answer))
                    columns[f"{'message' if m else 'blind'} {label} x{share}"] = np.array(fused)
            del matrix
        print(f"\n{name}: {len(queries)} queries, {index.count} hunks", flush=True)
        report(columns)
        for key, values in columns.items():
            gathered.setdefault(key, []).append(values)
    pooled = {key: np.concatenate(values) for key, values in gathered.items()}
    if "," in given.repositories:
        print(f"\npooled: {len(next(iter(pooled.values())))} queries")
        report(pooled)
    if given.json:
        given.json.write_text(json.dumps({key: values.tolist() for key, values in pooled.items()}))


def report(columns: dict[str, np.ndarray]) -> None:
    """MRR@10 of each column, and the difference to text alone with its interval."""
    for key, values in columns.items():
        mode = key.split()[0]
        line = f"{key:34s} {values.mean():.3f}"
        if mode in ("message", "blind") and not key.endswith(" text"):
            line += "  {:+.3f} [{:+.3f}, {:+.3f}]".format(*interval(values - columns[f"{mode} text"]))
        print(line, flush=True)


if __name__ == "__main__":
    main()
