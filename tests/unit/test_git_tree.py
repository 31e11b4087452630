"""A file is found in a tree by its name, whatever the bytes of objects' ids look like."""

from __future__ import annotations

from ohara.git import decode
from ohara.git.tree import REGULAR, SUBMODULE, Entry, find, unlike_all

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
    assert found(data, "module") == Entry(SUBMODULE, REAL)
    assert found(data, "lib/none.py", folder) is None
    decoded = decode.text(b"caf\xe9.py")
    assert found(data, f"lib/{decoded}", folder) == Entry(REGULAR | 0o644, REAL)


def test_what_differs_from_all_parents_is_looked_up_by_whole_names() -> None:
    other, mine = b"o" * 20, b"m" * 20
    first = b"100644 a.py\0" + LOOKS_LIKE_ONE + b"100644 b.py\0" + REAL
    second = b"100644 a.py\0" + LOOKS_LIKE_ONE + b"100644 c b.py\0" + other  # no b.py, but what looks like it
    result = b"100644 a.py\0" + LOOKS_LIKE_ONE + b"100644 b.py\0" + mine
    trees = Trees(r=first, f=second, m=result)
    olds, new = (ROOT, FOLDER), b"m" * 20
    found = list(unlike_all(trees, olds, new, set()))  # type: ignore[arg-type]
    assert found == [(b"b.py", (Entry(REGULAR | 0o644, REAL), None), Entry(REGULAR | 0o644, mine))]


def test_many_that_differ_are_looked_up_as_few_are() -> None:
    def folder(sign: bytes, names: range) -> bytes:
        return b"".join(b"100644 %03d\0" % number + sign * 20 for number in names)

    trees = Trees(r=folder(b"1", range(40)), f=folder(b"2", range(20, 60)), m=folder(b"3", range(50)))
    found = list(unlike_all(trees, (ROOT, FOLDER), b"m" * 20, set()))  # type: ignore[arg-type]
    assert [path for path, _, _ in found] == [b"%03d" % number for number in range(50)]
    assert [[bool(old) for old in olds] for _, olds, _ in found] == [
        [number < 40, number >= 20] for number in range(50)
    ]
