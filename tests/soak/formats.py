"""Takes an index back to the first format it ever had, so that the way up can be interrupted."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from ohara.store.sqlite.connection import connect_writer
from ohara.store.sqlite.schema import MIGRATIONS

if TYPE_CHECKING:
    from pathlib import Path

# For each migration after the first, what takes it back; who adds a migration adds its way back here.
_BACK = {
    2: (
        "ALTER TABLE hunk ADD COLUMN header TEXT NOT NULL DEFAULT ''",
        "UPDATE hunk SET header = coalesce((SELECT header FROM header WHERE id = header_id), '')",
        "ALTER TABLE hunk DROP COLUMN header_id",
        "DROP TABLE header",
    ),
    3: ("DELETE FROM meta WHERE key = 'identity'",),
    4: ("DROP TABLE encoded",),
    5: (
        "DROP TABLE thread",
        "DROP TABLE copy",
        "DELETE FROM meta WHERE key IN ('threads', 'threaded')",
    ),
    6: (
        *(
            f"DROP TABLE {name}"
            for name in ("line_count", "line_end", "merged_file", "head_version", "head_line")
        ),
        "DELETE FROM meta WHERE key = 'head_lines'",
        "UPDATE commits SET passes = passes & 15",
        "DROP INDEX commits_pending",
        "CREATE INDEX commits_pending ON commits(committer_time DESC, passes) WHERE passes < 15",
    ),
    9: ("DROP INDEX file_unread",),
}


def to_first_format(database: Path) -> None:
    """Undo every migration but the first."""
    with closing(connect_writer(database)) as writer:
        for number in range(len(MIGRATIONS), 1, -1):
            for statement in _BACK[number]:
                writer.execute(statement)
        writer.pragma("user_version", 1)
