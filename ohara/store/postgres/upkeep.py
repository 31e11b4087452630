"""Keeps an index true when versions, rules or refs change, and its tables quick to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import Pass, VectorForm
from ohara.store.facts import FINGERPRINT
from ohara.store.fingerprint import stale_passes
from ohara.store.postgres import generations
from ohara.store.postgres.nearest import HNSW_FROM
from ohara.store.sql.collect import dead_commits
from ohara.store.sql.path_rules import judge_paths
from ohara.store.sql.submodules import name_submodules, nameless_submodules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ohara.store.derived import NamedSubmodule, NamelessSubmodule
    from ohara.store.fingerprint import Fingerprint
    from ohara.store.postgres.writer import Writer

_ANALYZED = (
    "commits",
    "file",
    "hunk",
    "content",
    "hunk_text",
    "literal",
    "vec_content",
    "vec_commit",
    "word",
)
_CLEAN = "SELECT gin_clean_pending_list(?::regclass)"  # what was gathered beside the index, into it
_HNSW = {
    VectorForm.BIT: "((bits::bit({0})) bit_hamming_ops)",
    VectorForm.INT8: "((numbers::halfvec({0})) halfvec_cosine_ops)",
}


class Upkeep:
    """The writer's upkeep of its index."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def reconcile(self, wanted: Fingerprint) -> frozenset[Pass]:
        """Restart stale passes and record what the index is made with from now on; which have to work."""
        writer = self._writer
        stored = writer.fact(FINGERPRINT)
        stale = stale_passes(stored, wanted)
        for stage in sorted(stale):
            if stage is Pass.VECTOR:
                generations.change_embedder(writer, wanted.embedder)
            else:
                writer.passes.restart(stage)
        if stored != wanted:
            writer.record(FINGERPRINT, wanted)
        writer.commit()
        return stale

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
        """Remove every dead commit with all that only it used; the server gives the space back in time."""
        removed = self._writer.remove_commits(dead_commits(self._writer))
        self._writer.sweep()
        self._writer.commit()
        return removed

    def merge_late(self, *, late: bool) -> None:
        """Nothing: what indexes gather beside themselves is the server's affair."""
        del late
        self._writer.commit()

    def join_pieces(self) -> Iterator[str]:
        """Nothing: `compact` does it."""
        yield from ()

    def merge_small(self) -> Iterator[str]:
        """Nothing: there are no pieces."""
        yield from ()

    def needs_compaction(self) -> bool:
        """False: what is dropped here is gone, and asked for no more."""
        return False

    def compact(self) -> None:
        """Bring indexes up to date and count rows for the planner; where vectors are many, index them."""
        self._writer.commit()
        self._writer.rows(_CLEAN, ("literal_keys",))
        self._writer.texts.merge(now=True)
        for table in _ANALYZED:
            self._writer.run(f"ANALYZE {table}")
        current = generations.generations(self._writer).current
        if current is not None and self._count("vec_content") >= HNSW_FROM:
            self._index_vectors(current)

    def _index_vectors(self, made: generations.Generation) -> None:
        self._writer.run("SET maintenance_work_mem = '1GB'")  # beyond it, building takes ten times as long
        self._writer.run(
            f"CREATE INDEX IF NOT EXISTS vec_content_{made.form}{made.dimensions} ON vec_content"
            f" USING hnsw {_HNSW[made.form].format(made.dimensions)}"
        )

    def _count(self, table: str) -> int:
        return int(self._writer.rows(f"SELECT count(*) FROM {table}")[0][0])
