"""What a file consists of: items that follow each other, and inside of the large ones more of them.

An item is whole lines: a definition, a statement, the comments above it. A version of a file that differs
from another in a few items shares the rest with it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ohara.structural.found import Found

    Matches = tuple[Found, ...]


class Step(NamedTuple):
    """A node on the way from an item to what follows each other inside of it.

    Its lines are counted from the item's first, and from its last.
    """

    kind: str
    from_first: int
    from_last: int


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Items that follow each other inside of an item, what stands above and below them, the way to them."""

    path: tuple[Step, ...]
    above: str
    below: str
    items: tuple[Item, ...]

    @property
    def lines_above(self) -> int:
        """How many lines of the item come before."""
        return line_count(self.above)

    @property
    def lines_below(self) -> int:
        """How many lines of the item come after."""
        return line_count(self.below)


@dataclass(slots=True, eq=False)
class Item:
    """Whole lines, and the matches in them that are in none of its parts.

    `lead` lines stand before its node begins, which is of a kind; a broken one holds an error. One that is
    not read holds no match, and what it consists of is not known. Versions share items: nobody changes one.
    """

    text: str
    kind: str
    lead: int
    found: Matches = ()
    parts: tuple[Part, ...] = ()
    broken: bool = False
    read: bool = True
    lines: int = field(init=False)
    count: int = field(init=False)

    def __post_init__(self) -> None:
        self.lines = line_count(self.text)
        self.count = len(self.found)
        for part in self.parts:
            self.count += sum(item.count for item in part.items)

    @property
    def is_sound(self) -> bool:
        """Whether its neighbours may be parsed without what is on its other side."""
        return self.read and not self.broken

    @property
    def short(self) -> str:
        """The same without most of what is inside of it: enough to see that it is whole."""
        if len(self.parts) != 1:
            return self.text
        (part,) = self.parts
        least = "" if part.below.strip() else min((item.text for item in part.items), key=len)
        return f"{part.above}{least}{part.below}"

    def below(self, lines: str, found: Matches) -> Item:
        """The same with some lines above it, and the matches in those."""
        more = line_count(lines)
        parts = [
            Part(
                tuple(step._replace(from_first=step.from_first + more) for step in part.path),
                f"{lines}{part.above}",
                part.below,
                part.items,
            )
            for part in self.parts
        ]
        moved = (match.moved(more) for match in self.found)
        return Item(
            f"{lines}{self.text}", self.kind, self.lead + more, (*found, *moved), tuple(parts), self.broken
        )

    def with_part(self, part: Part, items: tuple[Item, ...]) -> Item:
        """The same with other items in one of its parts; what other parts it has is no longer told."""
        content = "".join(item.text for item in items)
        above = part.lines_above
        further = line_count(content) - sum(item.lines for item in part.items)
        found = self.found
        if further and any(match.first_line >= above for match in found):
            found = tuple(match.moved(further if match.first_line >= above else 0) for match in found)
        if len(self.parts) > 1:
            others = [
                match.moved(line)
                for other in self.parts
                if other is not part
                for match, line in _nested(other, part, further)
            ]
            found = tuple(sorted((*found, *others), key=lambda match: match[:2]))
        changed = Part(part.path, part.above, part.below, items)
        text = f"{part.above}{content}{part.below}"
        broken = self.broken or any(item.broken for item in items)
        return Item(text, self.kind, self.lead, found, (changed,), broken)


def _nested(part: Part, changed: Part, further: int) -> Iterator[tuple[Found, int]]:
    """The matches in a part, and by how many lines they are moved to be counted from the item's first."""
    beyond = further if part.lines_above > changed.lines_above else 0
    for found, line in placed(part.items):
        for match in found:
            yield match, line + part.lines_above + beyond


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A version of a file; `exact` when a version that differs in some items may be told from it."""

    items: tuple[Item, ...]
    exact: bool = True

    @property
    def count(self) -> int:
        """How many matches it holds."""
        return sum(item.count for item in self.items)

    def found(self) -> list[Found]:
        """Every match, in order."""
        every = [match.moved(line) for found, line in placed(self.items) for match in found]
        return sorted(every, key=lambda match: match[:2])


NOTHING = Outline(())


def line_count(text: str) -> int:
    """How many lines a text has; one that does not end counts as well."""
    return text.count("\n") + (not text.endswith("\n") and bool(text))


def placed(items: Sequence[Item], line: int = 0) -> Iterator[tuple[Matches, int]]:
    """The matches of items and of what is inside of them, with the line that they count from."""
    for item in items:
        if item.count:
            if item.found:
                yield item.found, line
            for part in item.parts:
                yield from placed(part.items, line + part.lines_above)
        line += item.lines


def difference(old: Outline, new: Outline) -> tuple[list[Found], list[Found]]:
    """The matches that came and those that went, in order: those whose text the other side has less often."""
    before, after = list(placed(old.items)), list(placed(new.items))
    shared = Counter(id(found) for found, _ in before) & Counter(id(found) for found, _ in after)
    came, went = (_without(side, Counter(shared)) for side in (after, before))
    return _beyond(came, went), _beyond(went, came)


def _without(side: Sequence[tuple[Matches, int]], shared: Counter[int]) -> list[Found]:
    left: list[Found] = []
    for found, line in side:
        if shared[id(found)] > 0:
            shared[id(found)] -= 1
        else:
            left += [match.moved(line) for match in found]
    return sorted(left, key=lambda match: match[:2])


def _beyond(these: Sequence[Found], those: Sequence[Found]) -> list[Found]:
    """The matches on one side whose text is not as often on the other; the last of equal ones."""
    left = Counter(each.text for each in those)
    found: list[Found] = []
    for each in these:
        if left[each.text] > 0:
            left[each.text] -= 1
        else:
            found.append(each)
    return found
