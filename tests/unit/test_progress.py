"""Progress that a person can trust."""

from __future__ import annotations

from ohara.cli.progress import Pace, bar, describe
from ohara.model import Pass, Progress


def moment(done: int, elapsed_s: float, hunks: int = 0, stage: Pass = Pass.TEXT) -> Progress:
    return Progress(stage, done, 1_000, hunks, elapsed_s)


def test_the_line_tells_how_far_how_fast_and_how_long() -> None:
    pace = Pace()
    pace.add(moment(0, 0.0))
    last = moment(200, 2.0, hunks=3_000)
    pace.add(last)
    assert describe(last, pace) == "reading history: 200 of 1,000 commits · 1,500 hunks/s · 8 s left"


def test_the_pace_is_that_of_the_last_seconds() -> None:
    pace = Pace()
    for second in range(10):
        pace.add(moment(second * 50, float(second)))
    pace.add(moment(460, 20.0))
    pace.add(moment(470, 21.0))
    assert pace.per_second(lambda progress: progress.done) == 10
    assert pace.seconds_left == 53


def test_a_new_pass_starts_a_new_pace() -> None:
    pace = Pace()
    pace.add(moment(900, 10.0))
    pace.add(moment(10, 11.0, stage=Pass.VECTOR))
    assert pace.seconds_left is None


def test_a_finished_pass_has_nothing_left() -> None:
    pace = Pace()
    pace.add(moment(0, 0.0))
    pace.add(moment(1_000, 4.0))
    assert describe(moment(1_000, 4.0), pace) == "reading history: 1,000 of 1,000 commits"


def test_long_waits_are_told_in_minutes_and_hours() -> None:
    pace = Pace()
    pace.add(moment(0, 0.0))
    pace.add(moment(10, 5.0))
    assert describe(moment(10, 5.0), pace).endswith("8 min 15 s left")


def test_files_of_head_are_not_called_commits_and_have_a_pace_of_their_own() -> None:
    pace = Pace()
    for done, elapsed_s in ((0, 0.0), (900, 1.0)):
        pace.add(moment(done, elapsed_s, stage=Pass.SYMBOL))
    first = Progress(Pass.SYMBOL, 8, 68, 0, 2.0, of_head=True)
    pace.add(first)
    assert describe(first, pace) == "symbols: 8 of 68 different files of HEAD"
    last = Progress(Pass.SYMBOL, 38, 68, 0, 3.0, of_head=True)
    pace.add(last)
    assert describe(last, pace) == "symbols: 38 of 68 different files of HEAD · 1 s left"


def test_the_bar_shows_the_share() -> None:
    assert bar(moment(0, 0)) == "░" * 24
    assert bar(moment(500, 0)) == "█" * 12 + "░" * 12
    assert bar(moment(1_000, 0)) == "█" * 24
    assert bar(Progress(Pass.TEXT, 0, 0, 0, 0)) == "█" * 24
