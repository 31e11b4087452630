"""The manual page, made of the commands' own help, so that it cannot say anything else. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from ohara import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_EXIT_CODES = {
    "0": "found, or done; also when the reader of a pipe has seen enough and closes it",
    "1": "nothing found",
    "2": "an error: one line says what happened, one more what to type next",
    "130": "interrupted",
}
_ENVIRONMENT = {
    "OHARA_HOME": "one folder for everything that ohara reads and writes for itself",
    "OHARA_SECTION_NAME": "a setting, such as OHARA_FIND_K for find.k; ohara config lists them",
    "OHARA_DEBUG": "1 adds the traceback to an error",
    "GIT_PAGER, PAGER": "what shows answers on a terminal; core.pager of git's configuration stands between",
    "VISUAL, EDITOR": "what ohara config edit opens",
    "NO_COLOR": "any text switches colours off",
    "TZ": "the zone in which days are counted",
}
_RAW = "\b"  # click's mark above a paragraph that is not to be wrapped


def man_page(name: str, program: click.Group, commands: Mapping[str, click.Command]) -> str:
    """The page of a program in roff, in ASCII."""
    lines = [
        f'.TH {name.upper()} 1 "" "{name} {__version__}" "User Commands"',
        ".SH NAME",
        rf"{name} \- find the diff hunks where it happened",
        ".SH SYNOPSIS",
        rf".B {name}",
        r"[\-h | \-\-help] [\-\-version] COMMAND ...",
        ".SH DESCRIPTION",
        *_paragraphs(program.help or ""),
        ".PP",
        f"Bare {name} opens the terminal UI on a terminal inside a repository; elsewhere it prints the help.",
        ".SH COMMANDS",
    ]
    for title, command in commands.items():
        lines += _section(title, command, program)
    lines += [".SH EXIT STATUS", *_terms(_EXIT_CODES), ".SH ENVIRONMENT", *_terms(_ENVIRONMENT)]
    lines += [".SH SEE ALSO", ".BR git\\-log (1),", ".BR git\\-show (1),", ".BR gitrevisions (7)"]
    return "\n".join(lines) + "\n"


def _section(title: str, command: click.Command, program: click.Group) -> Iterator[str]:
    context = click.Context(command, info_name=title, parent=None, **program.context_settings)
    arguments = " ".join(command.collect_usage_pieces(context))
    yield f'.SS "{_escaped(f"{title} {arguments}".strip())}"'
    yield from _paragraphs(command.help or "")
    records = [param.get_help_record(context) for param in command.get_params(context)]
    yield from _terms({names: said for names, said in filter(None, records) if said})


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text.strip())):
        if number:
            yield ".PP"
        is_raw = paragraph.lstrip(" ").startswith(_RAW)
        lines = [line.strip() for line in paragraph.replace(_RAW, "").strip("\n").split("\n") if line.strip()]
        yield from [".nf", *map(_line, lines), ".fi"] if is_raw else map(_line, lines)


def _terms(said: Mapping[str, str]) -> Iterator[str]:
    for term, text in said.items():
        yield from (".TP", rf"\fB{_escaped(term)}\fR", _line(" ".join(text.split())))


def _line(text: str) -> str:
    """A line of text that roff does not take for a request."""
    escaped = _escaped(text)
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped


def _escaped(text: str) -> str:
    marks = {"\\": r"\e", "-": r"\-", '"': r"\(dq", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}
    return "".join(
        marks.get(character, character if character.isascii() else rf"\[u{ord(character):04X}]")
        for character in text
    )
