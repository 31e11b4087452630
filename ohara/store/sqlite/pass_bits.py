"""How finished passes are stored: a bit each, in the row of a commit and in that of a content."""

from __future__ import annotations

from ohara.model import Pass

PASS_BITS = {Pass.TEXT: 1, Pass.LITERAL: 2, Pass.SYMBOL: 4, Pass.VECTOR: 8}
ALL_PASSES = sum(PASS_BITS.values())  # what the row of a commit holds when no pass has more to do with it
