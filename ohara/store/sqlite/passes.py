"""Which commits a pass has finished, and the rows that the later passes add.

A pass that is stale or new works from stored bodies, commit by commit, newest first; what it writes
for a commit and the mark that the commit is done are in one transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import Pass
from ohara.store.facts import HEAD_LINES, HEAD_SYMBOLS
from ohara.store.sql.session import ALL_PASSES, PASS_BITS
from ohara.store.sqlite.commit_rows import INSERT_ENCODED, UPDATE_CONTENT_PASSES, with_trigrams
from ohara.store.sqlite.connection import translated
from ohara.store.sqlite.filters import listed
from ohara.store.sqlite.generations import drop_all, ensure_tables
from ohara.store.sqlite.hunk_words import TextRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.model import VectorForm
    from ohara.store.derived import ContentLines, DerivedLiterals, DerivedTexts, DerivedVectors
    from ohara.store.sqlite.writer import Writer

_TO_DO = f"commits WHERE passes < {ALL_PASSES} AND passes & ? = 0 AND live = 1"
PENDING = f"SELECT id FROM {_TO_DO} ORDER BY committer_time DESC, sha"
COUNT_PENDING = f"SELECT count(*) FROM {_TO_DO}"
MARK = "UPDATE commits SET passes = passes | ? WHERE id = ?"
CLEAR_COMMITS = "UPDATE commits SET passes = passes & ~?"
CLEAR_CONTENTS = "UPDATE content SET passes = passes & ~?"
CONTENT_PASSES = "SELECT passes FROM content WHERE id = ?"
CONTENTS_DONE = "SELECT id FROM content WHERE id IN (SELECT value FROM json_each(?)) AND passes & ? != 0"
MARK_CONTENTS = "UPDATE content SET passes = passes | ? WHERE id IN (SELECT value FROM json_each(?))"
HUNKS = "SELECT id FROM hunk WHERE commit_id = ?"
MESSAGE_HUNK = "SELECT id FROM hunk WHERE commit_id = ? AND file_id = 0"
DELETE_MESSAGE_HUNK = "DELETE FROM hunk WHERE commit_id = ? AND file_id = 0"
INSERT_COMMIT_VECTORS = "INSERT OR REPLACE INTO {table}(id, subject, change) VALUES(?,?,?)"
INSERT_VECTOR = "INSERT INTO {table}(rowid, embedding) VALUES(?, vec_{form}(?))"


class Passes:
    """The writer's later passes."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def pending(self, stage: Pass) -> list[int]:
        """The commits that a pass has still to do, newest first."""
        with translated(self._writer.path):
            return [row[0] for row in self._writer.connection.execute(PENDING, (PASS_BITS[stage],))]

    def count_pending(self, stage: Pass) -> int:
        """How many commits a pass has still to do."""
        with translated(self._writer.path):
            counted: int = self._writer.connection.execute(COUNT_PENDING, (PASS_BITS[stage],)).get
            return counted

    def any_pending(self, stage: Pass) -> bool:
        """True when a pass has something left to do."""
        with translated(self._writer.path):
            found = self._writer.connection.execute(f"{PENDING} LIMIT 1", (PASS_BITS[stage],))
            return found.fetchone() is not None

    def mark(self, stage: Pass, commit_ids: Iterable[int]) -> None:
        """Say that a pass has finished these commits."""
        self._writer.begin()
        with translated(self._writer.path):
            rows = [(PASS_BITS[stage], commit_id) for commit_id in commit_ids]
            self._writer.connection.executemany(MARK, rows)

    def restart(self, stage: Pass) -> None:
        """Forget a pass's rows, so that it begins again."""
        self._writer.begin()
        execute = self._writer.connection.execute
        with translated(self._writer.path):
            execute(CLEAR_COMMITS, (PASS_BITS[stage],))
            match stage:
                case Pass.TEXT:
                    self._writer.words.restart()
                case Pass.LITERAL:
                    execute(CLEAR_CONTENTS, (PASS_BITS[stage],))
                    self._writer.trigrams.restart()
                    execute("DELETE FROM encoded")
                case Pass.SYMBOL:
                    for table in (
                        "hunk_symbol",
                        "head_symbol",
                        "head_file",
                        "parsed_blob",
                        "symbol",
                        "fts_symbol_name",
                    ):
                        execute(f"DELETE FROM {table}")
                    self._writer.drop_meta(HEAD_SYMBOLS.name)
                    self._writer.symbols.forget()
                case Pass.LINES:
                    for table in ("line_end", "line_count", "merged_file", "head_line", "head_version"):
                        execute(f"DELETE FROM {table}")
                    self._writer.drop_meta(HEAD_LINES.name)
                case Pass.VECTOR:
                    drop_all(self._writer)

    def write_texts(self, derived: Sequence[DerivedTexts]) -> None:
        """Replace the word rows of some commits."""
        self._writer.begin()
        connection = self._writer.connection
        with translated(self._writer.path):
            for commit in derived:
                self._writer.words.drop(row[0] for row in connection.execute(HUNKS, (commit.commit_id,)))
                connection.execute(DELETE_MESSAGE_HUNK, (commit.commit_id,))
                self._writer.words.add(_text_rows(commit))
                if not commit.rows:
                    self._writer.commit_rows.add_message_hunk(
                        commit.commit_id, commit.message_words, commit.vocabulary
                    )
                self._writer.hunks_pending += len(commit.rows) + 1

    @property
    def keeps_former_words(self) -> bool:
        """True while the words of hunks are searched by the table of former versions."""
        return self._writer.words.is_former

    def unconverted(self) -> list[int]:
        """The commits whose words are still kept as former versions did, in the order to convert them."""
        with translated(self._writer.path):
            return self._writer.words.unconverted()

    def convert_texts(self, derived: Sequence[DerivedTexts]) -> None:
        """Write the words of commits as they are kept now, beside those of former versions."""
        self._writer.begin()
        with translated(self._writer.path):
            for commit in derived:
                rows = _text_rows(commit)
                if not rows:
                    found = self._writer.connection.execute(MESSAGE_HUNK, (commit.commit_id,))
                    rows = [
                        TextRow(commit.vocabulary, hunk, commit.commit_id, commit.message_words)
                        for (hunk,) in found
                    ]
                self._writer.words.convert(rows, commit.commit_id)
                self._writer.hunks_pending += len(rows) + 1

    def end_conversion(self) -> None:
        """Give up what former versions kept: all words are kept as they are now. Ends the batch."""
        self._writer.begin()
        with translated(self._writer.path):
            self._writer.words.end_conversion()
        self._writer.commit()

    def write_literals(self, derived: Sequence[DerivedLiterals]) -> None:
        """Add the trigrams of contents that have none yet."""
        self._writer.begin()
        connection = self._writer.connection
        bit = PASS_BITS[Pass.LITERAL]
        with translated(self._writer.path):
            for commit in derived:
                rows = {row.content_id: row for row in commit.rows}
                passes = {content: connection.execute(CONTENT_PASSES, (content,)).get for content in rows}
                lacking = [row for row in rows.values() if not passes[row.content_id] & bit]
                if self._writer.trigrams.is_former:  # where that pass was once done, and only its table knows
                    done = (row for row in rows.values() if passes[row.content_id] & bit)
                    lacking += [row for row in done if not self._writer.trigrams.has(row.content_id)]
                self._add_literals(lacking)
                self._writer.hunks_pending += len(commit.rows) + 1

    def _add_literals(self, rows: Sequence[ContentLines]) -> None:
        self._writer.trigrams.add(
            with_trigrams([(row.content_id, row.trigrams, row.changed) for row in rows])
        )
        connection = self._writer.connection
        for row in rows:
            if row.signs is not None:
                connection.execute(INSERT_ENCODED, (row.content_id, row.signs))
            connection.execute(UPDATE_CONTENT_PASSES, (PASS_BITS[Pass.LITERAL], row.content_id))

    @property
    def keeps_former_trigrams(self) -> bool:
        """True while trigrams are searched by the table of former versions, too."""
        return self._writer.trigrams.is_former

    def unconverted_literals(self) -> list[int]:
        """The commits whose trigrams are not all kept as they are now, in the order to convert them."""
        with translated(self._writer.path):
            return self._writer.trigrams.unconverted()

    def convert_literals(self, derived: Sequence[DerivedLiterals]) -> None:
        """Write the trigrams of commits as they are kept now, beside those of former versions."""
        self._writer.begin()
        trigrams = self._writer.trigrams
        with translated(self._writer.path):
            for commit in derived:
                rows = {row.content_id: row for row in commit.rows}
                self._add_literals([row for row in rows.values() if not trigrams.has(row.content_id)])
                trigrams.converted(commit.commit_id)
                self._writer.hunks_pending += len(rows) + 1

    def end_literal_conversion(self) -> None:
        """Give up what former versions kept: all trigrams are kept as they are now. Ends the batch."""
        self._writer.begin()
        with translated(self._writer.path):
            self._writer.trigrams.end_conversion()
        self._writer.commit()

    def write_vectors(self, derived: Sequence[DerivedVectors], dimensions: int, form: VectorForm) -> None:
        """Add the vectors of commits, and of contents that have none yet."""
        self._writer.begin()
        connection = self._writer.connection
        bit = PASS_BITS[Pass.VECTOR]
        with translated(self._writer.path):
            contents, commits = ensure_tables(self._writer, dimensions, form)
            insert = INSERT_VECTOR.format(table=contents, form=form)
            insert_commit = INSERT_COMMIT_VECTORS.format(table=commits)
            made = {content_id: vector for commit in derived for content_id, vector in commit.vectors}
            for (content_id,) in connection.execute(CONTENTS_DONE, (listed(made), bit)):
                del made[content_id]
            # A text without a word the model knows has no vector.
            connection.executemany(insert, [(content, vector) for content, vector in made.items() if vector])
            connection.execute(MARK_CONTENTS, (bit, listed(made)))
            # A commit may come again, when other paths are searched than before.
            connection.executemany(
                insert_commit,
                [(commit.commit_id, commit.subject or None, commit.change or None) for commit in derived],
            )
            self._writer.hunks_pending += sum(len(commit.vectors) for commit in derived)


def _text_rows(commit: DerivedTexts) -> list[TextRow]:
    return [TextRow(commit.vocabulary, row.hunk_id, commit.commit_id, *row[1:]) for row in commit.rows]
