"""Results as JSON: one stable object, described in docs/json.md.

Under one schema number, keys are never removed and never change their meaning. The output is ASCII: text from
a repository is kept exactly, as escapes, and cannot disturb a terminal.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ohara.model import Part, Pass
from ohara.present.times import rfc3339

if TYPE_CHECKING:
    from ohara.errors import OharaError
    from ohara.model import Explained, Fate, Hit, LiteralSpan, MatchCount, Results, Thread

SCHEMA = 1

_LATER_PASSES = (Pass.SYMBOL, Pass.LINES, Pass.VECTOR)

_SCORE_DIGITS = 6  # finer differences are noise of floating point


def results_object(results: Results, *, name: object = None) -> dict[str, object]:
    """The results as an object; `name` is the id of the query in a batch."""
    query, index = results.query, results.index
    passes = {status.stage: [status.done, status.total] for status in index.passes}
    said: dict[str, object] = {"schema": SCHEMA}
    if name is not None:
        said["id"] = name
    said |= {
        "query": query.source,
        "mode": query.mode.value,
        "class": query.query_class.value,
        "intent": query.intent.value,
        "fusion": results.fusion,
        "took_ms": round(results.took_ms, 1),
        "index": {
            "commits": index.commits,
            "indexed": index.indexed,
            "behind": index.behind,
            "shared": index.shared or None,
        },
        "passes": {stage.value: passes.get(stage, [0, 0]) for stage in _LATER_PASSES},
        "lanes": [
            {
                "name": lane.name,
                "status": lane.status.value,
                "count": lane.count,
                "ms": round(lane.elapsed_ms, 1),
                "repository": lane.repository or None,
            }
            for lane in results.lanes
        ],
        "notes": list(results.notes),
        "repositories": [_part(part) for part in results.parts or (Part(index, len(results.hits)),)],
        "unanswered": [{"repository": each.repository, "reason": each.reason} for each in results.unanswered],
        "total": results.total,
        "unmatched": list(results.unmatched),
    }
    if results.literal is not None:
        said["literal"] = _literal(results.literal)
    return said | {
        "hits": [hit_object(hit) for hit in results.hits],
        "threads": [thread_object(thread) for thread in results.threads],
        "next": results.next_cursor,
    }


def _part(part: Part) -> dict[str, object]:
    index = part.index
    said: dict[str, object] = {
        "repository": index.repository,
        "commits": index.commits,
        "indexed": index.indexed,
        "behind": index.behind,
        "hits": part.hits,
    }
    return said | {"literal": _literal(part.literal)} if part.literal is not None else said


def hit_object(hit: Hit) -> dict[str, object]:
    """One hit, with everything that is known about it; `explained` only where a place was explained."""
    said = _hit(hit)
    return said | {"explained": _explained(hit, hit.explained)} if hit.explained else said


def _explained(hit: Hit, explained: Explained) -> dict[str, object]:
    arrival = explained.arrival
    return {
        "role": explained.role.value,
        "lines": [explained.first, explained.last] if explained.first else None,
        "old_lines": [explained.old_first, explained.old_last] if explained.old_first else None,
        "moved_from": explained.moved_from,
        "omitted": explained.omitted,
        "message": hit.commit.message,
        "email": hit.commit.email,
        "merge": arrival.merge,
        "merge_subject": arrival.merge_subject or None,
        "pull": arrival.pull,
        "tag": arrival.tag,
    }


def _hit(hit: Hit) -> dict[str, object]:
    commit = hit.commit
    return {
        "rank": hit.rank,
        "score": round(hit.score, _SCORE_DIGITS),
        "repository": hit.repository,
        "commit": commit.sha,
        "hunk": hit.hunk,
        "subject": commit.subject,
        "author": commit.author,
        "date": rfc3339(commit.committer_time, commit.committer_offset),
        "path": hit.path,
        "old_path": hit.old_path,
        "kind": hit.kind.value,
        "line": hit.line,
        "old_line": hit.old_line,
        "symbol": hit.symbol,
        "excerpt": hit.excerpt,
        "matches": [[match.line, match.start, match.end] for match in hit.matches if not match.name],
        "above": hit.above,
        "below": hit.below,
        "lanes": dict(hit.lanes),
        "lane_scores": {lane: round(score, _SCORE_DIGITS) for lane, score in hit.lane_scores.items()},
        "fused": round(hit.fused, _SCORE_DIGITS),
        "rerank": None if hit.rerank is None else round(hit.rerank, _SCORE_DIGITS),
        "recency": round(hit.recency, _SCORE_DIGITS),
        "more_in_commit": hit.more_in_commit,
        "structural": _structural(hit.structural),
        "also_in": list(hit.also_in),
        "also_on": [{"commit": copy.sha, "branches": list(copy.branches)} for copy in hit.also_on],
        "fate": _fate(hit.fate) if hit.fate else None,
        "thread": hit.thread,
        "url": hit.url or None,
        "tag": hit.tag,
    }


def _commit_fate(fate: Fate) -> dict[str, object]:
    return {
        "state": fate.state.value,
        "kept": fate.kept,
        "of": fate.of,
        "path": fate.path,
        "line": fate.line,
        "by": fate.by,
    }


def _fate(fate: Fate) -> dict[str, object]:
    returned = fate.returned
    return _commit_fate(fate) | {
        "returned": {
            "lines": returned.lines,
            "of": returned.of,
            "path": returned.path,
            "line": returned.line,
            "by": returned.by,
        }
        if returned
        else None,
    }


def thread_object(thread: Thread) -> dict[str, object]:
    """One thread, with its commits in their order."""
    return {
        "id": thread.id,
        "title": thread.title,
        "since": rfc3339(thread.since, 0),
        "until": rfc3339(thread.until, 0),
        "authors": list(thread.authors),
        "likely": thread.likely,
        "commits": [
            {
                "commit": commit.sha,
                "subject": commit.subject,
                "author": commit.author,
                "date": rfc3339(commit.time, 0),
                "why": commit.why,
                "matched": commit.matched,
                "fate": _commit_fate(commit.fate) if commit.fate else None,
            }
            for commit in thread.commits
        ],
    }


def _structural(count: MatchCount | None) -> dict[str, object] | None:
    if count is None:
        return None
    return {"before": count.before, "after": count.after, "captures": dict(count.captures)}


def error_object(error: OharaError, *, name: object = None) -> dict[str, object]:
    """The object that a batch prints for a line that failed."""
    return {"id": name, "error": {"message": error.message, "hint": error.hint}}


def written(said: dict[str, object]) -> str:
    """The object as one line of JSON."""
    return json.dumps(said, separators=(",", ":"))


def _literal(span: LiteralSpan) -> dict[str, object]:
    return {
        "first": span.first,
        "last": span.last,
        "by_year": {str(year): count for year, count in span.by_year},
        "scope": span.scope.value,
        "introduced": span.introduced,
        "gone": span.gone,
        "head": {
            "commit": span.head.commit,
            "lines": span.head.lines,
            "files": span.head.files,
            "exact": span.head.exact,
        }
        if span.head
        else None,
    }
