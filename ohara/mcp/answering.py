"""How each tool answers: what it asks of the service, and which words that is given."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ohara import query, wire
from ohara.errors import UsageError
from ohara.mcp.asking import DEADLINE_MS
from ohara.mcp.commit import commit_json, commit_text, read_start
from ohara.mcp.found import fitted, fitted_json, found_json, found_text
from ohara.mcp.overview import status_text
from ohara.mcp.related import related_json, related_text
from ohara.model import WHOLE_HUNK, ExplainOptions, Filters, Mode, Polarity, SearchOptions
from ohara.present.hunks import whole_hunks

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ohara.mcp.arguments import ExplainChange, FindPattern, HistoryStatus, RelatedChanges, ShowCommit
    from ohara.mcp.asking import Asking, Progress
    from ohara.mcp.repositories import Chosen
    from ohara.model import Results

T = TypeVar("T")

_SIDES = {"any": Polarity.ANY, "added": Polarity.ADDED, "removed": Polarity.REMOVED}
_CURSOR = re.compile(r"(\d{1,12})-([A-Za-z0-9_-]+)")


async def find_pattern(asking: Asking, given: FindPattern, progress: Progress) -> str:
    """The best hits for a pattern."""
    chosen = await asking.chosen(given.repo)
    options = _options(given)

    async def find(count: int) -> wire.Found:
        return await _find(asking, chosen, given.pattern, replace(options, k=count))

    return await _paged(asking, chosen, find, given, progress, now=options.now)


async def explain_change(asking: Asking, given: ExplainChange, progress: Progress) -> str:
    """The commits behind a place, newest first."""
    now, after = _read_cursor(given.after)
    chosen = await asking.chosen(given.repo)
    options = ExplainOptions(
        story=given.oldest_first,
        ref=given.ref or "HEAD",  # lines of the work tree are in no git object
        since=query.parse_date(given.since, now=now) if given.since else None,
        after=after,
        now=now,
    )

    async def explain(count: int) -> wire.Found:
        asked = replace(options, k=count)
        return await asking.send(
            wire.Explain(repo=chosen.path, place=given.place, options=asked, deadline_ms=DEADLINE_MS)
        )

    return await _paged(asking, chosen, explain, given, progress, now=now)


async def _paged(
    asking: Asking,
    chosen: Chosen,
    find: Callable[[int], Awaitable[wire.Found]],
    given: FindPattern | ExplainChange,
    progress: Progress,
    *,
    now: int | None,
) -> str:
    """One page of hits within the budget; `find` asks for so many."""
    found, remarks = await asking.about(chosen, partial(find, given.k), progress)
    results = found.results
    if given.format == "json":
        count = fitted_json(results, given.budget, remarks=remarks)
    else:
        fit = fitted(results, given.budget, now=time.time(), remarks=remarks)
        count = fit.count
    following = results.next_cursor
    if count < len(results.hits):  # the next page begins with the hits that did not fit
        following = (await find(count)).results.next_cursor if count else None
    # Dates in the filters count from the first page's moment, so that all pages are of one answer.
    results = replace(results, next_cursor=f"{now}-{following}" if following else None)
    if given.format == "json":
        left_out = len(results.hits) - count
        return found_json(
            replace(results, hits=results.hits[:count]), given.budget, left_out=left_out, remarks=remarks
        )
    return found_text(results, fit, given.budget, now=time.time(), remarks=remarks)


async def _find(asking: Asking, chosen: Chosen, pattern: str, options: SearchOptions) -> wire.Found:
    return await asking.send(
        wire.Find(
            repo=chosen.path,
            query=pattern,
            options=options,
            deadline_ms=DEADLINE_MS,
            implied=not chosen.named,
        )
    )


def _options(given: FindPattern) -> SearchOptions:
    now, after = _read_cursor(given.after)
    return SearchOptions(
        k=given.k,
        mode=Mode(given.mode),
        filters=Filters(
            authors=_read(query.parse_author, given.author),
            paths=_read(query.parse_path_glob, given.path),
            not_paths=_read(query.parse_path_glob, given.not_path),
            langs=_read(query.parse_lang, given.lang),
            since=query.parse_date(given.since, now=now) if given.since else None,
            until=query.parse_date(given.until, now=now, end=True) if given.until else None,
            kinds=_read(query.parse_kind, given.kind),
            refs=_read(query.parse_ref, given.ref),
            messages=_read(query.parse_message, given.message),
            symbols=_read(query.parse_symbol, given.symbol),
        ),
        polarity=_SIDES[given.side],
        rerank=False if given.no_rerank else None,
        after=after,
        context=None if given.format == "json" else WHOLE_HUNK,
        now=now,
    )


def _read_cursor(after: str) -> tuple[int, str | None]:
    if not after:
        return int(time.time()), None
    cursor = _CURSOR.fullmatch(after)
    if not cursor:
        raise UsageError(
            f"{after[:40]!r} is not a cursor", hint="take `after` from the answer before; since= takes a date"
        )
    return int(cursor[1]), cursor[2]


def _read(parse: Callable[[str], T], value: str) -> tuple[T, ...]:
    """The values of a filter; an empty one is none."""
    return (parse(value),) if value else ()


async def show_commit(asking: Asking, given: ShowCommit, progress: Progress) -> str:
    """A commit and its hunks."""
    start = read_start(given.after)
    paths = tuple(map(query.parse_path_glob, given.paths))
    chosen = await asking.chosen(given.repo)
    describe = partial(asking.send, wire.Describe(repo=chosen.path, commit=given.rev))
    described, remarks = await asking.about(chosen, describe, progress)
    results = await _hunks(asking, chosen, described.details.commit.sha, paths)
    if not results.hits and paths and described.details.files:
        names = ", ".join(file.path for file in described.details.files[:10])
        raise UsageError(
            f"the commit changes no file that matches {', '.join(paths)}", hint=f"it changes {names}"
        )
    hunks = whole_hunks(results.hits)
    if given.format == "json":
        return commit_json(results, hunks, start=start, budget=given.budget)
    return commit_text(
        described.details, results, hunks, start=start, budget=given.budget, now=time.time(), remarks=remarks
    )


async def _hunks(asking: Asking, chosen: Chosen, sha: str, paths: Sequence[str]) -> Results:
    options = SearchOptions(
        k=0, rerank=False, all_hunks=True, context=WHOLE_HUNK, filters=Filters(paths=tuple(paths))
    )
    return (await _find(asking, chosen, sha, options)).results


async def related_changes(asking: Asking, given: RelatedChanges, progress: Progress) -> str:
    """What changes together with a target."""
    chosen = await asking.chosen(given.repo)
    request = wire.RelatedRequest(repo=chosen.path, place=given.target, k=given.k, deadline_ms=DEADLINE_MS)
    reply, remarks = await asking.about(chosen, partial(asking.send, request), progress)
    if given.format == "json":
        return related_json(reply.related, given.budget)
    status = (await asking.send(wire.Status(repo=chosen.path))).status
    return related_text(reply.related, status, given.budget, now=time.time(), remarks=remarks)


async def history_status(asking: Asking, given: HistoryStatus, progress: Progress) -> str:
    """How the index stands."""
    chosen = await asking.chosen(given.repo)
    ask = partial(asking.send, wire.Status(repo=chosen.path))
    reply, remarks = await asking.about(chosen, ask, progress)
    others = await asking.indexed()
    return status_text(
        reply.status, indexing=reply.indexing is not None, others=others, now=time.time(), remarks=remarks
    )
