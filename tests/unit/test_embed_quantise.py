"""Packed vectors: what is kept of a vector, and how alike a query finds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.embed import quantise
from ohara.embed.encoder import TextKind
from ohara.embed.quantise import Bits, Probe, pack
from ohara.embed.static_model import StaticEmbedder
from ohara.model import VectorBlock, VectorForm

if TYPE_CHECKING:
    from ohara.embed.encoder import Matrix


@dataclass
class Numbers:
    """A model as far as its vectors are kept."""

    form: VectorForm
    centre: Matrix


def _unit(*components: float) -> Matrix:
    vector = np.array(components, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def test_bits_say_on_which_side_of_the_centre_a_component_lies() -> None:
    centre = np.array([0, 0.5, 0, 0, 0, 0, 0, 0], dtype=np.float32)
    model = Numbers(VectorForm.BIT, centre)
    assert pack(np.array([[1, 0.4, 0, -1, 1, 1, 1, -0.1]], dtype=np.float32), model) == [bytes([0b10101110])]


@pytest.mark.parametrize("form", list(VectorForm))
def test_a_vector_of_nothing_is_not_kept_and_asks_nothing(form: VectorForm) -> None:
    model = Numbers(form, np.full(8, 0.1, dtype=np.float32))
    nothing = np.zeros(8, dtype=np.float32)
    first, second = pack(np.stack([nothing, _unit(1, 2, 3, 4, 5, 6, 7, 8)]), model)
    assert (first, bool(second)) == (b"", True)
    assert Probe.of(nothing, model) is None


def test_int8_keeps_the_cosine() -> None:
    model = Numbers(VectorForm.INT8, np.zeros(8, dtype=np.float32))
    query, near, far = (
        _unit(1, 2, 3, 4, 5, 6, 7, 8),
        _unit(1, 2, 3, 4, 5, 6, 7, 0),
        _unit(8, -7, 1, 0, 0, 0, 0, 0),
    )
    probe = Probe.of(query, model)
    assert probe is not None
    assert probe.likeness(pack(np.stack([near, far]), model)) == pytest.approx(
        [float(query @ near), float(query @ far)], abs=0.01
    )
    assert probe.likeness([]) == []


TEXTS = (
    "def retry(attempts):\n    sleep(2 ** attempt)\n    backoff = True",
    "SELECT name FROM users ORDER BY name",
    "the parser reads tokens and builds a syntax tree",
    "upload the file again when the connection was reset",
)


@pytest.mark.parametrize(
    ("asked", "order"),
    [
        ("retry with backoff", 0),
        ("sort users by name in sql", 1),
        ("syntax tree parser", 2),
        ("uploading a file", 3),
    ],
)
def test_bits_name_first_what_is_most_alike(asked: str, order: int) -> None:
    model = StaticEmbedder()
    assert model.form is VectorForm.BIT
    documents = model.embed(TEXTS, TextKind.DOCUMENT)
    packed = [*pack(documents, model), bytes(32)]  # a place that is free
    contents = np.array([11, 12, 13, 14, 0], dtype=np.int64)
    blocks = [
        VectorBlock(contents[:2].tobytes() + bytes(48), b"\x03", b"".join(packed[:2]) + bytes(6 * 32)),
        VectorBlock(contents[2:].tobytes() + bytes(40), b"\x03", b"".join(packed[2:]) + bytes(5 * 32)),
    ]
    bits = Bits.of(blocks)
    query = model.embed([asked], TextKind.QUERY)[0]
    probe = Probe.of(query, model)
    assert probe is not None

    guessed = {
        content: float(
            (np.unpackbits(np.frombuffer(bits, dtype=np.uint8)).astype(np.float32) * 2 - 1) @ query
        )
        for content, bits in zip((11, 12, 13, 14), packed, strict=False)
    }

    def flagged(*numbers: int) -> bytes:
        return bytes(number in numbers for number in range(1, max(numbers) + 1))

    def owners(limit: int, among: bytes | None) -> list[int]:
        return [owner for owner, _ in probe.nearest(bits, limit, among)]

    assert owners(3, None) == sorted(guessed, key=lambda content: -guessed[content])[:3]
    assert owners(1, None) == [11 + order]
    assert set(owners(9, flagged(12, 14, 77))) == {12, 14}
    assert owners(9, flagged(12)) == [12]
    assert owners(9, b"") == []
    assert probe.nearest(probe.gather([]), 5, None) == []
    assert probe.nearest(probe.gather([VectorBlock(b"", b"", b"")]), 5, None) == []

    rows_of_one = np.asarray((7, 7, 8, 9, 0, 0, 0, 0), dtype=np.int64).tobytes()
    several = probe.gather([VectorBlock(rows_of_one, b"\x0f", b"".join(packed[:4]) + bytes(4 * 32))])
    rows = probe.nearest(several, 9, None)
    assert sorted(row for row, _ in rows) == [7, 7, 8, 9]
    assert probe.nearest(several, 9, flagged(8)) == [row for row in rows if row[0] == 8]
    promised = dict(zip((11, 12, 13, 14), probe.likeness(packed[:4]), strict=True))
    assert sorted(score for _, score in rows) == pytest.approx(sorted(promised.values()))
    true = dict(zip((11, 12, 13, 14), probe.cosines(list(documents)), strict=True))
    assert all(abs(promised[content] - true[content]) < 0.2 for content in true), (promised, true)


@pytest.mark.parametrize("dimensions", [256, 104])
@pytest.mark.parametrize("shape", ["spread", "clusters", "few lengths"])
def test_sifting_many_vectors_names_what_comparing_all_names(
    shape: str, dimensions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = np.random.default_rng(len(shape) + dimensions)
    count = 30_000
    model = Numbers(VectorForm.BIT, chance.normal(0, 0.02, dimensions).astype(np.float32))
    vectors = chance.normal(size=(count, dimensions)).astype(np.float32)
    if shape == "clusters":  # many that are alike, and many that are the same
        vectors = vectors[chance.integers(0, 40, count)]
        vectors[::2] += chance.normal(0, 0.3, (count // 2, dimensions)).astype(np.float32)
    bits = _gathered(pack(vectors, model), list(range(1, count + 1)))
    for number, limit in enumerate((1, 100, 400)):
        asked = vectors[number] + chance.normal(0, 1, dimensions).astype(np.float32)
        probe = Probe.of(_unit(*(asked**3 if shape == "few lengths" else asked)), model)
        assert probe is not None
        allowed = bytes(chance.integers(0, 2, count, dtype=np.uint8))
        sifted = [probe.nearest(bits, limit, among) for among in (None, allowed)]
        with monkeypatch.context() as patch:
            patch.setattr(quantise, "_SIFTED", count)
            assert [probe.nearest(bits, limit, among) for among in (None, allowed)] == sifted
        assert len(probe._sifted(bits.words, limit)) < count / 2


def _gathered(packed: list[bytes], owners: list[int]) -> Bits:
    used = np.packbits(np.ones(len(owners), dtype=np.uint8), bitorder="little").tobytes()
    return Bits.of([VectorBlock(np.array(owners, dtype=np.int64).tobytes(), used, b"".join(packed))])


@pytest.mark.parametrize("components", [64, 256, 576])
def test_agreeing_components_are_counted_by_their_lengths(components: int) -> None:
    drawn = np.random.default_rng(components)
    for levels in (drawn.integers(0, 8, components), np.full(components, 7)):
        signs, query = drawn.random((40_000, components)) < 0.5, drawn.random(components) < 0.5
        words = quantise._words(np.packbits(signs, axis=1))
        below = quantise._words(np.packbits(~query)[None, :])
        planes = [quantise._words(np.packbits(levels >> place & 1)[None, :]) for place in range(3)]
        agreeing = np.where(signs == query, levels, 0).sum(axis=1)
        assert (quantise._counted(words, below, planes) == agreeing).all()


@given(st.lists(st.integers(0, 40), min_size=1), st.data())
def test_the_number_at_a_place_when_the_largest_come_first(numbers: list[int], data: st.DataObject) -> None:
    place = data.draw(st.integers(1, len(numbers)))
    sums = np.array(numbers, np.uint16)
    assert quantise._largest(sums, place) == sorted(numbers, reverse=True)[place - 1]
