"""The query while it is edited: free text, filters as chips, and optionally a code sample to search by. Pure.

It may be meant as a pattern of code whatever it looks like.

The grammar is `ohara.query`'s and nothing else: a chip is a filter as it would be typed, and all of it
together is again one text that the grammar reads. It is loaded with the first query: the first paint does
not wait for it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ohara.errors import QueryError

if TYPE_CHECKING:
    from ohara.errors import OharaError
    from ohara.model import Hit, HunkId, Query

_SAMPLE_LINES = 40  # a longer piece says no more about what it is like
_SAMPLE_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class Sample:
    """A code sample to search by, its label on screen, and the hunk that it was taken from."""

    code: str
    label: str
    origin: HunkId | None = None


@dataclass(frozen=True, slots=True)
class QueryDraft:
    """The content of the query bar."""

    text: str = ""
    chips: tuple[str, ...] = ()
    sample: Sample | None = None
    is_pattern: bool = False

    @property
    def source(self) -> str:
        """The whole draft as one query text."""
        bounds = " ".join(self.chips)
        if self.sample is not None:
            return f"{bounds}\n{self.sample.code}" if bounds else self.sample.code
        return " ".join(part for part in (self.text.strip(), bounds) if part)

    @property
    def is_empty(self) -> bool:
        """True when there is nothing to search for."""
        return not self.source.strip()

    def without(self, chip: str) -> QueryDraft:
        """The same without one filter."""
        return replace(self, chips=tuple(each for each in self.chips if each != chip))

    def with_chips(self, *chips: str) -> QueryDraft:
        """The same with more filters."""
        return replace(self, chips=tuple(dict.fromkeys((*self.chips, *chips))))

    def within(self, since: str, until: str) -> QueryDraft:
        """The same, bounded to a period instead of any other."""
        kept = tuple(chip for chip in self.chips if not chip.startswith(("since:", "until:")))
        period = tuple(f"{name}:{date}" for name, date in (("since", since), ("until", until)) if date)
        return replace(self, chips=(*kept, *period))


def lift_filters(draft: QueryDraft, *, now: int) -> QueryDraft:
    """The draft with every finished filter (one followed by a space) turned into a chip."""
    head, space, tail = draft.text.rpartition(" ")
    if not space or ":" not in head:
        return draft
    from ohara.query import parse

    try:
        query = parse(head, now=now, strict=True)  # inside a quote nothing is a filter yet
    except QueryError:
        return draft
    chips = chips_of(query)
    if not chips or "\n" in query.words:
        return draft
    rest = _unbounded(query)
    return replace(draft.with_chips(*chips), text=f"{rest} {tail}" if rest else tail)


def parse_draft(source: str, *, now: int) -> QueryDraft:
    """Split a query text into text and chips; one that does not parse stays as text, to be corrected."""
    if not source.strip():
        return QueryDraft()
    from ohara.query import parse

    try:
        query = parse(source, now=now, strict=True)
    except QueryError:
        return QueryDraft(source)
    rest = _unbounded(query)
    if "\n" in rest:
        return QueryDraft("", chips_of(query), Sample(rest, "a piece of code"))
    return QueryDraft(rest, chips_of(query))


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a query cannot be sent: it is wrong, or `is_typing` and only lacks its end."""

    said: str
    is_typing: bool = False


def problem_of(draft: QueryDraft, *, now: int, is_typing: bool) -> Problem | None:
    """What keeps a query from being sent; while somebody `is_typing`, also what may be its beginning only."""
    from ohara.model import Mode
    from ohara.query import parse, unfinished

    is_text = draft.sample is None and not draft.is_pattern
    lacks = unfinished(draft.text) if is_text else None
    if lacks is not None and (is_typing or lacks.certain):
        return Problem(lacks.missing, is_typing=True)
    try:
        parse(draft.source, now=now, mode=Mode.STRUCTURAL if draft.is_pattern else Mode.AUTO)
    except QueryError as error:
        return Problem(said_of(error))
    return None


def said_of(error: OharaError) -> str:
    """An error on one line."""
    return f"{error.message}: {error.hint}" if error.hint else error.message


def chips_of(query: Query) -> tuple[str, ...]:
    """The filters of a query and its polarity, as they would be typed."""
    from ohara.model import Polarity
    from ohara.query import filter_sources

    side = () if query.polarity is Polarity.ANY else (f"{query.polarity}:",)
    return (*side, *filter_sources(query.filters))


def _unbounded(query: Query) -> str:
    """The query without its filters, as it would be typed."""
    from ohara.model import Filters, Polarity
    from ohara.query import to_source

    return to_source(replace(query, filters=Filters(), polarity=Polarity.ANY))


def sample_of(hit: Hit) -> Sample:
    """The changed lines of a hunk as a sample to search by."""
    lines = hit.excerpt.split("\n")
    changed = [line[1:] for line in lines if line[:1] == "+"] or [
        line[1:] for line in lines if line[:1] == "-"
    ]
    code = "\n".join(line for line in changed if line.strip())
    code = "\n".join(code.split("\n")[:_SAMPLE_LINES])[:_SAMPLE_CHARS]
    if "\n" not in code:  # one line alone would be read as words; its heading makes it code again
        code = f"{code}\n{code}"
    return Sample(code, f"like {hit.commit.sha[:8]} {hit.path}:{hit.line}", hit.hunk)


def pasted(text: str) -> QueryDraft:
    """What was pasted: lines become a sample to search by, one line alone is text."""
    lines = [line for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if line.strip()]
    if len(lines) < 2:
        return QueryDraft("".join(lines).strip())
    return QueryDraft(sample=Sample("\n".join(lines), f"pasted: {len(lines)} lines"))
