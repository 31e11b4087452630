"""A field to type in that shows what it holds as plain text, whoever wrote it.

Queries come from a session, a command line or a diff as well, and Textual writes the value of an `Input` as
it is. The value stays exact; what is shown of it is sanitized one for one, so that the cursor, a selection
and a click are counted in characters that are seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.widgets import Input

from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from rich.text import Text


class TextInput(Input):
    """An `Input` whose text is harmless to a terminal."""

    @property
    def _value(self) -> Text:
        text = super()._value
        text.plain = sanitize(text.plain)
        return text

    @property
    def before_cursor(self) -> str:
        """What stands before the cursor."""
        return self.value[: self.cursor_position]

    def replace_before_cursor(self, text: str) -> None:
        """Put a text in place of what stands before the cursor."""
        self.value = text + self.value[self.cursor_position :]
        self.cursor_position = len(text)

    def _position_to_cell(self, position: int) -> int:
        return cell_len(sanitize(self.value[:position]))

    def _cell_offset_to_index(self, offset: int) -> int:
        wanted = offset + int(self.scroll_offset.x)
        taken = 0
        for index, character in enumerate(sanitize(self.value)):
            taken += cell_len(character)
            if wanted < taken:
                return index
        return len(self.value)
