"""A BM25 over hunks in numpy, quick enough to mine negatives and to evaluate thousands of queries.

It stands in for the text lane: words stemmed, camelCase names whole and in parts, message counted three
times, one row a hunk. Built once a repository and kept as .npz beside the histories.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from corpus import Change, read
from py_rust_stemmers import SnowballStemmer

from ohara.embed.model_text import document_text, raw_words, split_word

K1, B = 1.2, 0.75  # FTS5's own
MESSAGE_WEIGHT = 3.0
COMMON = 0.10  # words in more than a tenth of the rows are dropped from queries while three others remain

_STEMMER = SnowballStemmer("english")
_STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "do",
        "does",
        "for",
        "from",
        "has",
        "have",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "no",
        "not",
        "of",
        "on",
        "or",
        "so",
        "such",
        "than",
        "that",
        "the",
        "their",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "was",
        "were",
        "when",
        "where",
        "which",
        "while",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)


class Words(dict[str, list[str]]):
    """A word as written to its index terms."""

    def __missing__(self, word: str) -> list[str]:
        if len(word) > 60:
            terms: list[str] = []
        else:
            parts = split_word(word)
            terms = [_STEMMER.stem_word(word.lower())]
            if len(parts) > 1:
                terms += [_STEMMER.stem_word(part) for part in parts]
        self[word] = terms
        return terms


WORDS = Words()


def terms_of(text: str) -> list[str]:
    """The index terms of a text, in order, with repeats."""
    return [term for word in raw_words(text) for term in WORDS[word]]


def query_terms(text: str) -> list[str]:
    """The distinct terms of a query without stop words."""
    words = [word for word in raw_words(text) if word.lower() not in _STOP]
    return list(dict.fromkeys(term for word in words for term in WORDS[word]))


@dataclass(slots=True)
class Index:
    """Postings of one repository: for each term the rows, and its weight there with and without messages."""

    terms: dict[str, int]
    starts: np.ndarray
    rows: np.ndarray
    blind: np.ndarray
    full: np.ndarray
    count: int

    def score(self, query: str, *, messages: bool) -> np.ndarray:
        """BM25 of every row."""
        out = np.zeros(self.count, dtype=np.float32)
        weights = self.full if messages else self.blind
        known = [self.terms[term] for term in query_terms(query) if term in self.terms]
        sizes = {term: int(self.starts[term + 1] - self.starts[term]) for term in known}
        rare = [term for term in known if sizes[term] <= COMMON * self.count]
        for term in rare if len(rare) >= 3 else known:
            span = slice(self.starts[term], self.starts[term + 1])
            out[self.rows[span]] += weights[span]
        return out


def build(changes: list[Change]) -> tuple[Index, np.ndarray]:
    """The index of every hunk of `changes`, and the commit number of each row."""
    vocabulary: dict[str, int] = {}
    rows: list[np.ndarray] = []
    cols: list[np.ndarray] = []
    body_tf: list[np.ndarray] = []
    full_tf: list[np.ndarray] = []
    body_length: list[int] = []
    full_length: list[int] = []
    owner: list[int] = []
    for number, change in enumerate(changes):
        message = Counter(terms_of(change.message))
        message_size = sum(message.values())
        for path, header, body in change.hunks:
            inside = Counter(terms_of(f"{path}\n{header}\n{document_text(body)}"))
            both = list(inside.keys() | message.keys())
            ids = [vocabulary.setdefault(term, len(vocabulary)) for term in both]
            row = len(owner)
            rows.append(np.full(len(ids), row, dtype=np.int32))
            cols.append(np.array(ids, dtype=np.int32))
            body_tf.append(np.array([inside.get(term, 0) for term in both], dtype=np.float32))
            full_tf.append(
                np.array(
                    [inside.get(t, 0) + MESSAGE_WEIGHT * message.get(t, 0) for t in both], dtype=np.float32
                )
            )
            owner.append(number)
            body_length.append(sum(inside.values()))
            full_length.append(body_length[-1] + message_size)
    count = len(owner)
    row, col = np.concatenate(rows), np.concatenate(cols)
    blind, full = np.concatenate(body_tf), np.concatenate(full_tf)
    order = np.argsort(col, kind="stable")
    row, col, blind, full = row[order], col[order], blind[order], full[order]
    starts = np.searchsorted(col, np.arange(len(vocabulary) + 1))
    for values, lengths in ((blind, body_length), (full, full_length)):
        size = np.array(lengths, dtype=np.float32)
        seen = np.bincount(col, weights=values > 0, minlength=len(vocabulary))
        idf = np.log1p((count - seen + 0.5) / (seen + 0.5)).astype(np.float32)
        scale = K1 * (1 - B + B * size / size.mean())
        np.copyto(values, idf[col] * values * (K1 + 1) / (values + scale[row]))
    index = Index(vocabulary, starts, row, blind, full, count)
    return index, np.array(owner, dtype=np.int32)


def load(histories: Path, name: str, cache: Path) -> tuple[list[Change], Index, np.ndarray]:
    """One repository with its index, from the cache when it is there."""
    changes = list(read(histories, name))
    file = cache / f"{name}.npz"
    if file.exists():
        data = np.load(file)
        vocabulary = {term: place for place, term in enumerate(str(data["terms"]).split("\n"))}
        index = Index(
            vocabulary, data["starts"], data["rows"], data["blind"], data["full"], int(data["count"])
        )
        return changes, index, data["owner"]
    cache.mkdir(parents=True, exist_ok=True)
    index, owner = build(changes)
    np.savez(
        file, terms=np.array("\n".join(index.terms)), starts=index.starts, rows=index.rows, blind=index.blind,
        full=index.full, count=index.count, owner=owner,
    )  # fmt: skip
    return changes, index, owner


def top_commits(scores: np.ndarray, owner: np.ndarray, count: int, per_commit: int = 1) -> list[int]:
    """The best rows in order, at most `per_commit` of each commit."""
    some = np.argpartition(-scores, min(len(scores) - 1, count * 12))[: count * 12]
    some = some[np.lexsort((some, -scores[some]))]
    taken: Counter[int] = Counter()
    out: list[int] = []
    for row in some.tolist():
        if scores[row] <= 0 or len(out) >= count:
            break
        if taken[int(owner[row])] < per_commit:
            taken[int(owner[row])] += 1
            out.append(row)
    return out
