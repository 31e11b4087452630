"""What commits say in each way of the benchmark, for vectors that read the subject along with the change.

    python subjects.py POOLS_DIR NAME PAIRS.jsonl.gz OUT.json [--first 80]

Writes `{"messages": {sha: subject}, "lazy": {sha: subject}}` for the commits that recorded pools hold (the first 80 of each): lazy has
only those that say something else there. Blind, nothing is said.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[4]), str(HERE.parents[2] / "ohara-cross" / "make")]
from blend import read_pools  # noqa: E402

from tests.bench.changelog import ChangelogQuery  # noqa: E402
from tests.bench.lazy import lazy_messages  # noqa: E402

WAYS = ("messages", "blind", "lazy")


def main() -> None:
    """Write them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pools", type=Path)
    parser.add_argument("name")
    parser.add_argument("pairs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--first", type=int, default=80)
    given = parser.parse_args()
    wanted: set[str] = set()
    for way in WAYS:
        pools = read_pools(given.pools, given.name, way, 10_000)
        for pool in pools:
            order = sorted(pool.candidates, key=lambda one: -one.fused)
            wanted |= set(list(dict.fromkeys(one.commit for one in order))[: given.first])
    with gzip.open(given.pairs, "rt", encoding="utf-8") as stream:
        subjects = {row["sha"]: row["subject"] for row in map(json.loads, stream)}
    # Whose message is lost depends on the questions and the commit alone.
    asked = [ChangelogQuery(pool.query, pool.answers, "") for pool in pools]
    lost = lazy_messages(asked, subjects)
    said = {
        "messages": {sha: subject for sha, subject in subjects.items() if sha in wanted},
        "lazy": {sha: text for sha, text in lost.items() if sha in wanted},
    }
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(said), encoding="utf-8")
    print(given.name, {way: len(rows) for way, rows in said.items()})


if __name__ == "__main__":
    main()
