"""Commits made by hand, as the indexer hands them to a writer, and short ways to write them."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from ohara.model import ChangeKind, Commit, LeftOut, Pass, Sha
from ohara.store.prepared import HunkWords, PreparedCommit, PreparedFile, PreparedHunk
from ohara.store.vocabulary import Numbering, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.store.index import Index
    from ohara.store.vocabulary import Packed
    from ohara.store.writing import Verdict, Writer

ALL = frozenset(Pass)
NO_PASSES: frozenset[Pass] = frozenset()
NUMBERING = Numbering()
OLD_BLOB, NEW_BLOB = "0b" * 20, "0c" * 20


def all_words() -> Vocabulary:
    """What texts consist of that were packed so far."""
    return NUMBERING.vocabulary([NUMBERING.pack(" ".join(NUMBERING))])


def sha(letter: str) -> Sha:
    """A sha that is easily told from others: one hexadecimal digit, forty times."""
    return Sha(letter * 40)


def nothing_left_out(_path: str) -> str | None:
    """A verdict that lets every path be searched."""
    return None


def open_writer(index: Index, passes: frozenset[Pass] = ALL, verdict: Verdict = nothing_left_out) -> Writer:
    """A writer of an index."""
    return index.writer(passes=passes, verdict=verdict)


def hunk(
    body: str, *, at: int = 1, header: str = "", words: bool = True, signs: int | None = None
) -> PreparedHunk:
    """A hunk with these lines, whose words are simply the words of its lines."""
    lines = body.split("\n") if body else []

    def of(*marks: str) -> Packed:
        return NUMBERING.pack(" ".join(line[1:] for line in lines if line[:1] in marks))

    return PreparedHunk(
        old_start=at,
        old_lines=sum(line[:1] in {"-", " "} for line in lines),
        new_start=at,
        new_lines=sum(line[:1] in {"+", " "} for line in lines),
        header=header,
        digest=blake2b(body.encode(), digest_size=16).digest() if body else b"",
        body=body,
        changed="\n".join(line[1:] for line in lines if line[:1] in {"+", "-"}),
        words=HunkWords(NUMBERING.pack(header), of("+"), of("-"), of(" ")) if words else None,
        signs=signs,
    )


def file(path: str, *hunks: PreparedHunk, left_out: LeftOut | None = None) -> PreparedFile:
    """A modified file with its hunks."""
    return PreparedFile(
        kind=ChangeKind.MODIFIED,
        path=path,
        old_path=None,
        old_blob=OLD_BLOB,
        new_blob=NEW_BLOB,
        additions=sum(each.new_lines for each in hunks),
        deletions=sum(each.old_lines for each in hunks),
        left_out=left_out,
        path_words=NUMBERING.pack(path.replace("/", " ")),
        hunks=hunks,
    )


def commit(
    letter: str,
    *files: PreparedFile,
    message: str = "",
    day: int = 0,
    author: str = "Ada",
    missing: tuple[str, ...] = (),
    left_out: str = "",
    first: bool = True,
    last: bool = True,
    parents: tuple[Sha, ...] = (),
) -> PreparedCommit:
    """A whole commit, or with `first` or `last` false a part of one; the later the day, the newer."""
    message = message or f"commit {letter}"
    moment = 1_700_000_000 + day * 86_400
    searched = any(each.words is not None for one in files for each in one.hunks)
    return PreparedCommit(
        commit=Commit(
            sha=sha(letter),
            parents=parents,
            author=author,
            email=f"{author.lower()}@example.com",
            author_time=moment,
            author_offset=0,
            committer_time=moment,
            committer_offset=0,
            message=message,
        ),
        message_words=NUMBERING.pack(message),
        files=files,
        missing=missing,
        message_only=last and first and not searched,
        vocabulary=all_words(),
        first=first,
        last=last,
        left_out=left_out,
    )


# Two commits change the same line of different files; the newest has a line of its own.
RETRY = commit("a", file("net/retry.py", hunk("+wait twice\n keep\n-wait", header="def retry():")), day=1)
SAME_LINES = commit("b", file("net/again.py", hunk("+wait twice\n keep\n-wait", at=7)), day=2, author="Grace")
NEWEST = commit("c", file("shop/cart.py", hunk("+total = 0", at=3), hunk("-price", at=9)), day=3)
HISTORY = (RETRY, SAME_LINES, NEWEST)


def fill(index: Index, commits: Iterable[PreparedCommit] = HISTORY, passes: frozenset[Pass] = ALL) -> Index:
    """Add commits in one batch."""
    with open_writer(index, passes) as writer:
        writer.add(commits)
        writer.commit()
    return index


def pending_shas(writer: Writer, stage: Pass) -> list[Sha]:
    """The commits that a pass has still to do, in its order."""
    return [writer.sha_of(commit_id) for commit_id in writer.passes.pending(stage)]


def commit_id(writer: Writer, letter: str) -> int:
    """The number of a commit that waits for its symbols."""
    (found,) = (each for each in writer.passes.pending(Pass.SYMBOL) if writer.sha_of(each) == sha(letter))
    return found


def all_ids(writer: Writer) -> dict[Sha, int]:
    """The numbers of all commits that wait for their symbols."""
    return {writer.sha_of(each): each for each in writer.passes.pending(Pass.SYMBOL)}
