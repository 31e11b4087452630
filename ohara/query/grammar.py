r"""Parses a query: free words that rank, terms that are required, filters that bound.

Three readings share the tokens of `lex`:

- Text of one line, and prose of several, is tokens throughout.
- Several lines of code or diff are a snippet, taken whole: quotes and colons in code are not syntax. Filters
  may stand on lines of their own above or below it.
- With a literal or regular-expression mode the text is one pattern. Filters are taken from its two ends, and
  a text that is nothing but filters and quoted terms (or `/…/` terms) is read as such.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from ohara.dates import parse_date
from ohara.errors import QueryError
from ohara.model import Filters, Intent, Mode, Pattern, Polarity, Query, QueryClass
from ohara.query.case_and_words import loosened
from ohara.query.classify import classify, is_snippet
from ohara.query.intent import read_intent
from ohara.query.lex import (
    FLAGS,
    Filter,
    Side,
    Term,
    Token,
    Word,
    literal,
    named_at,
    next_token,
    regex,
    regex_at,
    skip_space,
    tokens,
)
from ohara.query.names import note_on_lines
from ohara.query.structure import looks_structural, read_structure
from ohara.query.values import (
    parse_author,
    parse_commit,
    parse_ext,
    parse_fate,
    parse_kind,
    parse_lang,
    parse_message,
    parse_path_glob,
    parse_ref,
    parse_repo,
    parse_symbol,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import tzinfo

Value = TypeVar("Value")

# A pasted diff may be long; beyond this it says no more about what is sought.
LONGEST_QUERY = 65_536

_EXACT_MODES = frozenset({Mode.LITERAL, Mode.REGEX})
_CLASS_OF_MODE = {
    Mode.STRUCTURAL: QueryClass.STRUCTURAL,
    Mode.LITERAL: QueryClass.LITERAL,
    Mode.REGEX: QueryClass.REGEX,
    Mode.SYMBOL: QueryClass.SYMBOL,
}
# What only auto mode may do instead of ranking: look up a commit, or list matches newest first.
_UNRANKED = frozenset({QueryClass.SHA, QueryClass.LINES, QueryClass.LITERAL, QueryClass.REGEX})


def parse(
    source: str,
    *,
    now: int,
    mode: Mode = Mode.AUTO,
    flags: Filters = Filters(),  # noqa: B008 - frozen
    polarity: Polarity = Polarity.ANY,
    tz: tzinfo | None = None,
    strict: bool = False,
    intent: Intent | None = None,
    ignore_case: bool = False,
    whole_words: bool = False,
) -> Query:
    """The query that a text, together with filters given as flags, asks for.

    `ignore_case` and `whole_words` hold for every required and excluded term; words are matched so anyway.
    `strict` refuses a quote that is not closed wherever it stands, for callers that must not ask for more
    than was meant.
    `mode` stays what it was: auto mode's choice is the class. A class of `sha` means the commit's hunks are
    wanted; `literal` and `regex` mean that the required terms alone answer, newest first.
    """
    if len(source) > LONGEST_QUERY:
        raise QueryError(
            f"the query has {len(source):,} characters, more than {LONGEST_QUERY:,}",
            hint="search for its most telling lines",
        )
    read, structure = _read(source, mode, strict=strict)
    words = " ".join(token.text for token in read if isinstance(token, Word))
    terms = [token for token in read if isinstance(token, Term)]
    patterns = tuple(dict.fromkeys(term.pattern for term in terms if not term.negated))
    excluded = tuple(dict.fromkeys(term.pattern for term in terms if term.negated))
    filters = _bounds([token for token in read if isinstance(token, Filter)], flags, now=now, tz=tz)
    if not (words or patterns or excluded or structure) and filters == Filters():
        raise QueryError(
            "there is nothing to search for",
            hint="write some words, a name, a commit, or a filter such as author:",
        )
    query_class = _class(words, patterns, mode)
    if (ignore_case or whole_words) and mode is Mode.STRUCTURAL:
        raise QueryError(
            "a pattern of code is matched by its syntax, not by case or whole words",
            hint="leave out -i and -w; in where NAME=/…/ an expression may begin with (?i)",
        )

    def loose(terms: tuple[Pattern, ...]) -> tuple[Pattern, ...]:
        return tuple(loosened(each, ignore_case=ignore_case, whole_words=whole_words) for each in terms)

    sides = [polarity] + [token.polarity for token in read if isinstance(token, Side)]
    return Query(
        source=source,
        words=words,
        patterns=loose(patterns),
        filters=filters,
        mode=mode,
        query_class=query_class,
        polarity=_one_side(sides),
        intent=_intent(words, query_class, mode, intent),
        notes=_notes(read, words if mode is Mode.AUTO and not patterns else ""),
        structure=structure,
        excluded=loose(excluded),
    )


def _notes(read: list[Token], name: str) -> tuple[str, ...]:
    """What was taken for something else than it was, perhaps, meant to be."""
    unclosed = [token.text[:20] for token in read if isinstance(token, Word) and token.unclosed]
    said = [f"the quote in {text!r} is not closed: it was taken as text" for text in unclosed]
    return tuple(filter(None, (*said, note_on_lines(name))))


def _read(source: str, mode: Mode, *, strict: bool) -> tuple[list[Token], str]:
    """The tokens of a text, and the pattern of syntax that it may be."""
    if mode in _EXACT_MODES:
        return _exact(source, mode), ""
    if mode is Mode.STRUCTURAL:
        return _structural(source)
    above, pattern, below = _between_filters(source) if mode is Mode.AUTO and "$" in source else ([], "", [])
    may_be_code = "\n" not in pattern and looks_structural(pattern)
    try:
        read = _snippet(source) or list(tokens(source, strict=strict))
    except QueryError:
        if not may_be_code:
            raise
        return [*above, Word(pattern), *below], pattern  # its quotes and colons are the code's
    # Of quoted texts and expressions alone there is nothing to doubt.
    return read, pattern if may_be_code and any(isinstance(token, Word) for token in read) else ""


def _structural(source: str) -> tuple[list[Token], str]:
    above, pattern, below = _between_filters(source)
    read_structure(pattern)
    if any(isinstance(token, Term) for token in (*above, *below)):
        raise QueryError(
            "a pattern of code stands alone: no text can be required beside it",
            hint="added: and removed: without a text say whether matches came or went",
        )
    return [*above, *below], pattern


def _between_filters(source: str) -> tuple[list[Token], str, list[Token]]:
    """What stands between the filters at the two ends of a text, and these."""
    above, first = _named_run(source, 0)
    below, last = _trailing(source, first)
    return above, source[first:last].strip(), below


def required_patterns(query: Query) -> tuple[Pattern, ...]:
    """The query's patterns, with the whole query's polarity given to those that have none of their own."""
    return tuple(
        replace(pattern, polarity=query.polarity) if pattern.polarity is Polarity.ANY else pattern
        for pattern in query.patterns
    )


def _class(words: str, patterns: tuple[Pattern, ...], mode: Mode) -> QueryClass:
    if mode in _CLASS_OF_MODE:
        return _CLASS_OF_MODE[mode]
    guess = classify(words, patterns)
    return QueryClass.PROSE if mode is not Mode.AUTO and guess in _UNRANKED else guess


def _intent(words: str, query_class: QueryClass, mode: Mode, wanted: Intent | None) -> Intent:
    """What the words ask about a thing: only prose asks, and only in auto mode, unless it is told to."""
    if wanted is None and (mode is not Mode.AUTO or query_class is not QueryClass.PROSE):
        return Intent.NONE
    return read_intent(words, wanted).intent


def _one_side(sides: Iterable[Polarity]) -> Polarity:
    asked = set(sides) - {Polarity.ANY}
    if len(asked) > 1:
        raise QueryError(
            "added: and removed: cannot both hold for the whole query",
            hint='bind each to its own term, as in added:"new" removed:"old"',
        )
    return asked.pop() if asked else Polarity.ANY


# -- filters -------------------------------------------------------------------------------------


def _bounds(found: list[Filter], flags: Filters, *, now: int, tz: tzinfo | None) -> Filters:
    """Inline filters and flags together: values of one filter are alternatives, so the widest date holds."""

    def values(name: str, *, negated: bool = False) -> list[str]:
        return [each.value for each in found if each.name == name and each.negated is negated]

    def moments(name: str, *, negated: bool = False) -> list[int]:
        return [
            parse_date(value, now=now, tz=tz, end=name == "until") for value in values(name, negated=negated)
        ]

    since = moments("since") + ([flags.since] if flags.since is not None else [])
    until = moments("until") + ([flags.until] if flags.until is not None else [])
    # What is not from a day on was before it: the opposite of one date is the other, and each of them holds.
    first = max(
        [*([min(since)] if since else []), *(end + 1 for end in moments("until", negated=True))], default=None
    )
    last = min(
        [*([max(until)] if until else []), *(start - 1 for start in moments("since", negated=True))],
        default=None,
    )
    if first is not None and last is not None and first > last:
        raise QueryError(
            "since: is later than until:", hint="nothing can lie between them; swap the two dates"
        )
    return Filters(
        authors=_distinct(map(parse_author, values("author")), flags.authors),
        paths=_distinct(map(parse_path_glob, values("path")), flags.paths),
        not_paths=_distinct(map(parse_path_glob, values("path", negated=True)), flags.not_paths),
        langs=_distinct(map(parse_lang, values("lang")), flags.langs),
        since=first,
        until=last,
        kinds=_distinct(map(parse_kind, values("kind")), flags.kinds),
        refs=_distinct(map(parse_ref, values("ref")), flags.refs),
        messages=_distinct(map(parse_message, values("message")), flags.messages),
        symbols=_distinct(map(parse_symbol, values("symbol")), flags.symbols),
        exts=_distinct(map(parse_ext, values("ext")), flags.exts),
        commits=_distinct(map(parse_commit, values("commit")), flags.commits),
        fates=_distinct(map(parse_fate, values("is")), flags.fates),
        not_fates=_distinct(map(parse_fate, values("is", negated=True)), flags.not_fates),
        repos=_distinct(map(parse_repo, values("repo")), flags.repos),
        not_repos=_distinct(map(parse_repo, values("repo", negated=True)), flags.not_repos),
        not_authors=_distinct(map(parse_author, values("author", negated=True)), flags.not_authors),
        not_langs=_distinct(map(parse_lang, values("lang", negated=True)), flags.not_langs),
        not_exts=_distinct(map(parse_ext, values("ext", negated=True)), flags.not_exts),
        not_kinds=_distinct(map(parse_kind, values("kind", negated=True)), flags.not_kinds),
        not_refs=_distinct(map(parse_ref, values("ref", negated=True)), flags.not_refs),
        not_commits=_distinct(map(parse_commit, values("commit", negated=True)), flags.not_commits),
        not_messages=_distinct(map(parse_message, values("message", negated=True)), flags.not_messages),
        not_symbols=_distinct(map(parse_symbol, values("symbol", negated=True)), flags.not_symbols),
    )


def _distinct(inline: Iterable[Value], flagged: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple(dict.fromkeys((*inline, *flagged)))


# -- snippets ------------------------------------------------------------------------------------


def _snippet(source: str) -> list[Token] | None:
    """A snippet's text as one word, and the filters on lines above and below it; none if it is not one."""
    if "\n" not in source:
        return None
    lines = source.replace("\r\n", "\n").split("\n")
    first, last = 0, len(lines)
    above: list[Token] = []
    below: list[Token] = []
    while first < last and (read := _named_line(lines[first])) is not None:
        above += read
        first += 1
    while first < last and (read := _named_line(lines[last - 1])) is not None:
        below = read + below
        last -= 1
    body = "\n".join(lines[first:last]).rstrip()
    return [*above, Word(body), *below] if is_snippet(body) else None


def _named_line(line: str) -> list[Token] | None:
    """The filters of a line that is blank or has nothing else."""
    read, end = _named_run(line, 0)
    if read and line.lstrip()[:1] == "-" and not line.lstrip().startswith(_EXCLUDED_ABOVE_A_SNIPPET):
        return None  # a removed line of a diff, more likely
    return read if end == len(line) else None


_EXCLUDED_ABOVE_A_SNIPPET = ("-path:", "-file:", "-filename:", "-is:")


def _named_run(source: str, at: int) -> tuple[list[Token], int]:
    """The filters, polarities and terms bound to one from here on, and where something else begins."""
    read: list[Token] = []
    at = skip_space(source, at)
    while at < len(source):
        try:
            named = named_at(source, at)
        except QueryError:
            break
        if named is None:
            break
        token, end = named
        read.append(token)
        at = skip_space(source, end)
    return read, at


# -- one pattern ---------------------------------------------------------------------------------


def _exact(source: str, mode: Mode) -> list[Token]:
    if (whole := _only_terms(source, mode)) is not None:
        return whole
    above, text, below = _between_filters(source)
    return [*above, Term(literal(text) if mode is Mode.LITERAL else _pattern(text)), *below]


def _only_terms(source: str, mode: Mode) -> list[Token] | None:
    """The tokens of a text in which every token is a filter or a term of the mode's own kind."""
    read: list[Token] = []
    at = skip_space(source, 0)
    while at < len(source):
        named, after = _named_run(source, at)
        read += named
        if after == len(source):
            break
        term = _term(source, after, mode)
        if term is None:
            return None
        read.append(term[0])
        at = skip_space(source, term[1])
    return read


def _term(source: str, at: int, mode: Mode) -> tuple[Term, int] | None:
    negated = source[at] == "-"
    opens = source[at + 1 : at + 2] if negated else source[at]
    try:
        if mode is Mode.LITERAL and opens == '"':
            token, end = next_token(source, at)
            return (token, end) if isinstance(token, Term) else None
        if mode is Mode.REGEX and opens == "/":
            found = regex_at(source, at + negated, may_begin_with_space=True)
            return (Term(found[0], negated), found[1]) if found else None
    except QueryError:
        return None
    return None


def _trailing(source: str, first: int) -> tuple[list[Token], int]:
    """The filters at the end of a text, and where the leftmost of them begins."""
    at = first
    while at < len(source):
        read, end = _named_run(source, at)
        if read and end == len(source):
            return read, at
        # No run that begins inside this one can end elsewhere; go on behind the word that ended it.
        while end < len(source) and not source[end].isspace():
            end += 1
        at = skip_space(source, end)
    return [], len(source)


def _pattern(text: str) -> Pattern:
    """A pattern that is written plainly or between slashes, of which only the first and last count."""
    body, slash, flags = text[1:].rpartition("/")
    if text.startswith("/") and slash and body and set(flags) <= set(FLAGS):
        return regex(body, flags)
    return regex(text)
