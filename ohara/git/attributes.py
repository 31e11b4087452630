"""Reads `.gitattributes` and `.oharaignore` of a repository.

Only linguist's two attributes matter here, `linguist-generated` and `linguist-vendored`, as HEAD's tree
sets them: the deepest file wins, and in a file the last line that matches. Patterns are git's own,
which for attributes differ from gitignore: one that matches a directory says nothing of the files
in it, and a trailing slash matches no file at all. `.oharaignore` is only fetched, not
interpreted.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING, Final

from ohara.errors import RepositoryError
from ohara.git import decode, tree, wildcard
from ohara.git.tree import REGULAR, SUBMODULE
from ohara.model import LeftOut
from ohara.records import dataclass
from ohara.safe_read import IrregularFile, read_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ohara.git.repo import Repository
    from ohara.model import Sha

IGNORE_FILE: Final = ".oharaignore"
_ATTRIBUTES_FILE: Final = ".gitattributes"

# git ignores larger .gitattributes files, too.
_MAX_BYTES: Final = 1024 * 1024

# Every path is matched against every pattern; only patterns for the two attributes are kept.
MOST_PATTERNS: Final = 5_000

_REASONS: Final = {"linguist-generated": LeftOut.GENERATED, "linguist-vendored": LeftOut.VENDORED}
_FALSE: Final = frozenset({"false", "0", "no", "off"})
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"[ \t\r]*(.*)')
_BLANKS = re.compile("[ \t\r]+")  # git's own; other white space is part of a name
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_ESCAPES: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@dataclass(frozen=True, slots=True)
class AttributeFiles:
    """The attribute files of a tree: the blob of each by its folder ("" for the root)."""

    tree: str = ""
    blobs: Mapping[str, str] = field(default_factory=dict)


NO_ATTRIBUTE_FILES: Final = AttributeFiles()


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line: which paths, and what it sets (True), unsets (False) or leaves unspecified (None)."""

    pattern: re.Pattern[str]
    settings: tuple[tuple[str, bool | None], ...]


@dataclass(frozen=True, slots=True)
class Attributes:
    """A repository's linguist attributes; answers are remembered by path."""

    rules: tuple[_Rule, ...] = ()
    _known: dict[str, LeftOut | None] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def load(cls, repo: Repository, files: AttributeFiles | None = None) -> Attributes:
        """Reads every `.gitattributes` in HEAD's tree, the shallowest first."""
        found = attribute_files(repo) if files is None else files
        return cls.parse(
            (folder, decode.text(repo.read_blob(blob, cap=_MAX_BYTES) or b""))
            for folder, blob in found.blobs.items()
        )

    @classmethod
    def parse(cls, files: Iterable[tuple[str, str]]) -> Attributes:
        """Reads attribute files given as folder ("" for the root) and text."""
        ordered = sorted(files, key=lambda each: (each[0].count("/") + bool(each[0]), each[0]))
        macros: dict[str, tuple[tuple[str, bool | None], ...]] = {}
        rules: list[_Rule] = []
        for folder, content in ordered:
            for pattern, words in _lines(content):
                settings = tuple(_settings(words, macros))
                if pattern.startswith("[attr]"):
                    if not folder:
                        macros[pattern.removeprefix("[attr]")] = settings
                elif settings and not pattern.startswith("!"):
                    if len(rules) >= MOST_PATTERNS:
                        raise too_many_patterns(_ATTRIBUTES_FILE)
                    rules.append(_Rule(wildcard.compiled(pattern, folder), settings))
        return cls(tuple(rules))

    def reason(self, path: str) -> LeftOut | None:
        """Says why a path should be left out: vendored before generated, or not at all."""
        if not self.rules:
            return None
        if path not in self._known:
            state: dict[str, bool | None] = {}
            for rule in self.rules:
                if rule.pattern.fullmatch(path):
                    state |= dict(rule.settings)
            found = (
                _REASONS[name] for name in ("linguist-vendored", "linguist-generated") if state.get(name)
            )
            self._known[path] = next(found, None)
        return self._known[path]

    def keeps(self, path: str) -> bool:
        """Says whether somebody unset an attribute for a path (`-linguist-vendored`) and none is set."""
        state: dict[str, bool | None] = {}
        for rule in self.rules:
            if rule.pattern.fullmatch(path):
                state |= dict(rule.settings)
        return False in state.values() and True not in state.values()

    @property
    def fingerprint(self) -> tuple[tuple[str, tuple[tuple[str, bool | None], ...]], ...]:
        """What the answers depend on, as plain values."""
        return tuple((rule.pattern.pattern, rule.settings) for rule in self.rules)


def attribute_files(repo: Repository, before: AttributeFiles = NO_ATTRIBUTE_FILES) -> AttributeFiles:
    """Finds every `.gitattributes` in HEAD's tree.

    Given those of an earlier tree, only the folders that differ are looked at: a tree may have 50,000 files.
    """
    for sha in repo.resolve(["HEAD"]).values():
        root = repo.links(sha).tree
        if before.tree == root.hex():
            return before
        found = _attribute_files(repo, before, root) if before.tree else None
        return found or _attribute_files(repo, NO_ATTRIBUTE_FILES, root) or NO_ATTRIBUTE_FILES
    return NO_ATTRIBUTE_FILES


def _attribute_files(repo: Repository, before: AttributeFiles, root: bytes) -> AttributeFiles | None:
    """What a tree has, told from what an earlier one had; None where that one cannot be read any more."""
    missing: set[str] = set()
    blobs = dict(before.blobs)
    for delta in tree.compare(repo.objects, bytes.fromhex(before.tree), root, missing):
        folder, _, name = decode.path(delta.path).rpartition("/")
        if name == _ATTRIBUTES_FILE:
            blobs.pop(folder, None)
            if delta.new and delta.new.type == REGULAR:  # git follows no links there
                blobs[folder] = delta.new.oid.hex()
    if missing and before.tree:
        return None
    # What cannot be read may be there the next time: then everything is looked at again.
    return AttributeFiles("" if missing else root.hex(), blobs)


def ignore_text(repo: Repository) -> str | None:
    """Returns `.oharaignore` from the work tree's root, or else from HEAD's; None if there is none.

    One that is a link, a pipe or very large is an error: ignoring it would index what it leaves out.
    """
    if repo.work_dir is not None:
        file = repo.work_dir / IGNORE_FILE
        try:
            data = read_regular(file, _MAX_BYTES)
        except IrregularFile as error:
            raise RepositoryError(str(error), hint=f"remove it: rm {file}") from error
        except OSError:
            data = None  # not for us: HEAD may have one
        if data is not None:
            return decode.text(data)
    for sha in repo.resolve(["HEAD"]).values():
        entry = tree.find(repo.objects, repo.links(sha).tree, IGNORE_FILE)
        if entry is not None and entry.type != SUBMODULE:
            return _ignore_text_of(repo, sha, entry)
    return None


def _ignore_text_of(repo: Repository, sha: Sha, entry: tree.Entry) -> str | None:
    data = repo.objects.blob(entry.oid, _MAX_BYTES) if entry.type == REGULAR else LeftOut.OVERSIZED
    if data is LeftOut.OVERSIZED:
        raise RepositoryError(
            f"{IGNORE_FILE} in {sha[:10]}: not a regular file of at most 1 MiB",
            hint=f"put another in its place: {IGNORE_FILE} of the work tree goes first",
        )
    return None if isinstance(data, LeftOut) else decode.text(data)


def too_many_patterns(file: str) -> RepositoryError:
    """The error for more patterns than every path can be matched against."""
    return RepositoryError(
        f"{file}: more than {MOST_PATTERNS:,} patterns", hint="name folders instead of the files in them"
    )


def _lines(content: str) -> Iterator[tuple[str, list[str]]]:
    """Yields each line's pattern and the words after it."""
    for line in content.removeprefix("\N{BYTE ORDER MARK}").split("\n"):
        stripped = line.strip(" \t\r")
        if not stripped or stripped.startswith("#"):
            continue
        quoted = _QUOTED.fullmatch(stripped)
        if quoted:
            yield _ESCAPE.sub(_unescaped, quoted[1]), [word for word in _BLANKS.split(quoted[2]) if word]
        else:
            pattern, *words = _BLANKS.split(stripped)
            yield pattern, words


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code, 8)) if len(code) == 3 else _ESCAPES.get(code, code)


def _settings(
    words: Iterable[str], macros: dict[str, tuple[tuple[str, bool | None], ...]]
) -> Iterator[tuple[str, bool | None]]:
    """Yields what a line's words do to the two attributes."""
    for word in words:
        name, _, value = word.partition("=")
        state: bool | None = value.lower() not in _FALSE
        if name.startswith(("-", "!")):
            state = False if name.startswith("-") else None
            name = name[1:]
        if name in _REASONS:
            yield name, state
        elif state:
            yield from macros.get(name, ())
