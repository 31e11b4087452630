"""What do vectors of whole commits add to text and symbol lanes? Recorded pools, MRR@10, paired bootstrap.

    python evaluate_commits.py POOLS_DIR HISTORIES NAME=OWNER+REPO … [--table TRAINED.npz --tokenizer FILE]

Reads the pools of `ohara-cross/make/pools.py` and the histories of `histories.py`. A commit is as near to a
query as the nearer of its subject (not where messages are hidden) and its whole change; the best hundred of
all commits are scaled from 0 to 1 and added to text + .15 symbol with the shares tried. Without `--table` the
weights that ship are read; with it, another seed's.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[4]), str(HERE.parent), str(HERE.parents[2] / "ohara-cross" / "make")]
from blend import read_pools, reciprocal  # noqa: E402
from corpus import read  # noqa: E402
from evaluate_lanes import interval  # noqa: E402

from ohara.embed.encoder import TextKind  # noqa: E402
from ohara.embed.model_text import CHANGE_HUNKS, change_text  # noqa: E402
from ohara.embed.static_model import _load, _Loaded, _WordMemory  # noqa: E402

if TYPE_CHECKING:
    from pools import Pool

SHARES = (0.1, 0.2, 0.3)
SYMBOL = 0.15
NEIGHBOURS = 100


class Commits:
    """The vectors of a history's commits."""

    def __init__(self, model: _Loaded, histories: Path, name: str) -> None:
        changes = list(read(histories, name))
        self.places = {change.sha: place for place, change in enumerate(changes)}
        self.subjects = model.embed([c.message.partition("\n")[0] for c in changes], TextKind.DOCUMENT)
        self.changes = model.embed([change_text(c.hunks[:CHANGE_HUNKS]) for c in changes], TextKind.DOCUMENT)

    def nearness(self, query: np.ndarray, *, blind: bool) -> np.ndarray:
        """How near each commit is: the best 1, those behind the first hundred 0."""
        near = self.changes @ query
        if not blind:
            near = np.maximum(near, self.subjects @ query)
        best = np.sort(near)[-NEIGHBOURS:]
        return np.clip((near - best[0]) / (best[-1] - best[0]), 0, 1)


def loaded(table: Path | None, tokenizer: Path | None) -> _Loaded:
    """The weights that ship, or others."""
    shipped = _load(HERE.parents[1])
    if table is None or tokenizer is None:
        return shipped
    trained = np.load(table)
    weights = {kind: trained[f"{kind}_weights"] for kind in TextKind}
    words = _WordMemory(Tokenizer.from_file(str(tokenizer)))
    return _Loaded(trained["table"], weights, words, shipped.centre)


def values(pool: Pool, near: np.ndarray, places: dict[str, int], share: float) -> list[float]:
    """What each hunk of a pool scores, with penalties and recency as they were recorded."""
    best = {
        lane: max((one.lane_scores.get(lane, 0.0) for one in pool.candidates), default=0.0) or 1.0
        for lane in ("text", "symbol")
    }
    return [
        (one.score / one.fused if one.fused else 0.0)
        * (
            one.lane_scores.get("text", 0.0) / best["text"]
            + SYMBOL * one.lane_scores.get("symbol", 0.0) / best["symbol"]
            + share * (float(near[places[one.commit]]) if one.commit in places else 0.0)
        )
        for one in pool.candidates
    ]


def main() -> None:
    """Evaluate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pools", type=Path)
    parser.add_argument("histories", type=Path)
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--tokenizer", type=Path)
    given = parser.parse_args()
    model = loaded(given.table, given.tokenizer)
    rows: dict[tuple[str, float], list[np.ndarray]] = {}
    for repository in given.repositories:
        name, _, history = repository.partition("=")
        commits = Commits(model, given.histories, history)
        for mode in ("messages", "blind"):
            pools = [pool for pool in read_pools(given.pools, name, mode, 10_000) if pool.candidates]
            asked = model.embed([pool.query for pool in pools], TextKind.QUERY)
            near = [commits.nearness(query, blind=mode == "blind") for query in asked]
            for share in (0.0, *SHARES):
                row = [
                    reciprocal(pool, values(pool, nearness, commits.places, share))
                    for pool, nearness in zip(pools, near, strict=True)
                ]
                rows.setdefault((mode, share), []).append(np.array(row))
            print(name, mode, f"{rows[mode, 0.0][-1].mean():.3f}", *_gains(rows, mode, -1), flush=True)
    for mode in ("messages", "blind"):
        print("all", mode, *_gains(rows, mode, None), flush=True)


def _gains(rows: dict[tuple[str, float], list[np.ndarray]], mode: str, which: int | None) -> list[str]:
    def of(share: float) -> np.ndarray:
        found = rows[mode, share]
        return np.concatenate(found) if which is None else found[which]

    return [
        "{:g}: {:+.3f} [{:+.3f}, {:+.3f}]".format(share, *interval(of(share) - of(0.0))) for share in SHARES
    ]


if __name__ == "__main__":
    main()
