"""What an index hands over, as the writer of another takes it: prepared anew, with its numbers. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.encoded import leave_out
from ohara.index.lines import sides, with_trigrams
from ohara.index.numbered import NO_WORDS, numbered_words, with_vocabulary
from ohara.store.derived import DerivedTexts, HunkText
from ohara.store.lines import DerivedLines, HeadVersion
from ohara.store.prepared import HunkWords, PreparedCommit, PreparedFile, PreparedHunk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ohara.index.numbered import NumberedWords
    from ohara.store.copying import CopiedCommit, CopiedFile, CopiedHunk, CopiedLines
    from ohara.store.vocabulary import Packed


def prepared(each: CopiedCommit) -> PreparedCommit:
    """A commit as the indexer would have prepared it."""
    words = numbered_words()
    files = tuple(_file(file, words) for file in each.files)
    made = PreparedCommit(
        commit=each.commit,
        message_words=words.pack(each.commit.message),
        files=files,
        missing=(),
        message_only=not any(hunk.words is not None for file in files for hunk in file.hunks),
        vocabulary=NO_WORDS,
    )
    return with_vocabulary([made], words)[0]


def _file(file: CopiedFile, words: NumberedWords) -> PreparedFile:
    return PreparedFile(
        kind=file.kind,
        path=file.path,
        old_path=file.old_path,
        old_blob=file.old_blob,
        new_blob=file.new_blob,
        additions=file.additions,
        deletions=file.deletions,
        left_out=file.left_out,
        path_words=words.pack(file.path),
        hunks=tuple(_hunk(hunk, words.pack if file.searched else None) for hunk in file.hunks),
    )


def _hunk(hunk: CopiedHunk, pack: Callable[[str], Packed] | None) -> PreparedHunk:
    kept = leave_out(hunk.body)
    parts = sides(kept.body)
    words = (hunk.header, parts.added, parts.removed, parts.context)
    return PreparedHunk(
        old_start=hunk.old_start,
        old_lines=hunk.old_lines,
        new_start=hunk.new_start,
        new_lines=hunk.new_lines,
        header=hunk.header,
        digest=hunk.digest,
        body=hunk.body,
        changed=with_trigrams(parts.changed),
        words=HunkWords(*map(pack, words)) if pack is not None and not kept.is_bare else None,
        signs=kept.signs,
    )


def texts(number: int, each: CopiedCommit, hunks: Mapping[int, int]) -> DerivedTexts:
    """The words of a commit's hunks, by the target's numbers."""
    made = prepared(each)
    rows = [
        HunkText(hunks[stored.hunk], made.message_words, file.path_words, *hunk.words)
        for copied, file in zip(each.files, made.files, strict=True)
        for stored, hunk in zip(copied.hunks, file.hunks, strict=True)
        if hunk.words is not None
    ]
    return DerivedTexts(number, tuple(rows), made.message_words, made.vocabulary)


def paired(
    ours: Sequence[tuple[int, int | None]], theirs: Sequence[tuple[int, int | None]]
) -> Iterable[tuple[int, int]]:
    """The hunks of one commit on both sides, which stand in one order."""
    return ((one, other) for (one, _), (other, _) in zip(ours, theirs, strict=True))


# -- lines ---------------------------------------------------------------------------------------


def lines(
    commits: Mapping[int, int], hunks: Mapping[int, int], number: int, found: CopiedLines
) -> DerivedLines:
    """What a commit did to lines, by the target's numbers; what speaks of hunks that are not there goes."""
    return DerivedLines(
        commits[number],
        tuple(
            end._replace(
                hunk=hunks[end.hunk],
                commit=commits[number],
                to_hunk=hunks[end.to_hunk] if end.to_hunk is not None else None,
            )
            for end in found.ends
            if end.hunk in hunks and (end.to_hunk is None or end.to_hunk in hunks)
        ),
        tuple((hunks[hunk], solid) for hunk, solid in found.counts if hunk in hunks),
        found.merged,
    )


def moved(version: HeadVersion, commits: Mapping[int, int], hunks: Mapping[int, int]) -> HeadVersion:
    """A version of a file at HEAD, by the target's numbers; 0 for what is not there."""
    return version._replace(
        made_by=commits.get(version.made_by, 0),
        segments=[(count, hunks.get(hunk, 0), first) for count, hunk, first in version.segments],
    )
