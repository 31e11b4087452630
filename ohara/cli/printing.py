"""How an answer should be printed, apart from what prints it: a search begins before that is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Form(Enum):
    """How an answer is written."""

    TEXT = "text"
    JSON = "json"
    LINES = "jsonl"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """How to print: the form, colour, whether to explain, and how many tokens it may take."""

    form: Form
    colour: str = "auto"
    explain: bool = False
    budget: int | None = None


@dataclass(frozen=True, slots=True)
class Terminal:
    """What is printed on: the width of stdout (None: no terminal), and whether stderr is a person's."""

    width: int | None
    talks: bool
    environment: Mapping[str, str]
