"""A copy of an index whose words are made again: without messages, or by another analysis.

Searching without messages shows what is found when people only wrote "fix". In the copy every commit has an
empty message, the vectors of subjects are gone and the text pass begins again, from stored bodies: no lane,
no reranker and no statistic of the copy can know a word of a message. What does not read messages (the
other vectors, symbols) is kept, so that a copy costs a fraction of an index.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.embed.prepare import VECTORS_VERSION
from ohara.engine import Engine
from ohara.model import Pass
from ohara.store.generations import generations
from ohara.store.passes import restart
from ohara.store.writer import Writer
from tests.bench.changelog import default_branch_tip
from tests.bench.workspace import at_home, bring_up_to_date, with_messages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.bench.workspace import Indexed, Subject

_FORGET = "UPDATE commits SET message = ''"
_FORGET_SUBJECTS = "UPDATE {} SET subject = NULL"


def without_messages(subject: Subject, work: Path, patterns: Sequence[str] = ()) -> Indexed:
    """The same index with every message empty; made anew when the history or what is left out has changed."""
    known = with_messages(subject, work, patterns)
    blind = replace(known, home=work / "blind")
    made_of = f"{default_branch_tip(subject.repo)}\n{known.settings.index.ignore}\n{VECTORS_VERSION}\n"
    mark = blind.home / f"{subject.name}.made-of"
    if not mark.is_file() or mark.read_text(encoding="utf-8") != made_of:
        mark.unlink(missing_ok=True)
        copy_index(known, blind.home, messages=False)
        bring_up_to_date(blind)
        mark.write_text(made_of, encoding="utf-8")
    return blind


def copy_index(indexed: Indexed, home: Path, *, messages: bool) -> None:
    """Copy an index to another home, its text pass still to be made; `ohara index` makes it."""
    with at_home(indexed.home):
        before = Engine.open(indexed.repo, indexed.settings).location.folder
    with at_home(home):
        location = Engine.open(indexed.repo, indexed.settings).location
    shutil.rmtree(location.folder, ignore_errors=True)
    shutil.copytree(before, location.folder)
    with Writer(location.database, passes=frozenset()) as writer:
        restart(writer, Pass.TEXT)
        if not messages:
            writer.connection.execute(_FORGET)
            vectors = generations(writer.connection).current
            if vectors is not None:
                writer.connection.execute(_FORGET_SUBJECTS.format(vectors.commits))
        writer.commit()
