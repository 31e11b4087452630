"""A copy of an index whose words are made again: without messages, with others, or by another analysis.

Searching without messages shows what is found when people only wrote "fix". In the copy every commit has an
empty message, the vectors of subjects are gone and the text pass begins again, from stored bodies: no lane,
no reranker and no statistic of the copy can know a word of a message. What does not read messages (the
other vectors, symbols) is kept, so that a copy costs a fraction of an index. Where messages are replaced, the
vectors of those commits are made again by `ohara index`, as its own passes make them.
"""

from __future__ import annotations

import shutil
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.engine import Engine
from ohara.model import Pass
from ohara.store.facts import FINGERPRINT, MESSAGE_WORDS
from ohara.store.sql.meta import read_fact
from ohara.store.sql.session import PASS_BITS
from ohara.store.sqlite.connected import Connected
from ohara.store.sqlite.generations import generations
from ohara.store.sqlite.schema import open_reader
from ohara.store.sqlite.writer import Writer
from tests.bench.changelog import default_branch_tip
from tests.bench.workspace import at_home, bring_up_to_date, with_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tests.bench.workspace import Indexed, Subject

_FORGET = "UPDATE commits SET message = ''"
_FORGET_SUBJECTS = "UPDATE {} SET subject = NULL"
_REPLACE = "UPDATE commits SET message = ?, passes = passes & ~? WHERE sha = ?"


def without_messages(subject: Subject, work: Path, patterns: Sequence[str] = ()) -> Indexed:
    """The same index with every message empty."""
    known = with_messages(subject, work, patterns)
    return remade(subject, known, replace(known, home=work / "blind"), forgetting)


def remade(
    subject: Subject, known: Indexed, copy: Indexed, rewrite: Callable[[Writer], None], told: str = ""
) -> Indexed:
    """A rewritten copy of an index; made anew when its history, what made it or `told` has changed."""
    made_with = fingerprint_of(known)
    made_of = f"{default_branch_tip(subject.repo)}\n{known.settings.index.ignore}\n{made_with}\n{told}"
    mark = copy.home / f"{subject.name}.made-of"
    if not mark.is_file() or mark.read_text(encoding="utf-8") != made_of:
        mark.unlink(missing_ok=True)
        copy_index(known, copy.home, rewrite)
        bring_up_to_date(copy)
        mark.write_text(made_of, encoding="utf-8")
    return copy


def fingerprint_of(indexed: Indexed) -> str:
    """What the derived passes of an index were made with, and the format of its tables."""
    with at_home(indexed.home):
        database = Engine.open(indexed.repo, indexed.settings).location.database
    with closing(open_reader(database)) as connection:
        return (
            f"{read_fact(Connected(database, connection), FINGERPRINT)} {connection.pragma('user_version')}"
        )


def keeping(_writer: Writer) -> None:
    """Leave the messages as they are."""


def forgetting(writer: Writer) -> None:
    """Empty every message."""
    writer.connection.execute(_FORGET)
    vectors = generations(writer).current
    if vectors is not None:
        writer.connection.execute(_FORGET_SUBJECTS.format(vectors.commits))


def replacing(said: Mapping[str, str]) -> Callable[[Writer], None]:
    """Give the commits named another message; their vectors are to be made again."""

    def rewrite(writer: Writer) -> None:
        writer.connection.executemany(
            _REPLACE, [(text, PASS_BITS[Pass.VECTOR], bytes.fromhex(sha)) for sha, text in said.items()]
        )

    return rewrite


def copy_index(indexed: Indexed, home: Path, rewrite: Callable[[Writer], None] = keeping) -> None:
    """Copy an index to another home, its text pass still to be made; `ohara index` makes it."""
    with at_home(indexed.home):
        before = Engine.open(indexed.repo, indexed.settings).location.folder
    with at_home(home):
        location = Engine.open(indexed.repo, indexed.settings).location
    shutil.rmtree(location.folder, ignore_errors=True)
    shutil.copytree(before, location.folder)
    with Writer(location.database, passes=frozenset()) as writer:
        writer.passes.restart(Pass.TEXT)
        writer.record(MESSAGE_WORDS, None)
        rewrite(writer)
        writer.commit()
