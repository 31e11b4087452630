"""Results as text for people: each hit with its number, date, path and diff.

Everything that came from a repository passes through `sanitize` here, one line at a time, before any colour
is added. Nothing is printed: lines are returned; remarks for stderr (`summary`, `warnings`) are separate.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from ohara.fate_phrase import fate_phrase
from ohara.match_count_phrase import match_count_phrase
from ohara.model import CUT_OFF, NOWHERE, Intent, LaneStatus, Pass, QueryClass, SpanScope
from ohara.plural import counted, plural
from ohara.present.columns import pieces, width_of, words
from ohara.present.explained import (
    MESSAGE_LINES,
    STORY_LINES,
    arrival_words,
    message_lines,
    omitted_words,
    role_words,
)
from ohara.present.style import PLAIN, Ink, Style
from ohara.present.times import RELATIVE, written_date
from ohara.records import dataclass
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ohara.model import Copy, Hit, LaneReport, LiteralSpan, Match, Query, Results, Sha

SHORT_SHA = 10  # git itself shows seven to twelve; ten tell a million commits apart

_TAB = "    "
_NARROWEST = 20  # below this nothing is readable; wrapping there would only make it longer


@dataclass(frozen=True, slots=True)
class Page:
    """How to lay out text: the width (None does not wrap), the style, the current time, and `explain`.

    `several`: the hits are of more than one repository, so that each names its own. `story`:
    messages are whole. `date` is a style of git's --date, `urls` says that pages on the web are named.
    """

    now: float
    width: int | None = None
    style: Style = PLAIN
    explain: bool = False
    several: bool = False
    story: bool = False
    date: str = RELATIVE
    urls: bool = False


def hit_lines(hit: Hit, page: Page, *, numbered: bool = True) -> list[str]:
    """One hit: author and date, subject, path, excerpt, and how it was found."""
    margin = " " * (len(str(hit.rank)) + 2)
    return [
        *_head(hit, page, margin, f"{hit.rank}." if numbered else ""),
        *(_message(hit, page, margin) if hit.explained else ()),
        *(_repository(hit, page, margin) if page.several else ()),
        *_place(hit, page, margin),
        *_match_count(hit, page, margin),
        *_fate(hit, page, margin),
        *(_url(hit, page, margin) if page.urls else ()),
        *_diff(hit, page, margin),
        *_company(hit, page, margin),
        *(_reasons(hit, page, margin) if page.explain else ()),
    ]


def _head(hit: Hit, page: Page, margin: str, rank: str) -> Iterator[str]:
    style = page.style
    commit = hit.commit
    sha, when, author = (
        commit.sha[:SHORT_SHA],
        written_date(commit.committer_time, commit.committer_offset, page.date, now=page.now),
        sanitize(commit.author),
    )
    number = style.ink(rank.ljust(len(margin)), Ink.QUIET)
    line = f"{number}{style.ink(sha, Ink.COMMIT)} · {style.ink(when, Ink.QUIET)}"
    taken = width_of(f"{margin}{sha} · {when} · {author}")
    if page.width is None or taken <= page.width:
        yield f"{line} · {author}"
    else:
        yield line
        yield from (margin + part for part in wrapped(author, page, margin))
    for part in wrapped(sanitize(commit.subject) or "(no message)", page, margin):
        yield margin + style.ink(part, Ink.SUBJECT)


def _repository(hit: Hit, page: Page, margin: str) -> Iterator[str]:
    for part in wrapped(sanitize(hit.repository), page, margin):
        yield margin + page.style.ink(part, Ink.QUIET)


def _match_count(hit: Hit, page: Page, margin: str) -> Iterator[str]:
    """How many matches of a pattern of syntax a change added or took away, and what its names stand for."""
    if hit.structural is not None:
        for line in wrapped(sanitize(match_count_phrase(hit.structural)), page, margin):
            yield margin + page.style.ink(line, Ink.QUIET)


def _place(hit: Hit, page: Page, margin: str) -> Iterator[str]:
    if not hit.path:
        return
    style = page.style
    old = f"{sanitize(hit.old_path)} → " if hit.old_path and hit.old_path != hit.path else ""
    number = hit.line or hit.old_line
    where = f"{old}{sanitize(hit.path)}{f':{number}' if number and hit.excerpt else ''}"
    kind = "" if hit.excerpt and hit.kind == "modified" else f" ({hit.kind})"
    symbol = f" · {sanitize(hit.symbol)}" if hit.symbol else ""
    for start, end in _cut(where + kind + symbol, page, margin):
        yield margin + "".join(
            style.ink((where + kind + symbol)[max(start, low) : min(end, high)], *ink)
            for low, high, ink in (
                (0, len(where), (Ink.PATH,)),
                (len(where), len(where) + len(kind), (Ink.QUIET,)),
                (len(where) + len(kind), len(where) + len(kind) + len(symbol), (Ink.SYMBOL,)),
            )
            if max(start, low) < min(end, high)
        )


def _fate(hit: Hit, page: Page, margin: str) -> Iterator[str]:
    """What became of the hunk's lines, in one line."""
    said = (
        fate_phrase(hit.fate, lambda moment: written_date(moment, 0, page.date, now=page.now))
        if hit.fate
        else ""
    )
    for part in wrapped(sanitize(said), page, margin) if said else ():
        yield margin + page.style.ink(part, Ink.QUIET)


def _url(hit: Hit, page: Page, margin: str) -> Iterator[str]:
    """The hit's page on the web, never wrapped: it is to be clicked or copied."""
    yield margin + page.style.ink(
        sanitize(hit.url) or "(no page on the web: the remote is no forge)", Ink.QUIET
    )


def _diff(hit: Hit, page: Page, margin: str) -> Iterator[str]:
    if not hit.excerpt:
        return
    if hit.above:
        yield margin + page.style.ink(_GOES_ON, Ink.QUIET)
    marks: dict[int, list[Match]] = {}
    for match in hit.matches:
        marks.setdefault(match.line, []).append(match)
    for number, line in enumerate(hit.excerpt.split("\n")):
        inks = _SIGN_INKS.get(line[:1], ())
        text, places = _untabbed(line[1:].removesuffix("\r"))
        last = len(places) - 1
        spans = [
            (places[min(match.start, last)], places[min(match.end, last)]) for match in marks.get(number, ())
        ]
        lead = sanitize(line[:1])
        for start, end in _cut(text, page, f"{margin}{lead} "):
            stretches = "".join(
                page.style.ink(text[low:high], *inks, *((Ink.MATCH,) if matched else ()))
                for low, high, matched in _stretches(start, end, spans)
            )
            yield f"{margin}{page.style.ink(lead, *inks)} {stretches}".rstrip()
            lead = " "
    if hit.below:
        yield margin + page.style.ink(_GOES_ON, Ink.QUIET)


_GOES_ON = "…"  # there are more changed lines before or after an excerpt


_SIGN_INKS = {"+": (Ink.ADDED,), "-": (Ink.REMOVED,)}


def _untabbed(text: str) -> tuple[str, list[int]]:
    """The text sanitized, with tabs as spaces, and the new position of each character and of the end."""
    shown = [_TAB if character == "\t" else character for character in sanitize(text, keep="\t")]
    return "".join(shown), [0, *accumulate(map(len, shown))]


def _stretches(start: int, end: int, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, bool]]:
    """A part of a line split at the ends of matches, each piece with whether it matched."""
    edges = sorted({start, end, *(edge for span in spans for edge in span if start < edge < end)})
    for low, high in pairwise(edges):
        yield low, high, any(first <= low and high <= last for first, last in spans)


def _message(hit: Hit, page: Page, margin: str) -> Iterator[str]:
    """The rest of the message, where hits tell how something came to be."""
    for line in message_lines(hit, STORY_LINES if page.story else MESSAGE_LINES):
        for part in wrapped(sanitize(line, keep="\t").replace("\t", _TAB), page, margin):
            yield f"{margin}{part}".rstrip()


def _company(hit: Hit, page: Page, margin: str) -> Iterator[str]:
    told: list[str] = []
    if hit.explained:
        told += filter(None, (omitted_words(hit.explained), role_words(hit.explained)))
    if hit.more_in_commit:
        told.append(f"{counted(hit.more_in_commit, 'more hunk')} in this commit")
    elsewhere = [copy for copy in hit.also_on if copy.branches]
    if elsewhere:
        told.append(f"also on {_branches(elsewhere)}")
    named = {copy.sha for copy in elsewhere}
    if others := [sha for sha in hit.also_in if sha not in named]:
        told.append(f"also in {_listed([sha[:SHORT_SHA] for sha in others])}")
    if hit.tag:
        told.append(f"first in {sanitize(hit.tag)}")
    if hit.explained and (arrival := arrival_words(hit.explained)):
        told.append(arrival)
    if told:
        for line in wrapped(" · ".join(told), page, margin):
            yield margin + page.style.ink(line, Ink.QUIET)


_MOST_NAMED = 6  # copies of a change


def _branches(copies: Sequence[Copy]) -> str:
    """Where else a change was made: the branch and the commit, for each."""
    return _listed([f"{sanitize(copy.branches[0])} ({copy.sha[:SHORT_SHA]})" for copy in copies])


def _listed(names: Sequence[str]) -> str:
    """The first few names; the others are counted."""
    more = [f"{len(names) - _MOST_NAMED:,} more"] if len(names) > _MOST_NAMED else []
    return ", ".join([*names[:_MOST_NAMED], *more])


def _reasons(hit: Hit, page: Page, margin: str) -> Iterator[str]:
    """How the hit came to its rank."""
    told = [
        f"{lane} #{rank}{f' ({hit.lane_scores[lane]:.3g})' if lane in hit.lane_scores else ''}"
        for lane, rank in hit.lanes.items()
    ]
    if hit.score:  # a list by date has none
        told.append(f"fused {hit.fused:.4f}")
        told.append(f"rerank {hit.rerank:.3f}" if hit.rerank is not None else "not reranked")
        told.append(f"recency {hit.recency:.3f}")
        told.append(f"score {hit.score:.4f}")
    for line in wrapped(" · ".join(told), page, margin):
        yield margin + page.style.ink(line, Ink.QUIET)


# -- about the answer as a whole -----------------------------------------------------------------


def what_matches(query: Query) -> str:
    """What is counted at HEAD: the lines that hold a text, or the matches of a pattern of code."""
    return "match" if query.query_class == QueryClass.STRUCTURAL else "line"


def span_lines(span: LiteralSpan, page: Page, noun: str) -> list[str]:
    """When a literal was first and last seen, and with `explain` how many commits touched it each year."""
    unread = f" ({counted(span.unread, 'commit')} could not be wholly read)" if span.unread else ""
    lines = wrapped(f"{_came_and_went(span, page)}{_standing(span, noun)}{unread}", page, "")
    if page.explain:
        years = ", ".join(f"{year}: {count}" for year, count in span.by_year)
        lines += wrapped(f"commits by year: {years}", page, "")
    return lines


def _came_and_went(span: LiteralSpan, page: Page) -> str:
    first, last = _dated(span.first, span.first_time, page), _dated(span.last, span.last_time, page)
    if span.scope is SpanScope.READ:
        return _seen(span, page)
    if span.introduced is None or span.introduced_time is None:
        only = f"only in {first}" if span.first == span.last else f"first in {first}, last in {last}"
        return f"{_PART[span.scope]}{only}"
    came = f"introduced in {_dated(span.introduced, span.introduced_time, page)}"
    if span.gone is not None and span.gone_time is not None:
        return f"{came}, gone since {_dated(span.gone, span.gone_time, page)}"
    if span.last == span.introduced:
        return f"{came}, not changed since"
    return f"{came}, last changed in {last}"


def _seen(span: LiteralSpan, page: Page) -> str:
    """The same where commits were not wholly read: what these may hold is not denied."""
    came = f"first seen in {_dated(span.first, span.first_time, page)}"
    if span.introduced is not None and span.introduced_time is not None:
        came = f"introduced in {_dated(span.introduced, span.introduced_time, page)}"
    if span.last == (span.introduced or span.first):
        return came if span.introduced else f"seen only in {_dated(span.first, span.first_time, page)}"
    return f"{came}, last seen in {_dated(span.last, span.last_time, page)}"


_PART = {
    SpanScope.HISTORY: "",
    SpanScope.READ: "",
    SpanScope.INDEXED: "in the commits that are indexed, ",
    SpanScope.FILTERED: "within the filters, ",
}


def _standing(span: LiteralSpan, noun: str) -> str:
    """The literal's matches at HEAD; nothing for several terms, which must meet in one change."""
    if span.gone is not None or (span.scope is SpanScope.HISTORY and span.introduced is None):
        return ""
    if span.scope is SpanScope.READ and span.head is not None and not span.head.lines:
        return "; not seen at HEAD"
    if span.head is None or not (span.head.lines or span.head.exact):
        return "; HEAD not checked"
    if not span.head.lines:
        return "; not at HEAD"
    least = "" if span.head.exact else "at least "
    where = "on " if noun == "line" else ""
    return f"; still {where}{least}{counted(span.head.lines, noun)} at HEAD"


def summary(results: Results, *, explain: bool = False) -> str:
    """One line: how much was searched, how, and how long it took; of each lane when `explain` asks for it."""
    index = results.index
    searched = f"{index.indexed:,} of {index.commits:,}" if index.behind else f"{index.indexed:,}"
    several = f" of {len(results.parts)} repositories" if results.parts else ""
    told = [
        f"{counted(len(results.hits), 'hit')} in {_counted_text(searched, index.indexed, 'commit')}{several}",
        f"read as {_reading(results.query)}",
        *(_lane(report) for report in results.lanes if explain),
        f"{results.took_ms:.0f} ms",
    ]
    return " · ".join(told)


def _reading(query: Query) -> str:
    """What the query was taken for, and what it was taken to ask."""
    if query.intent is Intent.NONE:
        return query.query_class.value
    return f"{query.query_class}, asking for {_ASKED_FOR[query.intent]}"


_ASKED_FOR = {Intent.BEGINNING: "a beginning", Intent.ENDING: "an ending", Intent.CAUSE: "a cause"}


def warnings(results: Results) -> list[str]:
    """Warnings about what is missing from the results: commits, lanes, passes."""
    told = [
        f"{sanitize(each.repository)} did not answer: {sanitize(each.reason)}" for each in results.unanswered
    ]
    told += [
        f"the {report.name} lane{_of(report)} {_STATUS[report.status]}"
        + (f": {sanitize(report.detail)}" if report.detail else "")
        for report in results.lanes
        if report.status in _STATUS
    ]
    index = results.index
    for each in [part.index for part in results.parts] or [index]:
        if each.behind:
            whose = f" of {sanitize(each.repository)}" if results.parts else ""
            told.append(f"searched {each.indexed:,} of {each.commits:,} commits{whose}")
    searched = {report.name for report in results.lanes if report.status in {LaneStatus.OK, LaneStatus.EMPTY}}
    told += [
        f"the {part.stage} lane knows {part.done:,} of {part.total:,} commits (ohara index)"
        for part in index.passes
        if part.done < part.total * _NEARLY_ALL and part.stage in searched - {Pass.LITERAL}
    ]
    # Where nothing was found, what was not read is the reason why that is no answer, and said as such.
    doubted = {results.unread.reason} if results.unread else {CUT_OFF} if results.query.patterns else set()
    told += [sanitize(note) for note in results.notes if results.hits or note not in doubted]
    if not results.hits and any(note.endswith(NOWHERE) for note in results.notes):
        told.append("--mode hybrid shows what comes nearest")
    return told


# The later passes of the few commits that a search indexes first wait for the next run, which needs no
# warning. An exact search reads by itself what its pass has not.
_NEARLY_ALL = 0.9
_STATUS = {LaneStatus.TIMEOUT: "ran out of time", LaneStatus.FAILED: "failed"}


def _of(report: LaneReport) -> str:
    return f" of {sanitize(report.repository)}" if report.repository else ""


def _lane(report: LaneReport) -> str:
    if report.status in {LaneStatus.OK, LaneStatus.EMPTY}:
        detail = f" ({sanitize(report.detail)})" if report.detail else ""
        return f"{report.name} {report.count:,} in {report.elapsed_ms:.0f} ms{detail}"
    return f"{report.name} {report.status}{_of(report)}"


def _dated(sha: Sha, moment: int, page: Page) -> str:
    return f"{sha[:SHORT_SHA]} ({written_date(moment, 0, page.date, now=page.now)})"


def _counted_text(written: str, count: int, noun: str) -> str:
    return f"{written} {plural(count, noun)}"


def wrapped(text: str, page: Page, margin: str) -> list[str]:
    """A text in lines that fit beside a margin."""
    if page.width is None:
        return [text]
    room = max(_NARROWEST, page.width - width_of(margin))
    return words(text, room, room)


def _cut(text: str, page: Page, margin: str) -> Iterator[tuple[int, int]]:
    if page.width is None:
        return iter([(0, len(text))])
    room = max(_NARROWEST, page.width - width_of(margin))
    return pieces(text, room, room)
