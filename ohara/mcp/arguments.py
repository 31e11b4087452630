"""The arguments of each tool, with what is said of them to a model and the limits they are held to.

A tool's JSON schema is made from its class, so that what is promised is what is checked. What a model often
gets slightly wrong is understood: null for what is not given, numbers written as text, one value for a list.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta

from ohara.errors import UsageError
from ohara.model import ChangeKind, Mode
from ohara.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_BUDGET = 6_000
MOST_TOKENS = 20_000  # clients refuse more than 25,000 as they count them
LEAST_TOKENS = 500  # what is said about an answer takes up to 300

_MOST_HITS = 50
_LONGEST = 100_000

Text = Annotated[str, Meta(max_length=4096)]
Repo = Annotated[str, Meta(max_length=4096, description="Path of the repository. Default: the current one.")]
Repos = Annotated[
    str,
    Meta(
        max_length=4096,
        description="Path of the repository, @GROUP, or @all: every indexed one. Default: the current one.",
    ),
]
Budget = Annotated[
    int,
    Meta(ge=LEAST_TOKENS, le=MOST_TOKENS, description="Most tokens in the answer."),
]
Format = Annotated[Literal["text", "json"], Meta(description="json: for programs, longer.")]


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments that every tool takes."""

    repo: Repo = ""


class FindPattern(Arguments, frozen=True, kw_only=True):
    """What find_pattern is asked."""

    repo: Repos = ""
    pattern: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=_LONGEST,
            description='Words ("retry with backoff"), a question, a symbol, a "quoted literal", a /regex/,'
            " a path, a commit, #123, a code snippet, or code in which $NAME is any node:"
            " get($URL, verify=False). Filters may stand in it: path:src/** author:bob.",
        ),
    ]
    k: Annotated[int, Meta(ge=1, le=_MOST_HITS, description="How many commits.")] = 5
    mode: Annotated[
        Literal[tuple(mode.value for mode in Mode)],  # type: ignore[valid-type]  # the modes there are
        Meta(description="How to search; auto reads the pattern's form."),
    ] = Mode.AUTO.value
    path: Annotated[str, Meta(max_length=4096, description="Only files that match: src/**, *.py, docs/")] = ""
    not_path: Annotated[str, Meta(max_length=4096, description="No files that match.")] = ""
    author: Annotated[str, Meta(max_length=4096, description="Part of the author's name or address.")] = ""
    lang: Annotated[str, Meta(max_length=4096, description="Only files in this language: python, go")] = ""
    since: Annotated[str, Meta(max_length=4096, description="From this day on: 2023-05-01, 2 weeks ago")] = ""
    until: Annotated[str, Meta(max_length=4096, description="Up to the end of this day.")] = ""
    kind: Annotated[
        Literal[("", *(kind.value for kind in ChangeKind))],  # type: ignore[valid-type]
        Meta(description="What happened to the file."),
    ] = ""
    ref: Annotated[
        str, Meta(max_length=4096, description="Only what this branch, tag or commit reaches.")
    ] = ""
    message: Annotated[str, Meta(max_length=4096, description="Part of the commit's message.")] = ""
    symbol: Annotated[str, Meta(max_length=4096, description="Only hunks that touch this symbol.")] = ""
    side: Annotated[
        Literal["any", "added", "removed"], Meta(description="Which lines of the diff must match.")
    ] = "any"
    no_rerank: Annotated[bool, Meta(description="Faster, less exact order.")] = False
    budget: Budget = DEFAULT_BUDGET
    after: Annotated[
        str, Meta(max_length=4096, description="The cursor of the page before; all else unchanged.")
    ] = ""
    format: Format = "text"


class ShowCommit(Arguments, frozen=True, kw_only=True):
    """What show_commit is asked."""

    rev: Annotated[
        str, Meta(min_length=1, max_length=4096, description="Sha, its beginning, a branch, a tag, HEAD~3.")
    ]
    paths: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=4096)], ...],
        Meta(max_length=100, description="Only hunks of files that match: src/**, *.py"),
    ] = ()
    budget: Budget = DEFAULT_BUDGET
    after: Annotated[str, Meta(max_length=64, description="Where the page before ended.")] = ""
    format: Format = "text"


class ExplainChange(Arguments, frozen=True, kw_only=True):
    """What explain_change is asked."""

    place: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=4096,
            description="src/app.py:120, src/app.py:120-130, a symbol, path:symbol or a path.",
        ),
    ]
    ref: Annotated[
        str, Meta(max_length=4096, description="The commit in which lines are counted. Default: HEAD.")
    ] = ""
    since: Annotated[str, Meta(max_length=4096, description="Nothing older: 2023-05-01, 2 years ago")] = ""
    oldest_first: Annotated[bool, Meta(description="Begin with how it began.")] = False
    k: Annotated[int, Meta(ge=1, le=_MOST_HITS, description="How many commits.")] = 5
    budget: Budget = DEFAULT_BUDGET
    after: Annotated[str, Meta(max_length=4096, description="The cursor of the page before.")] = ""
    format: Format = "text"


class RelatedChanges(Arguments, frozen=True, kw_only=True):
    """What related_changes is asked."""

    target: Annotated[
        str,
        Meta(
            min_length=1, max_length=4096, description="A path, path:line, path:symbol, a symbol or a commit."
        ),
    ]
    k: Annotated[int, Meta(ge=1, le=_MOST_HITS, description="How many files, and symbols.")] = 10
    budget: Budget = DEFAULT_BUDGET
    format: Format = "text"


class HistoryStatus(Arguments, frozen=True, kw_only=True):
    """What history_status is asked."""


A = TypeVar("A", bound=Arguments)

_UNKNOWN = re.compile(r"unknown field `(.+?)`")
_MISSING = re.compile(r"missing required field `(.+?)`")
_AT = re.compile(r"^(?P<said>.+?)(?: - at `\$\.?(?P<place>.*)`)?$", re.DOTALL)


def schema(kind: type[Arguments]) -> dict[str, object]:
    """The JSON schema of a tool's arguments, without what says nothing to a model."""
    (named,) = msgspec.json.schema_components([kind])[1].values()
    properties: dict[str, dict[str, object]] = {}
    for name, told in named["properties"].items():
        kept = {key: value for key, value in told.items() if key not in _SILENT and value not in ("", [])}
        properties[name] = kept
    wanted: dict[str, object] = {"type": "object", "properties": properties, "additionalProperties": False}
    if named.get("required"):
        wanted["required"] = named["required"]
    return wanted


_SILENT = frozenset({"title", "maxLength", "minLength", "maxItems"})


def read(tool: str, kind: type[A], given: Mapping[str, object] | None) -> A:
    """The arguments of one call; what is wrong with them is told in one line."""
    lists = {field.name for field in msgspec.structs.fields(kind) if isinstance(field.default, tuple)}
    present = {
        name: [value] if name in lists and isinstance(value, str) else value
        for name, value in (given or {}).items()
        if value is not None
    }
    try:
        return msgspec.convert(present, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _refused(tool, kind, str(error)) from error


def _refused(tool: str, kind: type[Arguments], said: str) -> UsageError:
    names = [field.name for field in msgspec.structs.fields(kind)]
    if unknown := _UNKNOWN.search(said):
        meant = nearest(unknown[1], names, within=2)
        guess = f"did you mean {meant}?" if meant else f"it takes {', '.join(names)}"
        return UsageError(f"{tool} has no argument {unknown[1][:100]!r}", hint=guess)
    if missing := _MISSING.search(said):
        return UsageError(f"{tool} needs the argument {missing[1]}", hint=f"it takes {', '.join(names)}")
    told = _AT.match(said)
    place = (told["place"] or "").removesuffix("[...]") if told else ""
    wrong = (told["said"] if told else said).replace("`", "")
    return UsageError(
        f"{tool}: {place or 'the arguments'}: {wrong[:1].lower()}{wrong[1:]}", hint=_expects(kind, place)
    )


def _expects(kind: type[Arguments], place: str) -> str:
    """What an argument is for, as its description says."""
    told = schema(kind)["properties"]
    about = told.get(place, {}) if isinstance(told, dict) else {}
    if "enum" in about:
        return f"one of {', '.join(value for value in about['enum'] if value)}"
    return str(about.get("description", ""))
