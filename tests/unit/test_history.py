"""What messages say of other commits, what merges say that they are, and what threads are called."""

from __future__ import annotations

import pytest

from ohara.history.copies import branch_names
from ohara.history.mentions import Mentions, mentions
from ohara.history.merges import MergeKind, kind_of
from ohara.history.titles import title_of

SHA = "4f12c7a9d0e14f12c7a9d0e14f12c7a9d0e14f12"
OTHER = "1a323fbd3c52db051ae32e2b27275717b891b322"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (f"Fix\n\n(cherry picked from commit {SHA})\n", Mentions(picked=(SHA,))),
        (f"Fix\n\n(cherry-picked from {SHA[:10]})\n", Mentions(picked=(SHA[:10],))),
        (
            f'Revert "Add (#3)"\n\nThis reverts commit {SHA}, reversing\nchanges made to {OTHER}.\n',
            Mentions(reverts=(SHA,), reverted_subject="Add (#3)"),
        ),
        (f"Undo\n\nThis reverts commits {SHA} and {OTHER}.", Mentions(reverts=(SHA, OTHER))),
        (f'Repair\n\nFixes: {SHA[:12]} ("Add")', Mentions(fixes=(SHA[:12],))),
        (f"Repair the crash introduced in {SHA[:8]}", Mentions(fixes=(SHA[:8],))),
        ("fixup! Add a thing", Mentions(fixed_subject="Add a thing")),
        ("Add a thing (#12)", Mentions(requests=(12,))),
        ("[8.0.x] Add a thing (#12) (#15)", Mentions(requests=(12, 15))),
        ("Merge pull request #7 from ada/retry\n\nRetry", Mentions(requests=(7,))),
        ("Merge branch 'x'\n\nSee merge request group/project!34\n", Mentions(requests=(34,))),
        ("Add\n\nCloses #1, #2 and #3", Mentions(issues=(1, 2, 3))),
        ("fix #123 - do not crash", Mentions(issues=(123,))),
        ("Resolves: GH-9", Mentions(issues=(9,))),
        ("See #5 for more, and commit deadbeef1 too", Mentions()),
        ("Add 1234567 rows and the word defaced", Mentions()),
        ("", Mentions()),
    ],
)
def test_what_a_message_says(message: str, said: Mentions) -> None:
    assert mentions(message) == said


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Merge pull request #7 from ada/retry", MergeKind.REQUEST),
        ("Merged in ada/repo (pull request #37)", MergeKind.REQUEST),
        ("Add a thing (#9)", MergeKind.REQUEST),
        ("Merge branch 'retry'", MergeKind.TOPIC),
        ("Merge branch 'ada/retry' into main", MergeKind.TOPIC),
        ("Merge branches 'one', 'two' and 'three'", MergeKind.TOPIC),
        ("Merge remote-tracking branch 'ada/retry'", MergeKind.TOPIC),
        ("Retries, at last", MergeKind.TOPIC),
        ("Merge branch 'main' into retry", MergeKind.SYNC),
        ("Merge branch 'unstable' of github.com:/antirez/redis into unstable", MergeKind.SYNC),
        ("Merge branch 'retry' of example.org:repo into retry", MergeKind.SYNC),
        ("Merge remote-tracking branch 'origin/3.10' into main", MergeKind.SYNC),
        ("Merge branch 'release/2.0'", MergeKind.SYNC),
        ("merge heads", MergeKind.SYNC),
        ("", MergeKind.SYNC),
    ],
)
def test_what_a_merge_says_that_it_is(message: str, kind: MergeKind) -> None:
    assert kind_of(message) is kind


@pytest.mark.parametrize(
    ("messages", "title"),
    [
        (["Add", "Merge pull request #7 from ada/retry\n\nRetry what fails"], "Retry what fails (#7)"),
        (["Add", "Merge pull request #7 from ada/retry\n\nRetry (#7)"], "Retry (#7)"),
        (["Add a thing", "Merge pull request #7 from ada/retry"], "Add a thing"),
        (['Revert "Add"', "Add"], "Add"),
        (["Merge branch 'x'"], "Merge branch 'x'"),
        ([""], ""),
    ],
)
def test_the_title_of_a_thread(messages: list[str], title: str) -> None:
    assert title_of(messages) == title


def test_a_branch_that_is_here_and_at_a_remote_is_named_once() -> None:
    tips = {
        "HEAD": "a",
        "refs/heads/main": "a",
        "refs/remotes/origin/main": "b",
        "refs/remotes/origin/HEAD": "b",
        "refs/remotes/origin/3.9": "c",
        "refs/tags/v1": "d",
    }

    assert branch_names(tips) == {"main": "a", "3.9": "c"}
