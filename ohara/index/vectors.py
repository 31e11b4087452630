"""Embeds commits, in a worker: their contents, their subjects and their whole changes, to packed vectors."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, cast

from ohara.embed.catalog import load_embedder
from ohara.embed.encoder import TextKind
from ohara.embed.model_text import CHANGE_HUNKS, change_parts, document_text
from ohara.embed.quantise import pack
from ohara.encoded import leave_out
from ohara.errors import InternalError
from ohara.index.ipc import Failed, Part
from ohara.store.derived import DerivedVectors
from ohara.store.engines import index_at

if TYPE_CHECKING:
    from collections.abc import Iterator

from ohara.index.ipc import Task, WorkerSetup


class _CommitTexts(NamedTuple):
    """The texts of a commit to embed: its contents without a vector, its subject, the parts of its change."""

    commit_id: int
    contents: dict[int, str]
    subject: str
    change: tuple[str, ...]


class Vectoriser:
    """Reads stored commits and gives them and those of their contents that have none their vectors."""

    def __init__(self, setup: WorkerSetup) -> None:
        self._stored = index_at(setup.location).stored_commits()
        embedder = load_embedder(setup.embedder, threads=setup.model_threads)
        if embedder is None:
            raise InternalError("the vector pass has no embedder", hint="ohara config shows models.embedder")
        self._embedder = embedder

    def run(self, task: Task) -> Iterator[Part | Failed]:
        """One result a commit; a content is embedded once even if several commits of the task have it."""
        told: list[_CommitTexts] = []
        known: set[int] = set()
        for item in task.items:
            told.append(self._texts_of(cast("int", item), known))
            known.update(told[-1].contents)
        texts = [
            parts
            for one in told
            for parts in (*((text,) for text in one.contents.values()), (one.subject,), one.change)
        ]
        vectors = iter(pack(self._embedder.embed_joined(texts, TextKind.DOCUMENT), self._embedder))
        yield Part(
            task.number,
            tuple(
                DerivedVectors(
                    one.commit_id,
                    tuple(zip(one.contents, islice(vectors, len(one.contents)), strict=True)),
                    next(vectors),
                    next(vectors),
                )
                for one in told
            ),
        )

    def _texts_of(self, commit_id: int, known: set[int]) -> _CommitTexts:
        hunks = self._stored.hunks(commit_id)
        contents: dict[int, str] = {}
        change: list[str] = []
        searched = 0
        for hunk in hunks:
            if not hunk.searchable or hunk.content_id is None:
                continue
            searched += 1
            is_new = not hunk.has_vector and hunk.content_id not in known and hunk.content_id not in contents
            if not is_new and searched > CHANGE_HUNKS:
                continue
            text = document_text(leave_out(hunk.body).body)
            if is_new:
                contents[hunk.content_id] = text
            if searched <= CHANGE_HUNKS:
                change += change_parts(hunk.path, hunk.header, text)
        # A merge without lines of its own says in other words what the commits it merges say.
        subject = self._stored.message(commit_id).partition("\n")[0] if hunks else ""
        return _CommitTexts(commit_id, contents, subject, tuple(change))
