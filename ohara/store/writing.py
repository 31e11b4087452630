"""What an engine must be able to write: commits, the rows of later passes, symbols, and its own upkeep.

There is one writer of an index at a time: whoever holds the index's lock. It writes in *batches*. A batch
is a transaction: readers see all of it from `commit` on and nothing before; a process that is killed loses
the open batch and no more. Every operation that writes begins a batch if none is open, and none ends one
unless it says so.

Commits, hunks and contents have numbers, which the engine gives and keeps; a commit that is removed and added
again may get another. Two indexes of the same history may number differently, and say the same: `Index.dump`.

A commit is *live* when an indexed ref reaches it, and *dead* otherwise. Dead commits stay stored until they
are collected, and neither passes nor searches see them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ohara.store.facts import RecordsFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from ohara.history.copies import Copied
    from ohara.history.reasons import Node
    from ohara.history.threads import Member
    from ohara.model import Pass, Sha, Symbol, VectorForm
    from ohara.store.derived import (
        ChangedFile,
        DerivedLiterals,
        DerivedTexts,
        DerivedVectors,
        HeadFile,
        NamedSubmodule,
        NamelessSubmodule,
        TouchedHunk,
    )
    from ohara.store.fingerprint import Fingerprint
    from ohara.store.lines import DerivedLines, HeadVersion
    from ohara.store.prepared import PreparedCommit

    Verdict = Callable[[str], str | None]
    """Why a path is left out of search, as in `model.LeftOut`; "kept": taken back in; None: it is not."""


class PassWriter(Protocol):
    """Which commits a pass has finished, and what the passes add to stored commits.

    The text and literal passes of a commit are done when it is added, if the writer was opened for them;
    the symbol, lines and vector passes always follow. What a pass writes for a commit and the mark that it is
    done belong in one batch.
    """

    def pending(self, stage: Pass) -> list[int]:
        """The live commits that a pass has still to do, newest first (by commit time, then sha)."""
        ...

    def count_pending(self, stage: Pass) -> int:
        """How many commits a pass has still to do."""
        ...

    def any_pending(self, stage: Pass) -> bool:
        """True when a pass has something left to do; cheaper than counting."""
        ...

    def mark(self, stage: Pass, commit_ids: Iterable[int]) -> None:
        """Say that a pass has finished these commits."""
        ...

    def write_texts(self, derived: Sequence[DerivedTexts]) -> None:
        """Replace the words of some commits."""
        ...

    @property
    def keeps_former_words(self) -> bool:
        """True while words are kept, and searched, as former versions did; most engines never have any."""
        ...

    def unconverted(self) -> list[int]:
        """The commits whose words are still kept as former versions did, in the order to convert them."""
        ...

    def convert_texts(self, derived: Sequence[DerivedTexts]) -> None:
        """Write the words of commits as they are kept now, beside those of former versions."""
        ...

    def end_conversion(self) -> None:
        """Give up what former versions kept: all words are kept as they are now. Ends the batch."""
        ...

    def write_literals(self, derived: Sequence[DerivedLiterals]) -> None:
        """Add the trigrams of contents that have none yet; the others are left as they are."""
        ...

    @property
    def keeps_former_trigrams(self) -> bool:
        """True while some trigrams are kept, and searched, as former versions did."""
        ...

    def unconverted_literals(self) -> list[int]:
        """The commits whose trigrams are not all kept as they are now, in the order to convert them."""
        ...

    def convert_literals(self, derived: Sequence[DerivedLiterals]) -> None:
        """Write the trigrams of commits as they are kept now, beside those of former versions."""
        ...

    def end_literal_conversion(self) -> None:
        """Give up what former versions kept: all trigrams are kept as they are now. Ends the batch."""
        ...

    def write_vectors(self, derived: Sequence[DerivedVectors], dimensions: int, form: VectorForm) -> None:
        """Add the vectors of contents that have none yet, and replace those of commits.

        The form says how components are packed: one bit each, compared by how many differ, or one signed byte
        each, compared by cosine. All vectors of one model have the same form and dimensions.
        """
        ...


class SymbolWriter(Protocol):
    """What HEAD defines, kept by blob so that an unchanged file is never parsed again, and what hunks touch.

    A symbol is known by its kind and qualified name. It is searched by the words of its names and of its
    siblings' names in HEAD, and is gone when neither a hunk touches it nor HEAD defines it.
    """

    def to_touch(self, commit_ids: Sequence[int], languages: Iterable[str]) -> list[ChangedFile]:
        """The searched files in these languages that commits change, in the order of the commits."""
        ...

    def touched(self, hunks: Sequence[TouchedHunk]) -> None:
        """Record which symbols some hunks touch; saying so twice does no harm."""
        ...

    def head_files(self) -> Mapping[str, tuple[str, str]]:
        """The files of HEAD as the index knows them: path → (blob, language)."""
        ...

    def parsed_blobs(self) -> set[tuple[str, str]]:
        """The (blob, language) pairs that need not be parsed again."""
        ...

    def add_blob(self, blob: str, language: str, symbols: Sequence[Symbol]) -> None:
        """Keep what a blob defines, until `replace_head` finds that HEAD has no such file."""
        ...

    def replace_head(self, files: Sequence[HeadFile], gone: Iterable[str]) -> None:
        """Make these files, all of them parsed, HEAD's, in place of what stood there and at the paths `gone`.

        Blobs that HEAD has no more are forgotten, and the searched names of all symbols concerned made again.
        """
        ...


class ThreadWriter(Protocol):
    """Which commits belong together. It is found in the whole history at once."""

    def nodes(self) -> list[Node]:
        """Every live commit with what threads are found by, oldest first (by commit time, then sha)."""
        ...

    def replace(self, threads: Sequence[Sequence[Member]], copies: Sequence[Sequence[Copied]]) -> None:
        """Make these the threads and the copies, each in its order, in place of all there were."""
        ...


class LineWriter(Protocol):
    """What became of added lines: facts about commits, and the lines of HEAD's files by file version."""

    def write(self, derived: Sequence[DerivedLines]) -> None:
        """Keep what commits ended; saying so twice does no harm."""
        ...

    def replace_head(self, added: Iterable[HeadVersion], kept: Iterable[tuple[str, str]]) -> None:
        """Make some versions HEAD's beside those of `kept` (path, blob); all others go."""
        ...


class Upkeep(Protocol):
    """What keeps an index true when rules, versions or refs change, and quick to read."""

    def reconcile(self, wanted: Fingerprint) -> frozenset[Pass]:
        """Make what is stale pending again, and record what the index is made with from now on.

        Returns the passes that have to work, of all commits or of some. Stale words, trigrams and symbols
        are dropped. The vectors of another embedder are kept, and asked, until `retire_vectors`; one that
        comes back before that goes on with its own; no embedder at all means no vectors. Ends the batch.
        """
        ...

    def begin_again(self, stage: Pass) -> None:
        """Forget what a pass wrote of all commits, and make it pending again."""
        ...

    def nameless_submodules(self) -> list[NamelessSubmodule]:
        """The changes of submodules that do not say which commits these name, of an earlier version."""
        ...

    def name_submodules(self, named: Iterable[NamedSubmodule]) -> None:
        """Let changes of submodules say which commits these name."""
        ...

    def judge_paths(self, rules: str) -> int:
        """Judge every stored path again if `rules` differ from the ones before; how many verdicts changed.

        `rules` is a digest of what the writer's `verdict` goes by. Commits that touch a path with another
        verdict go through the text, symbol and vector passes once more; vectors of contents that are no
        longer searched anywhere go; HEAD's symbols count as not read. Ends the batch, unless nothing was
        judged.
        """
        ...

    def retire_vectors(self) -> None:
        """Drop the vectors kept for a former embedder: the new ones are all made. Ends the batch."""
        ...

    def sweep(self) -> None:
        """Remove people, paths, headers and symbols that nothing mentions any more."""
        ...

    def collect(self) -> int:
        """Remove every dead commit with all that only it used, give the space back; how many there were.

        The index then equals one that never saw them. Ends the batch.
        """
        ...

    def merge_late(self, *, late: bool) -> None:
        """Before a long run: leave the tidying of search structures to `compact`; after it: no more.

        An engine without such structures does nothing. Ends the batch.
        """
        ...

    def join_pieces(self) -> Iterator[str]:
        """Keep search structures as tight as they get, inside the open batch: for a long run that has time.

        It is done step by step; what was joined is named after each.
        """
        ...

    def merge_small(self) -> Iterator[str]:
        """Do what `compact` has to do most of, inside the open batch, as far as there is anything by now.

        It is done step by step; what was merged is named after each.
        """
        ...

    def needs_compaction(self) -> bool:
        """True when what was made again or taken away makes questions slow, whichever run did it."""
        ...

    def compact(self) -> None:
        """Make search structures as quick to read as they get, and give space back. Ends the batch."""
        ...


class Writer(RecordsFacts, Protocol):
    """The one writer of an index; a context manager that undoes the open batch and closes at its end."""

    @property
    def passes(self) -> PassWriter:
        """The later passes."""
        ...

    @property
    def symbols(self) -> SymbolWriter:
        """The symbols."""
        ...

    @property
    def threads(self) -> ThreadWriter:
        """The threads."""
        ...

    @property
    def lines(self) -> LineWriter:
        """What became of lines."""
        ...

    @property
    def upkeep(self) -> Upkeep:
        """The upkeep."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    # -- batches ---------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start a batch unless one is open."""
        ...

    def commit(self) -> None:
        """End the batch: everything since `begin` becomes visible at once; without a batch, nothing happens.

        Raises when the index was taken away meanwhile, and while a commit is half-written.
        """
        ...

    def rollback(self) -> None:
        """Forget the open batch, half-written commits included."""
        ...

    @property
    def in_batch(self) -> bool:
        """True when a batch is open."""
        ...

    @property
    def between_commits(self) -> bool:
        """True when no commit is half-written, so that a batch may end here."""
        ...

    @property
    def hunks_pending(self) -> int:
        """How large the open batch is, in hunks or what takes about as long to write."""
        ...

    # -- commits ---------------------------------------------------------------------------------

    def add(self, prepared: Iterable[PreparedCommit]) -> None:
        """Add commits, or parts of big ones in their order, live and searchable as the writer's passes say.

        A content that is known by its digest is not stored again. A commit with missing objects or something
        left out is also recorded as a failure, one without is struck from the failures.
        """
        ...

    def holds_part_of(self, sha: Sha) -> bool:
        """True when some but not all of this commit has been added."""
        ...

    def remove_commits(self, shas: Iterable[Sha]) -> int:
        """Remove those of the commits that are stored, with the contents that only they had; how many.

        Names that nothing mentions any more stay until `Upkeep.sweep`.
        """
        ...

    def show(self, *, live: Iterable[Sha], dead: Iterable[Sha]) -> None:
        """Make commits live or dead."""
        ...

    def known_shas(self) -> dict[Sha, bool]:
        """Every stored commit, and whether it is live."""
        ...

    def known_links(self) -> dict[bytes, tuple[int, bytes]]:
        """Every stored commit by its raw id: its committer time, and its parents' raw ids in one string."""
        ...

    def known_among(self, shas: Iterable[Sha]) -> dict[Sha, bool]:
        """Those of the commits that are stored, and whether they are live."""
        ...

    def sha_of(self, commit_id: int) -> Sha:
        """The sha of a stored commit."""
        ...

    # -- failures --------------------------------------------------------------------------------

    def record_failure(self, sha: Sha, reason: str, missing: Sequence[str] = ()) -> None:
        """Remember that a commit could not be (wholly) read: why, which objects were missing, how often."""
        ...

    def failed(self) -> list[Sha]:
        """The commits that could not be read at all, and so are not stored, by sha."""
        ...

    def incomplete(self) -> list[tuple[Sha, str]]:
        """Commits that lacked objects, each with the first object that was missing, by sha."""
        ...
