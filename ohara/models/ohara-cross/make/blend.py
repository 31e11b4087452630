"""Does reranking add to the fused order? Recorded pools, MRR@10, paired bootstrap.

    python blend.py MODEL_FOLDER POOLS_DIR SCORES_DIR NAME … [--limit N] [--set fused,model,held,pairs …]

Reads what `pools.py` recorded, asks the cross-encoder once for each pair (scores are kept in SCORES_DIR by the
model's digest) and orders each pool as the stage does: penalties and recency as they were, the blend in place
of the fused score. Prints each repository and all of them together, against the fused order.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[4]), str(HERE.parent), str(HERE.parents[2] / "ohara-static" / "make")]
import pools as recorded  # noqa: E402
from evaluate_lanes import interval  # noqa: E402

from ohara.embed.fastembed_models import folder_reranker  # noqa: E402
from ohara.retrieve.profile import DEFAULT, Blend  # noqa: E402
from ohara.retrieve.proximity import Proximity, proximities, rarities  # noqa: E402
from ohara.retrieve.rerank import squashed  # noqa: E402

MODES = ("messages", "blind")
TRIED = (
    *(Blend(1.0, share) for share in (0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)),
    Blend(0.0, 1.0),
    Blend(1.0, 0.0, 0.2, 0.2),
    Blend(1.0, 0.0, 0.3, 0.4),
    *(Blend(1.0, share, 0.2, 0.2) for share in (0.1, 0.2, 0.3, 0.4, 0.6)),
    *(Blend(1.0, share, 0.3, 0.4) for share in (0.1, 0.2, 0.3, 0.4, 0.6, 0.8)),
)


class _Pools(pickle.Unpickler):
    """Pools were written by a script that was `__main__` then."""

    def find_class(self, module: str, name: str) -> object:
        return getattr(recorded, name) if module == "__main__" else super().find_class(module, name)


def read_pools(folder: Path, name: str, mode: str, limit: int) -> list[recorded.Pool]:
    """The pools of one repository."""
    with (folder / f"{name}.{mode}.pkl").open("rb") as stream:
        return _Pools(stream).load()[:limit]


def opinions(
    model: Path, kept: Path, name: str, mode: str, pools: list[recorded.Pool]
) -> list[tuple[float, ...]]:
    """What the model thinks of each pool's hunks; asked once."""
    digest = json.loads((model / "model.json").read_text(encoding="utf-8"))["files"]["model.onnx"][:12]
    file = kept / f"{digest}.{name}.{mode}.json"
    scores = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    if len(scores) < len(pools):
        reranker = folder_reranker(model)
        began, pairs = time.time(), 0
        for pool in pools[len(scores) :]:
            scores.append(reranker.score(pool.query, [one.document for one in pool.candidates]))
            pairs += len(pool.candidates)
        print(f"{name} {mode}: {pairs / (time.time() - began):.0f} pairs/s", flush=True)
        kept.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(scores), encoding="utf-8")
    return [squashed(one) if one else () for one in scores[: len(pools)]]


def said_of(pool: recorded.Pool) -> list[Proximity]:
    """How each hunk of a pool is worded."""
    rarity = rarities(pool.rows_of_word, pool.rows_of_word.__getitem__, pool.rows)
    documents = [one.document for one in pool.candidates]
    return proximities(pool.query, rarity, documents, [one.commit for one in pool.candidates])


def reciprocal(pool: recorded.Pool, values: list[float]) -> float:
    """One over the rank of the first answer within ten, one hit a commit."""
    places = range(len(values))
    order = sorted(places, key=lambda at: (not pool.candidates[at].pinned, -values[at], at))
    commits = list(dict.fromkeys(pool.candidates[at].commit for at in order))[:10]
    return next((1.0 / rank for rank, commit in enumerate(commits, 1) if commit in pool.answers), 0.0)


def table(
    pools: list[recorded.Pool], thoughts: list[tuple[float, ...]], tried: tuple[Blend, ...]
) -> dict[str, np.ndarray]:
    """The reciprocal rank of each query: as fused, and by each blend."""
    rows: dict[str, list[float]] = {}
    for pool, thought in zip(pools, thoughts, strict=True):
        worded = said_of(pool)
        factors = [one.score / one.fused if one.fused else 0.0 for one in pool.candidates]
        rows.setdefault("fused", []).append(reciprocal(pool, [one.score for one in pool.candidates]))
        for blend in tried:
            values = [
                factor * blend.value(one.fused, opinion, wording)
                for one, factor, opinion, wording in zip(
                    pool.candidates, factors, thought, worded, strict=True
                )
            ]
            rows.setdefault(f"{blend.fused:g},{blend.model:g},{blend.held:g},{blend.pairs:g}", []).append(
                reciprocal(pool, values)
            )
    return {name: np.array(row) for name, row in rows.items()}


def report(title: str, rows: dict[str, np.ndarray]) -> None:
    """Every blend against the fused order."""
    base = rows["fused"]
    print(f"\n{title}: {len(base)} queries, fused order {base.mean():.3f}")
    for name, row in rows.items():
        if name != "fused":
            gain = "{:+.3f} [{:+.3f}, {:+.3f}]".format(*interval(row - base))
            print(f"  {name:16s} {row.mean():.3f}  {gain}", flush=True)


def main() -> None:
    """Evaluate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("pools", type=Path)
    parser.add_argument("scores", type=Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--limit", type=int, default=10_000)
    parser.add_argument("--set", action="append", default=[], help="fused,model,held,pairs; default: many")
    given = parser.parse_args()
    asked = tuple(Blend(*map(float, text.split(","))) for text in given.set)
    tried = tuple(dict.fromkeys((*(asked or TRIED), DEFAULT.blend)))
    for mode in MODES:
        everything: dict[str, list[np.ndarray]] = {}
        for name in given.names:
            pools = read_pools(given.pools, name, mode, given.limit)
            rows = table(pools, opinions(given.model, given.scores, name, mode, pools), tried)
            report(f"{name}, {mode}", rows)
            for key, row in rows.items():
                everything.setdefault(key, []).append(row)
        if len(given.names) > 1:
            report(f"all together, {mode}", {key: np.concatenate(row) for key, row in everything.items()})


if __name__ == "__main__":
    main()
