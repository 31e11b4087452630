"""Texts to train on: for each commit of a history what people might ask, and digests of what it did.

    python pairs.py HISTORIES OUT_DIR [OWNER+NAME …]

One gzip of JSON lines a repository, oldest commit first: `{"sha", "subject", "queries", "digest", "paths"}`. A query is the
subject, a paragraph of the message or a changelog entry that says something; commits without one, and
sweeps, are left out of training histories and kept in the others. Re-running skips finished files.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parent), str(HERE.parents[2] / "ohara-static" / "make")]
from corpus import TRAIN, queries_of, read  # noqa: E402
from digest import digest, words_of  # noqa: E402

MOST_HUNKS = 80


def main() -> None:
    """Write the texts of every history, or of those named."""
    histories, out = map(Path, sys.argv[1:3])
    out.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[3:] or TRAIN:
        file = out / f"{name}.jsonl.gz"
        if file.exists():
            continue
        rows = []
        for change in read(histories, name):
            queries = [text for text in queries_of(change) if len(set(words_of(text))) >= 3]
            if name in TRAIN and not (queries and 0 < len(change.hunks) <= MOST_HUNKS):
                continue
            text = digest(change.hunks)
            if name in TRAIN and len(text.split()) < 4:
                continue
            rows.append(
                {
                    "sha": change.sha,
                    "subject": change.message.strip().partition("\n")[0][:200],
                    "queries": queries,
                    "digest": text,
                    "paths": sorted({path for path, _, _ in change.hunks})[:40],
                }
            )
        with gzip.open(file.with_suffix(".part"), "wt", compresslevel=1, encoding="utf-8") as stream:
            for row in reversed(rows):
                stream.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace").decode() + "\n")
        file.with_suffix(".part").rename(file)
        print(name, len(rows), "commits", flush=True)


if __name__ == "__main__":
    main()
