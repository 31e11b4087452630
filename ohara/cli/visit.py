"""Reads a branch that is not indexed for one search, if it is small: `--ref topic` answers at once.

Its commits are searched beside what is indexed and hidden again afterwards, so that no other answer changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.cli.printing import Form
from ohara.cli.search import ask
from ohara.errors import RepositoryError, StoreError
from ohara.plural import counted

if TYPE_CHECKING:
    from ohara.cli.find_arguments import FindArguments
    from ohara.model import Filters, Query, Results, SearchOptions

MOST_COMMITS = 2_000  # whose words and literal text are read in a few seconds


def is_worth(results: Results) -> bool:
    """True when refs that were asked for lead to a few commits that are not indexed, in one repository."""
    return 0 < results.outside <= MOST_COMMITS and not results.parts


def may_go_on(options: SearchOptions, filters: Filters) -> bool:
    """True for a later page of an answer that may have been made on a visit: only there its cursor holds."""
    return options.after is not None and bool(filters.refs)


def ask_there(asked: FindArguments, query: Query, results: Results | None) -> tuple[Results, list[str]]:
    """The answer with what the refs lead to; the former one, and why, when it cannot be read now."""
    from ohara.cli.progress import Reporter
    from ohara.cli.shared import closed_at_the_end
    from ohara.engine import Engine

    engine = closed_at_the_end(Engine.open(asked.repos[0] if asked.repos else "."))
    is_quiet = asked.printing.form is not Form.TEXT
    if results is not None:
        refs = " and ".join(query.filters.refs)
        said = f"reading {counted(results.outside, 'commit')} of {refs} for this search"
        Reporter(quiet=is_quiet, as_json=False).begin(said)
    try:
        with engine.visiting(query.filters.refs):
            return ask(engine, query, asked.options, watched=not is_quiet), []
    except (StoreError, RepositoryError) as error:  # somebody else indexes, or the disk is full
        if results is None:
            raise
        return results, [f"the branch could not be read now: {error.message}"]
