"""Embeds the contents of commits, in a worker: changed lines to packed vectors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from ohara.embed.catalog import load_embedder
from ohara.embed.encoder import TextKind
from ohara.embed.prepare import document_text
from ohara.embed.quantise import pack
from ohara.errors import InternalError
from ohara.index.frames import Failed, Part
from ohara.model import Pass
from ohara.store.passes import DerivedVectors
from ohara.store.stored import StoredCommits
from ohara.store.writer import PASS_BITS

if TYPE_CHECKING:
    from collections.abc import Iterator

from ohara.index.frames import Task, WorkerSetup


class Vectoriser:
    """Reads stored contents and gives those that have none a vector."""

    def __init__(self, setup: WorkerSetup) -> None:
        self._stored = StoredCommits(Path(setup.database))
        embedder = load_embedder(setup.embedder, threads=setup.model_threads)
        if embedder is None:
            raise InternalError("the vector pass has no embedder", hint="ohara config shows models.embedder")
        self._embedder = embedder

    def run(self, task: Task) -> Iterator[Part | Failed]:
        """One result a commit; a content is embedded once even if several commits of the task have it."""
        owners: list[tuple[int, list[int]]] = []
        bodies: dict[int, str] = {}
        for item in task.items:
            commit_id = cast("int", item)
            new = [
                hunk
                for hunk in self._stored.hunks(commit_id)
                if hunk.searchable
                and hunk.content_id is not None
                and not hunk.content_passes & PASS_BITS[Pass.VECTOR]
                and hunk.content_id not in bodies
            ]
            bodies.update(
                (hunk.content_id, document_text(hunk.body)) for hunk in new if hunk.content_id is not None
            )
            owners.append((commit_id, [hunk.content_id for hunk in new if hunk.content_id is not None]))
        matrix = self._embedder.embed(list(bodies.values()), TextKind.DOCUMENT)
        vectors = dict(zip(bodies, pack(matrix, self._embedder), strict=True))
        yield Part(
            task.number,
            tuple(
                DerivedVectors(commit_id, tuple((content, vectors[content]) for content in contents))
                for commit_id, contents in owners
            ),
        )
