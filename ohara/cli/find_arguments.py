"""What the options of `ohara find` mean together: what is asked, of which repository, how it is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.cli.filters import read_filters, read_polarity
from ohara.cli.printing import Form, OutputOptions
from ohara.cli.typed import decoded, decoded_words
from ohara.config import default_server
from ohara.errors import QueryError, UsageError
from ohara.model import Group, Intent, Mode, Order, SearchOptions
from ohara.present.template import NEEDS_TAG, ONELINE, read_template
from ohara.records import dataclass
from ohara.retrieve.reading import moment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

EVERYWHERE = "@all"  # the same as in ohara.federation.scope, which loads a git library


@dataclass(frozen=True, slots=True)
class FindArguments:
    """What a command line asks for: of which repositories, what, and how the answer is printed.

    `repos` are paths and groups, none for the repository of the current folder; `shared` names the server
    whose index is asked.
    """

    words: tuple[str, ...]
    repos: tuple[str, ...]
    options: SearchOptions
    printing: OutputOptions
    batch: bool
    no_daemon: bool
    rule: Path | None = None
    paged: bool = True
    shared: str | None = None


def read_arguments(
    *,
    words: tuple[str, ...],
    repos: tuple[str, ...],
    everywhere: bool,
    shared: str | None,
    count: int | None,
    mode: str,
    no_rerank: bool,
    all_hunks: bool,
    order: str | None,
    first: bool,
    last: bool,
    intent: str | None,
    group: str,
    after: str | None,
    explain: bool,
    as_json: bool,
    as_lines: bool,
    context: int | None,
    budget: int | None,
    quiet: bool,
    batch: bool,
    no_daemon: bool,
    color: str,
    added: bool,
    removed: bool,
    rule: Path | None,
    ignore_case: bool,
    whole_words: bool,
    oneline: bool,
    template: str | None,
    counts: bool,
    urls: bool,
    tags: bool,
    date: str,
    no_pager: bool,
    **filters: object,
) -> FindArguments:
    """What the options mean together."""
    now = moment(SearchOptions(after=after))
    if after is not None:
        _refuse_date(after, now=now)
    if rule is not None and Mode(mode) not in {Mode.AUTO, Mode.STRUCTURAL}:
        raise UsageError(f"--rule and --mode {mode} exclude each other", hint="leave --mode out")
    chosen, only = _order(order, first=first, last=last)
    if only and count not in {None, 1}:
        raise UsageError("--first and --last show one hit", hint="leave -k out, or use --order")
    if counts and (only or count is not None):
        raise UsageError("--count counts all hits", hint="leave out -k, --first and --last")
    chosen_format = _template(template, oneline=oneline, urls=urls)
    options = SearchOptions(
        k=1 if only or counts else count,
        mode=Mode.STRUCTURAL if rule is not None else Mode(mode),
        filters=read_filters(now=now, **_decoded(filters)),  # type: ignore[arg-type]  # as filter_options declares them
        polarity=read_polarity(added=added, removed=removed),
        rerank=False if no_rerank else None,
        all_hunks=all_hunks,
        order=chosen,
        intent=Intent(intent) if intent else None,
        group=Group(group),
        after=after,
        context=context,
        strict=quiet,
        ignore_case=ignore_case,
        whole_words=whole_words,
        tags=tags or (template is not None and NEEDS_TAG in template),
    )
    form = _form(
        {
            "--json": (as_json, Form.JSON),
            "--jsonl": (as_lines, Form.LINES),
            "-q": (quiet, Form.SILENT),
            "--oneline": (oneline, Form.TEMPLATE),
            "--format": (template is not None, Form.TEMPLATE),
            "--count": (counts, Form.COUNT),
        }
    )
    printing = OutputOptions(
        form,
        color,
        explain,
        budget,
        date=date,
        urls=urls,
        template=chosen_format,
        cut=oneline,
        whole=count == 0,
    )
    if batch:
        _check_batch(
            words,
            {
                "-q": quiet,
                "--jsonl": as_lines,
                "--budget": budget,
                "--after": after,
                "--oneline": oneline,
                "--format": template,
                "--count": counts,
                "--rule": rule,
            },
        )
    if everywhere and repos:
        raise UsageError("--everywhere and --repo exclude each other", hint="choose one of them")
    among = (EVERYWHERE,) if everywhere else repos
    return FindArguments(
        tuple(map(decoded_words, words)),
        among,
        options,
        printing,
        batch,
        no_daemon,
        rule,
        paged=not no_pager,
        shared=_server(shared, among),
    )


def _decoded(filters: Mapping[str, object]) -> dict[str, object]:
    """The values of options, as the index spells them."""
    return {
        name: tuple(decoded(each) if isinstance(each, str) else each for each in values)
        if isinstance(values, tuple)
        else values
        for name, values in filters.items()
    }


def _server(named: str | None, repos: Sequence[str]) -> str | None:
    """The server that is asked: the one that was named, or whose index is the repository's default."""
    if len(repos) > 1 or any(each.startswith("@") for each in repos):
        if named is not None:
            raise UsageError(
                "--index searches one repository at a time", hint="name one --repo, or leave --index out"
            )
        return None
    return named or default_server(repos[0] if repos else ".")


def _template(given: str | None, *, oneline: bool, urls: bool) -> str:
    """The text of --format, or of --oneline; one that cannot be read is told before anything is asked."""
    if given is None:
        return f"{ONELINE} %(url)" if urls and oneline else ONELINE
    read_template(given)
    return given


def _order(order: str | None, *, first: bool, last: bool) -> tuple[Order, bool]:
    """The order that the options ask for, and whether only its first hit is wanted."""
    asked = [name for name, given in (("--order", order), ("--first", first), ("--last", last)) if given]
    if len(asked) > 1:
        raise UsageError(f"{' and '.join(asked)} exclude each other", hint="choose one of them")
    if first or last:
        return (Order.OLDEST if first else Order.NEWEST), True
    return (Order(order) if order else Order.RANK), False


def _refuse_date(after: str, *, now: int) -> None:
    """Refuse a date given as the cursor, and name the option that takes a date."""
    from ohara.query import parse_date

    try:
        parse_date(after, now=now)
    except QueryError:
        return
    raise UsageError(
        f"--after takes the cursor of an answer, and {after!r} is a date", hint=f"--since {after!r}"
    )


def _check_batch(words: Sequence[str], others: Mapping[str, object]) -> None:
    """Refuse arguments and options that a batch would have to ignore."""
    if words:
        raise UsageError("--batch takes its queries from stdin", hint='write lines such as {"query": "…"}')
    for option, given in others.items():
        if given:
            raise UsageError(
                f"--batch and {option} exclude each other", hint="a batch answers each line by one object"
            )


def _form(forms: Mapping[str, tuple[bool, Form]]) -> Form:
    """The form that was asked for, of options that each choose one."""
    chosen = {option: form for option, (asked, form) in forms.items() if asked}
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} exclude each other", hint="choose one of them")
    return next(iter(chosen.values()), Form.TEXT)
