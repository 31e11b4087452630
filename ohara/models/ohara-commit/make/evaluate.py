"""What would help silent commits? Recorded pools, ordered anew; MRR@10, paired bootstrap.

    python evaluate.py STATE_DIR NAME [--vectors FILE.npz] [--limit 200] [--rerank]

STATE_DIR holds `pools/` (`ohara-cross/make/pools.py --k 50 --depth 100`), `counted/` (`commits.py`) and, for
`--rerank`, `opinions/`. `--vectors` are those of `embed_commits.py`: digests and queries. A hunk's fused score gets
what is tried added to it before penalties, recency and, with `--rerank`, the blend. Every row is beside the
flat control.
"""

from __future__ import annotations

import argparse
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve()
sys.path[:0] = [
    str(HERE.parents[4]),
    str(HERE.parent),
    str(HERE.parents[2] / "ohara-static" / "make"),
    str(HERE.parents[2] / "ohara-cross" / "make"),
]
import commits as counting  # noqa: E402
from blend import opinions, read_pools, said_of  # noqa: E402
from commits import Counted, Silence, Whole  # noqa: E402
from pools import Pool  # noqa: E402

from ohara.retrieve.profile import DEFAULT  # noqa: E402
from tests.bench.changelog import ChangelogQuery  # noqa: E402
from tests.bench.lazy import half, lazy_messages  # noqa: E402
from tests.bench.metrics import bootstrap, mixture  # noqa: E402

MODES = ("messages", "blind", "lazy")
DEPTH = 50
NEAR = 100

Extra = Callable[[str, int, Pool], np.ndarray]
"""What each candidate of a pool gets more: mode, number of the query, pool."""


class _Counted(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        return getattr(counting, name) if module == "__main__" else super().find_class(module, name)


class State:
    """Pools of one repository and what is known of its commits."""

    def __init__(
        self, folder: Path, name: str, limit: int, vectors: Path | None, modes: list[str], *, rerank: bool
    ) -> None:
        self.modes = modes
        self.pools = {mode: read_pools(folder / "pools", name, mode, limit) for mode in self.modes}
        with (folder / "counted" / f"{name}.counted.pkl").open("rb") as stream:
            counted: Counted = _Counted(stream).load()
        self.whole = Whole(counted)
        self.places = self.whole.places
        asked = [pool.query for pool in self.pools[modes[0]]]
        self.wholes = [self.whole.scaled(text) for text in asked]
        self.cosines = None
        if vectors:
            kept = np.load(vectors)
            at = {sha: place for place, sha in enumerate(kept["shas"])}
            mine = kept["documents"][[at[sha] for sha in counted.shas]].astype(np.float32)
            # A commit without a word has no vector, and is near to nothing.
            empty = np.abs(mine).sum(1) == 0
            self.cosines = kept["queries"][: len(asked)].astype(np.float32) @ mine.T
            self.cosines[:, empty] = self.cosines.min()
        self.silence = {}
        self.thoughts = {}
        self.wordings = {}
        for mode in self.modes:
            said = dict(zip(counted.shas, counted.messages, strict=True))
            if mode == "lazy":
                drawn = [ChangelogQuery(pool.query, pool.answers, "") for pool in self.pools[mode]]
                said |= lazy_messages(drawn, said)
            scale = Silence([""] if mode == "blind" else list(said.values()))
            known: dict[str, float] = {}
            self.silence[mode] = [
                np.array([known.setdefault(one.message, scale.of(one.message)) for one in pool.candidates])
                for pool in self.pools[mode]
            ]
            if rerank:
                shallow = [first(pool) for pool in self.pools[mode]]
                self.thoughts[mode] = opinions(
                    HERE.parents[2] / "ohara-cross", folder / "opinions", name, mode, shallow
                )
                self.wordings[mode] = [said_of(pool) for pool in shallow]

    def of_commits(self, pool: Pool, values: np.ndarray) -> np.ndarray:
        """A value of each commit, for the candidates of a pool; merges have none."""
        return np.array(
            [values[self.places[one.commit]] if one.commit in self.places else 0.0 for one in pool.candidates]
        )

    def near(self, number: int) -> np.ndarray:
        """Every commit's nearness: the nearest 1, those behind the first hundred 0."""
        cosines = self.cosines[number]
        best = np.sort(cosines)[-NEAR:]
        return np.clip((cosines - best[0]) / max(1e-6, best[-1] - best[0]), 0, 1)

    def reciprocals(self, mode: str, extra: Extra, *, rerank: bool) -> np.ndarray:
        """One over the rank of the answer to each query."""
        out = []
        for number, pool in enumerate(self.pools[mode]):
            more = extra(mode, number, pool)
            fused = np.array([one.fused for one in pool.candidates])
            factor = np.array([one.score / one.fused if one.fused else 0.0 for one in pool.candidates])
            values = (fused + more) * factor
            order = sorted(
                range(len(values)), key=lambda at: (not pool.candidates[at].pinned, -values[at], at)
            )
            if rerank and order:
                blend = DEFAULT.blend
                read = min(DEPTH, len(order))
                said = {
                    at: blend.value(
                        fused[at] + more[at], self.thoughts[mode][number][at], self.wordings[mode][number][at]
                    )
                    * factor[at]
                    for at in order
                    if at < read
                }
                order = sorted(
                    order,
                    key=lambda at: (
                        not pool.candidates[at].pinned,
                        at not in said,
                        -said.get(at, values[at]),
                        at,
                    ),
                )
            shas = list(dict.fromkeys(pool.candidates[at].commit for at in order))[:10]
            out.append(next((1.0 / rank for rank, sha in enumerate(shas, 1) if sha in pool.answers), 0.0))
        return np.array(out)


def first(pool: Pool) -> Pool:
    """What the reranker reads of a pool."""
    return Pool(pool.query, pool.answers, pool.kind, pool.candidates[:DEPTH], pool.rows_of_word, pool.rows)


def systems(state: State) -> dict[str, Extra]:
    """Everything that is tried."""

    def nothing(mode: str, number: int, pool: Pool) -> np.ndarray:
        return np.zeros(len(pool.candidates))

    def flat(share: float) -> Extra:
        return lambda mode, number, pool: share * state.silence[mode][number]

    def whole(share: float, *, gated: bool = True) -> Extra:
        return lambda mode, number, pool: (
            share
            * (state.silence[mode][number] if gated else 1.0)
            * state.of_commits(pool, state.wholes[number])
        )

    def near(share: float, quiet: float = 0.0) -> Extra:
        return lambda mode, number, pool: (
            (share + quiet * state.silence[mode][number]) * state.of_commits(pool, state.near(number))
        )

    def both(*parts: Extra) -> Extra:
        return lambda mode, number, pool: sum(part(mode, number, pool) for part in parts)

    tried = {
        "as it is": nothing,
        "flat .1": flat(0.1),
        "flat .15": flat(0.15),
        "flat .3": flat(0.3),
        "A .2": whole(0.2),
        "A .3": whole(0.3),
        "whole .2, all": whole(0.2, gated=False),
    }
    if state.cosines is not None:
        for share in (0.1, 0.2, 0.3, 0.5):
            tried[f"near {share:g}"] = near(share)
        for share in (0.2, 0.3, 0.5):
            tried[f"near {share:g} quiet"] = near(0.0, share)
        for share, quiet in ((0.1, 0.2), (0.2, 0.2), (0.2, 0.3), (0.3, 0.3)):
            tried[f"near {share:g} + {quiet:g} quiet"] = near(share, quiet)
        tried["near .2 + .2 quiet, A .2"] = both(near(0.2, 0.2), whole(0.2))
        tried["near .2, A .2"] = both(near(0.2), whole(0.2))
        tried["near .2, A .3"] = both(near(0.2), whole(0.3))
        tried["near .2, flat .15"] = both(near(0.2), flat(0.15))
    return tried


def show(name: str, found: dict[str, dict[str, np.ndarray]]) -> None:
    """All systems by mode: levels of the first, gains of the others."""
    base = next(iter(found.values()))
    print(f"\n{name}: {len(next(iter(base.values())))} questions")
    for title, rows in found.items():
        cells = []
        for mode in [mode for mode in ("messages", "blind") if mode in rows]:
            cells.append(_cell(bootstrap(list(rows[mode] - (0 if rows is base else base[mode])))))
        if "lazy" in rows:
            values = list(rows["lazy"] - (0 if rows is base else base["lazy"]))
            lazy, kept = half(values, lazy=True), half(values, lazy=False)
            mixed = mixture([(0.3, lazy), (0.7, kept)])
            cells += [_cell(bootstrap(lazy)), _cell(bootstrap(kept)), _cell(mixed)]
        print(f"  {title:26s} " + "  ".join(cells), flush=True)


def _cell(found: object) -> str:
    return f"{found.mean:+.3f} [{found.low:+.3f},{found.high:+.3f}]"  # type: ignore[attr-defined]


def main() -> None:
    """Evaluate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("state", type=Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--vectors", type=Path, help="a folder of NAME.npz")
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--rerank", action="store_true")
    given = parser.parse_args()
    everything: dict[str, dict[str, list[np.ndarray]]] = {}
    for name in given.names:
        vectors = given.vectors / f"{name}.npz" if given.vectors else None
        state = State(given.state, name, given.limit, vectors, given.modes.split(","), rerank=given.rerank)
        found = {
            title: {mode: state.reciprocals(mode, extra, rerank=given.rerank) for mode in state.modes}
            for title, extra in systems(state).items()
        }
        show(name, found)
        for title, rows in found.items():
            for mode, row in rows.items():
                everything.setdefault(title, {}).setdefault(mode, []).append(row)
    if len(given.names) > 1:
        show(
            "all", {t: {m: np.concatenate(row) for m, row in rows.items()} for t, rows in everything.items()}
        )


if __name__ == "__main__":
    main()
