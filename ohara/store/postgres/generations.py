"""The vectors of one model, and those of the model before it, which serve until the new ones are all made.

Each generation has a number in the tables of vectors, 0 or 1 in turn. Every step is part of the transaction
it belongs to: killed anywhere, an index holds the one or both, whole.

    meta.vectors = {"generation": …, "made": …, "form": …, "dimensions": …, "kept": {…} or null}
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from ohara.model import Pass, VectorForm
from ohara.records import dataclass
from ohara.store.facts import FINGERPRINT
from ohara.store.sql.meta import read_fact, read_meta
from ohara.store.sql.session import PASS_BITS

if TYPE_CHECKING:
    from ohara.store.postgres.writer import Writer
    from ohara.store.sql.session import Asks

_KEY = "vectors"
_BIT = PASS_BITS[Pass.VECTOR]
_CLEAR = (f"UPDATE commits SET passes = passes & ~{_BIT}", f"UPDATE content SET passes = passes & ~{_BIT}")
_DELETE = (
    "DELETE FROM vec_content WHERE generation = ?",
    "DELETE FROM vec_commit WHERE generation = ?",
)
_MARK_CONTENTS = f"""UPDATE content SET passes = passes | {_BIT}
  WHERE id IN (SELECT content_id FROM vec_content WHERE generation = ?)"""


@dataclass(frozen=True, slots=True)
class Generation:
    """The vectors of one model: their number in the tables, the model's id, and how they are packed."""

    number: int
    embedder: str
    form: VectorForm
    dimensions: int


@dataclass(frozen=True, slots=True)
class Generations:
    """The vectors there are: those of the model in use, and those it replaces, while it does."""

    current: Generation | None
    kept: Generation | None

    def of(self, embedder: str) -> Generation | None:
        """The generation that a model made."""
        return next((one for one in (self.kept, self.current) if one and one.embedder == embedder), None)


@dataclass(frozen=True, slots=True)
class _State:
    generation: int = 0
    made: bool = False
    form: str = VectorForm.BIT.value
    dimensions: int = 0
    kept: Generation | None = None


def generations(session: Asks) -> Generations:
    """The generations that an index holds now."""
    state = _state(session)
    made_with = read_fact(session, FINGERPRINT)
    current = Generation(
        state.generation, made_with.embedder if made_with else "", VectorForm(state.form), state.dimensions
    )
    return Generations(current if state.made else None, state.kept)


def begin(writer: Writer, dimensions: int, form: VectorForm) -> int:
    """The number of the generation that the vector pass fills, from now on made."""
    state = _state(writer)
    if not state.made:
        _write(writer, _State(state.generation, True, form.value, dimensions, state.kept))
    return state.generation


def drop_all(writer: Writer) -> None:
    """Forget every vector; the pass begins again."""
    writer.begin()
    for number in (0, 1):
        _delete(writer, number)
    for statement in _CLEAR:
        writer.run(statement)
    _write(writer, _State())


def change_embedder(writer: Writer, wanted: str) -> None:
    """Begin the vectors of another model, and keep what serves until they are made.

    Back to the model whose vectors are kept, those are gone on with. A generation that was never finished
    gives way to the one it was to replace. No model at all means no vectors.
    """
    found = generations(writer)
    serves = found.kept or found.current
    if not wanted or serves is None:
        drop_all(writer)
        return
    writer.begin()
    for statement in _CLEAR:
        writer.run(statement)
    other = 1 - serves.number
    _delete(writer, other)
    if serves.embedder == wanted:
        writer.run(_MARK_CONTENTS, (serves.number,))
        _write(writer, _State(serves.number, True, serves.form.value, serves.dimensions))
    else:
        _write(writer, _State(other, kept=serves))


def retire(writer: Writer) -> None:
    """Drop the vectors that were kept: the new ones are all made."""
    state = _state(writer)
    if state.kept is None:
        return
    writer.begin()
    _delete(writer, state.kept.number)
    _write(writer, _State(state.generation, state.made, state.form, state.dimensions))
    writer.commit()


def _delete(writer: Writer, number: int) -> None:
    for statement in _DELETE:
        writer.run(statement, (number,))


def _state(session: Asks) -> _State:
    stored = read_meta(session, _KEY)
    if not isinstance(stored, dict):
        return _State()
    kept = stored.get("kept")
    return _State(
        int(stored["generation"]),
        bool(stored["made"]),
        str(stored["form"]),
        int(stored["dimensions"]),
        Generation(
            int(kept["number"]), str(kept["embedder"]), VectorForm(kept["form"]), int(kept["dimensions"])
        )
        if kept
        else None,
    )


def _write(writer: Writer, state: _State) -> None:
    writer.set_meta(_KEY, asdict(state))
