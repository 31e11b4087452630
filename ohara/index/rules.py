"""Which changed files are left out of search by meaning and words, and why.

Left-out text stays in the literal pass, so nothing written in history is lost to an exact search.
Rules are judged in this order, the first that speaks wins: ignore patterns (`.oharaignore` and the
`index.ignore` setting, where `!` takes a path back in), `.gitattributes` linguist marks, then the
patterns below. Only paths and the change itself are looked at: the same change gets the same
verdict whenever it is indexed.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from typing import TYPE_CHECKING, NamedTuple

from ohara.errors import IndexMissing, RepositoryError
from ohara.git.attributes import (
    IGNORE_FILE,
    MOST_PATTERNS,
    NO_ATTRIBUTE_FILES,
    AttributeFiles,
    Attributes,
    attribute_files,
    ignore_text,
    too_many_patterns,
)
from ohara.model import LeftOut
from ohara.store.facts import ATTRIBUTE_FILES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pathspec import GitIgnoreSpec

    from ohara.git.repo import Repository
    from ohara.model import FileChange
    from ohara.settings import IndexSettings
    from ohara.store.index import Index
    from ohara.store.writing import Writer

KEPT = "kept"  # the verdict on a path that ignore patterns or attributes take back in

RULES_VERSION = 1  # part of the fingerprint: raise it when a pattern below changes

_LOCK = re.compile(
    r"(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock|deno\.lock|Cargo\.lock"
    r"|poetry\.lock|Pipfile\.lock|uv\.lock|pdm\.lock|pixi\.lock|conda-lock\.yml|composer\.lock|Gemfile\.lock|go\.sum"
    r"|flake\.lock|mix\.lock|pubspec\.lock|Podfile\.lock|Package\.resolved|packages\.lock\.json|gradle\.lockfile)$"
)
_MINIFIED = re.compile(r"[.-]min\.(?:js|mjs|cjs|css)$|\.(?:js|mjs|cjs|css)\.map$")
_VENDORED = re.compile(
    r"(?:^|/)(?:node_modules|bower_components|vendor|vendored|_vendor|third_party|third-party|thirdparty)/"
)
_GENERATED = re.compile(
    r"_pb2(?:_grpc)?\.pyi?$|\.pb(?:\.gw)?\.(?:go|cc|h)$|_grpc\.pb\.go$|\.g\.dart$|\.generated\.\w+$"
    r"|(?:^|/)__generated__/|\.designer\.cs$"
)
# What generators write into their first lines: Go's convention, and the mark of Facebook's tools.
_GENERATED_MARK = re.compile(
    r"@generated\b|Code generated .* DO NOT EDIT|AUTO-?GENERATED FILE", re.IGNORECASE
)
# Bracket expressions of ignore patterns, and what POSIX calls the ranges in them.
_BRACKET = re.compile(r"\[[!^]?(?:\[:[a-z]+:\]|[^\[\]\\])+\]")
_CLASS = re.compile(r"\[:([a-z]+):\]")
_RANGES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "digit": "0-9",
    "lower": "a-z",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_MARK_LINES = 5
_PATTERNS_TOGETHER = 1_000  # more do not fit into one set of expressions
_MINIFIED_LINE = 5_000  # characters: no person writes or reads a line that long


class Rules(NamedTuple):
    """The rules of one repository, cheap to send to a worker."""

    ignore_lines: tuple[str, ...] = ()
    attributes: Attributes = Attributes()
    large_file_bytes: int = 512 * 1024

    @property
    def fingerprint(self) -> str:
        """Changes when any verdict may change."""
        said = repr(
            (RULES_VERSION, self.ignore_lines, self.attributes.fingerprint, self.large_file_bytes)
        ).encode()
        return hashlib.sha256(said).hexdigest()[:16]


def read_rules(
    repository: Repository, settings: IndexSettings, attribute_files: AttributeFiles | None = None
) -> Rules:
    """The rules as the repository and the user have them now; a later line overrides an earlier one."""
    own = [line for line in (ignore_text(repository) or "").splitlines() if line.strip() and line[0] != "#"]
    ignore = (*settings.ignore, *own)
    if len(ignore) > MOST_PATTERNS:
        raise too_many_patterns(IGNORE_FILE if own else "index.ignore")
    return Rules(ignore, Attributes.load(repository, attribute_files), settings.large_file_bytes)


def find_attribute_files(repository: Repository, index: Index) -> AttributeFiles:
    """The attribute files of HEAD, told from those that the index remembers of an earlier HEAD."""
    try:
        with index.statistics() as known:
            before = known.fact(ATTRIBUTE_FILES)
    except IndexMissing:  # also one that a run which was killed had only begun to make
        before = None
    return attribute_files(repository, AttributeFiles(*before) if before else NO_ATTRIBUTE_FILES)


def remember_attribute_files(writer: Writer, found: AttributeFiles) -> None:
    """Let the next run look only at what differs."""
    now = (found.tree, found.blobs)
    if writer.fact(ATTRIBUTE_FILES) != now:
        writer.record(ATTRIBUTE_FILES, now)


class Exclusions:
    """Applies the rules, remembering each path's verdict."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._ignore = _ignoring(rules.ignore_lines)
        self._known: dict[str, str | None] = {}

    def reason(self, change: FileChange) -> LeftOut | None:
        """Why this change is left out of search by words and meaning, all rules together."""
        return self.reason_beside(self.change(change), change.path)

    def reason_beside(self, own: LeftOut | None, path: str) -> LeftOut | None:
        """The same of a change that is known to be left out by itself, or not to be."""
        verdict = self.path(path)
        if verdict == KEPT:
            return own if own is not None and own.unread else None
        return own or (LeftOut(verdict) if verdict else None)

    def path(self, path: str) -> str | None:
        """Why this path is left out, whatever its content; KEPT when a rule takes it back in."""
        try:
            return self._known[path]
        except KeyError:
            verdict = self._known[path] = self._judge(path)
            return verdict

    def change(self, change: FileChange) -> LeftOut | None:
        """Why this one change is left out, whatever its path."""
        if change.left_out is not None or not change.hunks:
            return change.left_out
        if sum(len(hunk.body) for hunk in change.hunks) > self._rules.large_file_bytes:
            return LeftOut.LARGE
        first = change.hunks[0]
        if first.new_start <= 1 and _GENERATED_MARK.search(
            "\n".join(first.body.split("\n", _MARK_LINES)[:_MARK_LINES])
        ):
            return LeftOut.GENERATED
        if any(len(hunk.body) > _MINIFIED_LINE and _has_endless_line(hunk.body) for hunk in change.hunks):
            return LeftOut.MINIFIED
        return None

    def _judge(self, path: str) -> str | None:
        for spec in self._ignore:
            ignored = spec.check_file(path).include
            if ignored is not None:
                return LeftOut.IGNORED.value if ignored else KEPT
        attributes = self._rules.attributes
        if attributes.keeps(path):
            return KEPT
        reason = attributes.reason(path) or builtin_reason(path)
        return reason.value if reason else None


def _ignoring(lines: Sequence[str]) -> list[GitIgnoreSpec]:
    """The patterns as sets, to be asked in turn: of several lines that match, the last wins."""
    if not lines:
        return []
    from pathspec import GitIgnoreSpec  # a seventh of the start of a run that finds nothing to do

    try:
        if len(lines) <= _PATTERNS_TOGETHER:
            with warnings.catch_warnings():  # Python's, of a "[[" that it may read otherwise one day
                warnings.simplefilter("ignore", FutureWarning)
                return [GitIgnoreSpec.from_lines(_BRACKET.sub(_without_classes, line) for line in lines)]
    except Exception as fault:  # RE2 has a limit of its own, and pathspec words no error for it
        if len(lines) == 1:
            raise RepositoryError(
                f"{IGNORE_FILE}: {lines[0][:60]!r} is no pattern that can be read",
                hint="change or remove that line, or the setting index.ignore",
            ) from fault
    middle = len(lines) // 2
    return [*_ignoring(lines[middle:]), *_ignoring(lines[:middle])]


def _without_classes(bracket: re.Match[str]) -> str:
    """A bracket expression with ranges in place of named classes, which pathspec does not know."""
    return _CLASS.sub(lambda named: _RANGES.get(named[1], named[0]), bracket[0])


def _has_endless_line(body: str) -> bool:
    """True when a line is longer; each look goes as far down as a line may reach."""
    at = 0
    while at + _MINIFIED_LINE < len(body):
        newline = body.rfind("\n", at, at + _MINIFIED_LINE + 1)
        if newline < 0:
            return True
        at = newline + 1
    return False


_BUILTIN: Sequence[tuple[re.Pattern[str], LeftOut]] = (
    (_LOCK, LeftOut.LOCK),
    (_MINIFIED, LeftOut.MINIFIED),
    (_VENDORED, LeftOut.VENDORED),
    (_GENERATED, LeftOut.GENERATED),
)


def builtin_reason(path: str) -> LeftOut | None:
    """Why a path is left out by the built-in rules."""
    return next((reason for pattern, reason in _BUILTIN if pattern.search(path)), None)
