"""Code by its shape in the terminal UI: read as a pattern when asked to, counted, and marked in the diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.driving import running, text_of, until, until_stage
from tui.diff.rows import RowKind
from tui.search_state import Stage

if TYPE_CHECKING:
    from pathlib import Path

    from tui.app import OharaApp

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("still")]


def _class(app: OharaApp) -> str:
    results = app.search.finder.state.results
    return str(results.query.query_class) if results else ""


async def test_what_names_stand_for_is_marked_in_the_diff(parcel: Path) -> None:
    async with running(parcel, "min($A, $B) lang:python", size=(160, 45)) as (app, pilot):
        await until(pilot, lambda: app.search.diff._document.rows)
        rows = app.search.diff._document.rows
        (line,) = [row for row in rows if row.matches]
        assert [line.text[start:end] for start, end in line.matches] == [
            "min(self.tokens, UPLOADS_PER_MINUTE)"
        ]
        assert [line.text[start:end] for start, end in line.captures] == ["self.tokens", "UPLOADS_PER_MINUTE"]
        notes = [row.text for row in rows if row.kind is RowKind.NOTE]
        assert notes[0] == "+1 match (0 → 1) · $A = self.tokens, $B = UPLOADS_PER_MINUTE"
        shown = text_of(app)
        assert "introduced in c19e5154" in shown
        assert "1 match at HEAD" in shown


async def test_a_query_is_read_as_code_when_asked_to(parcel: Path) -> None:
    async with running(parcel, "self.clock() lang:python") as (app, pilot):
        assert app.search.finder.state.results is not None
        assert app.search.finder.state.results.query.query_class != "structural"
        await pilot.press("ctrl+t")
        await until(pilot, lambda: _class(app) == "structural")
        await until_stage(pilot, Stage.RESULTS)
        assert "code ✕" in text_of(app)
        counts = [hit.structural for hit in app.search.finder.state.hits]
        assert [(each.before, each.after) for each in counts if each] == [(0, 1), (1, 0)]
        await pilot.press("enter", "$")
        await until(pilot, lambda: _class(app) != "structural")
        assert "code ✕" not in text_of(app)
