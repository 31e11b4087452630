"""Tells from which parent each line of a merged file came. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.git.hunks import Group

Origin = tuple[int, int]
"""A hunk and one of its added lines; hunk 0 is unknown."""

NOWHERE: Origin = (0, 0)


class Side(NamedTuple):
    """A parent's version of a file: the origins of its lines, and how the merged text differs from it."""

    origins: Sequence[Origin]
    groups: Sequence[Group]


class Merged(NamedTuple):
    """The origins of merged lines, and the origins that now go by another one of the same line."""

    origins: list[Origin]
    joined: dict[Origin, Origin]


def merge_lines(lines: int, sides: Sequence[Side], own: Mapping[int, Origin]) -> Merged:
    """Each line comes from the first parent that has it, as `git blame` says; others are its own."""
    columns = [_in_merged(side, lines) for side in sides]
    origins: list[Origin] = []
    joined: dict[Origin, Origin] = {}
    for line, found in enumerate(zip(*columns, strict=True) if columns else [()] * lines):
        if found and found[0][0] and found.count(found[0]) == len(found) and line not in own:
            origins.append(found[0])  # nearly every line
            continue
        known = [origin for origin in found if origin[0]]
        if line in own:
            known.append(own[line])
        first = known[0] if known else NOWHERE
        origins.append(first)
        if first[0]:
            joined.update((other, first) for other in known[1:] if other != first)
    return Merged(origins, joined)


def _in_merged(side: Side, lines: int) -> list[Origin]:
    """The origins of merged lines as far as a parent has them."""
    origins, count = side.origins, len(side.origins)
    return [origins[old] if 0 <= old < count else NOWHERE for old in kept_lines(side.groups, lines)[:lines]]


def kept_lines(groups: Sequence[Group], lines: int) -> list[int]:
    """For each new line the old one that it is, or -1."""
    found: list[int] = []
    old = 0
    for group in groups:
        found += range(old, old + group.new - len(found))
        found += [-1] * group.new_lines
        old = group.old + group.old_lines
    return found + list(range(old, old + lines - len(found)))
