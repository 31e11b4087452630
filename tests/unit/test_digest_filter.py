"""The filter of digests: what was added is never said to be new."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohara.store.sqlite.digest_filter import DigestFilter

_DIGESTS = st.lists(st.binary(min_size=16, max_size=16), max_size=20)


@given(_DIGESTS, _DIGESTS)
def test_what_was_added_may_be_there_and_other_beginnings_are_not(
    added: list[bytes], others: list[bytes]
) -> None:
    known = DigestFilter()
    for digest in added:
        known.add(digest)
    assert all(known.may_hold(digest) for digest in added)
    beginnings = {digest[:3] for digest in added}
    assert all(known.may_hold(digest) == (digest[:3] in beginnings) for digest in others)
