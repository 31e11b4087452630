"""What an index knows about itself, by name: each fact has a type, and a value before anybody wrote it.

An engine stores a fact as JSON under its name; what is there and does not fit counts as nothing. Names and
JSON are part of the index format: an index of an earlier version says the same.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ohara.model import LastRun, Sha
from ohara.records import dataclass
from ohara.store.fingerprint import Fingerprint
from ohara.store.message_words import MessageWords

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fact(Generic[T]):
    """One fact: how it is called in the index, what a stored value says, and how a value is stored."""

    name: str
    read: Callable[[object], T]
    write: Callable[[T], object]


class KnowsFacts(Protocol):
    """An index that can be asked for facts."""

    def fact(self, fact: Fact[T]) -> T:
        """What is stored, or what holds when nothing is."""
        ...


class RecordsFacts(KnowsFacts, Protocol):
    """An index whose facts can be changed."""

    def record(self, fact: Fact[T], value: T) -> None:
        """Store a fact, as part of the open batch; begins one if there is none."""
        ...


@dataclass(frozen=True, slots=True)
class RefsAsked:
    """Which refs somebody asked to be indexed."""

    names: tuple[str, ...]
    all_refs: bool


def _tips(stored: object) -> Mapping[str, Sha]:
    return {str(ref): Sha(str(sha)) for ref, sha in stored.items()} if isinstance(stored, dict) else {}


def _number(stored: object) -> int:
    return stored if isinstance(stored, int) else 0


def _number_if_any(stored: object) -> int | None:
    return stored if isinstance(stored, int) else None


def _text(stored: object) -> str:
    return stored if isinstance(stored, str) else ""


def _text_if_any(stored: object) -> str | None:
    return stored if isinstance(stored, str) else None


def _texts(stored: object) -> tuple[str, ...]:
    return tuple(map(str, stored)) if isinstance(stored, list) else ()


def _flag(stored: object) -> bool:
    return stored is True


def _mapping(stored: object) -> Mapping[str, object]:
    return stored if isinstance(stored, dict) else {}


def _tree_files(stored: object) -> tuple[str, Mapping[str, str]] | None:
    match stored:
        case {"tree": str(tree), "blobs": dict(blobs)}:
            return tree, {str(folder): str(blob) for folder, blob in blobs.items()}
    return None


def _written_tree_files(files: tuple[str, Mapping[str, str]] | None) -> object:
    return files and {"tree": files[0], "blobs": files[1]}


def _message_words(stored: object) -> MessageWords | None:
    match stored:
        case {"commits": int(commits), "of": int(of), "counts": dict(counts)}:
            return MessageWords(commits, of, {str(word): _number(held) for word, held in counts.items()})
    return None


def _written_message_words(words: MessageWords | None) -> object:
    return words and {"commits": words.commits, "of": words.of, "counts": dict(words.counts)}


def _refs(stored: object) -> RefsAsked | None:
    match stored:
        case {"names": list(names), "all": bool(all_refs)}:
            return RefsAsked(tuple(map(str, names)), all_refs)
    return None


def _last_run(stored: object) -> LastRun | None:
    match stored:
        case {
            "started": int(started),
            "elapsed_s": int() | float() as elapsed_s,
            "outcome": str(outcome),
            "scheduled": bool(scheduled),
        }:
            return LastRun(started, float(elapsed_s), outcome, scheduled)
    return None


def _fingerprint(stored: object) -> Fingerprint | None:
    """What an earlier version did not yet say is 0, or "", which no version of anything is."""
    if not isinstance(stored, dict):
        return None
    numbers = {name: _number(stored.get(name)) for name in ("words", "parser", "vectors", "pieces", "lines")}
    return Fingerprint(embedder=_text(stored.get("embedder")), **numbers)


def _written_fingerprint(fingerprint: Fingerprint | None) -> object:
    return fingerprint and asdict(fingerprint)


def _as_it_is(value: object) -> object:
    return value


def _written_refs(refs: RefsAsked | None) -> object:
    return refs and {"names": refs.names, "all": refs.all_refs}


def _written_run(run: LastRun | None) -> object:
    return run and asdict(run)


REFS = Fact("refs", _refs, _written_refs)  # what was asked for
TIPS = Fact("tips", _tips, _as_it_is)  # what the refs pointed at when last looked
COMPLETE = Fact("complete", _tips, _as_it_is)  # the tips whose every commit is indexed, or recorded as failed
TOTAL = Fact(
    "total", _number_if_any, _as_it_is
)  # how many commits they reach, without those that a setting leaves out
SINCE = Fact("since", _text, _as_it_is)  # that setting, index.since
OLDER = Fact("older", _number, _as_it_is)  # how many it leaves out
GRAFTS = Fact("grafts", _mapping, _as_it_is)  # where history was not what its objects say
LAST_RUN = Fact("last_run", _last_run, _written_run)  # how the newest run went
ATTRIBUTE_FILES = Fact(
    "attribute_files", _tree_files, _written_tree_files
)  # the tree whose .gitattributes were last read, and the blob of each by its folder
HEAD_LINES = Fact("head_lines", _text_if_any, _as_it_is)  # the commit whose files' lines are kept
HEAD_SYMBOLS = Fact("head_symbols", _text_if_any, _as_it_is)  # the commit that HEAD's symbols were read from
SUBMODULES = Fact(
    "submodules", _flag, _as_it_is
)  # every change of a submodule says which commits it names; an earlier version did not store them
LONG_RUN = Fact(
    "long", _flag, _as_it_is
)  # a long run, or the first of several that make one, is to be compacted
INLINE = Fact("inline", _flag, _as_it_is)  # a run without workers has begun and not ended
ROOTS = Fact("roots", _texts, _as_it_is)  # the commits without parents: whose history a shared index has
THREADS = Fact("threads", _number, _as_it_is)  # the version of the rules that made them; 0: not all yet
THREADED = Fact("threaded", _number, _as_it_is)  # of how many commits they were made
MESSAGE_WORDS = Fact(
    "message_words", _message_words, _written_message_words
)  # how common words are in messages; None: not counted yet
FINGERPRINT = Fact("fingerprint", _fingerprint, _written_fingerprint)  # what the passes were made with
