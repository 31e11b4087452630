"""Bodies of hunks, packed and restored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.errors import IndexCorrupt
from ohara.store.sql.codec import DICTIONARY_BYTES, Codec, train_dictionary

BODIES = [
    f" def handler_{n}(request):\n-    return {n}\n+    return retry(request, {n * 7})" * 3
    for n in range(4_000)
]


@given(st.text(st.characters(codec=None)))
def test_any_text_comes_back_as_it_was(body: str) -> None:
    codec = Codec()
    assert codec.unpack(codec.pack(body)) == body


def test_a_trained_dictionary_makes_bodies_smaller_and_old_ones_stay_readable() -> None:
    plain = Codec()
    before = plain.pack(BODIES[0])
    dictionary = train_dictionary(BODIES)
    assert dictionary is not None
    assert len(dictionary) <= DICTIONARY_BYTES
    trained = Codec(dictionary)
    after = trained.pack(BODIES[0])
    assert len(after) < len(before)
    assert trained.unpack(after) == BODIES[0]
    assert trained.unpack(before) == BODIES[0]


def test_bodies_of_a_former_dictionary_stay_readable_and_name_it_in_one_byte() -> None:
    others = [body.replace("handler", "Widget").replace("request", "canvas") for body in BODIES]
    first, second = train_dictionary(BODIES, 1), train_dictionary(others, 2)
    assert first is not None
    assert second is not None
    random = train_dictionary(BODIES)
    both = Codec(second, [first])
    before, after = Codec(first).pack(BODIES[0]), both.pack(others[0])
    assert both.unpack_bytes([before, after]) == [BODIES[0].encode(), others[0].encode()]
    assert len(Codec(random).pack(BODIES[0])) == len(before) + 3
    with pytest.raises(IndexCorrupt):
        Codec(second).unpack(before)


def test_too_little_text_trains_nothing() -> None:
    assert train_dictionary(["+x"] * 100) is None


def test_many_bodies_packed_at_once_are_packed_as_one_by_one() -> None:
    bodies = ["", "x", "def f():\n    return '\udc80 é'\n" * 40, *BODIES[:50]]
    plain = [body.encode("utf-8", "surrogatepass") for body in bodies]
    for codec in (Codec(), Codec(train_dictionary(BODIES))):
        made = codec.pack_all(plain)
        assert made == [codec.pack(body) for body in bodies]
        assert codec.unpack_bytes(made) == plain
    assert Codec().pack_all([]) == []
