"""The look-ups that follow lines: every version of a file, the lines of its changes, where symbols stand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import anyio

from ohara.model import ChangeKind, Symbol, SymbolKind
from ohara.store.answers import Definition
from ohara.store.derived import HeadFile
from tests.conformance.histories import NEW_BLOB, OLD_BLOB, commit, file, fill, hunk, open_writer, sha

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ohara.store.index import Index
    from ohara.store.prepared import PreparedCommit
    from ohara.store.reading import Reader

    T = TypeVar("T")


def child(part: PreparedCommit, *parents: str) -> PreparedCommit:
    """The same commit with these parents."""
    return part._replace(commit=replace(part.commit, parents=tuple(map(sha, parents))))


MOVED = file("new.py", hunk("+b\n-a", at=4))._replace(kind=ChangeKind.RENAMED, old_path="old.py")
GONE = file("other.py", hunk("-x\n-y"))._replace(kind=ChangeKind.DELETED, new_blob=None)
# a, then b and c beside each other, joined by d; e is no longer shown.
HISTORY = (
    commit("a", file("old.py", hunk("+a\n keep")), file("other.py", hunk("+x\n+y")), day=1),
    child(commit("b", MOVED, day=2), "a"),
    child(commit("c", GONE, day=3), "a"),
    child(commit("d", day=4), "b", "c"),
    child(commit("e", file("old.py", hunk("+never"))), "d"),
)


def asked(index: Index, question: Callable[[Reader], T]) -> T:
    readers = index.readers()
    try:
        return anyio.run(readers.read, question)
    finally:
        readers.close()


def filled(index: Index) -> Index:
    fill(index, HISTORY)
    with open_writer(index) as writer:
        writer.show(live=(), dead=[sha("e")])
        writer.commit()
    return index


def test_every_shown_commit_stands_after_its_parents(index: Index) -> None:
    graph = asked(filled(index), lambda reader: reader.commit_graph())
    assert [each.hex()[0] for each in graph.shas] == list("abcd")
    assert list(graph.parents) == [(), (0,), (0,), (1, 2)]
    assert graph.position[bytes.fromhex(sha("d"))] == 3


def test_a_file_has_its_versions_and_what_took_it_away(index: Index) -> None:
    filled(index)
    old = asked(index, lambda reader: reader.versions_of("old.py"))
    assert [(each.sha.hex()[0], each.kind, each.path, each.new_blob) for each in old] == [
        ("a", ChangeKind.MODIFIED, "old.py", NEW_BLOB),
        ("b", ChangeKind.RENAMED, "new.py", None),
    ]
    (new,) = asked(index, lambda reader: reader.versions_of("new.py"))
    assert (new.sha.hex()[0], new.old_path, new.old_blob, new.new_blob) == ("b", "old.py", OLD_BLOB, NEW_BLOB)
    gone = asked(index, lambda reader: reader.versions_of("other.py"))
    assert [(each.sha.hex()[0], each.new_blob) for each in gone] == [("a", NEW_BLOB), ("c", None)]
    assert asked(index, lambda reader: reader.versions_of("nothing.py")) == []
    assert asked(index, lambda reader: reader.versions_of("bytes-\udcff")) == []


def test_the_lines_of_a_file_and_what_a_commit_removed(index: Index) -> None:
    filled(index)
    (new,) = asked(index, lambda reader: reader.versions_of("new.py"))
    (body,) = asked(index, lambda reader: reader.bodies_of_file(new.commit_id, new.file_id))
    assert body[1:] == (4, 4, "+b\n-a")
    ((change, removed),) = asked(index, lambda reader: reader.removed_in(new.commit_id))
    assert (change, removed) == (new, body)
    first = asked(index, lambda reader: reader.versions_of("other.py"))[0]
    ((_, kept),) = asked(index, lambda reader: reader.removed_in(first.commit_id))
    assert kept.body == "+a\n keep"  # it has old lines, of which none is removed
    (added,) = asked(index, lambda reader: reader.bodies_of_file(first.commit_id, first.file_id))
    assert added[1:] == (2, 1, "+x\n+y")  # a line of the empty side would come after its start


def test_where_symbols_stand_and_every_name(index: Index) -> None:
    filled(index)
    pay = Symbol(SymbolKind.METHOD, "pay", "Cart.pay", 3, 9, ())
    with open_writer(index) as writer:
        writer.symbols.add_blob(NEW_BLOB, "python", (pay,))
        writer.symbols.replace_head([HeadFile("new.py", NEW_BLOB, "python")], gone=())
        writer.commit()
    names = ("pay", "Cart.pay", "Cart::pay")
    found = asked(index, lambda reader: [reader.definitions(name) for name in names])
    assert found == [[Definition("new.py", "Cart.pay", 3, 9)]] * 3
    assert asked(index, lambda reader: reader.definitions("Shop.pay")) == []
    assert asked(index, lambda reader: reader.symbol_names()) == ["Cart.pay", "pay"]
    assert asked(index, lambda reader: reader.paths()) == ["new.py", "old.py", "other.py"]
    assert asked(index, lambda reader: reader.authors()) == ["Ada"]
