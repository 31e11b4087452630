"""Words an answer in the form that was asked for, data for stdout and talk for stderr, and prints it.

What is printed is a value first: the service words answers for shells whose terminal it does not have.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ohara.cli.printing import Form, Terminal
from ohara.cli.report import ExitCode, describe
from ohara.present.advice import advice, doubtful
from ohara.present.budget import within_budget
from ohara.present.json import hit_object, results_object, written
from ohara.present.style import Ink, style_for
from ohara.present.text import Page, hit_lines, span_lines, summary, warnings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ohara.cli.printing import OutputOptions
    from ohara.model import Hit, Results


@dataclass(frozen=True, slots=True)
class Rendered:
    """An answer as it is printed."""

    out: str = ""
    err: str = ""


def rendered(
    results: Results, printing: OutputOptions, paper: Terminal, *, now: float, notes: Sequence[str] = ()
) -> Rendered:
    """The answer for stdout and what there is to say about it for stderr."""
    doubt = doubtful(results)
    match printing.form:
        case Form.SILENT:
            return Rendered(err=f"{describe(doubt)}\n" if doubt else "")
        case Form.JSON:
            kept = _within(results, printing, lambda hit: written(hit_object(hit)))
            out = [written(results_object(replace(results, hits=kept)))]
        case Form.LINES:
            kept = _within(results, printing, lambda hit: written(hit_object(hit)), alone=True)
            out = [written(hit_object(hit)) for hit in kept]
        case Form.TEXT:
            kept, out = _text(results, printing, _page(printing, paper, now=now))
    said = [*warnings(results), *notes]
    if omitted := len(results.hits) - len(kept):
        said.append(f"{omitted:,} of {len(results.hits):,} hits did not fit into the budget")
    if doubt:
        said.append(describe(doubt))
    elif printing.form is Form.TEXT:
        if not results.hits:
            # A ranking that found nothing has said so, and what other words to try.
            said += [*([] if results.query.words else ["nothing found"]), *advice(results)]
        elif paper.talks:
            style = style_for(printing.colour, terminal=True, environment=paper.environment)
            said.append(style.ink(summary(results), Ink.QUIET))
    return Rendered("".join(f"{line}\n" for line in out), "".join(f"{line}\n" for line in said))


def exit_code(results: Results) -> ExitCode:
    """How a search ended; "nothing found" is said only of what was searched to its end."""
    if results.hits:
        return ExitCode.FOUND
    return ExitCode.ERROR if doubtful(results) else ExitCode.NOTHING_FOUND


def print_answer(results: Results, printing: OutputOptions, *, now: float, notes: Sequence[str] = ()) -> None:
    """Write the answer to stdout and what there is to say about it to stderr."""
    answer = rendered(results, printing, here(), now=now, notes=notes)
    sys.stdout.write(answer.out)
    sys.stderr.write(answer.err)
    sys.stderr.flush()


def here() -> Terminal:
    """What this process prints on."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return Terminal(width, sys.stderr.isatty(), os.environ)


def page_for(printing: OutputOptions, *, now: float) -> Page:
    """What stdout is: a terminal of some width, or a pipe, which has none."""
    return _page(printing, here(), now=now)


def _page(printing: OutputOptions, paper: Terminal, *, now: float) -> Page:
    terminal = paper.width is not None
    return Page(
        now=now,
        width=paper.width,
        style=style_for(printing.colour, terminal=terminal, environment=paper.environment),
        explain=printing.explain,
    )


def _text(results: Results, printing: OutputOptions, page: Page) -> tuple[tuple[Hit, ...], list[str]]:
    """The hits that fit, and the blocks of the answer, an empty line between each two."""
    span = span_lines(results.literal, page) if results.literal else []
    shown = _within(
        results, printing, lambda hit: "\n".join(hit_lines(hit, page)) + "\n", overhead="\n".join(span)
    )
    blocks: list[str] = ["\n".join(hit_lines(hit, page)) for hit in shown]
    if span and shown:
        blocks.append("\n".join(span))
    return shown, [f"{block}\n" for block in blocks[:-1]] + blocks[-1:]


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
    """The hits that fit into the budget, in order; one that does not fit is left out whole."""
    if printing.budget is None:
        return results.hits
    if printing.form is Form.JSON and not alone:
        overhead = written(results_object(replace(results, hits=())))
    return within_budget(results.hits, render, tokens=printing.budget, overhead=overhead)
