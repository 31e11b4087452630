"""Matches a pattern in many versions of the same files, parsing only what was not parsed before.

A file is cut into pieces (`cutting`). Where every piece is whole code by itself, the file's tree is the trees
of the pieces one after the other, so what matches in a piece that was seen before is known. A piece that is
not whole (it holds an error, or ends inside of something) is parsed together with its neighbours: where these
come out of it unharmed, the parser was back at the outermost level when it left the piece, and what follows
is read as if the piece were not there. Where they do not, the file is parsed as a whole.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, cast

from ast_grep_py import SgRoot

from ohara.structural.cutting import Piece, cut, cut_class, is_closed
from ohara.structural.matcher import found_in, kinds_of, matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ast_grep_py import Config, SgNode

    from ohara.structural.found import Found

    Matches = tuple[Found, ...]

# An error, or a node without text, which the parser makes up where something is missing.
_BROKEN = cast("Config", {"rule": {"any": [{"kind": "ERROR"}, {"regex": "^$"}]}})
_KEPT_PIECES = 100_000

# What may stand around the pieces of a file. A pattern of such a kind is looked for in whole files.
_AROUND_ALL = frozenset({"", "ERROR", "module", "program", "source_file", "translation_unit"})
_AROUND_METHODS = frozenset({"block", "class_definition", "decorated_definition"})
_CONDITION = "preproc_"


class PieceMatcher:
    """Finds one pattern; remembers what it found in each piece."""

    def __init__(
        self, rule: Mapping[str, Any], language: str, names: tuple[str, ...], atoms: tuple[str, ...]
    ) -> None:
        self._rule = rule
        self._language = language
        self._names = names
        self._atoms = atoms
        self._known: dict[Piece, Matches | None] = {}
        self._runs: dict[tuple[Piece, ...], Matches | None] = {}
        self._closed: dict[tuple[Piece, ...], bool] = {}
        kinds = kinds_of(rule, language)
        self._cuts = not any(kind in _AROUND_ALL or kind.startswith(_CONDITION) for kind in kinds)
        self._cuts_classes = language == "python" and kinds.isdisjoint(_AROUND_METHODS)

    def matches(self, text: str) -> Sequence[Found]:
        """Every match in a text, in order."""
        if not self._cuts:
            return self._whole(text)
        if len(self._known) > _KEPT_PIECES:
            self._known.clear()
            self._runs.clear()
            self._closed.clear()
        pieces = cut(text, self._language)
        self._learn(pieces)
        known = [self._known[piece] for piece in pieces]
        if None in known:
            return self._around_broken(text, pieces)
        return _joined(pieces, known) if any(known) else []

    def _whole(self, text: str) -> Sequence[Found]:
        return matches(text, self._rule, self._language, self._names)

    def _found(self, root: SgNode, text: str) -> list[Found]:
        return found_in(root, self._rule, self._names) if all(atom in text for atom in self._atoms) else []

    # -- pieces that are whole -------------------------------------------------------------------

    def _learn(self, pieces: Iterable[Piece]) -> None:
        """Parse the pieces that are new, all at once, large classes method by method."""
        new = [piece for piece in dict.fromkeys(pieces) if piece not in self._known]
        if not new:
            return
        if not self._cuts_classes:
            self._parse(new)
            return
        members = {piece: cut_class(piece.text) for piece in new}
        self._parse([member for each in members.values() for member in each])
        for piece, each in members.items():
            known = [self._known[member] for member in each]
            if None not in known:
                self._known[piece] = tuple(_joined(each, known))
            elif piece not in self._known:
                self._parse([piece])

    def _parse(self, pieces: Iterable[Piece]) -> None:
        """Parse the pieces that are new, all at once; those that this leaves in doubt, one by one."""
        new = [piece for piece in dict.fromkeys(pieces) if piece not in self._known]
        for piece in self._parse_together(new) if new else ():
            self._parse_together([piece])

    def _parse_together(self, pieces: Sequence[Piece]) -> set[Piece]:
        """Parse pieces as one text: those that errors stand in are broken.

        Those that share a node with others are in doubt. Any other is a row of complete nodes on the
        outermost level, which it would be by itself, too.
        """
        codes = [piece.code for piece in pieces]
        text = "".join(codes)
        root = SgRoot(text, self._language).root()
        starts = list(accumulate((code.count("\n") for code in codes), initial=0))[:-1]
        broken: set[Piece] = set()
        doubtful: set[Piece] = set()
        for nodes, touched in ((root.find_all(_BROKEN), broken), (root.children(), set())):
            for first, last in _lines(nodes):
                here = pieces[_at(starts, first) : _at(starts, last) + 1]
                (touched if len(here) == 1 else doubtful).update(here)
        found: list[list[Found]] = [[] for _ in pieces]
        for match in self._found(root, text):
            at = _at(starts, match.first_line)
            found[at].append(match.moved(-starts[at] - pieces[at].lines_above))
        for piece, held in zip(pieces, found, strict=True):
            if piece not in doubtful:
                self._known[piece] = None if piece in broken else tuple(held)
        return doubtful

    # -- pieces that are not ---------------------------------------------------------------------

    def _around_broken(self, text: str, pieces: Sequence[Piece]) -> Sequence[Found]:
        """What matches in a text with broken pieces: each is parsed with those before and behind it."""
        broken = [self._known[piece] is None for piece in pieces]
        joined: list[Piece] = []
        known: list[Matches | None] = []
        at = 0
        while at < len(pieces):
            first = broken.index(True, at) if True in broken[at:] else len(pieces) + 1
            start = max(at, first - 1)
            joined += pieces[at:start]
            known += [self._known[piece] for piece in pieces[at:start]]
            at = start
            if first < len(pieces):
                at = self._end_of_run(pieces, broken, first)
                run = tuple(pieces[start:at])
                joined.append(Piece("".join(piece.text for piece in run)))
                known.append(self._of_run(run))
        if None in known:
            return self._whole(text)
        return _joined(joined, known) if any(known) else []

    def _end_of_run(self, pieces: Sequence[Piece], broken: Sequence[bool], first: int) -> int:
        """Where the pieces end that a broken one is parsed with.

        What is opened in it is closed among them, or they go on to the file's end.
        """
        end = first + 1
        while end < len(pieces):
            if broken[end] or not self._is_closed(pieces[first:end]):
                end += 1
            elif end + 1 < len(pieces) and broken[end + 1]:  # its neighbour is another's neighbour, too
                end += 2
            else:
                return end + 1
        return end

    def _is_closed(self, pieces: Sequence[Piece]) -> bool:
        key = tuple(pieces)
        if key not in self._closed:
            self._closed[key] = is_closed("".join(piece.text for piece in key), self._language)
        return self._closed[key]

    def _of_run(self, pieces: tuple[Piece, ...]) -> Matches | None:
        """What matches in broken pieces and their neighbours; None when these do not come out unharmed."""
        if pieces not in self._runs:
            self._runs[pieces] = self._parsed_run(pieces)
        return self._runs[pieces]

    def _parsed_run(self, pieces: Sequence[Piece]) -> Matches | None:
        above, below = pieces[0].above, pieces[-1].below
        text = "".join(piece.text for piece in pieces)
        root = SgRoot(f"{above}{text}\n{below}" if below else f"{above}{text}", self._language).root()
        shift = pieces[0].lines_above
        starts = list(accumulate((piece.lines for piece in pieces), initial=shift))
        broken = [at for at, piece in enumerate(pieces) if self._known[piece] is None]
        first, end = starts[broken[0]], starts[broken[-1] + 1]
        if broken[-1] + 1 == len(pieces):
            end = starts[-1] + 2  # the end of the file: whatever is missing there
        if any(begins < first or ends >= end for begins, ends in _lines(root.find_all(_BROKEN))):
            return None
        for begins, ends in _lines(_outermost(root, inside_of_condition=bool(below or above))):
            if begins < first <= ends or begins < end <= ends:
                return None
        return tuple(match.moved(-shift) for match in self._found(root, text))


def _joined(pieces: Sequence[Piece], known: Sequence[Matches | None]) -> list[Found]:
    """What matches in pieces that follow each other, as lines of them all."""
    found: list[Found] = []
    line = 0
    for piece, here in zip(pieces, known, strict=True):
        found += [match.moved(line) for match in here or ()]
        line += piece.lines
    return found


def _outermost(root: SgNode, *, inside_of_condition: bool) -> list[SgNode]:
    """The nodes that follow each other in a file, or inside of the condition that a file is."""
    nodes: list[SgNode] = []
    for node in root.children():
        nodes += node.children() if inside_of_condition and node.kind().startswith(_CONDITION) else [node]
    return nodes


def _lines(nodes: Iterable[SgNode]) -> Iterator[tuple[int, int]]:
    """The first and the last line of nodes; of a node that ends with its line's end, that line."""
    for node in nodes:
        at = node.range()
        last = at.end.line
        yield at.start.line, last - 1 if not at.end.column and last > at.start.line else last


def _at(starts: Sequence[int], line: int) -> int:
    return bisect_right(starts, line) - 1
