"""Does reading whole commits help, and whom? Recorded pools ordered anew; MRR@10, paired bootstrap.

    python digest_blend.py WORK POOLS_DIR SCORES_DIR NAME=PATH … [--old FOLDER] [--new FOLDER] [--limit N] [--only TEXT …]

WORK is the benchmark's folder of indexes, from which the silence of messages is read; the pools are those of `pools.py --wide`. A way of
ordering the first fifty hunks reads hunks or digests of commits with one of two models, blends as it is told, and may add the flat bonus
for silence, which is the control. Scores are asked for once and kept. Every row is against the first.
"""

from __future__ import annotations

import argparse
import json
import math
import pickle
import sys
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[4]), str(HERE.parent)]
from blend import read_pools  # noqa: E402

from ohara.embed.fastembed_models import folder_reranker  # noqa: E402
from ohara.engine import Engine  # noqa: E402
from ohara.retrieve.profile import Blend  # noqa: E402
from ohara.retrieve.proximity import Proximity, rarities  # noqa: E402
from ohara.retrieve.rerank import squashed  # noqa: E402
from ohara.settings import Settings  # noqa: E402
from ohara.words import index_text  # noqa: E402
from tests.bench.lazy import half  # noqa: E402
from tests.bench.metrics import bootstrap, mixture  # noqa: E402
from tests.bench.silence import silence_of  # noqa: E402
from tests.bench.workspace import at_home  # noqa: E402

if TYPE_CHECKING:
    from pools import Pool

MODES = ("messages", "blind", "lazy")
HOMES = {"messages": "with-messages", "blind": "blind", "lazy": "lazy"}
DEPTH, HUNKS = 50, 3
SHIPPED = Blend(1.0, 0.6, 0.3, 0.4)


@dataclass(frozen=True, slots=True)
class Way:
    """A way of ordering the pool: `digests` are read or hunks, by the new model or the old one.

    `told` says whether the wording is looked for in digests, too. `flat` is the bonus for silence on the fused score; `trusting`
    what of the fused score's share a silent commit keeps.
    """

    blend: Blend = SHIPPED
    digests: bool = False
    new: bool = False
    told: bool = False
    flat: float = 0.0
    trusting: float = 1.0


class Scores:
    """The scores of one model for what one repository's pools hold, each asked for once."""

    def __init__(self, model: Path, folder: Path, name: str, mode: str) -> None:
        digest = json.loads((model / "model.json").read_text(encoding="utf-8"))["files"]["model.onnx"][:12]
        self._file = folder / f"{digest}.{name}.{mode}.pkl"
        self._known: dict[tuple[int, str], float] = (
            pickle.loads(self._file.read_bytes()) if self._file.exists() else {}
        )
        self._model = folder_reranker(model)
        self._new = False

    def of(self, number: int, query: str, texts: list[str]) -> list[float]:
        """One score a text."""
        unknown = [text for text in dict.fromkeys(texts) if (number, text) not in self._known]
        if unknown:
            self._known |= {
                (number, text): score
                for text, score in zip(unknown, self._model.score(query, unknown), strict=True)
            }
            self._new = True
        return [self._known[number, text] for text in texts]

    def keep(self) -> None:
        """Write them."""
        if self._new:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_bytes(pickle.dumps(self._known))
            self._new = False


class State:
    """The pools of one repository in one mode."""

    def __init__(self, given: argparse.Namespace, name: str, repo: Path, mode: str) -> None:
        self.pools = read_pools(given.pools, name, mode, given.limit)
        self._scores = {
            new: Scores(folder, given.scores, name, mode)
            for new, folder in ((False, given.old), (True, given.new))
            if folder
        }
        with at_home(given.work / HOMES[mode]):
            silence = silence_of(Engine.open(repo, Settings()).location.database)
        known: dict[str, float] = {}
        self._silence = [
            {one.commit: known.setdefault(one.message, silence.of(one.message)) for one in pool.candidates}
            for pool in self.pools
        ]
        self._words: dict[tuple[int, str], tuple[set[str], set[tuple[str, str]]]] = {}

    def reciprocals(self, way: Way | None) -> np.ndarray:
        """One over the rank of the answer to each query; without a way, as fused."""
        out = []
        for number, pool in enumerate(self.pools):
            order = self._order(number, pool, way)
            shas = list(dict.fromkeys(pool.candidates[at].commit for at in order))[:10]
            out.append(next((1.0 / rank for rank, sha in enumerate(shas, 1) if sha in pool.answers), 0.0))
        for scores in self._scores.values():
            scores.keep()
        return np.array(out)

    def _order(self, number: int, pool: Pool, way: Way | None) -> list[int]:
        pooled = cut(pool)
        if not pooled:
            return []
        some = [pool.candidates[at] for at in pooled]
        factor = [one.score / one.fused if one.fused else 0.0 for one in some]
        quiet = [self._silence[number][one.commit] for one in some]
        if way is None:
            values = [one.fused * by for one, by in zip(some, factor, strict=True)]
        else:
            fused = [one.fused + way.flat * silent for one, silent in zip(some, quiet, strict=True)]
            opinions = self._opinions(number, pool, pooled, way)
            worded = self._worded(number, pool, pooled, told=way.told)
            values = [
                replace(way.blend, fused=way.blend.fused * (1 - silent * (1 - way.trusting))).value(
                    base, opinion, wording
                )
                * by
                for base, opinion, wording, by, silent in zip(
                    fused, opinions, worded, factor, quiet, strict=True
                )
            ]
        order = sorted(range(len(pooled)), key=lambda at: (not some[at].pinned, -values[at], pooled[at]))
        return [pooled[at] for at in order]

    def _opinions(self, number: int, pool: Pool, pooled: list[int], way: Way) -> list[float]:
        if not way.blend.model:
            return [0.0] * len(pooled)
        scores = self._scores[way.new]
        if not way.digests:
            return list(
                squashed(scores.of(number, pool.query, [pool.candidates[at].document for at in pooled]))
            )
        told = {pool.candidates[at].commit: pool.candidates[at].digest for at in pooled}
        found = squashed(scores.of(number, pool.query, list(told.values())))
        of_commit = dict(zip(told, found, strict=True))
        return [of_commit[pool.candidates[at].commit] for at in pooled]

    def _worded(self, number: int, pool: Pool, pooled: list[int], *, told: bool) -> list[Proximity]:
        rarity = rarities(pool.rows_of_word, pool.rows_of_word.__getitem__, pool.rows)
        asked = set(pairwise(index_text(pool.query).split()))
        words: dict[str, set[str]] = {}
        pairs: dict[str, set[tuple[str, str]]] = {}
        for at in pooled:
            one = pool.candidates[at]
            for text in (one.document, one.digest) if told else (one.document,):
                if (number, text) not in self._words:
                    split = index_text(text).split()
                    self._words[number, text] = (rarity.keys() & set(split), asked & set(pairwise(split)))
                held, beside = self._words[number, text]
                words.setdefault(one.commit, set()).update(held)
                pairs.setdefault(one.commit, set()).update(beside)
        whole = sum(rarity.values()) or 1.0
        return [
            Proximity(
                math.fsum(map(rarity.__getitem__, sorted(words[commit]))) / whole,
                len(pairs[commit]) / max(1, len(asked)),
            )
            for commit in (pool.candidates[at].commit for at in pooled)
        ]


def cut(pool: Pool) -> list[int]:
    """The pipeline's own pool: the best fifty hunks, few of each commit, in the order of their scores."""
    taken: dict[str, int] = {}
    pooled: list[int] = []
    ranked = sorted(
        range(len(pool.candidates)),
        key=lambda at: (not pool.candidates[at].pinned, -pool.candidates[at].fused, at),
    )
    for at in ranked:
        commit = pool.candidates[at].commit
        if taken.get(commit, 0) < HUNKS:
            taken[commit] = taken.get(commit, 0) + 1
            pooled.append(at)
        if len(pooled) == DEPTH:
            break
    return [at for at in sorted(pooled) if pool.candidates[at].digest]


def ways(*, new: bool) -> dict[str, Way | None]:
    """Everything that is tried, the first what the others are compared with."""
    found: dict[str, Way | None] = {"shipped": Way(), "fused": None}
    for flat in (0.15, 0.3):
        found[f"shipped, flat {flat:g} (control)"] = Way(flat=flat)
    for title, later in (("old", False), ("new", True)) if new else (("old", False),):
        for share in (0.4, 0.6, 0.8, 1.0, 1.5):
            blend = Blend(1.0, share, 0.3, 0.4)
            found[f"{title} digests {share:g}"] = Way(blend, digests=True, new=later)
        for share in (0.6, 1.0):
            blend = Blend(1.0, share, 0.3, 0.4)
            found[f"{title} digests {share:g}, told"] = Way(blend, digests=True, new=later, told=True)
            found[f"{title} digests {share:g}, trusting .7"] = Way(
                blend, digests=True, new=later, trusting=0.7
            )
            found[f"{title} digests {share:g}, flat .15"] = Way(blend, digests=True, new=later, flat=0.15)
    return found


def show(name: str, found: dict[str, dict[str, np.ndarray]]) -> None:
    """All ways by mode: levels of the first, gains of the others."""
    base = next(iter(found.values()))
    print(f"\n{name}: {len(base['blind'])} questions; messages, blind, lazy half, kept half, mixed")
    for title, rows in found.items():
        less = {mode: 0.0 if rows is base else base[mode] for mode in MODES}
        cells = [_cell(bootstrap(list(rows[mode] - less[mode]))) for mode in ("messages", "blind")]
        values = list(rows["lazy"] - less["lazy"])
        lazy, kept = half(values, lazy=True), half(values, lazy=False)
        cells += [_cell(bootstrap(lazy)), _cell(bootstrap(kept)), _cell(mixture([(0.3, lazy), (0.7, kept)]))]
        print(f"  {title:32s} " + "  ".join(cells), flush=True)


def _cell(found: object) -> str:
    return f"{found.mean:+.3f} [{found.low:+.3f},{found.high:+.3f}]"  # type: ignore[attr-defined]


def main() -> None:
    """Evaluate."""
    parser = argparse.ArgumentParser()
    for name in ("work", "pools", "scores"):
        parser.add_argument(name, type=Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--old", type=Path, default=HERE.parents[1])
    parser.add_argument("--new", type=Path)
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--only", action="append", default=[], help="ways, by how their titles begin")
    given = parser.parse_args()
    tried = {
        title: way
        for title, way in ways(new=given.new is not None).items()
        if title == "shipped" or not given.only or any(title.startswith(one) for one in given.only)
    }
    everything: dict[str, dict[str, list[np.ndarray]]] = {
        title: {mode: [] for mode in MODES} for title in tried
    }
    for repository in given.names:
        name, _, path = repository.partition("=")
        states = {mode: State(given, name, Path(path), mode) for mode in MODES}
        found = {
            title: {mode: states[mode].reciprocals(way) for mode in MODES} for title, way in tried.items()
        }
        show(name, found)
        for title, rows in found.items():
            for mode, row in rows.items():
                everything[title][mode].append(row)
    if len(given.names) > 1:
        show(
            "all", {t: {m: np.concatenate(row) for m, row in rows.items()} for t, rows in everything.items()}
        )


if __name__ == "__main__":
    main()
