"""`ohara find`: search a repository's whole history, by words, meaning, symbol, text or expression."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ohara.cli.filters import filter_options, read_filters, read_polarity
from ohara.cli.options import color_option, everywhere_option, several_option
from ohara.cli.printing import Form, OutputOptions
from ohara.cli.remote import Answered, find_by_daemon, names_paths
from ohara.cli.report import ExitCode
from ohara.cli.search import ask, joined, read_query
from ohara.errors import QueryError, UsageError
from ohara.model import MOST_HITS, Group, Intent, Mode, Order, SearchOptions
from ohara.retrieve.reading import moment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import Query, Results
    from ohara.searcher import Searcher

_EXCLUDED = re.compile("-([A-Za-z]+):(.*)", re.DOTALL)
_EXCLUDING = {"path": "--not-path", "is": "--is-not", "repo": "--not-repo"}
STDIN = "-"
EVERYWHERE = "@all"  # the same as in ohara.federation.scope, which loads a git library


class _FindCommand(click.Command):
    """Reads `-path:docs/` as the filter of the query language, not as a bundle of short options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Replace such a filter by the option with the same meaning."""
        end = args.index("--") if "--" in args else len(args)
        spelt = [part for arg in args[:end] for part in _spelt(arg)]
        return super().parse_args(ctx, spelt + args[end:])


def _spelt(arg: str) -> list[str]:
    """An argument as click should read it; a filter that cannot be excluded is an error."""
    if not (excluded := _EXCLUDED.fullmatch(arg)):
        return [arg]
    from ohara.query import ALL_NAMES, SYNONYMS, cannot_be_excluded

    name, value = excluded.groups()
    if name not in ALL_NAMES:
        return [arg]
    option = _EXCLUDING.get(SYNONYMS.get(name, name))
    if option is None:
        raise cannot_be_excluded(name)
    return [option, value]


@click.command("find", cls=_FindCommand)
@click.argument("words", nargs=-1, metavar="QUERY...")
@several_option
@everywhere_option
@click.option(
    "-k",
    "count",
    type=click.IntRange(0, MOST_HITS),
    metavar="N",
    help="How many hits (default: find.k); 0 for all matches of a text or /…/.",
)
@click.option(
    "--mode",
    type=click.Choice([mode.value for mode in Mode]),
    default=Mode.AUTO.value,
    show_default=True,
    help="How to search.",
)
@click.option(
    "--rule",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Look for code by a rule of ast-grep's, in YAML; QUERY is filters alone.",
)
@filter_options
@click.option("--no-rerank", is_flag=True, help="Leave out the cross-encoder.")
@click.option("--all-hunks", is_flag=True, help="Show every hunk of a commit, not only its best.")
@click.option(
    "--order",
    type=click.Choice([order.value for order in Order]),
    help="Best first (rank, the default), or by time; date is newest first.",
)
@click.option("--first", is_flag=True, help="Only the oldest hit: --order oldest -k 1.")
@click.option("--last", is_flag=True, help="Only the newest hit: --order newest -k 1.")
@click.option(
    "--intent",
    type=click.Choice([intent.value for intent in Intent]),
    help="What is asked about a thing (default: read from the words).",
)
@click.option(
    "--group",
    type=click.Choice([group.value for group in Group]),
    default=Group.COMMIT.value,
    show_default=True,
    help="One hit a commit, or a thread: commits that belong together.",
)
@click.option("--after", metavar="CURSOR", help="Go on where an answer ended: its 'next'.")
@click.option("--explain", is_flag=True, help="Tell how each hit came to its rank.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--jsonl", "as_lines", is_flag=True, help="Print one JSON object a hit.")
@click.option(
    "-C", "--context", type=click.IntRange(0, 200), metavar="N", help="Lines around a match (default: 3)."
)
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    metavar="TOKENS",
    help="Print no more than this many tokens, whole hits only.",
)
@click.option(
    "-q", "--quiet", is_flag=True, help="Print nothing; the exit code tells whether anything was found."
)
@click.option("--batch", is_flag=True, help="Read queries as JSON lines from stdin.")
@click.option("--no-daemon", is_flag=True, help="Answer in this process, even if a daemon runs.")
@color_option
def command(**given: object) -> ExitCode:
    """Search a repository's whole history.

    \b
    QUERY is words, "quoted text", a /regular expression/, a name, a path, a
    commit, #123, or a snippet; filters such as author:bob may stand in it.
    "-" reads it from stdin:  git diff | ohara find -
    """
    asked = read_arguments(**given)  # type: ignore[arg-type]  # click hands over what the options declare
    options, printing = asked.options, asked.printing
    query = None if asked.batch else read_query(_text(asked), options)
    answered = (
        Answered(None) if query is None or asked.no_daemon else find_by_daemon(asked.repos, query, options)
    )
    results, notes = answered.results, list(answered.notes)
    if results is None:
        results, more = _in_process(asked, query)
        notes += more
    if results is None:
        return ExitCode.FOUND
    from ohara.cli.output import exit_code, print_answer

    print_answer(results, printing, now=time.time(), notes=notes)
    if answered.results is None and not (asked.no_daemon or answered.notes):
        from ohara.cli.autostart import start_service_behind

        for note in start_service_behind():
            click.echo(f"ohara: {note}", err=True)
    return exit_code(results)


def _in_process(asked: FindArguments, query: Query | None) -> tuple[Results | None, list[str]]:
    """Answer in this process, with remarks; a batch is answered and printed, line by line."""
    from ohara.cli.freshness import begin_all, freshen, renew_vectors
    from ohara.engine import Engine
    from ohara.federation.scope import choose, is_several
    from ohara.federation.searcher import Federation

    options, quiet = asked.options, asked.printing.form is not Form.TEXT
    filters = options.filters if query is None else query.filters
    if is_several(asked.repos, filters):
        federation = Federation(choose(asked.repos, filters, folder=Path.cwd()))
        notes = begin_all(federation.to_begin() if names_paths(asked.repos) else [], quiet=quiet)
        if query is None:
            return _batch(federation, options, notes)
        return federation.find_pattern(query, options), notes
    engine = Engine.open(asked.repos[0] if asked.repos else ".")
    notes = freshen(engine, quiet=quiet)
    if query is None:
        return _batch(engine, options, notes)
    results = ask(engine, query, options, watched=not quiet)
    if engine.search.vectors_are_old and not notes:  # a note says that an indexer is already running
        notes += renew_vectors(engine)
    return results, notes


def _batch(searcher: Searcher, options: SearchOptions, notes: list[str]) -> tuple[None, list[str]]:
    from ohara.cli.batch import answer_batch

    answer_batch(searcher, options, sys.stdin, notes=notes)
    return None, []


@dataclass(frozen=True, slots=True)
class FindArguments:
    """What a command line asks for: of which repositories, what, and how the answer is printed.

    `repos` are paths and groups, none for the repository of the current folder.
    """

    words: tuple[str, ...]
    repos: tuple[str, ...]
    options: SearchOptions
    printing: OutputOptions
    batch: bool
    no_daemon: bool
    rule: Path | None = None


def read_arguments(
    *,
    words: tuple[str, ...],
    repos: tuple[str, ...],
    everywhere: bool,
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
    **filters: object,
) -> FindArguments:
    """What the options mean together."""
    now = moment(SearchOptions(after=after))
    if after is not None:
        _refuse_date(after, now=now)
    ordered, only = _order(order, first=first, last=last)
    if only and count not in {None, 1}:
        raise UsageError("--first and --last show one hit", hint="leave -k out, or use --order")
    options = SearchOptions(
        k=1 if only else count,
        mode=Mode.STRUCTURAL if rule is not None else Mode(mode),
        filters=read_filters(now=now, **filters),  # type: ignore[arg-type]  # as filter_options declares them
        polarity=read_polarity(added=added, removed=removed),
        rerank=False if no_rerank else None,
        all_hunks=all_hunks,
        order=ordered,
        intent=Intent(intent) if intent else None,
        group=Group(group),
        after=after,
        context=context,
        strict=quiet,
    )
    printing = OutputOptions(_form(as_json=as_json, as_lines=as_lines, quiet=quiet), color, explain, budget)
    if batch:
        _check_batch(words, {"-q": quiet, "--jsonl": as_lines, "--budget": budget, "--after": after})
    if everywhere and repos:
        raise UsageError("--everywhere and --repo exclude each other", hint="choose one of them")
    chosen = (EVERYWHERE,) if everywhere else repos
    return FindArguments(words, chosen, options, printing, batch, no_daemon, rule)


def _text(asked: FindArguments) -> str:
    """The query's text; a rule stands above the filters."""
    if asked.rule is None:
        return _source(asked.words)
    try:
        rule = asked.rule.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the rule {asked.rule} cannot be read ({error})") from error
    return f"{rule}\n{joined(asked.words)}"


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


def _source(words: Sequence[str]) -> str:
    """The query as it was typed, or what stdin holds."""
    return sys.stdin.read() if list(words) == [STDIN] else joined(words)


def _form(*, as_json: bool, as_lines: bool, quiet: bool) -> Form:
    chosen = [
        form for form, asked in ((Form.JSON, as_json), (Form.LINES, as_lines), (Form.SILENT, quiet)) if asked
    ]
    if len(chosen) > 1:
        raise UsageError("--json, --jsonl and -q exclude each other", hint="choose one of them")
    return chosen[0] if chosen else Form.TEXT
