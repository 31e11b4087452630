"""What is remembered of commits until the index changes: most that a question finds were found before."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ohara.retrieve.priors import Touched
from ohara.retrieve.silence import silence_of
from ohara.store.answers import HunkPieces

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ohara.model import Commit
    from ohara.store.message_words import MessageWords
    from ohara.store.reading import Reader

T = TypeVar("T")

_KEPT = 50_000  # commits, in some ten megabytes


def touched_by(reader: Reader, commits: Mapping[int, Commit]) -> dict[int, Touched]:
    """What priors go by of each commit."""
    known: dict[int, Touched] = _remembered(reader, "what commits touched")
    found = {number: touched for number in commits if (touched := known.get(number)) is not None}
    lacking = commits.keys() - found.keys()
    if lacking:
        paths = reader.paths_of_commits(lacking)
        read = {number: Touched.of(commits[number], paths.get(number, ())) for number in lacking}
        known.update(read)
        found.update(read)
    return found


def silences_of(reader: Reader, messages: Mapping[int, str], words: MessageWords) -> dict[int, float]:
    """How little the messages of commits say."""
    known: dict[int, float] = _remembered(reader, "silences of commits")
    found = {number: silence for number in messages if (silence := known.get(number)) is not None}
    read = {number: silence_of(messages[number], words) for number in messages.keys() - found.keys()}
    known.update(read)
    return found | read


def merges_of(reader: Reader, commits: Collection[int]) -> dict[int, str]:
    """The messages of the merges that brought commits in, of those that have one."""
    known: dict[int, str] = _remembered(reader, "merges of commits")
    found = {number: message for number in commits if (message := known.get(number)) is not None}
    lacking = [number for number in commits if number not in found]
    if lacking:
        read = reader.merges_of(lacking)
        found |= {number: read.get(number, "") for number in lacking}
        known.update(found)
    return {number: message for number, message in found.items() if message}


def pieces_of(reader: Reader, commits: Collection[int]) -> dict[int, HunkPieces]:
    """The hunks of commits as git has them, and which of their pieces belong together."""
    known: dict[int, HunkPieces] = _remembered(reader, "pieces of hunks")
    found = {number: pieces for number in commits if (pieces := known.get(number)) is not None}
    lacking = [number for number in commits if number not in found]
    if lacking:
        read = reader.hunk_pieces(lacking)
        found |= {number: read.get(number, HunkPieces(0, {})) for number in lacking}
        known.update(found)
    return found


def _remembered(reader: Reader, what: str) -> dict[int, T]:
    known: dict[int, T] = reader.remembered(what, dict)
    if len(known) > _KEPT:
        known.clear()
    return known
