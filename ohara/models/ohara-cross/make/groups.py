"""Make training groups from histories: a query, one hunk that answers it, seven that BM25 takes for answers.

    python groups.py HISTORIES CACHE TOKENIZER.json OUT_DIR [--commits] [--limit N] [REPOSITORY …]

One .npz a repository: `ids` (group, 8, 112) uint16 with the answer first, `lengths`, `split` (where the
document begins), `prior` (BM25 over the pool's best) and `kind`. Half of the groups whose query is not the
subject show the documents' subjects; the others are message-blind. With `--commits` a document is a digest of the commit (128 tokens), seven tenths
of those groups show subjects, and in two thirds of these nearly half of all commits have a subject that says nothing: answers as often as
others, so that silence alone tells nothing. Re-running skips finished files.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

HERE = Path(__file__).resolve()
sys.path[:0] = [
    str(HERE.parents[4]),
    str(HERE.parents[2] / "ohara-static" / "make"),
    str(HERE.parents[2] / "ohara-commit" / "make"),
    str(HERE.parent),
]
from commit_text import commit_text  # noqa: E402
from corpus import TRAIN, Change, queries_of  # noqa: E402
from digest import LAZY  # noqa: E402
from lexical import Index, load, query_terms, top_commits  # noqa: E402

from ohara.embed.model_text import prepared_document, prepared_query, rerank_text  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_TOKENS = 112
GROUP = 8
POOL = 40
PER_REPOSITORY = 9_000
MAX_HUNKS = 40
COMMIT_TOKENS = 128
SHOWN, LAZY_SHOWN, LAZY_COMMITS = 0.7, 0.67, 0.45
CODE = re.compile(
    r"\.(py|pyi|js|ts|svelte|go|rs|c|h|cpp|cc|hpp|tsx|jsx|mjs|toml|cfg|css|tcss|html|sql|sh|tcl|rst|md|yml|yaml|json|conf|lua|rb)$"
)
NAME = re.compile(
    r"\b(?:def|class|fn|func|function|struct|enum|type|static \w+|void|int)\s+\*?(?:\([^)]*\)\s*)?([A-Za-z_]\w{3,})"
)
ASK = (
    "how did we {}",
    "when did we {}",
    "where do we {}",
    "why did we {}",
    "which change made us {}",
    "how to {}",
    "what handles: {}",
    "commit where {}",
    "{}?",
)


def variant(query: str, change: Change, chance: random.Random) -> tuple[str, str]:
    """The query as one of the ways people ask: as written, a question, a few key words, or a name."""
    roll = chance.random()
    if roll < 0.62:
        return query, "plain"
    if roll < 0.75:
        return chance.choice(ASK).format(query[:1].lower() + query[1:]), "question"
    if roll < 0.90:
        words = query.split()
        keep = sorted(chance.sample(range(len(words)), min(len(words), chance.randint(2, 6))))
        return " ".join(words[place] for place in keep), "words"
    names = [name for _, header, body in change.hunks[:20] for name in NAME.findall(header + "\n" + body)]
    if not names:
        return query, "plain"
    name = chance.choice(names)
    return (
        name
        if chance.random() < 0.4
        else f"{name} {' '.join(chance.sample(query.split(), min(3, len(query.split()))))}"
    ), "name"


def document(query: str, change: Change, hunk: tuple[str, str, str], *, subject: bool) -> str:
    """What the model reads of a hunk."""
    path, header, body = hunk
    first = change.message.strip().split("\n", 1)[0] if subject else ""
    return prepared_document(rerank_text(query, first, path, header, body))


def commit_document(query: str, change: Change, row: int, subject: str) -> str:
    """What the model reads of a commit: the hunk that was found, and its others."""
    others = [hunk for place, hunk in enumerate(change.hunks) if place != row]
    return prepared_document(commit_text(query, subject, [change.hunks[row], *others]))


def groups_of(
    changes: list[Change],
    index: Index,
    owner: np.ndarray,
    chance: random.Random,
    limit: int,
    *,
    commits: bool = False,
):
    """Yields (query, eight documents, eight priors, kind) with the answer first."""
    first_row = np.searchsorted(owner, np.arange(len(changes) + 1))
    numbers = [
        number
        for number, change in enumerate(changes)
        if 0 < len(change.hunks) <= MAX_HUNKS and any(CODE.search(path) for path, _, _ in change.hunks)
    ]
    tasks = [
        (number, place, query)
        for number in numbers
        for place, query in enumerate(queries_of(changes[number]))
    ]
    chance.shuffle(tasks)
    # Subjects are many and alike; paragraphs and changelog entries are nearer to what people ask.
    tasks.sort(key=lambda task: task[1] == 0 and chance.random() < 0.45)
    made = 0
    for number, place, query in tasks:
        if made >= limit:
            return
        asked, kind = variant(query, changes[number], chance)
        subject = place > 0 and chance.random() < (SHOWN if commits else 0.5)
        if len(query_terms(asked)) < 1:
            continue
        scores = index.score(asked, messages=subject)
        silent = scores
        own = slice(first_row[number], first_row[number + 1])
        lazy = commits and subject and chance.random() < LAZY_SHOWN
        if lazy:  # what lost its message is found by its lines alone
            silent = index.score(asked, messages=False)
            lost = np.array([chance.random() < LAZY_COMMITS for _ in changes])
            scores = np.where(lost[owner], silent, scores)
        answer = answer_among(scores[own], chance, best=0.65)
        if answer is None:
            continue
        top = max(float(scores.max()), 1e-6)
        hidden = scores.copy()
        hidden[own] = 0
        pool = top_commits(hidden, owner, POOL, per_commit=2)
        if len(pool) < GROUP - 1:
            continue
        picked = sorted(chance.sample(range(len(pool)), GROUP - 1))
        rows = [int(first_row[number]) + answer] + [pool[place] for place in picked]
        texts = []
        for row in rows:
            change = changes[int(owner[row])]
            start = int(first_row[owner[row]])
            if not commits:
                texts.append(document(asked, change, change.hunks[row - start], subject=subject))
                continue
            said = change.message.strip().split("\n", 1)[0] if subject else ""
            if lazy and lost[owner[row]]:
                said = chance.choice(LAZY)
            texts.append(commit_document(asked, change, row - start, said))
        if texts[0] in texts[1:]:
            continue
        made += 1
        yield (
            prepared_query(asked),
            texts,
            [float(scores[row]) / top for row in rows],
            f"{kind}{'~' if lazy else '+' if subject else ''}",
        )


def answer_among(mine: np.ndarray, chance: random.Random, *, best: float) -> int | None:
    """Which of a commit's own hunks answers: mostly its best, else one of the best three; none without a score."""
    if mine.max() <= 0:
        return None
    order = np.argsort(-mine)
    answer = int(order[0]) if chance.random() < best else int(order[chance.randrange(min(3, len(order)))])
    return answer if mine[answer] > 0 else None


def pair_tokenizer(file: Path, most: int) -> Tokenizer:
    """What cuts a question and a text into so many tokens at most."""
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    tokenizer.enable_truncation(most, strategy="longest_first")
    return tokenizer


def as_arrays(
    groups: Iterable[tuple[str, list[str], list[float], str]], tokenizer: Tokenizer, most: int
) -> dict[str, np.ndarray]:
    """Groups as they are written: each a question, its texts, their priors and its kind; shows the first two."""
    ids, lengths, split, prior, kinds = [], [], [], [], []
    for query, texts, priors, kind in groups:
        block = np.zeros((GROUP, most), dtype=np.uint16)
        encodings = tokenizer.encode_batch([(query, text) for text in texts])
        for row, encoding in enumerate(encodings):
            block[row, : len(encoding.ids)] = encoding.ids
        ids.append(block)
        lengths.append([len(encoding.ids) for encoding in encodings])
        split.append([encoding.type_ids.index(1) for encoding in encodings])
        prior.append(priors)
        kinds.append(kind)
        if len(ids) <= 2:
            print(repr(query), "\n   ", texts[0][:300], "\n   ", texts[1][:300], priors, kind, flush=True)
    return {
        "ids": np.stack(ids),
        "lengths": np.array(lengths, dtype=np.uint8),
        "split": np.array(split, dtype=np.uint8),
        "prior": np.array(prior, dtype=np.float32),
        "kind": np.array(kinds),
    }


def write(file: Path, made: dict[str, np.ndarray]) -> None:
    """Write groups, all or none."""
    part = file.with_name(f"{file.stem}.tmp.npz")
    np.savez_compressed(part, **made)
    part.rename(file)


def told(name: str, made: dict[str, np.ndarray], started: float) -> str:
    """How many groups there are of a history, and how hard they are."""
    best = np.mean([row[0] >= max(row) for row in made["prior"].tolist()])
    return (
        f"{name}: {len(made['ids'])} groups, mean length {np.mean(made['lengths']):.0f}, "
        f"answer first by BM25 {best:.2f}, {time.time() - started:.0f} s"
    )


def main() -> None:
    """Make the groups of every training repository, or of those named."""
    parser = argparse.ArgumentParser()
    for name in ("histories", "cache", "tokenizer", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("repositories", nargs="*")
    parser.add_argument("--commits", action="store_true")
    parser.add_argument("--limit", type=int, default=PER_REPOSITORY)
    given = parser.parse_intermixed_args()
    most = COMMIT_TOKENS if given.commits else MAX_TOKENS
    given.out.mkdir(parents=True, exist_ok=True)
    tokenizer = pair_tokenizer(given.tokenizer, most)
    for name in given.repositories or sorted(TRAIN):
        file = given.out / f"{name}.npz"
        if file.exists():
            continue
        started = time.time()
        changes, index, owner = load(given.histories, name, given.cache)
        groups = groups_of(changes, index, owner, random.Random(name), given.limit, commits=given.commits)
        made = as_arrays(groups, tokenizer, most)
        write(file, made)
        print(told(name, made, started), flush=True)


if __name__ == "__main__":
    main()
