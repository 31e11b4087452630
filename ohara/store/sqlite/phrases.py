"""Words that stand one after the other, found by their places. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.arrays import np
from ohara.store.sqlite.posting_codec import COLUMNS, Postings, codes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.store.sqlite.varints import Numbers

_PLACE_BITS = 32


def phrase(words: Sequence[Postings], *, is_message: bool) -> Postings:
    """The postings of a phrase, of those of its words, which have their places."""
    width = 1 if is_message else len(COLUMNS)
    begins = [_keys(each, width, is_message=is_message) - offset for offset, each in enumerate(words)]
    found, *others = sorted(begins, key=len)
    for each in others:
        found = _in_both(found, each)
    columns = found >> _PLACE_BITS
    texts, entries = np.unique(columns // width, return_inverse=True)
    at = entries.reshape(-1) * width + columns % width
    counts = np.bincount(at, minlength=len(texts) * width).reshape(-1, width)
    codes, far = (counts[:, 0], np.zeros((0, len(COLUMNS)), np.int64)) if is_message else codes_of(counts)
    return Postings(np.zeros(len(texts), np.int64), texts, codes, far)


def _in_both(few: Numbers, many: Numbers) -> Numbers:
    """What is in both of two arrays that are in order."""
    if not len(many):
        return many
    at = np.minimum(np.searchsorted(many, few), len(many) - 1)
    return few[np.equal(many[at], few)]


def _keys(postings: Postings, width: int, *, is_message: bool) -> Numbers:
    """Text, column and place of each time in one number."""
    if postings.places is None:
        raise ValueError("places were not read")
    counts = postings.codes[:, None] if is_message else postings.counts()
    columns = (postings.texts[:, None] * width + np.arange(width)).reshape(-1)
    return (np.repeat(columns, counts.reshape(-1)) << _PLACE_BITS) + postings.places
