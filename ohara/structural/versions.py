"""Matches a pattern in many versions of the same files, parsing only what differs from a version before.

A file's tree is the trees of its items one after the other (`outline`), and so is the inside of a class, of a
function or of a condition. Where two versions differ in some items, those are parsed with their neighbours,
and with the first and last lines of whatever they are inside of. Where the neighbours come out of it as they
were, the parser was where items follow each other before and behind what differs: what stands further above
or below is read as if it had not changed. Where they do not, what is around is parsed; at last, the file.
What lacks a word of the pattern and is whole statements at a glance is not even parsed (`unread`).

Errors are what a parser makes of the text around them: next to one, nothing is known that was not parsed
together with it, and from one on that leaves something open, nothing at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ast_grep_py import SgRoot

from ohara.structural.aligning import Region, align, find_line
from ohara.structural.closed import is_closed
from ohara.structural.matcher import as_found, found_in, shape_of
from ohara.structural.outline import Item, Outline, Part, line_count, placed
from ohara.structural.reading import CONTAINERS, Parsed, Reader, lines_of
from ohara.structural.unread import without_reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ast_grep_py import Config, SgNode

    from ohara.structural.outline import Step

# An error, or a node without text, which the parser makes up where something is missing.
_BROKEN_KINDS: list[dict[str, str]] = [{"kind": "ERROR"}, {"regex": "^$"}]
_BROKEN = cast("Config", {"rule": {"any": _BROKEN_KINDS}})

_KNOWN_CHARACTERS = 32 * 2**20  # of code whose items are kept

# What a file is. A pattern of such a kind is looked for in whole files.
_FILES = frozenset({"", "ERROR", "module", "program", "source_file", "translation_unit"})


class _Spots(NamedTuple):
    """Some code that is parsed, its first and last items, and the way to them.

    Versions of different branches take turns in time: the same code is asked for again and again.
    """

    code: str
    before: str
    behind: str
    paths: tuple[tuple[Step, ...], ...]


class VersionMatcher:
    """Finds one pattern in versions of files."""

    def __init__(
        self,
        rule: Mapping[str, Any],
        language: str,
        names: tuple[str, ...],
        atoms: tuple[str, ...],
    ) -> None:
        self._rule = rule
        self._language = language
        self._names = names
        self._atoms = atoms
        shape = shape_of(rule, language)
        self._cuts = language in CONTAINERS and _FILES.isdisjoint(shape.kinds)
        self._kinds = shape.kinds
        self._known: dict[_Spots, list[Item] | None] = {}
        self._known_characters = 0
        self._reader = Reader(language, shape)
        # One walk over a tree for both; where conditions must hold of what matches, two.
        self._both: Config | None = None
        if self._cuts and "constraints" not in rule:
            self._both = cast("Config", {"rule": {"any": [*rule["rule"]["any"], *_BROKEN_KINDS]}})

    def outline(self, text: str, near: Outline | None = None) -> Outline:
        """What a text consists of and what matches in it, told from a version that is like it."""
        if not self._cuts:
            return self._as_one(text)
        if near is not None and near.exact:
            items = self._updated(near.items, text, ())
            if items is not None:
                return Outline(items)
        return self._whole(text)

    def _as_one(self, text: str) -> Outline:
        found = found_in(SgRoot(text, self._language).root(), self._rule, self._names)
        return Outline((Item(text, "", 0, tuple(found)),), exact=False)

    def _whole(self, text: str) -> Outline:
        root = SgRoot(text, self._language).root()
        parsed = self._parsed(root, text, text)
        items = self._reader.items(root, parsed, 0, line_count(text) - 1) if text else []
        if not items:
            return self._as_one(text)
        open_at = [
            number
            for number, item in enumerate(items)
            if item.broken and not is_closed(item.text, self._language)
        ]
        if not open_at:
            return Outline(tuple(items))
        return Outline((*items[: open_at[0]], _as_tail(items[open_at[0] :])), exact=open_at[0] > 0)

    def _parsed(self, root: SgNode, text: str, sought: str) -> Parsed:
        """The errors in a tree, and where a part of its text holds all of the words, the matches."""
        if not all(atom in sought for atom in self._atoms):
            return Parsed(text, (), list(map(lines_of, root.find_all(_BROKEN))))
        if self._both is None:
            found = found_in(root, self._rule, self._names)
            return Parsed(text, found, list(map(lines_of, root.find_all(_BROKEN))))
        nodes = root.find_all(self._both)
        errors = [node for node in nodes if node.kind() == "ERROR" or not node.text()]
        matching = [node for node in nodes if node.kind() in self._kinds] if nodes else []
        return Parsed(text, as_found(matching, self._names), list(map(lines_of, errors)))

    # -- what differs ----------------------------------------------------------------------------

    def _updated(self, items: Sequence[Item], text: str, around: tuple[Part, ...]) -> tuple[Item, ...] | None:
        """What a text consists of, told from items that are like it; None when it cannot be told."""
        regions: Sequence[Region] = align(items, text)
        if any(item.parts for region in regions for item in items[region.first : region.last]):
            items = self._with_changed_parts(items, regions, text, around)
            regions = align(items, text)
        items, regions = without_reading(items, regions, text, self._atoms, self._language)
        regions = _apart(items, regions)
        if not around and any(region.end - region.start == len(text) for region in regions):
            return None
        told: list[Item] = []
        kept = 0
        for region in regions:
            told += items[kept : region.first]
            kept = region.last
            start = region.start
            while told and not told[-1].is_sound:
                start -= len(told.pop().text)
            right = items[kept] if kept < len(items) else None
            left = told[-1] if told else None
            parsed = self._between(left, text[start : region.end], right, around)
            if parsed is None:
                return None
            told += parsed
            kept += right is not None
        told += items[kept:]
        return tuple(told)

    def _with_changed_parts(
        self, items: Sequence[Item], regions: Sequence[Region], text: str, around: tuple[Part, ...]
    ) -> Sequence[Item]:
        """Items, those that differ inside of their parts alone as they are in a text."""
        told = list(items)
        for region in regions:
            start = region.start
            for number in range(region.first, region.last):
                item = items[number]
                at = find_line(text, item.parts[0].above, start, region.end) if item.parts else -1
                if at < 0:
                    continue
                following = items[number + 1] if number + 1 < region.last else None
                for end in _ends(item, following, text, at, region.end):
                    inside = self._inside_one(item, text[at:end], around)
                    if inside is not None:
                        told[number] = inside
                        start = end
                        break
        return told

    def _inside_one(self, item: Item, text: str, around: tuple[Part, ...]) -> Item | None:
        """An item that differs inside of one of its parts alone, if at all."""
        if text == item.text:
            return item
        for part in item.parts:
            room = len(text) - len(part.above) - len(part.below)
            if room > 0 and text.startswith(part.above) and text.endswith(part.below):
                content = text[len(part.above) : len(part.above) + room]
                told = self._updated(part.items, content, (*around, part)) if content.strip() else None
                return item.with_part(part, told) if told else None
        return None

    def _between(
        self, left: Item | None, text: str, right: Item | None, around: tuple[Part, ...]
    ) -> list[Item] | None:
        """The items that a text consists of and its right neighbour; None when neighbours are harmed."""
        before, behind = left.short if left else "", right.short if right else ""
        content = f"{before}{text}{behind}"
        above = "".join(part.above for part in around)
        below = "".join(part.below for part in reversed(around))
        if not content.strip() or (below and not content.endswith("\n")):
            return None
        spots = _Spots(f"{above}{content}{below}", before, behind, tuple(part.path for part in around))
        if spots not in self._known:
            self._known_characters += len(spots.code)
            if self._known_characters > _KNOWN_CHARACTERS:
                self._known.clear()
                self._known_characters = len(spots.code)
            self._known[spots] = self._items_between(spots, content, text, around)
        items = list(self._known[spots] or ())
        if not items:
            return None
        if left is not None:
            again = items.pop(0)
            if again.broken or (again.kind, again.text) != (left.kind, before):
                return None
        return _with_right(items, right, behind) if right is not None else items

    def _items_between(
        self, spots: _Spots, content: str, text: str, around: tuple[Part, ...]
    ) -> list[Item] | None:
        """The items of some content, neighbours included; None when an error reaches one of these."""
        root = SgRoot(spots.code, self._language).root()
        node, first, last = _content_of(root, line_count(spots.code), around)
        if node is None:
            return None
        parsed = self._parsed(root, spots.code, content)
        start, end = first + line_count(spots.before), last - line_count(spots.behind)
        if parsed.errors and not (
            all(start <= begins and ends <= end for begins, ends in parsed.errors)
            and is_closed(text, self._language)
        ):
            return None
        return self._reader.items(node, parsed, first, last)


def _as_tail(items: Sequence[Item]) -> Item:
    """The end of a file, from an error on that leaves something open: parsed with the whole file."""
    found = tuple(match.moved(line) for own, line in placed(items) for match in own)
    ordered = tuple(sorted(found, key=lambda match: match[:2]))
    return Item("".join(item.text for item in items), "ERROR", 0, ordered, broken=True)


def _with_right(items: list[Item], right: Item, text: str) -> list[Item] | None:
    """Items whose last is a right neighbour, written as a text, with the neighbour itself in its place."""
    again = items.pop() if items else None
    if again is None or not _is_behind(again, right, text):
        return None
    lines = again.text[: -len(text)]
    more = line_count(lines)
    above = tuple(match for match in again.found if match.first_line < more)
    return [*items, right.below(lines, above) if lines else right]


def _content_of(root: SgNode, lines: int, around: Sequence[Part]) -> tuple[SgNode | None, int, int]:
    """The innermost node that items follow each other in, and its first and last line."""
    node: SgNode | None = root
    first, last = 0, lines - 1
    for part in around:
        for step in part.path:
            later = step.from_first == part.lines_above
            lines_there = first + step.from_first, last - step.from_last
            node = _child(node, step.kind, lines_there, later=later) if node else None
        first += part.lines_above
        last -= part.lines_below
    return node, first, last


def _ends(item: Item, following: Item | None, text: str, start: int, end: int) -> Iterator[int]:
    """Where an item may end that begins at a place of a text and differs in its parts alone."""
    if following is None:
        yield end
    behind = start + len(item.parts[0].above)
    last = item.parts[-1].below
    if last:
        at = find_line(text, last, behind, end)
    elif following is not None:
        at = find_line(text, following.parts[0].above if following.parts else following.text, behind, end)
    else:
        at = -1
    if at >= 0:
        yield at + len(last)


def _child(node: SgNode, kind: str, lines: tuple[int, int], *, later: bool) -> SgNode | None:
    """The node of a kind in another that begins and ends with some lines; `later`, it may begin further down.

    One that has no token of its own begins with the first node in it, below empty lines.
    """
    for child in node.children():
        if child.kind() == kind:
            first, last = lines_of(child)
            if last == lines[1] and (first == lines[0] or (later and first > lines[0])):
                return child
    return None


def _is_behind(item: Item, right: Item, text: str) -> bool:
    """Whether an item is another, written as a text, with nothing but comments and empty lines before it."""
    return (
        item.kind == right.kind
        and item.text.endswith(text)
        and item.lead >= item.lines - line_count(text)
        and not item.broken
    )


def _apart(items: Sequence[Item], regions: Sequence[Region]) -> list[Region]:
    """Regions with an item between each two that can be a neighbour; what is nearer to each other is one."""
    apart: list[Region] = []
    for region in regions:
        last, end = region.last, region.end
        while last < len(items) and not items[last].is_sound:
            end += len(items[last].text)
            last += 1
        wide = region._replace(last=last, end=end)
        before = apart[-1] if apart else None
        if before and not any(item.is_sound for item in items[before.last : region.first]):
            first, start = before.first, before.start
            apart[-1] = Region(first, max(last, before.last), start, max(end, before.end))
        else:
            apart.append(wide)
    return apart
