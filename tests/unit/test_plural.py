from __future__ import annotations

from ohara.plural import are, counted, plural


def test_one_thing_and_several() -> None:
    assert [counted(count, "commit") for count in (0, 1, 2, 1200)] == [
        "0 commits",
        "1 commit",
        "2 commits",
        "1,200 commits",
    ]
    assert (plural(1, "match"), plural(2, "match")) == ("match", "matches")
    assert (counted(1, "repository"), counted(2, "repository")) == ("1 repository", "2 repositories")
    assert (are(1), are(0), are(2)) == ("is", "are", "are")
