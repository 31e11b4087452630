"""What would help silent commits? Recorded pools, made and ordered anew; MRR@10, paired bootstrap.

    python evaluate.py STATE_DIR NAME … [--vectors FOLDER] [--limit 200] [--rerank] [--modes lazy,blind] [--only TEXT …]

STATE_DIR holds `pools/` (`ohara-cross/make/pools.py --wide`), `counted/` (`commits.py`) and, for `--rerank`,
`opinions/`, where the cross-encoder's scores are kept. `--vectors` are those of `embed_commits.py`: digests and queries.
A hunk's fused score gets what is tried added to it before the pool is cut, and before penalties, recency and
the blend. Every row is beside the flat control.
"""

from __future__ import annotations

import argparse
import json
import math
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
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
from blend import read_pools  # noqa: E402
from commits import Counted, Silence, Whole  # noqa: E402
from pools import Pool  # noqa: E402

from ohara.embed.fastembed_models import folder_reranker  # noqa: E402
from ohara.retrieve.profile import DEFAULT  # noqa: E402
from ohara.retrieve.proximity import Proximity, rarities  # noqa: E402
from ohara.retrieve.rerank import squashed  # noqa: E402
from ohara.words import index_text  # noqa: E402
from tests.bench.changelog import ChangelogQuery  # noqa: E402
from tests.bench.lazy import half, lazy_messages  # noqa: E402
from tests.bench.metrics import bootstrap, mixture  # noqa: E402

MODES = ("messages", "blind", "lazy")
DEPTH = 50
NEAR = 100
RRF_K = 60

Extra = Callable[[str, int, Pool], np.ndarray]
"""What each candidate of a pool gets more: mode, number of the query, pool."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What is added to fused scores, hunks of a commit in the pool, and commits that RRF lets into it (0: all).

    `late` adds only when the pool is ordered: it is the pipeline's own.
    """

    more: Extra
    hunks: int = 3
    by_rank: int = 0
    late: bool = False


class _Counted(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        return getattr(counting, name) if module == "__main__" else super().find_class(module, name)


class Opinions:
    """The cross-encoder's scores of a repository's recorded hunks, each asked for once."""

    def __init__(self, model: Path, folder: Path, name: str, mode: str) -> None:
        digest = json.loads((model / "model.json").read_text(encoding="utf-8"))["files"]["model.onnx"][:12]
        self._file = folder / f"{digest}.{name}.{mode}.wide.pkl"
        self._known: dict[tuple[int, int], float] = (
            pickle.loads(self._file.read_bytes()) if self._file.exists() else {}
        )
        self._model = folder_reranker(model)
        self._new = 0

    def of(self, number: int, pool: Pool, chosen: list[int]) -> tuple[float, ...]:
        """The scores of some candidates, squashed as the stage does."""
        unknown = [at for at in chosen if (number, pool.candidates[at].hunk) not in self._known]
        if unknown:
            scores = self._model.score(pool.query, [pool.candidates[at].document for at in unknown])
            for at, score in zip(unknown, scores, strict=True):
                self._known[number, pool.candidates[at].hunk] = score
            self._new += len(unknown)
        return squashed([self._known[number, pool.candidates[at].hunk] for at in chosen]) if chosen else ()

    def keep(self) -> None:
        """Write them."""
        if self._new:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_bytes(pickle.dumps(self._known))
            self._new = 0


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
            self.cosines = {}
            # Vectors of the change alone, and, where there are some, of what each way's commits say and the change.
            for way in ("documents", *(mode for mode in modes if mode in kept)):
                mine = kept[way][[at[sha] for sha in counted.shas]].astype(np.float32)
                # A commit without a word has no vector, and is near to nothing.
                empty = np.abs(mine).sum(1) == 0
                found = kept["queries"][: len(asked)].astype(np.float32) @ mine.T
                found[:, empty] = found.min()
                self.cosines[way] = found
        self.silence = {}
        self.opinions = {}
        self._unsaid: dict[tuple[str, int], float] = {}
        self._messages: dict[str, frozenset[str]] = {}
        self._worded: dict[tuple[str, int, int], tuple[set[str], set[tuple[str, str]]]] = {}
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
                self.opinions[mode] = Opinions(
                    HERE.parents[2] / "ohara-cross", folder / "opinions", name, mode
                )

    def of_commits(self, pool: Pool, values: np.ndarray) -> np.ndarray:
        """A value of each commit, for the candidates of a pool; merges have none."""
        return np.array(
            [values[self.places[one.commit]] if one.commit in self.places else 0.0 for one in pool.candidates]
        )

    def near(self, number: int, way: str = "documents") -> np.ndarray:
        """Every commit's nearness: the nearest 1, those behind the first hundred 0."""
        cosines = self.cosines.get(way, self.cosines["documents"])[number]
        best = np.sort(cosines)[-NEAR:]
        return np.clip((cosines - best[0]) / max(1e-6, best[-1] - best[0]), 0, 1)

    def unsaid(self, mode: str, number: int) -> float:
        """How much of the question, by the rarity of its words, the message that says most of it leaves unsaid."""
        key = (mode, number)
        if key not in self._unsaid:
            pool = self.pools[mode][number]
            rarity = rarities(pool.rows_of_word, pool.rows_of_word.__getitem__, pool.rows)
            whole = sum(rarity.values()) or 1.0
            messages = {one.message for one in pool.candidates}
            said = (sum(rarity[word] for word in rarity.keys() & self._words(text)) for text in messages)
            self._unsaid[key] = 1.0 - max(said, default=0.0) / whole
        return self._unsaid[key]

    def _words(self, message: str) -> frozenset[str]:
        if message not in self._messages:
            self._messages[message] = frozenset(index_text(message).split())
        return self._messages[message]

    def by_table(self, mode: str, number: int, pool: Pool) -> np.ndarray:
        """What the commit lane gives each candidate's commit: the best 1, the last 0."""
        found = {commit: score for _, commit, score in self.pools[mode][number].lanes.get("commit", ())}
        low, high = min(found.values(), default=0.0), max(found.values(), default=1.0)
        return np.array(
            [(found.get(one.commit, low) - low) / max(1e-6, high - low) for one in pool.candidates]
        )

    def change(self, number: int, pool: Pool) -> np.ndarray:
        """What the text lane gives each candidate where no message counts, the best 1."""
        found = {hunk: score for hunk, _, score in self.pools["blind"][number].lanes.get("text", ())}
        best = max(found.values(), default=1.0)
        return np.array([found.get(one.hunk, 0.0) / best for one in pool.candidates])

    def reciprocals(self, mode: str, tried: Tried, *, rerank: bool) -> np.ndarray:
        """One over the rank of the answer to each query."""
        out = []
        for number, pool in enumerate(self.pools[mode]):
            order = self._order(mode, number, pool, tried, rerank=rerank)
            shas = list(dict.fromkeys(pool.candidates[at].commit for at in order))[:10]
            out.append(next((1.0 / rank for rank, sha in enumerate(shas, 1) if sha in pool.answers), 0.0))
        if rerank:
            self.opinions[mode].keep()
        return np.array(out)

    def _order(self, mode: str, number: int, pool: Pool, tried: Tried, *, rerank: bool) -> list[int]:
        """The candidates, best first."""
        if not pool.candidates:
            return []
        plain = np.array([one.fused for one in pool.candidates])
        fused = plain + tried.more(mode, number, pool)
        fused = fused / max(1e-6, fused.max())
        cheap = plain if tried.late else fused
        pinned = [one.pinned for one in pool.candidates]
        allowed = by_rank(pool, tried.by_rank) if tried.by_rank else None
        pooled: list[int] = []
        taken: dict[str, int] = {}
        for at in sorted(range(len(fused)), key=lambda at: (not pinned[at], -cheap[at], at)):
            commit = pool.candidates[at].commit
            if taken.get(commit, 0) >= tried.hunks or not (
                allowed is None or commit in allowed or pinned[at]
            ):
                continue
            taken[commit] = taken.get(commit, 0) + 1
            pooled.append(at)
            if len(pooled) == DEPTH:
                break
        factor = {
            at: pool.candidates[at].score / pool.candidates[at].fused if pool.candidates[at].fused else 0.0
            for at in pooled
        }
        values = {at: fused[at] * factor[at] for at in pooled}
        if rerank:
            opinions = self.opinions[mode].of(number, pool, pooled)
            worded = self._proximities(mode, number, pool, pooled)
            values = {
                at: DEFAULT.blend.value(fused[at], opinion, said) * factor[at]
                for at, opinion, said in zip(pooled, opinions, worded, strict=True)
            }
        return sorted(pooled, key=lambda at: (not pinned[at], -values[at], at))

    def _proximities(self, mode: str, number: int, pool: Pool, chosen: list[int]) -> list[Proximity]:
        """As `ohara.retrieve.proximity`, each document looked at once."""
        rarity = rarities(pool.rows_of_word, pool.rows_of_word.__getitem__, pool.rows)
        asked = set(pairwise(index_text(pool.query).split()))
        words: dict[str, set[str]] = {}
        pairs: dict[str, set[tuple[str, str]]] = {}
        for at in chosen:
            key = (mode, number, at)
            if key not in self._worded:
                text = index_text(pool.candidates[at].document).split()
                self._worded[key] = (rarity.keys() & set(text), asked & set(pairwise(text)))
            held, beside = self._worded[key]
            words.setdefault(pool.candidates[at].commit, set()).update(held)
            pairs.setdefault(pool.candidates[at].commit, set()).update(beside)
        whole = sum(rarity.values()) or 1.0
        return [
            Proximity(
                math.fsum(map(rarity.__getitem__, sorted(words[commit]))) / whole,
                len(pairs[commit]) / max(1, len(asked)),
            )
            for commit in (pool.candidates[at].commit for at in chosen)
        ]


def by_rank(pool: Pool, count: int) -> frozenset[str]:
    """The commits that reciprocal rank fusion over all lanes puts first."""
    earned: dict[str, float] = {}
    for found in pool.lanes.values():
        for rank, commit in enumerate(dict.fromkeys(commit for _, commit, _ in found), 1):
            earned[commit] = earned.get(commit, 0.0) + 1.0 / (RRF_K + rank)
    return frozenset(sorted(earned, key=lambda commit: -earned[commit])[:count])


class Parts:
    """What may be added to the fused score of a hunk."""

    def __init__(self, state: State) -> None:
        self._state = state

    def nothing(self, mode: str, number: int, pool: Pool) -> np.ndarray:
        """The pipeline as it is."""
        return np.zeros(len(pool.candidates))

    def flat(self, share: float) -> Extra:
        """The control: a bonus for silence, whatever the commit did."""
        return lambda mode, number, pool: share * self._state.silence[mode][number]

    def whole(self, share: float) -> Extra:
        """A BM25 of whole commits."""
        state = self._state
        return lambda mode, number, pool: share * state.of_commits(pool, state.wholes[number])

    def change(self, share: float) -> Extra:
        """The text lane's score where no message counts."""
        return lambda mode, number, pool: share * self._state.change(number, pool)

    def table(self, share: float) -> Extra:
        """The commit lane's score once more."""
        return lambda mode, number, pool: share * self._state.by_table(mode, number, pool)

    def near(self, share: float) -> Extra:
        """How near the encoder finds a commit."""
        state = self._state
        return lambda mode, number, pool: share * state.of_commits(pool, state.near(number))

    def told(self, share: float) -> Extra:
        """How near it finds what a commit says and did."""
        state = self._state
        return lambda mode, number, pool: share * state.of_commits(pool, state.near(number, mode))

    def quiet(self, part: Extra) -> Extra:
        """For commits that say nothing."""
        return lambda mode, number, pool: self._state.silence[mode][number] * part(mode, number, pool)

    def unsaid(self, part: Extra) -> Extra:
        """As far as no message says what is asked for."""
        return lambda mode, number, pool: self._state.unsaid(mode, number) * part(mode, number, pool)


def both(*parts: Extra) -> Extra:
    """The sum of several."""
    return lambda mode, number, pool: sum(part(mode, number, pool) for part in parts)


def systems(state: State) -> dict[str, Tried]:
    """Everything that is tried."""
    parts = Parts(state)
    found = {
        "as it is": Tried(parts.nothing),
        "two hunks": Tried(parts.nothing, 2),
        "one hunk": Tried(parts.nothing, 1),
        "RRF 100, one hunk": Tried(parts.nothing, 1, 100),
        "RRF 100, two hunks": Tried(parts.nothing, 2, 100),
        "whole .2": Tried(parts.whole(0.2)),
        "flat unsaid .5": Tried(parts.unsaid(parts.flat(0.5))),
        "A unsaid .5": Tried(parts.unsaid(parts.quiet(parts.whole(0.5)))),
    }
    for late in (False, True):
        title = "late " if late else ""
        for share in (0.15, 0.3):
            found[f"{title}flat {share:g}"] = Tried(parts.flat(share), late=late)
            found[f"{title}B {share:g}"] = Tried(parts.quiet(parts.change(share)), late=late)
        for share in (0.2, 0.3, 0.4):
            found[f"{title}A {share:g}"] = Tried(parts.quiet(parts.whole(share)), late=late)
            found[f"{title}C {share:g}"] = Tried(parts.quiet(parts.table(share)), late=late)
        if state.cosines is not None:
            found |= {f"{title}{name}": tried for name, tried in _by_encoder(parts, late=late).items()}
    return found


def _by_encoder(parts: Parts, *, late: bool) -> dict[str, Tried]:
    near, quiet = parts.near, parts.quiet
    found = {f"near {share:g}": near(share) for share in (0.1, 0.2, 0.3, 0.5, 0.8)}
    found |= {f"near {share:g} quiet": quiet(near(share)) for share in (0.1, 0.2, 0.3, 0.5)}
    found |= {f"told {share:g}": parts.told(share) for share in (0.1, 0.2, 0.3, 0.5, 0.8)}
    found["told .2, A .2"] = both(parts.told(0.2), quiet(parts.whole(0.2)))
    found["told .3, flat .15"] = both(parts.told(0.3), parts.flat(0.15))
    for share, more in ((0.05, 0.15), (0.1, 0.2), (0.2, 0.2), (0.2, 0.4)):
        found[f"near {share:g} + {more:g} quiet"] = both(near(share), quiet(near(more)))
    found["near .2 quiet, A .2"] = both(quiet(near(0.2)), quiet(parts.whole(0.2)))
    found["near .3, A .2"] = both(near(0.3), quiet(parts.whole(0.2)))
    found["near .3, flat .15"] = both(near(0.3), parts.flat(0.15))
    return {name: Tried(more, late=late) for name, more in found.items()}


def show(name: str, found: dict[str, dict[str, np.ndarray]]) -> None:
    """All systems by mode: levels of the first, gains of the others."""
    base = next(iter(found.values()))
    print(f"\n{name}: {len(next(iter(base.values())))} questions; {', '.join(base)} (lazy, kept, mixed)")
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
    parser.add_argument("--only", action="append", default=[], help="a system, by its title")
    given = parser.parse_args()
    everything: dict[str, dict[str, list[np.ndarray]]] = {}
    for name in given.names:
        vectors = given.vectors / f"{name}.npz" if given.vectors else None
        state = State(given.state, name, given.limit, vectors, given.modes.split(","), rerank=given.rerank)
        found = {
            title: {mode: state.reciprocals(mode, tried, rerank=given.rerank) for mode in state.modes}
            for title, tried in systems(state).items()
            if not given.only or title == "as it is" or any(title.startswith(one) for one in given.only)
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
