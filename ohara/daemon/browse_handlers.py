"""Answers the requests of browsing: commits, history of lines and symbols, blame, file lines, the remote."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ohara import wire
from ohara.browse.span import Span
from ohara.errors import UsageError

if TYPE_CHECKING:
    from ohara.engine import Engine
    from ohara.model import History

Browsing = (
    wire.Describe
    | wire.HistoryRequest
    | wire.Blame
    | wire.Lines
    | wire.Remote
    | wire.RelatedRequest
    | wire.AnnotateRequest
    | wire.CompareRequest
    | wire.NamesRequest
)


async def browse(request: Browsing, engine: Engine) -> wire.AnyReply:  # noqa: C901 - one case each
    """The reply to one of these requests."""
    browser = engine.browser
    match request:
        case wire.Describe():
            return wire.Described(id=request.id, details=await browser.details(request.commit))
        case wire.HistoryRequest(symbol=str(symbol)):
            found = await browser.symbol_history(symbol, request.path, request.k)
            return wire.Followed(id=request.id, history=_carried(found))
        case wire.HistoryRequest():
            span = _span(request.first, request.last)
            found = await browser.line_history(request.commit, request.path, span, request.k)
            return wire.Followed(id=request.id, history=_carried(found))
        case wire.Blame():
            origin = await browser.blame(request.commit, request.path, request.line)
            return wire.Blamed(id=request.id, origin=origin)
        case wire.Lines():
            span = _span(request.first, request.last)
            return wire.Excerpt(id=request.id, lines=await browser.lines(request.commit, request.path, span))
        case wire.RelatedRequest():
            together = await browser.related(request.place, request.k)
            return wire.RelatedReply(id=request.id, related=together)
        case wire.AnnotateRequest():
            annotation = await browser.annotate(request.commit, request.path)
            return wire.AnnotatedReply(id=request.id, annotation=annotation)
        case wire.CompareRequest():
            comparison = await browser.compare(request.old, request.new, request.first)
            return wire.Compared(id=request.id, comparison=comparison)
        case wire.NamesRequest():
            named = await browser.names(request.kind, request.begun, request.k)
            return wire.NamesReply(id=request.id, names=named)
        case wire.Remote():
            return wire.Located(id=request.id, url=await browser.remote())


def _carried(history: History) -> History:
    return replace(history, hits=wire.sendable_hits(history.hits))


def _span(first: int, last: int) -> Span:
    if last < first:
        raise UsageError(f"lines {first} to {last} are none", hint="give the first line first")
    return Span(first, last)
