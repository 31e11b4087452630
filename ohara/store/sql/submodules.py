"""Changes of submodules that an earlier version stored without the commits that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import ChangeKind, Sha
from ohara.store.derived import NamelessSubmodule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.store.derived import NamedSubmodule
    from ohara.store.sql.session import Writes

_LACKS_OLD = f"(old_blob IS NULL AND kind != '{ChangeKind.ADDED}')"
_LACKS_NEW = f"(new_blob IS NULL AND kind != '{ChangeKind.DELETED}')"
_NAMELESS = f"""SELECT file.id, sha, path.path, coalesce(old.path, path.path), {_LACKS_OLD}, {_LACKS_NEW}
  FROM file JOIN commits ON commits.id = commit_id JOIN path ON path.id = path_id
  LEFT JOIN path AS old ON old.id = old_path_id
  WHERE {_LACKS_OLD} OR {_LACKS_NEW} ORDER BY file.id"""
_NAME = "UPDATE file SET old_blob = coalesce(?, old_blob), new_blob = coalesce(?, new_blob) WHERE id = ?"


def nameless_submodules(writer: Writes) -> list[NamelessSubmodule]:
    """The changes that lack a commit: of whatever else was read, both versions are known."""
    return [
        NamelessSubmodule(file, Sha(sha.hex()), path, old_path, bool(old), bool(new))
        for file, sha, path, old_path, old, new in writer.rows(_NAMELESS)
    ]


def name_submodules(writer: Writes, named: Iterable[NamedSubmodule]) -> None:
    """Store the commits."""
    writer.begin()
    writer.run_many(_NAME, [(_bytes(each.old_blob), _bytes(each.new_blob), each.file) for each in named])


def _bytes(blob: str | None) -> bytes | None:
    return None if blob is None else bytes.fromhex(blob)
