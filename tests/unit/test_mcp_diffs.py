"""A hit as agents read it: what became of it is told, and cut lines are counted."""

from __future__ import annotations

from ohara.fate_phrase import fate_phrase
from ohara.mcp.diffs import Detail, hit_lines
from ohara.model import ChangeKind, Commit, Fate, FateState, Hit, HunkId, Sha
from ohara.present.times import day


def test_a_hit_tells_its_fate_and_counts_what_is_cut() -> None:
    commit = Commit(Sha("ab" * 20), (), "Ada", "a@b", 0, 0, 0, 0, "Subject\n\none\ntwo\nthree")
    body = "\n".join(f"+line {number}" for number in range(10))
    hit = Hit(
        1, 0.0, HunkId(1), commit, "a.py", None, ChangeKind.MODIFIED, 1, 0, "", None, body, (), top=1,
        fate=Fate(FateState.ALIVE, 10, 10, "a.py", 1),
    )  # fmt: skip
    said = hit_lines(hit, Detail(4, 1))
    assert said[0] == "1. abababab" + "ab 1970-01-01 Ada"
    assert "[3 more lines of the message]" in said
    assert f"[{fate_phrase(hit.fate or Fate(FateState.GONE, 0, 0), day)}]" in said
    assert [line for line in said if line.startswith("+")] == [f"+line {number}" for number in range(4)]
    assert "[6 lines of this hunk below left out]" in said
