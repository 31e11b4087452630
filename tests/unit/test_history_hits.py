from __future__ import annotations

import pytest

from ohara.browse.history_hits import Lines, changed_text
from ohara.model import HunkId
from ohara.store.answers import HunkBody


@pytest.mark.parametrize(
    ("body", "is_same"),
    [
        ("-a = 1\n+a  =  1", True),
        ("-f(a, b)\n+f(\n+    a, b\n+)", True),
        ("-first()\n second()\n+first()", False),  # moved past a line that stays: another order
        (" keep\n-a\n+b\n keep", False),
        (" keep\n+new", False),
    ],
)
def test_only_the_same_text_in_the_same_order_was_reformatted(body: str, is_same: bool) -> None:
    old, new = changed_text([HunkBody(HunkId(1), 1, 1, body)], Lines(None, None))
    assert (old == new) is is_same
