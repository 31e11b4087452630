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

from ohara.structural.cutting import Unit, cut, is_closed
from ohara.structural.matcher import found_in, kinds_of, matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ast_grep_py import Config, SgNode

    from ohara.structural.cutting import Piece
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
        units = self._units(text)
        found: list[Found] = []
        line = 0
        for run in self._split(units):
            here = self._of_unit(run[0]) if len(run) == 1 else self._of_run(run)
            if here is None:
                return self._whole(text)
            found += [match.moved(line) for match in here]
            line += sum(unit.piece.lines for unit in run)
        return found

    def _units(self, text: str) -> list[Unit]:
        """The pieces of a text, all of them parsed; a class with a broken method is one piece."""
        units = cut(text, self._language, in_classes=self._cuts_classes)
        self._learn([piece for unit in units for piece in unit.pieces])
        torn = {unit for unit in units if unit.members and self._is_broken(unit)}
        if not torn:
            return units
        self._learn([unit.piece for unit in torn])
        return [Unit(unit.piece) if unit in torn else unit for unit in units]

    def _whole(self, text: str) -> Sequence[Found]:
        return matches(text, self._rule, self._language, self._names)

    def _is_broken(self, unit: Unit) -> bool:
        return any(self._known[piece] is None for piece in unit.pieces)

    def _found(self, root: SgNode, text: str) -> list[Found]:
        return found_in(root, self._rule, self._names) if all(atom in text for atom in self._atoms) else []

    # -- pieces that are whole -------------------------------------------------------------------

    def _of_unit(self, unit: Unit) -> Matches | None:
        if not unit.members:
            return self._known[unit.piece]
        found: list[Found] = []
        line = 0
        for piece in unit.members:
            found += [match.moved(line) for match in self._known[piece] or ()]
            line += piece.lines
        return tuple(found)

    def _learn(self, pieces: Iterable[Piece]) -> None:
        """Parse the pieces that are new, all at once; those in which that finds errors, one by one."""
        new = [piece for piece in dict.fromkeys(pieces) if piece not in self._known]
        if not new:
            return
        doubtful = self._learn_together(new)
        if len(new) == 1:
            self._known.update(dict.fromkeys(doubtful))
        else:
            for piece in doubtful:
                self._learn([piece])

    def _learn_together(self, pieces: Sequence[Piece]) -> set[Piece]:
        """Parse pieces as one text; those that are touched by errors, or by a node that reaches beyond them.

        Any other is a row of complete nodes on the outermost level: it would be by itself, too.
        """
        codes = [piece.code for piece in pieces]
        text = "".join(codes)
        root = SgRoot(text, self._language).root()
        starts = list(accumulate((code.count("\n") for code in codes), initial=0))[:-1]
        doubtful: set[Piece] = set()
        for first, last in _lines(root.find_all(_BROKEN)):
            doubtful.update(pieces[_at(starts, first) : _at(starts, last) + 1])
        for first, last in _lines(root.children()):
            if _at(starts, first) != _at(starts, last):
                doubtful.update(pieces[_at(starts, first) : _at(starts, last) + 1])
        found: list[list[Found]] = [[] for _ in pieces]
        for match in self._found(root, text):
            at = _at(starts, match.first_line)
            found[at].append(match.moved(-starts[at] - pieces[at].lines_above))
        self._known.update(
            (piece, tuple(here)) for piece, here in zip(pieces, found, strict=True) if piece not in doubtful
        )
        return doubtful

    # -- pieces that are not ---------------------------------------------------------------------

    def _split(self, units: Sequence[Unit]) -> Iterator[Sequence[Unit]]:
        """Each piece alone, but broken ones with the pieces before and behind them.

        What is opened in a broken piece is closed in the same run, or the run goes on to the file's end.
        """
        broken = [self._is_broken(unit) for unit in units]
        at = 0
        while at < len(units):
            first = next((near for near in range(at, min(at + 2, len(units))) if broken[near]), None)
            end = at + 1 if first is None else self._end_of_run(units, broken, first)
            yield units[at:end]
            at = end

    def _end_of_run(self, units: Sequence[Unit], broken: Sequence[bool], first: int) -> int:
        end = first + 1
        while end < len(units):
            if broken[end] or not self._is_closed(units[first:end]):
                end += 1
            elif end + 1 < len(units) and broken[end + 1]:  # its neighbour is another's neighbour, too
                end += 2
            else:
                return end + 1
        return end

    def _is_closed(self, units: Sequence[Unit]) -> bool:
        key = tuple(unit.piece for unit in units)
        if key not in self._closed:
            self._closed[key] = is_closed("".join(piece.text for piece in key), self._language)
        return self._closed[key]

    def _of_run(self, units: Sequence[Unit]) -> Matches | None:
        """What matches in broken pieces and their neighbours; None when these do not come out unharmed."""
        key = tuple(unit.piece for unit in units)
        if key not in self._runs:
            self._runs[key] = self._parsed_run(units)
        return self._runs[key]

    def _parsed_run(self, units: Sequence[Unit]) -> Matches | None:
        above, below = units[0].piece.above, units[-1].piece.below
        text = "".join(unit.piece.text for unit in units)
        root = SgRoot(f"{above}{text}\n{below}" if below else f"{above}{text}", self._language).root()
        shift = units[0].piece.lines_above
        starts = list(accumulate((unit.piece.lines for unit in units), initial=shift))
        broken = [at for at, unit in enumerate(units) if self._is_broken(unit)]
        first, end = starts[broken[0]], starts[broken[-1] + 1]
        if broken[-1] + 1 == len(units):
            end = starts[-1] + 2  # the end of the file: whatever is missing there
        if any(begins < first or ends >= end for begins, ends in _lines(root.find_all(_BROKEN))):
            return None
        inside_of_condition = bool(below or above)
        for begins, ends in _lines(_outermost(root, inside_of_condition=inside_of_condition)):
            if begins < first <= ends or begins < end <= ends:
                return None
        return tuple(match.moved(-shift) for match in self._found(root, text))


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
