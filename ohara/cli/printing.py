"""Options for printing an answer; the code that prints is another module, imported while a search runs."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping


class Form(Enum):
    """The output format of an answer."""

    TEXT = "text"
    JSON = "json"
    LINES = "jsonl"
    SILENT = "silent"
    TEMPLATE = "format"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """How to print: the format, colour, whether to explain ranks, the token budget, whole messages.

    `template` is the text of --format; with `cut` its lines end at the edge of a terminal. `whole`
    asks for all of a list.
    """

    form: Form
    colour: str = "auto"
    explain: bool = False
    budget: int | None = None
    story: bool = False
    date: str = "relative"
    urls: bool = False
    template: str = ""
    cut: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Terminal:
    """Where output goes: the width of stdout (None: not a terminal), and whether stderr is a terminal."""

    width: int | None
    talks: bool
    environment: Mapping[str, str]
