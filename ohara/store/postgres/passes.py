"""Which commits a pass has finished, and the rows that the later passes add, many commits at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import Pass
from ohara.store.facts import HEAD_LINES, HEAD_SYMBOLS
from ohara.store.postgres import generations
from ohara.store.postgres.nearest import as_parameter
from ohara.store.sql.session import ALL_PASSES, PASS_BITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.model import VectorForm
    from ohara.store.derived import DerivedLiterals, DerivedTexts, DerivedVectors
    from ohara.store.postgres.writer import Writer

_TO_DO = f"commits WHERE passes < {ALL_PASSES} AND (passes & ?) = 0 AND live = 1"
_PENDING = f"SELECT id FROM {_TO_DO} ORDER BY committer_time DESC, sha"
_COUNT_PENDING = f"SELECT count(*) FROM {_TO_DO}"
_MARK = "UPDATE commits SET passes = passes | ? WHERE id = ANY(?::bigint[])"
_CLEAR = "UPDATE {} SET passes = passes & ~?::int"
_LACKING = "SELECT id FROM content WHERE id = ANY(?::bigint[]) AND (passes & ?) = 0"
_HAVE = "UPDATE content SET passes = passes | ? WHERE id = ANY(?::bigint[])"
_HUNKS = "SELECT id FROM hunk WHERE commit_id = ANY(?::bigint[])"
_DELETE_MESSAGE_HUNKS = "DELETE FROM hunk WHERE commit_id = ANY(?::bigint[]) AND file_id = 0"
_DELETE_COMMIT_VECTORS = "DELETE FROM vec_commit WHERE generation = ? AND commit_id = ANY(?::bigint[])"
_ADD_CONTENT_VECTOR = "INSERT INTO vec_content(generation, content_id, {column}) VALUES(?, ?, ?{cast})"
_ADD_COMMIT_VECTOR = "INSERT INTO vec_commit(generation, commit_id, place, {column}) VALUES(?, ?, ?, ?{cast})"

_OF_SYMBOLS = ("hunk_symbol", "head_symbol", "head_file", "parsed_blob", "symbol")
_OF_LINES = ("line_end", "line_count", "merged_file", "head_line", "head_version")
_COLUMNS = {"bit": ("bits", ""), "int8": ("numbers", "::text::halfvec")}


class Passes:
    """The writer's later passes."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def pending(self, stage: Pass) -> list[int]:
        """The commits that a pass has still to do, newest first."""
        return [row[0] for row in self._writer.rows(_PENDING, (PASS_BITS[stage],))]

    def count_pending(self, stage: Pass) -> int:
        """How many commits a pass has still to do."""
        return int(self._writer.rows(_COUNT_PENDING, (PASS_BITS[stage],))[0][0])

    def any_pending(self, stage: Pass) -> bool:
        """True when a pass has something left to do."""
        return bool(self._writer.rows(f"{_PENDING} LIMIT 1", (PASS_BITS[stage],)))

    def mark(self, stage: Pass, commit_ids: Iterable[int]) -> None:
        """Say that a pass has finished these commits."""
        self._writer.begin()
        self._writer.run(_MARK, (PASS_BITS[stage], list(commit_ids)))

    def restart(self, stage: Pass) -> None:
        """Forget a pass's rows, so that it begins again."""
        self._writer.begin()
        run = self._writer.run
        run(_CLEAR.format("commits"), (PASS_BITS[stage],))
        match stage:
            case Pass.TEXT:
                self._writer.texts.drop_all()
            case Pass.LITERAL:
                run(_CLEAR.format("content"), (PASS_BITS[stage],))
                run("DELETE FROM literal")
                run("DELETE FROM encoded")
            case Pass.SYMBOL:
                for table in _OF_SYMBOLS:
                    run(f"DELETE FROM {table}")
                self._writer.texts.drop_all_symbols()
                self._writer.drop_meta(HEAD_SYMBOLS.name)
                self._writer.forget_symbols()
            case Pass.LINES:
                for table in _OF_LINES:
                    run(f"DELETE FROM {table}")
                self._writer.drop_meta(HEAD_LINES.name)
            case Pass.VECTOR:
                generations.drop_all(self._writer)

    def write_texts(self, derived: Sequence[DerivedTexts]) -> None:
        """Replace the words of some commits."""
        self._writer.begin()
        commits = [commit.commit_id for commit in derived]
        self._writer.texts.drop(row[0] for row in self._writer.rows(_HUNKS, (commits,)))
        self._writer.run(_DELETE_MESSAGE_HUNKS, (commits,))
        self._writer.texts.add([(commit.vocabulary, *row) for commit in derived for row in commit.rows])
        for commit in derived:
            if not commit.rows:
                self._writer.commit_rows.add_message_hunk(
                    commit.commit_id, commit.message_words, commit.vocabulary
                )
            self._writer.hunks_pending += len(commit.rows) + 1

    @property
    def keeps_former_words(self) -> bool:
        """False: words were never kept otherwise."""
        return False

    def unconverted(self) -> list[int]:
        """None: words were never kept otherwise."""
        return []

    def convert_texts(self, derived: Sequence[DerivedTexts]) -> None:
        """There is nothing to convert."""

    def end_conversion(self) -> None:
        """There is nothing to end."""

    @property
    def keeps_former_trigrams(self) -> bool:
        """False: trigrams were never kept otherwise."""
        return False

    def unconverted_literals(self) -> list[int]:
        """None: trigrams were never kept otherwise."""
        return []

    def convert_literals(self, derived: Sequence[DerivedLiterals]) -> None:
        """There is nothing to convert."""

    def end_literal_conversion(self) -> None:
        """There is nothing to end."""

    def write_literals(self, derived: Sequence[DerivedLiterals]) -> None:
        """Add the trigrams of contents that have none yet."""
        self._writer.begin()
        rows = {row.content_id: row for commit in derived for row in commit.rows}
        lacking = self._lacking(rows, Pass.LITERAL)
        self._writer.commit_rows.add_literals([rows[content][:3] for content in lacking])
        self._writer.run(_HAVE, (PASS_BITS[Pass.LITERAL], lacking))
        self._writer.hunks_pending += sum(len(commit.rows) + 1 for commit in derived)

    def write_vectors(self, derived: Sequence[DerivedVectors], dimensions: int, form: VectorForm) -> None:
        """Add the vectors of commits, and of contents that have none yet."""
        self._writer.begin()
        number = generations.begin(self._writer, dimensions, form)
        column, cast = _COLUMNS[form.value]
        vectors = dict(pair for commit in derived for pair in commit.vectors)
        lacking = self._lacking(vectors, Pass.VECTOR)
        self._writer.run_many(
            _ADD_CONTENT_VECTOR.format(column=column, cast=cast),
            # A text without a word the model knows has none.
            [(number, one, as_parameter(form, vectors[one])) for one in lacking if vectors[one]],
        )
        self._writer.run(_HAVE, (PASS_BITS[Pass.VECTOR], lacking))
        # A commit may come again, when other paths are searched than before.
        self._writer.run(_DELETE_COMMIT_VECTORS, (number, [commit.commit_id for commit in derived]))
        self._writer.run_many(
            _ADD_COMMIT_VECTOR.format(column=column, cast=cast),
            [
                (number, commit.commit_id, place, as_parameter(form, vector))
                for commit in derived
                for place, vector in enumerate((commit.subject, commit.change))
                if vector
            ],
        )
        self._writer.hunks_pending += sum(len(commit.vectors) for commit in derived)

    def _lacking(self, contents: Iterable[int], stage: Pass) -> list[int]:
        return [row[0] for row in self._writer.rows(_LACKING, (list(contents), PASS_BITS[stage]))]
