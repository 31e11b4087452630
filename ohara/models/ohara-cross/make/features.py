"""Would a small ranker learnt from features beat the blend that is set by hand? Trained on one repository.

    python features.py MODEL_FOLDER POOLS_DIR SCORES_DIR HISTORIES pytest=pytest-dev+pytest NAME=OWNER+REPO …

Features of each pooled hunk: the lanes' scaled scores, the whole commit's nearness, the cross-encoder's
opinion, both wordings, the penalties, the hunk's size, whether path or symbol name a word of the query, its
rank in the text lane, how many hunks of its commit are in the pool. A softmax over each query's hunks is
fitted on the first repository, linearly and with sixteen hidden units; the others are reported. It did not
pay (docs/models.md), so nothing of it ships.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[4]), str(HERE.parent), str(HERE.parents[2] / "ohara-static" / "make")]
from blend import opinions, read_pools, reciprocal, said_of  # noqa: E402
from evaluate_commits import Commits, loaded  # noqa: E402
from evaluate_lanes import interval  # noqa: E402

from ohara.embed.encoder import TextKind  # noqa: E402
from ohara.retrieve.profile import DEFAULT  # noqa: E402

if TYPE_CHECKING:
    from pools import Pool

MODES = ("messages", "blind")
QUERIES = 300
EPOCHS = 60
TRIED = ((0, 1e-3), (0, 1e-2), (16, 1e-2))  # hidden units, decay of weights


class Told(NamedTuple):
    """A pool with the features of its hunks, which of them answer, and what the blend makes of them."""

    pool: Pool
    features: np.ndarray
    answers: np.ndarray
    by_hand: np.ndarray


def told(pool: Pool, thought: tuple[float, ...], near: np.ndarray) -> Told:
    """The features of one pool."""
    found = pool.candidates
    lanes = {lane: _scaled(pool, lane) for lane in ("text", "symbol", "vector")}
    weights = DEFAULT.lanes
    fused = weights.text * lanes["text"] + weights.symbol * lanes["symbol"]
    fused = fused + weights.vector * lanes["vector"] + weights.commit * near
    fused = fused / (fused.max() or 1.0)
    worded = said_of(pool)
    judged = np.array([one.score / one.fused if one.fused else 0.0 for one in found])
    words = set(pool.query.lower().split())
    columns = [
        *lanes.values(),
        near,
        np.array(thought),
        np.array([one.held for one in worded]),
        np.array([one.pairs for one in worded]),
        np.log(np.maximum(judged, 1e-6)),
        np.array([np.log1p(len(one.body)) / 10 for one in found]),
        np.array([bool(words & _names(one.path)) for one in found], dtype=float),
        np.array([one.symbol.lower().rpartition(".")[2] in words for one in found], dtype=float),
        np.array([1 / (1 + one.lanes.get("text", 200)) for one in found]),
        np.array([sum(other.commit == one.commit for other in found) / 3 for one in found]),
    ]
    by_hand = [
        DEFAULT.blend.value(score, opinion, wording)
        for score, opinion, wording in zip(fused, thought, worded, strict=True)
    ]
    answers = np.array([one.commit in pool.answers for one in found])
    return Told(pool, np.stack(columns, 1).astype(np.float32), answers, judged * np.array(by_hand))


def _scaled(pool: Pool, lane: str) -> np.ndarray:
    scores = np.array([one.lane_scores.get(lane, np.nan) for one in pool.candidates])
    if np.isnan(scores).all():
        return np.zeros(len(scores))
    low = np.nanmin(scores) if lane == "vector" else 0.0
    return np.nan_to_num((scores - low) / ((np.nanmax(scores) - low) or 1.0))


def _names(path: str) -> set[str]:
    return set(path.lower().replace("_", "/").replace(".", "/").split("/"))


def fitted(examples: list[Told], hidden: int, decay: float) -> torch.nn.Module:
    """The ranker that best finds the answers of some pools."""
    torch.manual_seed(0)
    width = examples[0].features.shape[1]
    layers = (
        [torch.nn.Linear(width, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, 1)]
        if hidden
        else [torch.nn.Linear(width, 1, bias=False)]
    )
    ranker = torch.nn.Sequential(*layers)
    optimiser = torch.optim.Adam(ranker.parameters(), lr=0.02, weight_decay=decay)
    useful = [one for one in examples if one.answers.any() and not one.answers.all()]
    for epoch in range(EPOCHS):
        order = np.random.default_rng(epoch).permutation(len(useful))
        for start in range(0, len(order), 32):
            losses = []
            for at in order[start : start + 32]:
                scores = ranker(torch.from_numpy(useful[at].features))[:, 0]
                right = scores[torch.from_numpy(useful[at].answers)]
                losses.append(torch.logsumexp(scores, 0) - torch.logsumexp(right, 0))
            optimiser.zero_grad()
            torch.stack(losses).mean().backward()
            optimiser.step()
    return ranker


def main() -> None:
    """Fit and report."""
    parser = argparse.ArgumentParser()
    for name in ("model", "pools", "scores", "histories"):
        parser.add_argument(name, type=Path)
    parser.add_argument("repositories", nargs="+")
    given = parser.parse_args()
    torch.set_num_threads(1)
    table = loaded(None, None)
    read: dict[tuple[str, str], list[Told]] = {}
    names = []
    for repository in given.repositories:
        name, _, history = repository.partition("=")
        names.append(name)
        commits = Commits(table, given.histories, history)
        for mode in MODES:
            pools = read_pools(given.pools, name, mode, QUERIES)
            asked = table.embed([(pool.query,) for pool in pools], TextKind.QUERY)
            read[name, mode] = []
            thoughts = opinions(given.model, given.scores, name, mode, pools)
            for pool, query, thought in zip(pools, asked, thoughts, strict=True):
                if pool.candidates:
                    near = commits.nearness(query, blind=mode == "blind")
                    places = [commits.places.get(one.commit, -1) for one in pool.candidates]
                    own = np.where(np.array(places) >= 0, near[places], 0.0)
                    read[name, mode].append(told(pool, thought, own))
    examples = [one for mode in MODES for one in read[names[0], mode]]
    everything = np.concatenate([one.features for one in examples])
    mean, spread = everything.mean(0), everything.std(0) + 1e-6
    for key, rows in read.items():
        read[key] = [one._replace(features=(one.features - mean) / spread) for one in rows]
    examples = [one for mode in MODES for one in read[names[0], mode]]
    for hidden, decay in TRIED:
        ranker = fitted(examples, hidden, decay)
        for title, group in (("fitted on", names[:1]), ("others", names[1:])):
            for mode in MODES:
                rows = [one for name in group for one in read[name, mode]]
                with torch.no_grad():
                    learnt = [
                        reciprocal(one.pool, ranker(torch.from_numpy(one.features))[:, 0].tolist())
                        for one in rows
                    ]
                by_hand = [reciprocal(one.pool, one.by_hand.tolist()) for one in rows]
                gain = "{:+.3f} [{:+.3f}, {:+.3f}]".format(*interval(np.array(learnt) - np.array(by_hand)))
                print(
                    f"{hidden} hidden, decay {decay:g}, {title}, {mode}: by hand {np.mean(by_hand):.3f}", gain
                )


if __name__ == "__main__":
    main()
