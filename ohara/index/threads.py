"""Finds threads of work and copies of changes in the whole indexed history, at the end of a run.

A new commit may join threads that were apart, so all is found anew; only what differs is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.history.copies import on_branches
from ohara.history.merges import is_long_lived
from ohara.history.threads import THREADS_VERSION, find_threads
from ohara.store import message_words
from ohara.store.facts import MESSAGE_WORDS, THREADED, THREADS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.history.reasons import Node
    from ohara.model import Sha
    from ohara.store.writing import Writer

_HEAD = "HEAD"
_FRESH_SHARE = 20  # words are as common as they were while no more than a twentieth of the commits is new
_BRANCHES = "refs/heads/", "refs/remotes/"


def are_found(writer: Writer) -> bool:
    """True when the threads are those of all commits, by the rules of this version."""
    return writer.fact(THREADS) == THREADS_VERSION and writer.fact(MESSAGE_WORDS) is not None


def outdate(writer: Writer) -> None:
    """Say that the history changes: the threads are no longer those of all commits."""
    writer.record(THREADS, 0)


def find(writer: Writer, tips: Mapping[str, Sha], head: str) -> None:
    """Find the threads and copies, and write them in one batch; `head` is the commit of HEAD."""
    nodes = writer.threads.nodes()
    found = find_threads(nodes, lines_of(nodes, tips, head))
    writer.threads.replace(found.threads, on_branches(nodes, tips, found.copies))
    count_messages(writer, [node.message for node in nodes])
    writer.record(THREADED, len(nodes))
    writer.record(THREADS, THREADS_VERSION)
    writer.commit()


def count_messages(writer: Writer, messages: Sequence[str]) -> None:
    """Count the words of messages anew once there are some more or fewer of them."""
    known = writer.fact(MESSAGE_WORDS)
    if known is None or abs(len(messages) - known.of) * _FRESH_SHARE > known.of:
        writer.record(MESSAGE_WORDS, message_words.count(messages))


def lines_of(nodes: Sequence[Node], tips: Mapping[str, Sha], head: str) -> list[int]:
    """The commits whose lines others are merged into, HEAD's first."""
    ids = {node.sha: node.id for node in nodes}
    ordered = [head, *(tips[ref] for ref in sorted(tips, key=_main_first))]
    return [ids[sha] for sha in ordered if sha in ids]


def _main_first(ref: str) -> tuple[int, str]:
    """Lines that others are merged into before the others, and branches before tags.

    A commit has one line: a branch that was merged and not deleted must not claim what it brought.
    """
    if ref == _HEAD:
        return 0, ref
    if ref.startswith(_BRANCHES):
        return (1 if is_long_lived(ref) else 2), ref
    return 3, ref
