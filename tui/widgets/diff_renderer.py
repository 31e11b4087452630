"""Renders rows of a diff as segments: gutter, sign, code, matches. It holds the styles of one theme and size.

No meaning rests on colour alone: signs are always printed, matches are underlined and their lines carry a
mark in the gutter, what a name in a pattern stands for is italic too, the line cursor has a sign of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.cells import (
    ELLIPSIS,
    cell_width,
    cells_before,
    cut,
    cut_left,
    display_line,
    fit,
    within_cells,
)
from tui.diff.rows import RowKind
from tui.diff.words import changed
from tui.highlight import Syntax
from tui.widgets.diff_styles import BASES, FACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tui.cells import DisplayLine
    from tui.diff.rows import Row
    from tui.highlight import Span

MATCHED = "•"
HERE = "▸"
MARKED = "✓"


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """What is shown of a diff beside its lines."""

    numbers: bool = True
    whitespace: bool = False
    wrap: bool = False
    one_number: bool = False  # a file, not a diff: there is no other side


@dataclass(frozen=True, slots=True)
class StyledRow:
    """A row with everything that is drawn on it; `selected` is a span of the text as it is shown."""

    row: Row
    syntax: tuple[Span, ...] = ()
    partner: Row | None = None
    selected: tuple[int, int] | None = None
    found: tuple[tuple[int, int], ...] = ()


class DiffRenderer:
    """Renders rows in the colours of a widget."""

    def __init__(self, full: Callable[[str], Style], options: DiffOptions, digits: int) -> None:
        """Take the styles that a widget has for its component classes."""
        self._options = options
        self._digits = digits
        self._base = {kind: full(name) for kind, name in BASES.items()}
        self._gutter = full("diff--gutter")
        self._cut = _ink(full("diff--hunk"))
        self._cursor = full("diff--cursor")
        self._selection = full("diff--selection")
        self._found = full("diff--found")
        self._match = Style(underline=True)
        self._capture = _overlay(full("diff--capture")) + Style(italic=True)
        self._sign = {
            RowKind.ADDED: full("diff--added-sign"),
            RowKind.REMOVED: full("diff--removed-sign"),
            RowKind.CONTEXT: self._base[RowKind.CONTEXT],
        }
        self._facts = [full(f"diff--{part}") for part in FACTS]
        self._word = {
            RowKind.ADDED: _overlay(full("diff--added-word")),
            RowKind.REMOVED: _overlay(full("diff--removed-word")),
        }
        # Where a theme has no tints, the ink of a changed line says what it is: syntax gives way.
        self._inked = {
            kind for kind in self._word if self._base[kind].color != self._base[RowKind.CONTEXT].color
        }
        self._syntax = {syntax: _ink(full(f"diff--{syntax}")) for syntax in Syntax}

    def suits(self, options: DiffOptions, digits: int) -> bool:
        """Whether this renderer was made for these options."""
        return (options, digits) == (self._options, self._digits)

    @property
    def blank(self) -> Style:
        """The style of empty space."""
        return self._gutter

    @property
    def gutter_cells(self) -> int:
        """How wide the gutter of a unified row is, sign included."""
        columns = 1 if self._options.one_number else 2
        return (columns * (self._digits + 1) if self._options.numbers else 0) + 3

    @property
    def half_gutter_cells(self) -> int:
        """How wide the gutter of one side is, sign included."""
        return (self._digits + 1 if self._options.numbers else 0) + 3

    def line_of(self, row: Row) -> DisplayLine:
        """The row's text as it is shown."""
        return display_line(row.text, whitespace=self._options.whitespace and row.is_line)

    def heading(self, row: Row, width: int, *, here: bool, marked: bool = False) -> Strip:
        """A file or hunk heading, a remark or a note, over the whole width."""
        style = self._base[row.kind]
        text = self.line_of(row).text
        mark = HERE if here else MARKED if marked else " "
        match row.kind:
            case RowKind.FILE:
                text = f"{mark}▌{cut_left(text, width - 3)} "
                return Strip([Segment(fit(text, width), style)], width)
            case RowKind.HUNK:
                text = fit(f"{mark}{text} ", width)
                rest = len(text) - len(text.rstrip())
                return Strip(
                    [Segment(text.rstrip() + " " + "─" * max(0, rest - 1), style)]
                ).adjust_cell_length(width, style)
            case RowKind.META:
                return self._told(row, width, mark)
            case RowKind.SECTION:
                text = fit(f"{mark}── {text} ", width)
                bare = text.rstrip()
                return Strip([Segment(f"{bare} {'─' * max(0, width - cell_width(bare) - 1)}", style)], width)
            case RowKind.TITLE | RowKind.MESSAGE:
                return Strip([Segment(fit(f"{mark} {text}", width), style)], width)
            case _:
                return Strip([Segment(fit(f"{mark} {row.sign}{text}", width), style)], width)

    def _told(self, row: Row, width: int, mark: str) -> Strip:
        """Facts of a commit, each in its own colour."""
        segments, room = [Segment(f"{mark} ", self._facts[0])], width - 2
        for fact, style in zip(row.text.split("\t"), self._facts, strict=False):
            shown = cut(display_line(fact).text, room)
            if shown:
                segments += [Segment(shown, style), Segment("  ", style)]
            room = max(0, room - cell_width(shown) - (2 if shown else 0))
        return Strip(segments).adjust_cell_length(width, self._base[RowKind.MESSAGE])

    def line(self, styled: StyledRow, width: int, left: int, *, here: bool) -> Strip:
        """A line with both numbers, cut at the left."""
        return self._joined(styled, self._numbers(styled.row), width, left, here=here)

    def _numbers(self, row: Row) -> str:
        old = "" if self._options.one_number else f"{_digits(row.old, self._digits)} "
        return f"{old}{_digits(row.new, self._digits)} "

    def wrapped(self, styled: StyledRow, width: int, part: int, room: int, *, here: bool) -> Strip:
        """One part of a line that takes several; the first has its numbers."""
        row, base = styled.row, self._base[styled.row.kind]
        numbers = self._numbers(row)
        matched = self._matches_within(row, part * room, (part + 1) * room)
        head = self._mark(row, numbers if part == 0 else " " * len(numbers), here=here, matched=matched)
        if part:
            head[-1] = Segment("↪ ", base + self._cut)
        body = self._stretch(styled, part * room, (part + 1) * room).adjust_cell_length(room, base)
        return Strip([*head, *body]).adjust_cell_length(width, base)

    def half(self, styled: StyledRow | None, width: int, left: int, *, is_old: bool, here: bool) -> Strip:
        """A line of one side with its number; without one, the empty half beside a line."""
        if styled is None:
            return Strip([Segment("┄" * width, self._gutter)], width)
        number = styled.row.old if is_old else styled.row.new
        return self._joined(styled, f"{_digits(number, self._digits)} ", width, left, here=here)

    def margin(self, facts: Sequence[str], widths: Sequence[int], *, here: bool) -> Strip:
        """What stands beside a line of a file: facts in columns, each in its own colour."""
        segments = []
        for fact, room, style in zip(facts, widths, self._facts, strict=False):
            ground = Style(bgcolor=self._cursor.bgcolor, reverse=self._cursor.reverse) if here else Style()
            segments.append(Segment(f"{fit(cut(display_line(fact).text, room), room)} ", style + ground))
        return Strip(segments)

    @property
    def rule(self) -> Strip:
        """The line between the two sides."""
        return Strip([Segment("│", self._gutter)], 1)

    def _joined(self, styled: StyledRow, numbers: str, width: int, left: int, *, here: bool) -> Strip:
        base = self._base[styled.row.kind]
        head = self._mark(styled.row, numbers, here=here, matched=bool(styled.row.matches))
        room = width - sum(len(segment.text) for segment in head)
        if room < 1:
            return Strip(head).adjust_cell_length(width, base)
        wide = cell_width(self.line_of(styled.row).text)
        if wide > left + room:
            body = self._stretch(styled, left, left + room - 1).adjust_cell_length(room - 1, base)
            return Strip([*head, *body, Segment(ELLIPSIS, base + self._cut)], width)
        body = self._stretch(styled, left, left + room)
        return Strip([*head, *body, Segment(" " * (room - body.cell_length), base)], width)

    def _matches_within(self, row: Row, left: int, right: int) -> bool:
        """Whether a match is in the cells of a line from one up to another."""
        line = self.line_of(row)
        first, last = within_cells(line.text, left, right) if row.matches else (0, 0)
        return any(line.offset(start) < last and line.offset(end) > first for start, end in row.matches)

    def _mark(self, row: Row, numbers: str, *, here: bool, matched: bool) -> list[Segment]:
        style = self._cursor if here else self._gutter
        mark = HERE if here else MATCHED if matched else " "
        sign = Segment(f"{row.sign} ", self._sign[row.kind])
        return [Segment((numbers if self._options.numbers else "") + mark, style), sign]

    def _stretch(self, styled: StyledRow, left: int, right: int) -> Strip:
        """The cells of a line from one up to another: of a long one, nothing else is styled."""
        text = self.line_of(styled.row).text
        first, last = within_cells(text, left, right)
        begins = cells_before(text, first)
        code = Strip(
            styled_segments(text[first:last], self._base[styled.row.kind], self._spans(styled, first))
        )
        if begins == left and code.cell_length <= right - left:
            return code
        return code.crop(left - begins, right - begins)  # a wide character at an edge

    def _spans(self, styled: StyledRow, first: int) -> list[StyleSpan]:
        """What is laid over a line, counted from one of its characters."""
        row, offset = styled.row, self.line_of(styled.row).offset
        spans = [
            StyleSpan(offset(span.start), offset(span.end), self._syntax[span.syntax])
            for span in (styled.syntax if row.kind not in self._inked else ())
        ]
        if styled.partner is not None:
            word = self._word[row.kind]
            spans += [
                StyleSpan(offset(start), offset(end), word) for start, end in _own_words(row, styled.partner)
            ]
        spans += [StyleSpan(offset(start), offset(end), self._match) for start, end in row.matches]
        spans += [StyleSpan(offset(start), offset(end), self._capture) for start, end in row.captures]
        spans += [StyleSpan(offset(start), offset(end), self._found) for start, end in styled.found]
        if styled.selected is not None:
            spans.append(StyleSpan(*styled.selected, self._selection))
        return [StyleSpan(span.start - first, span.end - first, span.style) for span in spans]


class StyleSpan(NamedTuple):
    """A span of a line and the style laid over it; later spans cover earlier ones."""

    start: int
    end: int
    style: Style


def styled_segments(text: str, base: Style, spans: Iterable[StyleSpan]) -> list[Segment]:
    """The text as segments, each with one style."""
    laid = [span for span in spans if span.start < span.end and span.start < len(text) and span.end > 0]
    if not laid:
        return [Segment(text, base)] if text else []
    size = len(text)
    edges = sorted({0, size, *(min(max(edge, 0), size) for span in laid for edge in span[:2])})
    segments: list[Segment] = []
    for start, end in pairwise(edges):
        style = base
        for span in laid:
            if span.start <= start and end <= span.end:
                style += span.style
        segments.append(Segment(text[start:end], style))
    return segments


def _own_words(row: Row, partner: Row) -> Sequence[tuple[int, int]]:
    if row.kind is RowKind.REMOVED:
        return changed(row.text, partner.text)[0]
    return changed(partner.text, row.text)[1]


def _ink(style: Style) -> Style:
    """All of a style but its background, which is the row's."""
    return Style(color=style.color, bold=style.bold or None, italic=style.italic or None)


def _overlay(style: Style) -> Style:
    """Only the background of a style: what lies under it keeps its own colour."""
    return Style(bgcolor=style.bgcolor)


def _digits(number: int | None, digits: int) -> str:
    return " " * digits if number is None else f"{number:>{digits}}"
