"""Renders results in the requested form, hits for stdout and remarks for stderr, and prints them.

Rendering returns a value and is separate from printing: the service also renders answers for another
process's terminal.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.cli.pager import page_out
from ohara.cli.printing import Form, Terminal
from ohara.cli.report import ExitCode, describe
from ohara.cli.search import ALL, COUNT, no_list
from ohara.model import QueryClass
from ohara.present.advice import advice, doubtful
from ohara.present.budget import within_budget
from ohara.present.columns import shortened
from ohara.present.json import hit_object, results_object, written
from ohara.present.style import Ink, style_for
from ohara.present.template import naming_repositories, read_template
from ohara.present.text import Page, hit_lines, span_lines, summary, warnings, what_matches
from ohara.present.threads import grouped_head
from ohara.records import dataclass
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ohara.cli.printing import OutputOptions
    from ohara.model import Hit, Results


@dataclass(frozen=True, slots=True)
class Rendered:
    """What is printed for one answer: the text for stdout and the text for stderr."""

    out: str = ""
    err: str = ""


def rendered(
    results: Results, printing: OutputOptions, terminal: Terminal, *, now: float, notes: Sequence[str] = ()
) -> Rendered:
    """Render the hits for stdout, and warnings, notes and the summary for stderr."""
    if printing.whole:
        total_of(results, ALL)
    if printing.form is Form.SILENT:
        doubt = doubtful(results)
        return Rendered(err=f"{describe(doubt)}\n" if doubt else "")
    kept, out = _hits(results, printing, _page(printing, terminal, now=now))
    said = [*warnings(results), *notes]
    if omitted := len(results.hits) - len(kept):
        said.append(f"{omitted:,} of {len(results.hits):,} hits did not fit into the budget")
    said += _remarks(results, printing, terminal)
    return Rendered("".join(f"{line}\n" for line in out), "".join(f"{line}\n" for line in said))


def _hits(results: Results, printing: OutputOptions, page: Page) -> tuple[tuple[Hit, ...], list[str]]:
    """The hits that fit into the budget, and what stdout gets."""
    match printing.form:
        case Form.JSON:
            kept = _within(results, printing, lambda hit: written(hit_object(hit)))
            return kept, [written(results_object(replace(results, hits=kept)))]
        case Form.LINES:
            kept = _within(results, printing, lambda hit: written(hit_object(hit)), alone=True)
            return kept, [written(hit_object(hit)) for hit in kept]
        case Form.COUNT:
            return results.hits, [str(total_of(results, COUNT))]
        case Form.TEMPLATE:
            several = bool(results.parts) and printing.cut
            template = read_template(naming_repositories(printing.template) if several else printing.template)
            kept = _within(results, printing, lambda hit: template.line(hit, page))
            return kept, [_fitted(template.line(hit, page), printing, page) for hit in kept]
    return _text(results, printing, replace(page, several=bool(results.parts)))


def _remarks(results: Results, printing: OutputOptions, terminal: Terminal) -> list[str]:
    """What to say of an answer as a whole: why it may be doubted, what to try, or how it was found."""
    if doubt := doubtful(results):
        return [describe(doubt)]
    if not results.hits and printing.form in {Form.TEXT, Form.TEMPLATE}:
        # When a ranked query finds nothing, its warnings already say so and suggest other words.
        ranks = results.query.words and results.query.query_class != QueryClass.STRUCTURAL
        return [*([] if ranks else ["nothing found"]), *advice(results)]
    if results.hits and terminal.talks and printing.form is Form.TEXT:
        style = style_for(printing.colour, terminal=True, environment=terminal.environment)
        return [style.ink(summary(results, explain=printing.explain), Ink.QUIET)]
    return []


def exit_code(results: Results) -> ExitCode:
    """The exit code of a search; "nothing found" only when everything was searched."""
    if results.hits:
        return ExitCode.FOUND
    return ExitCode.ERROR if doubtful(results) else ExitCode.NOTHING_FOUND


def print_answer(
    results: Results,
    printing: OutputOptions,
    *,
    now: float,
    notes: Sequence[str] = (),
    paged: bool = True,
) -> None:
    """Render the results for this process's terminal and print them, through a pager where there is one."""
    answer = rendered(results, printing, here(), now=now, notes=notes)
    if paged and page_out(answer.out, answer.err):
        return
    sys.stdout.write(answer.out)
    sys.stderr.write(answer.err)
    sys.stderr.flush()


def here() -> Terminal:
    """The terminal, or pipe, that this process prints to."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return Terminal(width, sys.stderr.isatty(), os.environ)


def page_for(printing: OutputOptions, *, now: float) -> Page:
    """The page that matches this process's stdout: a terminal of some width, or a pipe without one."""
    return _page(printing, here(), now=now)


def _page(printing: OutputOptions, terminal: Terminal, *, now: float) -> Page:
    return Page(
        now=now,
        width=terminal.width,
        style=style_for(
            printing.colour, terminal=terminal.width is not None, environment=terminal.environment
        ),
        explain=printing.explain,
        story=printing.story,
        date=printing.date,
        urls=printing.urls,
    )


def total_of(results: Results, option: str) -> int:
    """How many hits there are in all, as an option asks for; an error for a ranking."""
    if results.total is None:
        if results.hits or results.query.words:
            raise no_list(results.query, option)
        return 0
    return results.total


def _fitted(line: str, printing: OutputOptions, page: Page) -> str:
    """A line of --oneline, which a terminal does not wrap."""
    if not printing.cut:
        return line
    return shortened(line, page.width) if page.width is not None else line.rstrip()


def _text(results: Results, printing: OutputOptions, page: Page) -> tuple[tuple[Hit, ...], list[str]]:
    """The hits that fit into the budget, and the text blocks of the answer, separated by empty lines."""
    span = _spans(results, page)
    threads = {thread.id: thread for thread in results.threads}

    def block(hit: Hit) -> str:
        thread = threads.get(hit.thread) if hit.thread else None
        if thread is None:
            return "\n".join(hit_lines(hit, page))
        return "\n".join([*grouped_head(thread, hit.rank, page), *hit_lines(hit, page, numbered=False)])

    shown = _within(results, printing, lambda hit: block(hit) + "\n", overhead="\n".join(span))
    blocks: list[str] = [block(hit) for hit in shown]
    if span and shown:
        blocks.append("\n".join(span))
    return shown, [f"{block}\n" for block in blocks[:-1]] + blocks[-1:]


def _spans(results: Results, page: Page) -> list[str]:
    """When a text came and went: in the history, or in that of each repository."""
    noun = what_matches(results.query)
    if results.literal:
        return span_lines(results.literal, page, noun)
    return [
        f"{sanitize(part.index.repository)}: {line}"
        for part in results.parts
        if part.literal is not None
        for line in span_lines(part.literal, page, noun)
    ]


def say(lines: Sequence[str]) -> None:
    """Write lines to stderr."""
    for line in lines:
        sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _within(
    results: Results,
    printing: OutputOptions,
    render: Callable[[Hit], str],
    *,
    overhead: str = "",
    alone: bool = False,
) -> tuple[Hit, ...]:
    """The hits that fit into the token budget, in order; a hit that does not fit is left out entirely."""
    if printing.budget is None:
        return results.hits
    if printing.form is Form.JSON and not alone:
        overhead = written(results_object(replace(results, hits=())))
    return within_budget(results.hits, render, budget=printing.budget, overhead=overhead)
