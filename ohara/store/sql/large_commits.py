"""Has the words of large commits made again: a former version could mix up those of their messages.

A large commit reaches the writer in parts. Where a worker began to number words anew between two of them, the
later ones named the message's words by their former numbers, which stood for others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import Pass
from ohara.store.sql.session import PASS_BITS

if TYPE_CHECKING:
    from ohara.store.sql.session import Writes

# Parts are a megabyte, and no hunk has more than some thirty thousand characters.
LARGE_HUNKS = 32

_BIT = PASS_BITS[Pass.TEXT]
_LARGE = f"""SELECT commit_id FROM hunk JOIN commits ON commits.id = hunk.commit_id
  WHERE passes & {_BIT} != 0 GROUP BY commit_id HAVING count(*) >= {LARGE_HUNKS}"""
_WAIT = f"UPDATE commits SET passes = passes & ~{_BIT} WHERE id = ?"


def doubt_words(writer: Writes) -> int:
    """Let large commits wait for the text pass, inside the open batch; how many there are."""
    writer.begin()
    large = writer.rows(_LARGE)
    writer.run_many(_WAIT, large)
    return len(large)
