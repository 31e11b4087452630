"""What do vectors of whole commits add to text and symbol lanes? Recorded pools, MRR@10, paired bootstrap.

    python evaluate_commits.py POOLS_DIR HISTORIES NAME=OWNER+REPO … [--table TRAINED.npz --tokenizer FILE] [--against TRAINED.npz]

Reads the pools of `ohara-cross/make/pools.py` and the histories of `histories.py`. A commit is as near to a
query as the nearer of its subject (not where messages are hidden) and its whole change; the best hundred of
all commits are scaled from 0 to 1 and added to text + .15 symbol with the shares tried. Without `--table` the
weights that ship are read; with it, another seed's. With `--against` the table is set beside another one, question by
question.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

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
MODES = ("messages", "blind")
SYMBOL = 0.15
NEIGHBOURS = 100

Rows = dict[tuple[str, str, float], list[np.ndarray]]


class Commits:
    """The vectors of a history's commits."""

    def __init__(self, model: _Loaded, histories: Path, name: str) -> None:
        changes = list(read(histories, name))
        self.places = {change.sha: place for place, change in enumerate(changes)}
        subjects = [(change.message.partition("\n")[0],) for change in changes]
        self.subjects = model.embed(subjects, TextKind.DOCUMENT)
        whole = [(change_text(change.hunks[:CHANGE_HUNKS]),) for change in changes]
        self.changes = model.embed(whole, TextKind.DOCUMENT)

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
    words = _WordMemory(tokenizer.read_text(encoding="utf-8"))
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
    parser.add_argument("--against", type=Path, help="another table, with the same tokenizer")
    given = parser.parse_args()
    models = {"": loaded(given.table, given.tokenizer)}
    if given.against:
        models["against"] = loaded(given.against, given.tokenizer or HERE.parents[1] / "tokenizer.json")
    rows: Rows = {}
    for repository in given.repositories:
        name, _, history = repository.partition("=")
        for label, model in models.items():
            commits = Commits(model, given.histories, history)
            for mode in MODES:
                pools = [pool for pool in read_pools(given.pools, name, mode, 10_000) if pool.candidates]
                asked = model.embed([(pool.query,) for pool in pools], TextKind.QUERY)
                near = [commits.nearness(query, blind=mode == "blind") for query in asked]
                for share in (0.0, *SHARES):
                    row = [
                        reciprocal(pool, values(pool, nearness, commits.places, share))
                        for pool, nearness in zip(pools, near, strict=True)
                    ]
                    rows.setdefault((label, mode, share), []).append(np.array(row))
        for mode in MODES:
            print(name, mode, f"{rows['', mode, 0.0][-1].mean():.3f}", *_gains(rows, mode, -1), flush=True)
    for mode in MODES:
        print("all", mode, *_gains(rows, mode, None), flush=True)
        if given.against:
            print("all", mode, "against", *_gains(rows, mode, None, over="against"), flush=True)


def _gains(rows: Rows, mode: str, which: int | None, *, over: str = "") -> list[str]:
    """What each share adds to no vectors, or to the other table at that share."""

    def of(label: str, share: float) -> np.ndarray:
        found = rows[label, mode, share]
        return np.concatenate(found) if which is None else found[which]

    return [
        "{:g}: {:+.3f} [{:+.3f}, {:+.3f}]".format(
            share, *interval(of("", share) - of(over, share if over else 0.0))
        )
        for share in SHARES
    ]


if __name__ == "__main__":
    main()
