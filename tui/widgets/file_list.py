"""The files of a commit as a tree: folders with their sums, files with their kind of change."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tui.cells import sanitize
from tui.file_tree import TreeRow, tree_of
from tui.widgets.row_list import Part, RowList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ohara.model import ChangedFile
    from tui.widgets.row_list import Row

_LETTERS = {
    "added": ("A", "good"),
    "modified": ("M", "accent"),
    "deleted": ("D", "bad"),
    "renamed": ("R", "name"),
}


class FileList(RowList):
    """Changed files, one of which is selected; a folder stands for its first file."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(self._file_row, id=id)
        self._files: Sequence[ChangedFile] = ()
        self._tree: list[TreeRow] = []
        self._file_rows: list[int] = []

    def commands(self) -> dict[str, Callable[[], object]]:
        """What its keys do, by action name."""
        return {
            "file_down": partial(self.step, 1),
            "file_up": partial(self.step, -1),
            "file_page_down": partial(self.move_page, 1),
            "file_page_up": partial(self.move_page, -1),
            "first_file": self.move_to_first,
            "last_file": self.move_to_last,
        }

    def list_files(self, files: Sequence[ChangedFile]) -> None:
        """List these files, the first of them selected."""
        self._files, self._tree = files, tree_of(files)
        self._file_rows = [at for at, row in enumerate(self._tree) if row.file is not None]
        self.show(len(self._tree), self._first)

    @property
    def path(self) -> str | None:
        """The file under the cursor; of a folder, its first one."""
        below = self._tree[self.position :]
        return next((self._files[row.file].path for row in below if row.file is not None), None)

    def put_cursor_on(self, path: str) -> None:
        """Put the cursor on a file without posting a message."""
        for at in self._file_rows:
            file = self._tree[at].file
            if file is not None and self._files[file].path == path:
                self.put_cursor(at)
                return

    def step(self, by: int) -> None:
        """Move to the next row that is a file, or the previous one; past the last, stay."""
        here = self.position
        rows = self._file_rows if by > 0 else reversed(self._file_rows)
        ahead = next((at for at in rows if (at - here) * by > 0), None)
        if ahead is not None:
            self.move_to(ahead)

    def move_to_first(self) -> None:
        """Move to the first file."""
        self.move_to(self._first)

    def move_to_last(self) -> None:
        """Move to the last file."""
        self.move_to(self.count - 1)

    @property
    def _first(self) -> int:
        return self._file_rows[0] if self._file_rows else 0

    def _file_row(self, at: int, _: int) -> Row:
        row = self._tree[at]
        indent = "  " * row.depth
        counts = [
            Part(f" +{row.additions:,}", "good" if row.additions else "faint"),
            Part(f" -{row.deletions:,}", "bad" if row.deletions else "faint"),
        ]
        if row.file is None:
            return [Part(f"{indent}▾ {sanitize(row.name)}", "muted")], counts
        file = self._files[row.file]
        letter, tone = _LETTERS[file.kind.value]
        left = [Part(f"{indent}{letter} ", tone), Part(sanitize(row.name))]
        if file.old_path and file.old_path != file.path:
            left.append(Part(f"  ← {sanitize(file.old_path)}", "muted"))
        if file.left_out is not None:
            left.append(Part(f"  ({file.left_out})", "muted"))
        return left, counts
