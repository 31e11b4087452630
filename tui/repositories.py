"""The data of the repositories screen: freshness, size and progress of each repository. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from ohara.wire import JobState
from tui.formats import age, count, duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import IndexStatus, Progress
    from ohara.wire import Health, Registered

_BAR = 10
_FULL, _EMPTY = "━", "╌"  # two weights: no colour is needed to tell them apart


@dataclass(frozen=True, slots=True)
class RepositoryInfo:
    """One indexed repository; `job` is the last known state of its index job."""

    path: str
    size_bytes: int
    status: IndexStatus | None
    fault: str = ""
    hint: str = ""
    job: JobState | None = None

    @property
    def name(self) -> str:
        """A short name for people: the folder's."""
        return PurePath(self.path).name.removesuffix(".git") or self.path

    @property
    def is_busy(self) -> bool:
        """True while it is being indexed or waits for that."""
        return self.job is not None and self.job.state in {"queued", "running", "progress"}


def list_repositories(
    found: Sequence[Registered], vitals: Health | None, before: Sequence[RepositoryInfo] = ()
) -> tuple[RepositoryInfo, ...]:
    """All indexed repositories by name, with what the service is doing to them.

    An earlier failure stays shown until another job event of that repository.
    """
    failed = {each.path: each.job for each in before if each.job is not None and each.job.state == "failed"}
    known = [
        RepositoryInfo(
            each.repository,
            each.size_bytes,
            each.status,
            each.fault,
            each.hint,
            job=failed.get(each.repository),
        )
        for each in found
    ]
    known.sort(key=lambda each: (each.name.lower(), each.path))
    repositories = tuple(known)
    if vitals is not None:
        jobs = [JobState(path, "queued", "") for path in vitals.queued]
        for job in (*jobs, *([vitals.running] if vitals.running is not None else [])):
            repositories = with_job(repositories, job)
    return repositories


def with_job(repositories: Sequence[RepositoryInfo], job: JobState) -> tuple[RepositoryInfo, ...]:
    """The same repositories after a job of one of them changed."""
    return tuple(replace(each, job=job) if is_about(job, each.path) else each for each in repositories)


def is_about(job: JobState, path: str) -> bool:
    """True when a job is about the repository at a path; a job names its git folder."""
    about = PurePath(job.repository)
    return PurePath(path) in ({about, about.parent} if about.name == ".git" else {about})


def freshness(known: RepositoryInfo) -> tuple[str, str]:
    """The state of a repository in a few words, and their tone."""
    job, status = known.job, known.status
    if job is not None and job.state == "progress" and job.progress is not None:
        return progress(job.progress), "accent"
    if job is not None and job.state == "running":
        return "indexing", "accent"
    if job is not None and job.state == "queued":
        return "waits to be indexed", "accent"
    if job is not None and job.state == "failed":
        return job.detail or "indexing failed", "warning"
    if status is None:
        return known.fault or "cannot be read", "bad"
    if status.behind:
        return f"{status.behind:,} behind", "warning"
    unfinished = [each for each in status.passes if each.done < each.total]
    if unfinished:
        left = unfinished[0]
        return f"{left.stage} {bar(left.done, left.total)}", "accent"
    return "up to date", "good"


def progress(moment: Progress) -> str:
    """The progress of a pass and the time left."""
    left = ""
    if moment.done and moment.elapsed_s and moment.total > moment.done:
        left = f" {duration(moment.elapsed_s / moment.done * (moment.total - moment.done))} left"
    return f"{moment.stage} {bar(moment.done, moment.total)}{left}"


def bar(done: int, total: int) -> str:
    """A share as a bar and a number."""
    share = done / total if total else 1.0
    filled = min(_BAR, int(share * _BAR))
    return f"{_FULL * filled}{_EMPTY * (_BAR - filled)} {share:4.0%}"


def details(known: RepositoryInfo, *, now: float) -> list[tuple[str, str]]:
    """The details of one repository: labels and values."""
    rows = [("path", known.path)]
    status = known.status
    if status is None:
        rows.append(("fault", known.fault or "the index cannot be read"))
        return [*rows, ("hint", known.hint)] if known.hint else rows
    rows.append(("commits", f"{status.indexed:,} of {status.commits:,} indexed"))
    rows.append(
        ("hunks", f"{status.hunks:,} ({status.contents:,} different), {count(status.symbols, 'symbol')}")
    )
    rows += [(str(each.stage), bar(each.done, each.total)) for each in status.passes]
    if status.refs:
        names = ", ".join(
            name.removeprefix("refs/heads/").removeprefix("refs/remotes/") for name, _ in status.refs
        )
        rows.append(("refs", names))
    if status.left_out:
        kinds = ", ".join(f"{number:,} {reason}" for reason, number in status.left_out)
        rows.append(("left out", kinds))
    if status.failures:
        rows.append(("failed", f"{count(len(status.failures), 'commit')}: {status.failures[0].reason}"))
    if status.last_run is not None:
        run = status.last_run
        how = "on schedule" if run.scheduled else "when asked"
        ago = age(run.started, now=now)
        began = "just now" if ago == "now" else f"{ago} ago"
        when = f"{began}, took {duration(run.elapsed_s)}, {how}: {run.outcome}"
        rows.append(("last run", when))
    return rows
