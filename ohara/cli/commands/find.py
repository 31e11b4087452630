"""`ohara find`: search a repository's whole history, by words, meaning, symbol, text or expression."""

from __future__ import annotations

import re
import sys
import time
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ohara.cli import visit
from ohara.cli.filters import filter_options
from ohara.cli.find_arguments import read_arguments
from ohara.cli.options import (
    color_option,
    completes_query,
    date_option,
    everywhere_option,
    index_option,
    no_pager_option,
    several_option,
)
from ohara.cli.printing import Form
from ohara.cli.remote import Answered, find_by_daemon, names_paths
from ohara.cli.report import ExitCode
from ohara.cli.search import ask, joined, read_query, requoted
from ohara.errors import QueryError, UsageError
from ohara.model import MOST_HITS, Group, Intent, Mode, Order
from ohara.query.structure import is_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.shell_completion import CompletionItem

    from ohara.cli.find_arguments import FindArguments
    from ohara.model import Query, Results, SearchOptions
    from ohara.searcher import Searcher

_EXCLUDED = re.compile("-([A-Za-z]+):")
_EXCLUDED_TERM = re.compile("""-["/]""")
_OPPOSITES = {"is": "--is-not"} | {
    name: f"--not-{name}"
    for name in ("path", "author", "lang", "ext", "kind", "ref", "commit", "message", "symbol", "repo")
}
STDIN = "-"


class _FindCommand(click.Command):
    """Reads `-path:docs/` as the filter of the query language, not as a bundle of short options."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete options as click does, and behind one dash the filters that a query excludes."""
        options = super().shell_complete(ctx, incomplete)
        is_short = incomplete.startswith("-") and not incomplete.startswith("--")
        return options + (completes_query(ctx, self.params[0], incomplete) if is_short else [])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Replace such a filter by the option with the same meaning, or have it stand among the words."""
        end = args.index("--") if "--" in args else len(args)
        typed = args[:end]
        elsewhere = STDIN in typed or "--batch" in typed  # is the query
        spelt = [_spelt(arg, elsewhere=elsewhere) for arg in typed]
        behind = [*args[end + 1 :], *(arg for arg, parts in zip(typed, spelt, strict=True) if not parts)]
        rest = super().parse_args(ctx, [*chain(*spelt), *(["--", *behind] if behind else args[end:])])
        if "words" in ctx.params and any(len(parts) > 1 for parts in spelt):
            # A filter that became an option was one of several arguments.
            ctx.params["words"] = tuple(map(requoted, ctx.params["words"]))
        return rest


def _spelt(arg: str, *, elsewhere: bool) -> list[str]:
    """An argument as click should read it; nothing where it is to stand among the words.

    There stands what is excluded and has no option (a date, a term of one side, `-"text"`, `-/…/`), and
    a filter with more text behind its value. Where the query is `elsewhere`, all behind the colon is value.
    """
    if _EXCLUDED_TERM.match(arg):
        return []
    head = _EXCLUDED.match(arg)
    if head is None:
        return [arg]
    from ohara.query import ALL_NAMES, SYNONYMS

    if head[1] not in ALL_NAMES:
        return [arg]
    option = _OPPOSITES.get(SYNONYMS.get(head[1], head[1]))
    value: str | None = arg[head.end() :]
    if value and (value[0] == '"' or not elsewhere):
        value = _only_value(arg)
    return [] if option is None or value is None else [option, value]


def _only_value(arg: str) -> str | None:
    """The value of a filter that is all of a text."""
    from ohara.query.lex import Filter, named_at

    try:
        found = named_at(arg, 0)
    except QueryError:
        return None
    return found[0].value if found and isinstance(found[0], Filter) and found[1] == len(arg) else None


@click.command("find", cls=_FindCommand)
@click.argument("words", nargs=-1, metavar="QUERY...", shell_complete=completes_query)
@several_option
@everywhere_option
@index_option
@click.option(
    "-k",
    "count",
    type=click.IntRange(0, MOST_HITS),
    metavar="N",
    help='How many hits (default: find.k); 0 for all of a list: of "text", /…/, filters, a file.',
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
@click.option("-i", "--ignore-case", is_flag=True, help='Match "text" and /…/ in any case, as words are.')
@click.option("-w", "--word-regexp", "whole_words", is_flag=True, help='Match "text" and /…/ as whole words.')
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
@click.option("--oneline", is_flag=True, help="Print one line a hit: commit, place and subject.")
@click.option(
    "--format",
    "template",
    metavar="FORMAT",
    help="Print each hit so: git's placeholders (%h %an %s …), %(path), %(line), %(url) …",
)
@click.option(
    "--count", "counts", is_flag=True, help='Print how many hits a list has: of "text", /…/, filters, a file.'
)
@click.option("--url", "urls", is_flag=True, help="Name each hit's page on the forge.")
@click.option("--tags", is_flag=True, help="Name the first release that held each hit.")
@date_option
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
@no_pager_option
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
    alone = asked.no_daemon or asked.shared is not None
    answered = (
        Answered(None)
        if query is None or alone or visit.may_go_on(options, query.filters)
        else find_by_daemon(asked.repos, query, options)
    )
    results, notes = answered.results, list(answered.notes)
    if results is None:
        results, more = _in_process(asked, query)
        notes += more
    if results is None:
        return ExitCode.FOUND
    if query is not None and visit.is_worth(results):
        results, more = visit.ask_there(asked, query, results)
        notes += more
    from ohara.cli.output import exit_code, print_answer

    print_answer(results, printing, now=time.time(), notes=notes, paged=asked.paged)
    if answered.results is None and not (alone or answered.notes):
        from ohara.cli.autostart import start_service_behind

        for note in start_service_behind(results.hits[0].repository if results.hits else None):
            click.echo(f"ohara: {note}", err=True)
    return exit_code(results)


def _in_process(asked: FindArguments, query: Query | None) -> tuple[Results | None, list[str]]:
    """Answer in this process, with remarks; a batch is answered and printed, line by line."""
    from ohara.cli.freshness import begin_all, renew_vectors
    from ohara.cli.shared import closed_at_the_end, fresh
    from ohara.federation.scope import choose, is_several

    options, quiet = asked.options, asked.printing.form is not Form.TEXT
    filters = options.filters if query is None else query.filters
    if is_several(asked.repos, filters):
        from ohara.federation.searcher import Federation

        federation = closed_at_the_end(Federation(choose(asked.repos, filters, folder=Path.cwd())))
        notes = begin_all(federation.to_begin() if names_paths(asked.repos) else [], quiet=quiet)
        if query is None:
            return _batch(federation, options, notes)
        return federation.find_pattern(query, options), notes
    engine, notes = fresh(asked.repos[0] if asked.repos else ".", asked.shared, quiet=quiet)
    if query is None:
        return _batch(engine, options, notes)
    if visit.may_go_on(options, query.filters):
        return visit.ask_there(asked, query, None)
    results = ask(engine, query, options, watched=not quiet)
    # A note says that an indexer is already running.
    if engine.search.vectors_are_old and not (notes or engine.is_shared):
        notes += renew_vectors(engine)
    return results, notes


def _batch(searcher: Searcher, options: SearchOptions, notes: list[str]) -> tuple[None, list[str]]:
    from ohara.cli.batch import answer_batch

    answer_batch(searcher, options, sys.stdin, notes=notes)
    return None, []


def _text(asked: FindArguments) -> str:
    """The query's text; a rule stands above the filters."""
    if asked.rule is None:
        return _source(asked.words)
    filters = joined(asked.words)
    _refuse_words(filters)
    try:
        rule = asked.rule.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the rule {asked.rule} cannot be read ({error})") from error
    if not is_rule(rule):
        raise UsageError(
            f"{asked.rule} is no rule: it has no rule:", hint="docs/structural-search.md has an example"
        )
    return f"{rule}\n{filters}"


def _refuse_words(filters: str) -> None:
    """Refuse what stands beside a rule and is no filter: it would be read as the rule's last line."""
    from ohara.query.lex import Term, Word, tokens

    if any(isinstance(token, Word | Term) for token in tokens(filters)):
        raise UsageError(
            f"--rule says what to look for, and {filters!r} is not filters alone",
            hint="leave other words out; filters such as path:src/ and since:2023 may stand there",
        )


def _source(words: Sequence[str]) -> str:
    """The query as it was typed, or what stdin holds."""
    return sys.stdin.read() if list(words) == [STDIN] else joined(words)
