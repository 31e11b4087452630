"""Makes the word and trigram rows of commits again, from what is stored, in a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ohara.encoded import leave_out
from ohara.index.ipc import Failed, Part
from ohara.index.lines import sides, with_trigrams
from ohara.index.numbered import NO_WORDS, derived_with_vocabulary, numbered_words
from ohara.store.derived import ContentLines, DerivedLiterals, DerivedTexts, HunkText
from ohara.store.engines import index_at
from ohara.store.trigram_codes import packed_trigrams
from ohara.words import index_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ohara.index.ipc import Task, WorkerSetup


class Analysis:
    """Analyses stored texts as they were analysed first."""

    def message(self, message: str) -> str:
        """The words of a message."""
        return index_text(message)

    def hunk(self, path: str, header: str, body: str) -> tuple[str, str, str, str, str] | None:
        """The words of path, header, added, removed and context lines; None for encoded text alone."""
        kept = leave_out(body)
        if kept.is_bare:
            return None
        parts = sides(kept.body)
        texts = (path, header, parts.added, parts.removed, parts.context)
        return (
            index_text(texts[0]),
            index_text(texts[1]),
            index_text(texts[2]),
            index_text(texts[3]),
            index_text(texts[4]),
        )

    def changed(self, body: str) -> str:
        """The changed lines that trigrams are made of."""
        return with_trigrams(sides(leave_out(body).body).changed)


class Deriver:
    """Reads stored commits and analyses them as they were analysed first."""

    def __init__(self, setup: WorkerSetup) -> None:
        self._stored = index_at(setup.location).stored_commits()
        self._words = numbered_words()

    def texts(self, task: Task) -> Iterator[Part | Failed]:
        """The word rows of each commit of the task."""
        made = [self._texts(cast("int", commit_id)) for commit_id in task.items]
        yield Part(task.number, derived_with_vocabulary(made, self._words))

    def literals(self, task: Task) -> Iterator[Part | Failed]:
        """The trigrams of each commit of the task."""
        made = [self._literals(cast("int", commit_id)) for commit_id in task.items]
        packed = iter(packed_trigrams([row.changed for commit in made for row in commit.rows]))
        yield Part(
            task.number,
            tuple(
                commit._replace(
                    rows=tuple([row._replace(changed="", trigrams=next(packed)) for row in commit.rows])
                )
                for commit in made
            ),
        )

    def _texts(self, commit_id: int) -> DerivedTexts:
        pack = self._words.pack
        message = pack(self._stored.message(commit_id))
        rows: list[HunkText] = []
        for hunk in self._stored.hunks(commit_id):
            if not hunk.searchable:
                continue
            kept = leave_out(hunk.body)
            if not kept.is_bare:
                parts = sides(kept.body)
                words = (hunk.path, hunk.header, parts.added, parts.removed, parts.context)
                rows.append(HunkText(hunk.hunk_id, message, *map(pack, words)))
        return DerivedTexts(commit_id, tuple(rows), message, NO_WORDS)

    def _literals(self, commit_id: int) -> DerivedLiterals:
        rows: list[ContentLines] = []
        for hunk in self._stored.hunks(commit_id):
            if hunk.content_id is not None:
                kept = leave_out(hunk.body)
                changed = with_trigrams(sides(kept.body).changed)
                rows.append(ContentLines(hunk.content_id, changed, kept.signs))
        return DerivedLiterals(commit_id, tuple(rows))
