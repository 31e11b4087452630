"""Keeps an index true when versions, rules or refs change, and its tables quick to read.

Stale passes are made again from stored bodies, one by one; the others keep serving meanwhile, and so do the
vectors of an embedder that is being replaced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import Pass
from ohara.store.facts import FINGERPRINT
from ohara.store.fingerprint import stale_passes
from ohara.store.sql.collect import dead_commits
from ohara.store.sql.path_rules import judge_paths
from ohara.store.sql.submodules import name_submodules, nameless_submodules
from ohara.store.sqlite import generations
from ohara.store.sqlite.connection import translated
from ohara.store.sqlite.pieces import join_context

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ohara.store.derived import NamedSubmodule, NamelessSubmodule
    from ohara.store.fingerprint import Fingerprint
    from ohara.store.sqlite.writer import Writer

_OPTIMIZED = ("fts_symbol_name",)

# What comes in no order leaves pages of an index half empty. Written anew they are full: a fortieth of
# pytest's file, for a hundredth of a first run. Tables of others (FTS5, sqlite-vec) keep their own.
_INDEXES = """SELECT name FROM sqlite_schema
  WHERE type = 'index' AND tbl_name NOT LIKE 'fts%' AND tbl_name NOT LIKE 'vec%'"""


class Upkeep:
    """The writer's upkeep of its index."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def reconcile(self, wanted: Fingerprint) -> frozenset[Pass]:
        """Restart stale passes and record what the index is made with from now on; which passes have to work.

        Where pieces of hunks were joined, the text pass has.
        """
        writer = self._writer
        stored = writer.fact(FINGERPRINT)
        is_cut_anew = stored is not None and stored.pieces != wanted.pieces and join_context(writer) > 0
        stale = stale_passes(stored, wanted)
        for stage in sorted(stale):
            if stage is Pass.VECTOR:
                generations.change_embedder(writer, wanted.embedder)
            else:
                writer.passes.restart(stage)
        if stored != wanted:
            writer.record(FINGERPRINT, wanted)
        writer.commit()
        return stale | {Pass.TEXT} if is_cut_anew else stale

    def begin_again(self, stage: Pass) -> None:
        """Forget what a pass wrote, and make it pending again."""
        self._writer.passes.restart(stage)

    def nameless_submodules(self) -> list[NamelessSubmodule]:
        """The changes of submodules that do not say which commits these name."""
        return nameless_submodules(self._writer)

    def name_submodules(self, named: Iterable[NamedSubmodule]) -> None:
        """Let changes of submodules say which commits these name, inside the open batch."""
        name_submodules(self._writer, named)

    def judge_paths(self, rules: str) -> int:
        """Judge all paths again if the rules changed; how many verdicts did."""
        return judge_paths(self._writer, rules)

    def retire_vectors(self) -> None:
        """Drop the vectors that were kept: the new ones are all made."""
        generations.retire(self._writer)

    def sweep(self) -> None:
        """Remove names that nothing mentions any more, inside the open batch."""
        self._writer.sweep()

    def collect(self) -> int:
        """Remove every dead commit with all that only it used; give the space back."""
        removed = self._writer.remove_commits(dead_commits(self._writer))
        self._writer.sweep()
        with translated(self._writer.path):
            self._writer.words.tidy()
            self._writer.trigrams.tidy()
        self._writer.commit()
        self._writer.run("PRAGMA incremental_vacuum")
        self._writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
        return removed

    def merge_late(self, *, late: bool) -> None:
        """Let words and trigrams grow in pieces that `compact` merges, or merge them as they come.

        Merging meanwhile costs a tenth of a first run. A piece is a batch or a part of one, and queries read
        a few dozen as well.
        """
        self._writer.words.is_merged_late = late
        self._writer.trigrams.is_merged_late = late
        self._writer.commit()

    def join_pieces(self) -> Iterator[str]:
        """Make one piece of all words, each of which is then said once, and one of all trigrams.

        It takes four seconds for 140,000 hunks and saves a twentieth of an index; exact search is a fifth
        quicker for it. Longer histories have it done by `compact`, where pieces are many.
        """
        self._writer.begin()
        with translated(self._writer.path):
            self._writer.words.join()
        yield "words"
        self._writer.begin()
        with translated(self._writer.path):
            self._writer.trigrams.join()
        yield "trigrams"

    def needs_compaction(self) -> bool:
        """True when many hunks had their words made again or taken away since words were last compacted."""
        with translated(self._writer.path):
            return self._writer.words.need_compaction

    def merge_small(self) -> Iterator[str]:
        """Merge small pieces of words, and of trigrams."""
        for name, pieces in (("words", self._writer.words), ("trigrams", self._writer.trigrams)):
            self._writer.begin()
            with translated(self._writer.path):
                pieces.compact()
            yield name

    def compact(self) -> None:
        """Merge pieces of words and trigrams, faster to read then, and fill pages; give the space back."""
        for _ in self.merge_small():
            pass
        with translated(self._writer.path):
            for table in _OPTIMIZED:
                self._writer.connection.execute(f"INSERT INTO {table}({table}) VALUES('optimize')")
            for (name,) in self._writer.connection.execute(_INDEXES).fetchall():
                self._writer.connection.execute(f'REINDEX "{name}"')
        self._writer.commit()
        with translated(self._writer.path):
            self._writer.connection.execute("PRAGMA incremental_vacuum").fetchall()
