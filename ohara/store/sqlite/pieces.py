"""Joins stored pieces that hold no changed line to a neighbour, in an index whose hunks were once cut so.

A long hunk is stored in pieces, and every piece holds a changed line (`parse/chunks.py`). Indexes that were
made when a piece could be context alone are mended from what is stored: its lines go to the piece above, or
else below, and its rows away. What is found by exact text and by meaning depends on changed lines only and
stays; the words and the whole vectors of the commits concerned are made again by their passes.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from ohara.model import Pass
from ohara.store.answers import holds_change
from ohara.store.sql.session import PASS_BITS
from ohara.store.sqlite.connection import translated
from ohara.store.sqlite.generations import delete_vectors
from ohara.store.sqlite.schema import CONTENT_BY_DIGEST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ohara.store.sqlite.writer import Writer

_LOOKED_AT = "pieces"  # in meta: the highest hunk that was looked at, while it is being done
_BATCH_HUNKS = 20_000

_ROW = """SELECT hunk.id, hunk.file_id, hunk.commit_id, hunk.content_id, old_start, old_lines, new_start,
    new_lines, header_id, content.body FROM hunk JOIN content ON content.id = hunk.content_id"""
# Context has a line on both sides for each of its own.
_SUSPECTS = f"{_ROW} WHERE hunk.id > ? AND hunk.id <= ? AND old_lines = new_lines ORDER BY hunk.id"
_ABOVE = f"""{_ROW} WHERE hunk.commit_id = ? AND hunk.file_id = ? AND hunk.id < ?
  ORDER BY hunk.id DESC LIMIT 1"""
_BELOW = f"{_ROW} WHERE hunk.commit_id = ? AND hunk.file_id = ? AND hunk.id > ? ORDER BY hunk.id LIMIT 1"
_LAST = "SELECT coalesce(max(id), 0) FROM hunk"
_USED = "SELECT count(*) FROM (SELECT 1 FROM hunk WHERE content_id = ? LIMIT 2)"
_REPLACE_CONTENT = "UPDATE content SET digest = ?, body = ? WHERE id = ?"
_ADD_CONTENT = "INSERT INTO content(id, digest, passes, body) VALUES(?,?,0,?)"
_PLACE = """UPDATE hunk SET content_id = ?, old_start = ?, old_lines = ?, new_start = ?, new_lines = ?,
  header_id = ? WHERE id = ?"""
# Words and the vector of the whole commit are of its pieces; trigrams may be lacking for a new content.
_REDO = """UPDATE commits SET passes = passes & ~? & ((SELECT passes FROM content WHERE content.id = ?) | ~?)
  WHERE id = ?"""
_REMOVE = (
    "DELETE FROM hunk_symbol WHERE hunk_id = ?",
    "DELETE FROM hunk WHERE id = ?",
)
_FORGET = (
    "DELETE FROM encoded WHERE content_id = ?",
    "DELETE FROM content WHERE id = ?",
)

_OF_PIECES = PASS_BITS[Pass.TEXT] | PASS_BITS[Pass.VECTOR]


class _Piece(NamedTuple):
    """A stored piece and its place in the old and the new file."""

    hunk: int
    file: int
    commit: int
    content: int
    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    header: int | None
    body: str

    @property
    def old_end(self) -> int:
        """The old line below it; an empty side is numbered by the line above."""
        return self.old_start + (self.old_lines or 1)

    @property
    def new_end(self) -> int:
        """The new line below it."""
        return self.new_start + (self.new_lines or 1)


def join_context(writer: Writer) -> int:
    """Join every piece without a change to its neighbour, batch by batch; how many there were.

    Killed in between, it goes on where it was.
    """
    joined = 0
    with translated(writer.path):
        last = int(writer.connection.execute(_LAST).get)
        before = writer.meta(_LOOKED_AT)
        at = before if isinstance(before, int) else 0
        while at < last:
            end = min(at + _BATCH_HUNKS, last)
            for piece in list(_context_only(writer, at, end)):
                joined += _join(writer, piece.hunk)
            at = end
            writer.set_meta(_LOOKED_AT, at)
            writer.commit()
        writer.drop_meta(_LOOKED_AT)
    return joined


def _context_only(writer: Writer, after: int, until: int) -> Iterator[_Piece]:
    for row in writer.connection.execute(_SUSPECTS, (after, until)):
        piece = _piece(writer, row)
        if not holds_change(piece.body):
            yield piece


def _piece(writer: Writer, row: tuple[Any, ...]) -> _Piece:
    hunk, file, commit, content, *place, header, body = row
    old_start, old_lines, new_start, new_lines = place
    text = writer.commit_rows.codec.unpack(body)
    return _Piece(hunk, file, commit, content, old_start, old_lines, new_start, new_lines, header, text)


def _join(writer: Writer, hunk: int) -> bool:
    """Put one piece's lines where the hunk goes on; false when it stands alone, and so stays as it is."""
    (row,) = writer.connection.execute(f"{_ROW} WHERE hunk.id = ?", (hunk,))
    piece = _piece(writer, row)  # as it is now: it may have got the lines of the one above
    above, below = (_neighbour(writer, statement, piece) for statement in (_ABOVE, _BELOW))
    if above and (above.old_end, above.new_end) == (piece.old_start, piece.new_start):
        kept, pair = above, (above, piece)
    elif below and (piece.old_end, piece.new_end) == _beginning(below):
        kept, pair = below, (piece, below)
    else:
        return False
    writer.begin()
    execute = writer.connection.execute
    writer.drop_hunk_words([piece.hunk])
    for statement in _REMOVE:
        execute(statement, (piece.hunk,))
    content = _content(writer, kept, "\n".join(each.body for each in pair))
    first, second = pair
    execute(
        _PLACE,
        (
            content,
            first.old_start if first.old_lines else second.old_start,
            first.old_lines + second.old_lines,
            first.new_start if first.new_lines else second.new_start,
            first.new_lines + second.new_lines,
            first.header,
            kept.hunk,
        ),
    )
    for former in {piece.content, kept.content} - {content}:
        if not execute(_USED, (former,)).get:
            for statement in _FORGET:
                execute(statement, (former,))
            writer.drop_trigrams([former])
            delete_vectors(writer, [former])
    execute(_REDO, (_OF_PIECES, content, PASS_BITS[Pass.LITERAL], kept.commit))
    return True


def _neighbour(writer: Writer, statement: str, piece: _Piece) -> _Piece | None:
    row = writer.connection.execute(statement, (piece.commit, piece.file, piece.hunk)).fetchone()
    return _piece(writer, row) if row else None


def _beginning(piece: _Piece) -> tuple[int, int]:
    """The first old and new line of a piece, or those that would come next on an empty side."""
    return piece.old_start + (not piece.old_lines), piece.new_start + (not piece.new_lines)


def _content(writer: Writer, kept: _Piece, body: str) -> int:
    """The content with this body: known, or the piece's own changed, or a new one where that is shared."""
    execute = writer.connection.execute
    digest = blake2b(body.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    known = execute(CONTENT_BY_DIGEST, (digest,)).fetchone()
    if known:
        return int(known[0])
    if execute(_USED, (kept.content,)).get == 1:
        execute(_REPLACE_CONTENT, (digest, writer.commit_rows.codec.pack(body), kept.content))
        return kept.content
    content = writer.commit_rows.take("content")
    execute(_ADD_CONTENT, (content, digest, writer.commit_rows.codec.pack(body)))
    return content
