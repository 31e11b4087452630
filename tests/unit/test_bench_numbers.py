"""The benchmark's arithmetic and its words: ranks, intervals, memory, tables and the document they fill."""

from __future__ import annotations

import json
import math
import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bench.indexing import Watched
from tests.bench.machine import Machine, look
from tests.bench.measure import environment, weigh
from tests.bench.metrics import bootstrap, gain, percentile, quality, rank_of, reciprocal
from tests.bench.report import (
    Report,
    Table,
    markdown,
    megabytes,
    millis,
    publish,
    ratio,
    refreshed,
    score,
    signed,
)
from tests.bench.together import together

if TYPE_CHECKING:
    from pathlib import Path

ranks = st.lists(st.none() | st.integers(1, 60), min_size=1, max_size=40)


def test_a_commit_counts_once_where_it_first_stands() -> None:
    assert rank_of(["a", "a", "b", "a", "c"], {"c"}) == 3
    assert rank_of(["a", "b"], {"b", "a"}) == 1
    assert rank_of(["a"], {"z"}) is None
    assert rank_of([], {"z"}) is None


def test_the_measures_of_known_ranks() -> None:
    found = quality([1, 2, 5, 10, 11, 50, 51, None])
    assert found.mrr.mean == pytest.approx((1 + 0.5 + 0.2 + 0.1) / 8)
    assert (found.hit_1, found.hit_5, found.hit_10, found.recall_50) == (1 / 8, 3 / 8, 4 / 8, 6 / 8)
    assert reciprocal(11) == 0.0
    assert reciprocal(None) == 0.0


@given(ranks)
def test_an_interval_holds_its_mean(some: list[int | None]) -> None:
    found = quality(some)
    assert found.mrr.low - 1e-12 <= found.mrr.mean <= found.mrr.high + 1e-12
    assert found.hit_1 <= found.hit_5 <= found.hit_10 <= found.recall_50
    assert 0 <= found.mrr.low <= found.mrr.high <= 1


@given(ranks)
def test_nobody_gains_over_himself(some: list[int | None]) -> None:
    assert gain(some, some) == bootstrap([0.0])


def test_a_clear_gain_has_an_interval_above_zero() -> None:
    better = gain([1] * 50, [1, 2] * 25)
    assert better.mean == pytest.approx(0.25)
    assert 0.1 < better.low < 0.25 < better.high < 0.4


def test_percentiles() -> None:
    assert percentile([1, 2, 3], 0.5) == 2
    assert percentile([], 0.5) == 0
    assert math.isclose(percentile([0, 100], 0.95), 95)


def test_what_a_command_costs_is_seen_with_its_children(tmp_path: Path) -> None:
    child = "import time; held = bytearray(60_000_000); time.sleep(1.2)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}]); print('done')"
    seen: list[float] = []
    before = threading.active_count()
    cost = weigh([sys.executable, "-c", parent], env=environment(tmp_path), on_sample=seen.append)
    assert (cost.exit_code, cost.said) == (0, "done\n")
    assert cost.wall_s > 0.6
    assert cost.cpu_s > 0
    assert cost.peak_pss > 60_000_000
    assert seen == sorted(seen)
    assert len(seen) >= 2
    assert threading.active_count() <= before


def test_a_command_that_fails_is_no_measurement(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="ended with 3"):
        weigh([sys.executable, "-c", "raise SystemExit(3)"], env=environment(tmp_path))
    assert weigh([sys.executable, "-c", "raise SystemExit(1)"], allowed=(0, 1)).exit_code == 1


def test_pace_and_first_answer_come_from_what_readers_saw(tmp_path: Path) -> None:
    watch = Watched(tmp_path, [(1.0, 100, 1000), (2.0, 1200, 2000), (3.0, 1500, 2000), (6.0, 2000, 4000)])
    assert watch.seconds_to(1000) == 2.0
    assert watch.seconds_to(5000) is None
    assert watch.pace_by_quarter() == pytest.approx([1000, 1000, 500, 500])
    watch(7.0)
    assert len(watch.samples) == 4


def machine() -> Machine:
    return Machine("A processor", 2, 8.0, "Linux 6", "3.11", "2.40", {"ohara": "0.1"}, 1.5)


def test_the_machine_says_when_it_was_busy() -> None:
    assert machine().busy
    assert "busy" in machine().sentence()
    own_work = replace(machine(), used_by_others=0.04)  # of which the load of the last minute still tells
    assert not own_work.busy
    assert "load 1.5 when it began, others used 4% of the processors" in own_work.sentence()
    assert replace(machine(), load=0.1, used_by_others=0.5).busy
    here = look()
    assert here.cores >= 1
    assert here.used_by_others is None or 0 <= here.used_by_others <= 1
    assert here.packages["ohara"]
    assert here.git in here.sentence()


TABLE = Table("Quality", ("system", "MRR@10"), (("ours", ".812"), ("git log -S", ".020")), ("A note.",))


def test_a_table_as_people_read_it() -> None:
    assert markdown(TABLE) == (
        "**Quality**\n\n| system     | MRR@10 |\n| ---------- | -----: |\n"
        "| ours       |   .812 |\n| git log -S |   .020 |\n\nA note."
    )


def test_numbers_as_people_read_them() -> None:
    assert [score(0.8124), score(1.0), signed(-0.01), signed(0.0)] == [".812", "1.000", "-.010", "+.000"]
    assert [millis(3.24), millis(1234.5), ratio(1.234), ratio(123.4)] == [
        "3.2 ms",
        "1,234 ms",
        "1.23 x",
        "123 x",
    ]
    assert [megabytes(2**20), megabytes(2**30)] == ["1.0 MB", "1,024 MB"]


def test_the_document_is_filled_from_what_was_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = publish(Report("quality-x", machine(), (TABLE,), {"a": 1}), tmp_path)
    assert json.loads(file.read_text())["numbers"] == {"a": 1}
    assert markdown(TABLE) in capsys.readouterr().out
    before = (
        "# B\n<!-- bench:quality-x -->\nold\n<!-- /bench -->\n<!-- bench:other -->\nkept\n<!-- /bench -->\n"
    )
    after, filled = refreshed(before, tmp_path)
    assert filled == ["quality-x"]
    assert "old" not in after
    assert "kept" in after
    assert markdown(TABLE) in after
    assert "Measured on A processor" in after
    assert refreshed(after, tmp_path)[0] == after


def test_runs_of_held_out_repositories_are_taken_together(tmp_path: Path) -> None:
    first = {"text and symbol lanes": [2, None], "ohara, no rerank": [1, None], "ohara": [1, 2]}
    second = {"text and symbol lanes": [1, 4], "ohara, no rerank": [1, 2], "ohara": [1, 1]}
    for name, by_system in (("kit", first), ("vector", second), ("pytest", first)):
        asked = [{"name": system, "ranks": found} for system, found in by_system.items()]
        numbers = {"with messages": asked, "message-blind": asked}
        (tmp_path / f"quality-{name}.json").write_text(json.dumps({"numbers": numbers}), encoding="utf-8")
    levels, gains = together(tmp_path).tables
    assert [row[:5] for row in levels.rows] == [
        ("kit", "2", ".250", ".500", ".750"),
        ("vector", "2", ".625", ".750", "1.000"),
        ("all", "4", ".438", ".625", ".875"),
    ]
    assert [row[1].split()[0] for row in gains.rows] == ["+.250", "+.125", "+.188"]
    assert gains.rows[-1][3].startswith("+.250 [")
