"""Scheduling: what is written is what the system's own tools accept, and all of it can be taken back."""

from __future__ import annotations

import os
import plistlib
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ohara.errors import OharaError, UsageError
from ohara.setup import cron, launchd, systemd
from ohara.setup.job import Job, in_words, make_job, parse_every
from ohara.setup.schedule import read_record
from tests.indexing import index
from tests.process import ROOT, ohara

if TYPE_CHECKING:
    from fixtures.git import Repo

AWKWARD = Job(
    command=("/opt/my tools/python", "-m", "ohara", "schedule", "run", "--repo", '/srv/100% "sure" $HOME\\x'),
    every_s=900,
    environment=(("OHARA_HOME", "/srv/a b%c"),),
)

# A crontab program that keeps its table in a file, for machines without cron.
FAKE_CRONTAB = """#!/bin/sh
table="$HOME/.fake-crontab"
case "$1" in
  -l) [ -f "$table" ] || { echo "no crontab for nobody" >&2; exit 1; }; cat "$table" ;;
  -r) rm "$table" ;;
  -) cat > "$table" ;;
esac
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with a home, a crontab in it and no systemd session."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "crontab").write_text(FAKE_CRONTAB)
    (tools / "crontab").chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("15m", 900), ("1m", 60), ("90s", 90), ("2h", 7_200), ("1d", 86_400), (" 7D ", 604_800)],
)
def test_times_are_read_and_written_back(text: str, seconds: int) -> None:
    assert parse_every(text) == seconds
    assert parse_every(in_words(seconds)) == seconds


@pytest.mark.parametrize("text", ["", "15", "m", "59s", "8d", "-5m", "1.5h", "99999999m"])
def test_a_time_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="one minute to seven days"):
        parse_every(text)


# -- what is written -----------------------------------------------------------------------------


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    job = Job((sys.executable, *AWKWARD.command[1:]), AWKWARD.every_s, AWKWARD.environment)
    (tmp_path / systemd.SERVICE).write_text(systemd.service_text(job))
    (tmp_path / systemd.TIMER).write_text(systemd.timer_text(job))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", tmp_path / systemd.SERVICE, tmp_path / systemd.TIMER],
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    complaints = [line for line in done.stderr.splitlines() if str(tmp_path) in line or "ohara" in line]
    assert (complaints, done.returncode) == ([], 0)


def test_systemd_reads_words_back_as_they_were() -> None:
    service = systemd.service_text(AWKWARD)
    assert (
        'ExecStart="/opt/my tools/python" "-m" "ohara" "schedule" "run" "--repo" '
        '"/srv/100%% \\"sure\\" $$HOME\\\\x"\n'
    ) in service
    assert 'Environment="OHARA_HOME=/srv/a b%%c"\n' in service
    assert "OnUnitInactiveSec=900s\n" in systemd.timer_text(AWKWARD)


def test_the_property_list_parses_to_the_job() -> None:
    read = plistlib.loads(launchd.plist_text(AWKWARD).encode())
    assert tuple(read["ProgramArguments"]) == AWKWARD.command
    assert (read["StartInterval"], read["Label"]) == (900, launchd.LABEL)
    assert read["EnvironmentVariables"] == {"OHARA_HOME": "/srv/a b%c"}


def test_the_crontab_line_runs_the_job_through_a_shell() -> None:
    begin, line, end = cron.block(AWKWARD).splitlines()
    assert (begin, end) == (cron.BEGIN, cron.END)
    assert line.startswith("*/15 * * * * ")
    assert "%" not in line.replace("\\%", "")
    command = line.removeprefix("*/15 * * * * ").replace("\\%", "%").removesuffix(" >/dev/null 2>&1")
    assert shlex.split(command) == ["env", "OHARA_HOME=/srv/a b%c", "nice", "-n", "10", *AWKWARD.command]


@pytest.mark.parametrize(
    ("every", "fields"),
    [
        ("1m", "* * * * *"),
        ("20m", "*/20 * * * *"),
        ("1h", "0 * * * *"),
        ("6h", "0 */6 * * *"),
        ("1d", "0 9 * * *"),
    ],
)
def test_cron_times(every: str, fields: str) -> None:
    assert cron.times(parse_every(every)) == fields


@pytest.mark.parametrize("every", ["7m", "90s", "90m", "5h", "2d"])
def test_cron_refuses_what_it_cannot_express(every: str) -> None:
    with pytest.raises(UsageError, match=f"every {in_words(parse_every(every))}"):
        cron.times(parse_every(every))


@pytest.mark.parametrize(
    "table", ["", "# mine\n5 4 * * * true\n", "MAILTO=x\n5 4 * * * no newline at the end"]
)
def test_a_crontab_block_comes_and_goes_without_a_trace(table: str) -> None:
    once = cron.with_block(table, cron.block(AWKWARD))
    assert once.startswith(table)
    assert cron.with_block(once, cron.block(AWKWARD)) == once
    assert cron.without_block(once).rstrip("\n") == table.rstrip("\n")
    below = f"{once}1 1 * * * later\n"
    other = Job(("true",), 3600)
    changed = cron.with_block(below, cron.block(other))
    assert changed.count(cron.BEGIN) == 1
    assert "100" not in changed
    assert cron.without_block(changed).endswith("1 1 * * * later\n")


def test_a_crontab_block_without_an_end_is_not_guessed_at() -> None:
    with pytest.raises(OharaError, match="lost its last line"):
        cron.without_block(f"{cron.BEGIN}\n* * * * * mine\n")


def test_a_path_that_no_schedule_can_hold_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot name the path"):
        make_job([Path("/srv/two\nlines")], 900)


# -- as a person uses it -------------------------------------------------------------------------


def test_install_status_and_remove_with_cron(home: Path, three_commits: Repo) -> None:
    table = home / ".fake-crontab"
    table.write_text("5 4 * * * backup\n")
    arguments = ("schedule", "install", "--via", "cron", "--every", "30m", "--repo", str(three_commits.path))
    preview = ohara(*arguments, "--dry-run")
    assert (preview.returncode, table.read_text()) == (0, "5 4 * * * backup\n")
    done = ohara(*arguments)
    assert (done.returncode, done.stdout) == (0, "wrote crontab\nindexing every 30m, by cron\n")
    written = table.read_text()
    assert written.startswith("5 4 * * * backup\n")
    assert written.removeprefix("5 4 * * * backup\n") in preview.stdout
    assert f"--repo {three_commits.path}" in written
    ohara(*arguments)
    assert table.read_text() == written
    status = ohara("schedule", "status")
    assert status.returncode == 0
    assert "cron: on\n" in status.stdout
    assert "every 30m\nlast run  not yet\nnext run  in about 30 minutes\n" in status.stdout
    assert ohara("schedule", "remove").stdout == "removed crontab\n"
    assert table.read_text() == "5 4 * * * backup\n"
    assert ohara("schedule", "remove").returncode == 1
    assert ohara("schedule", "status").returncode == 1


def test_the_scheduled_command_line_indexes_what_is_new(home: Path, three_commits: Repo) -> None:
    engine = index(three_commits)
    ohara("schedule", "install", "--via", "cron")
    told = ohara("status", "--repo", str(three_commits.path)).stdout
    assert told.endswith("next run    in about 15 minutes (ohara schedule status)\n")
    three_commits.git("commit", "-q", "--allow-empty", "-m", "new")
    assert engine.status().behind == 1
    line = (home / ".fake-crontab").read_text().splitlines()[1]
    done = subprocess.run(
        ["/bin/sh", "-c", line.removeprefix("*/15 * * * * ").replace("\\%", "%")],
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": str(ROOT)},
        cwd="/",
        check=False,
    )
    assert done.returncode == 0
    status = engine.status()
    assert (status.behind, status.indexed) == (0, 4)
    assert status.last_run is not None
    assert (status.last_run.scheduled, status.last_run.outcome) == (True, "finished")
    record = read_record()
    assert record is not None
    assert record.last_run is not None
    told = ohara("status", "--repo", str(three_commits.path)).stdout
    assert re.search(r"^last run    \d+ \w+ ago, scheduled, [0-9.]+ s, finished$", told, re.MULTILINE)


def test_a_lost_repository_does_not_stop_the_others(three_commits: Repo, tmp_path: Path) -> None:
    engine = index(three_commits)
    three_commits.git("commit", "-q", "--allow-empty", "-m", "new")
    done = ohara("schedule", "run", "--repo", str(tmp_path / "gone"), "--repo", str(three_commits.path))
    assert done.returncode == 2
    assert done.stderr == f"{tmp_path}/gone: {tmp_path}/gone does not exist\n"
    assert engine.status().behind == 0


def test_systemd_files_are_written_even_to_be_looked_at_only(home: Path) -> None:
    done = ohara("schedule", "install", "--via", "systemd", "--dry-run")
    assert done.returncode == 0
    assert f"# {home}/.config/systemd/user/ohara-index.timer\n" in done.stdout
    assert "$ systemctl --user --no-ask-password enable --now ohara-index.timer\n" in done.stdout
    assert not (home / ".config").exists()
