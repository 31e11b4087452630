"""A file is found in a tree by its name, whatever the bytes of objects' ids look like."""

from __future__ import annotations

from ohara.git import decode
from ohara.git.tree import REGULAR, Entry, find

LOOKS_LIKE_ONE = b"xyz100644 b.py\0abcde"
REAL = b"0123456789abcdefghij"
ROOT, FOLDER = b"r" * 20, b"f" * 20


class Trees:
    """Trees by their ids."""

    def __init__(self, **known: bytes) -> None:
        self._known = {bytes(name, "ascii") * 20: data for name, data in known.items()}

    def tree(self, oid: bytes) -> bytes | None:
        return self._known.get(oid)


def found(data: bytes, path: str, folder: bytes = b"") -> Entry | None:
    return find(Trees(r=data, f=folder), ROOT, path)  # type: ignore[arg-type]


def test_an_id_that_looks_like_an_entry_is_none() -> None:
    first = b"100644 a.py\0" + LOOKS_LIKE_ONE
    assert len(LOOKS_LIKE_ONE) == 20
    assert found(first, "b.py") is None
    assert found(first + b"100755 b.py\0" + REAL, "b.py") == Entry(REGULAR | 0o755, REAL)
    assert found(first + b"100755 b.py\0" + REAL, "a.py") == Entry(REGULAR | 0o644, LOOKS_LIKE_ONE)


def test_signs_in_names_are_signs() -> None:
    data = b"100644 a.b\0" + REAL + b"100644 axb\0" + LOOKS_LIKE_ONE
    assert found(data, "a.b") == Entry(REGULAR | 0o644, REAL)
    assert found(data, "a+b") is None
    assert found(b"", "a.b") is None


def test_folders_are_gone_into_and_are_no_files() -> None:
    data = b"40000 lib\0" + FOLDER + b"160000 module\0" + REAL
    folder = b"100644 caf\xe9.py\0" + REAL
    assert found(data, "lib") is None
    assert found(data, "module") is None
    assert found(data, "lib/none.py", folder) is None
    decoded = decode.text(b"caf\xe9.py")
    assert found(data, f"lib/{decoded}", folder) == Entry(REGULAR | 0o644, REAL)
