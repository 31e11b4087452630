"""Schedules with a marked block in the user's crontab; lines outside the block are never touched."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from ohara.errors import OharaError, UsageError
from ohara.setup import subprocesses
from ohara.setup.job import Installed, Preview, Text, in_words

if TYPE_CHECKING:
    from ohara.setup.job import Job

BEGIN = "# >>> ohara schedule: written by `ohara schedule install`, taken away by `ohara schedule remove` >>>"
END = "# <<< ohara schedule <<<"
_PLACE = "crontab"


class Cron:
    """Schedules with a block in the user's crontab."""

    name = "cron"

    def available(self) -> bool:
        """True when there is a `crontab` program."""
        return subprocesses.has("crontab")

    def preview(self, job: Job) -> Preview:
        """The block alone, not the user's other lines."""
        return Preview(texts=(Text(_PLACE, block(job)),), commands=(("crontab", "-"),))

    def install(self, job: Job) -> None:
        """Write the block into the crontab, replacing an earlier one."""
        before = _read()
        after = with_block(before, block(job))
        if after != before:
            subprocesses.must(("crontab", "-"), stdin=after)

    def installed(self) -> Installed | None:
        """The block, if the crontab has one."""
        if not self.available() or BEGIN not in (table := _read()).splitlines():
            return None
        inside = table.partition(BEGIN)[2].partition(END)[0].strip().splitlines()
        return Installed((_PLACE,), active=True, command=inside[-1] if inside else "")

    def remove(self) -> tuple[str, ...]:
        """Remove the block from the crontab."""
        if self.installed() is None:
            return ()
        after = without_block(_read())
        subprocesses.must(("crontab", "-"), stdin=after) if after else subprocesses.must(("crontab", "-r"))
        return (_PLACE,)


def block(job: Job) -> str:
    """The marked lines; percent signs are escaped, as cron reads them as line ends."""
    words = ["nice", "-n", "10", *job.command]
    if job.environment:
        words = ["env", *(f"{name}={value}" for name, value in job.environment), *words]
    command = shlex.join(words).replace("%", "\\%")
    return f"{BEGIN}\n{times(job.every_s)} {command} >/dev/null 2>&1\n{END}\n"


def times(every_s: int) -> str:
    """The five time fields; cron only has steps that divide the hour or the day."""
    minutes = every_s // 60
    if every_s % 60 == 0:
        if minutes < 60 and 60 % minutes == 0:
            return f"*/{minutes} * * * *" if minutes > 1 else "* * * * *"
        if minutes % 60 == 0 and (hours := minutes // 60) < 24 and 24 % hours == 0:
            return f"0 */{hours} * * *" if hours > 1 else "0 * * * *"
        if minutes == 24 * 60:
            return "0 9 * * *"
    raise UsageError(
        f"cron cannot run something every {in_words(every_s)}",
        hint="choose a step that divides the hour or the day, such as 15m, 30m, 1h, 6h or 1d",
    )


def with_block(table: str, lines: str) -> str:
    """The crontab with the block in place of the old one, or at its end."""
    if BEGIN in table.splitlines():
        before, _, rest = table.partition(BEGIN)
        _, _, after = _closed(rest)
        return before + lines + after.removeprefix("\n")
    gap = "" if not table or table.endswith("\n") else "\n"
    return f"{table}{gap}{lines}"


def without_block(table: str) -> str:
    """The crontab without the block."""
    if BEGIN not in table.splitlines():
        return table
    before, _, rest = table.partition(BEGIN)
    _, _, after = _closed(rest)
    return before + after.removeprefix("\n")


def _closed(rest: str) -> tuple[str, str, str]:
    inside, end, after = rest.partition(END)
    if not end:
        raise OharaError(
            "the block of ohara in your crontab has lost its last line",
            hint=f"run crontab -e and put back: {END}",
        )
    return inside, end, after


def _read() -> str:
    done = subprocesses.run(("crontab", "-l"))
    if done.returncode and "no crontab" not in done.stderr.lower():
        said = done.stderr.strip().splitlines()
        raise OharaError(
            f"crontab cannot be read: {said[0] if said else done.returncode}",
            hint="try it by hand: crontab -l",
        )
    return "" if done.returncode else done.stdout
