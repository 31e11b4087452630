"""How a diff looks: the classes of its parts and their colours, for every kind of theme."""

from __future__ import annotations

from tui.diff.rows import RowKind
from tui.highlight import Syntax

BASES = {
    RowKind.ADDED: "diff--added",
    RowKind.REMOVED: "diff--removed",
    RowKind.CONTEXT: "diff--context",
    RowKind.REMARK: "diff--remark",
    RowKind.NOTE: "diff--remark",
    RowKind.HUNK: "diff--hunk",
    RowKind.FILE: "diff--file",
    RowKind.TITLE: "diff--title",
    RowKind.META: "diff--remark",
    RowKind.MESSAGE: "diff--message",
    RowKind.SECTION: "diff--section",
}

FACTS = ("sha", "author", "date", "ref")  # of a commit, in the order in which they are told

CLASSES = {
    *BASES.values(),
    "diff--gutter",
    "diff--cursor",
    "diff--match",
    "diff--capture",
    "diff--added-word",
    "diff--removed-word",
    "diff--selection",
    "diff--found",
    "diff--added-sign",
    "diff--removed-sign",
    *(f"diff--{part}" for part in FACTS),
    *(f"diff--{syntax}" for syntax in Syntax),
}


CSS = """
DiffCanvas {
    background: $surface; color: $foreground;
    & > .diff--context, & > .diff--remark { background: $surface; }
    & > .diff--remark { color: $text-muted; text-style: italic; }
    & > .diff--title { color: $foreground; background: $surface; text-style: bold; }
    & > .diff--message { color: $text-muted; background: $surface; }
    & > .diff--section { color: $text-muted; background: $surface; text-style: bold; }
    & > .diff--sha { color: $accent; background: $surface; }
    & > .diff--author { color: $secondary; background: $surface; }
    & > .diff--date { color: $success; background: $surface; }
    & > .diff--ref { color: $primary; background: $surface; text-style: bold; }
    & > .diff--added { background: $success 20%; }
    & > .diff--removed { background: $error 22%; }
    & > .diff--added-sign { color: $success; background: $success 20%; text-style: bold; }
    & > .diff--removed-sign { color: $error; background: $error 22%; text-style: bold; }
    & > .diff--added-word { background: $success 42%; }
    & > .diff--removed-word { background: $error 42%; }
    & > .diff--hunk { color: $text-muted; background: $surface; }
    & > .diff--file { color: $text; background: $panel; text-style: bold; }
    & > .diff--gutter { color: $text-disabled; background: $surface; }
    & > .diff--cursor { color: $text; background: $primary 45%; text-style: bold; }
    & > .diff--match { text-style: underline; }
    & > .diff--capture { background: $accent 40%; }
    & > .diff--found { color: $background; background: $warning; }
    & > .diff--selection { color: $text; background: $primary 60%; }
    & > .diff--keyword { color: $text-accent; }
    & > .diff--name { color: $text-primary; }
    & > .diff--builtin { color: $text-secondary; }
    & > .diff--string { color: $text-success; }
    & > .diff--number { color: $text-warning; }
    & > .diff--comment { color: $text-muted; text-style: italic; }
    & > .diff--tag { color: $text-warning; }
    & > .diff--heading { color: $text-primary; text-style: bold; }
    &:ansi {
        & > .diff--added, & > .diff--added-sign { color: ansi_green; background: transparent; }
        & > .diff--removed, & > .diff--removed-sign { color: ansi_red; background: transparent; }
        & > .diff--title, & > .diff--message, & > .diff--section { background: transparent; }
        & > .diff--message, & > .diff--section { color: ansi_default; }
        & > .diff--sha, & > .diff--author, & > .diff--date, & > .diff--ref { background: transparent; }
        & > .diff--added-word, & > .diff--removed-word { background: transparent; }
        & > .diff--hunk { color: ansi_cyan; background: transparent; }
        & > .diff--file { background: transparent; text-style: bold reverse; }
        & > .diff--gutter, & > .diff--remark, & > .diff--comment {
            color: ansi_bright_black; background: transparent;
        }
        & > .diff--context { background: transparent; }
        & > .diff--cursor { background: transparent; text-style: bold reverse; }
        & > .diff--selection, & > .diff--found { background: transparent; text-style: reverse; }
        & > .diff--found { color: ansi_yellow; }
        & > .diff--match, & > .diff--capture { background: transparent; }
        & > .diff--keyword { color: ansi_magenta; }
        & > .diff--name, & > .diff--heading { color: ansi_blue; }
        & > .diff--builtin, & > .diff--tag { color: ansi_cyan; }
        & > .diff--string, & > .diff--number { color: ansi_yellow; }
    }
}
"""
