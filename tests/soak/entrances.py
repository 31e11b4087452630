"""Every way in that takes text or bytes from outside, tried in this process: an answer, or an OharaError.

`meet` returns True when the input was answered and False when it was refused; whatever else it raises fell.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

import msgspec
import pygit2
from pygit2.enums import ObjectType

from ohara import config, sanitize, wire
from ohara.cli.report import describe
from ohara.dates import parse_date, render_date
from ohara.errors import InternalError, OharaError
from ohara.git import commits, decode, hunks
from ohara.git.attributes import Attributes
from ohara.git.diff import changes
from ohara.git.grafts import Grafts
from ohara.git.repo import Repository
from ohara.git.walk import read_commit, walk
from ohara.index.lines import sides
from ohara.index.rules import Exclusions, Rules
from ohara.languages import language_of
from ohara.model import ChangeKind, Commit, Hit, HunkId, Match, Mode, Pattern, Sha
from ohara.parse.chunks import split
from ohara.parse.symbols import symbols_in
from ohara.present.style import Style
from ohara.present.text import Page, hit_lines
from ohara.query import parse, path_pattern, to_source
from ohara.retrieve import cursor
from ohara.retrieve.matching import Matcher
from ohara.retrieve.trigrams import required_trigrams
from ohara.words import index_text, query_terms
from tests.soak import inputs

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from tests.soak.inputs import Input

NOW = 1_718_000_000
_VALID: dict[str, object] = {
    "repo": "/nowhere", "folder": "/nowhere", "query": "x", "commit": "HEAD", "path": "a", "arguments": ["x"],
    "version": "0",
}  # fmt: skip
_FIELDS = (
    "id",
    "repo",
    "query",
    "k",
    "mode",
    "after",
    "deadline_ms",
    "arguments",
    "folder",
    "commit",
    "path",
    "line",
    "target",
    "do",
    "x",
)
_BODIES = (
    b"+def retry():\n-    return 1\n context\n",
    "+日本語 = 'é'\n\\ No newline at end of file\n".encode(),
    b"+" + b"a" * 300 + b"\n",
)
_PLACES = ("user", "repository", "environment")
_SHOWN = Page(now=NOW, width=60)
_ESCAPE = re.compile("\x1b\\[[0-9;]*m")


class Fell(AssertionError):
    """An input got neither an answer nor a refusal that helps."""


@dataclass(frozen=True, slots=True)
class Entrance:
    """One way in: its name, its share of all inputs, what is put in, and what takes it."""

    name: str
    share: int
    make: Callable[[random.Random], Input]
    meet: Callable[[Input], bool]


def refused(error: OharaError) -> bool:
    """Look at a refusal: it says what happened, what to do, and nothing that disturbs a terminal."""
    if isinstance(error, InternalError):
        raise Fell(f"an internal fault: {error.message}")
    if not error.message or not error.hint:
        raise Fell(
            f"{type(error).__name__} without {'a hint' if error.message else 'a message'}: {error.message}"
        )
    harmless(describe(error))
    return False


def harmless(shown: str, *, coloured: bool = False) -> None:
    """Raise when text for a terminal holds a character that could do something there."""
    bare = _ESCAPE.sub("", shown) if coloured else shown
    if sanitize.sanitize(bare, keep="\n\t") != bare:
        raise Fell(f"not inert: {bare[:200]!r}")


# -- text ----------------------------------------------------------------------------------------


def _query(given: Input) -> bool:
    source, mode = cast("tuple[str, str]", given)
    try:
        read = parse(source, now=NOW, mode=Mode(mode), tz=UTC)
        again = parse(to_source(read), now=NOW, mode=Mode(mode), tz=UTC)
    except OharaError as error:
        return refused(error)
    if (again.words, again.patterns, again.filters) != (read.words, read.patterns, read.filters):
        raise Fell(f"written out it means something else: {to_source(read)!r}")
    query_terms(read.words)
    return True


def _date(given: Input) -> bool:
    try:
        moment = parse_date(cast("str", given), now=NOW, tz=UTC)
    except OharaError as error:
        return refused(error)
    render_date(moment, tz=UTC)
    return True


def _glob(given: Input) -> bool:
    try:
        matching = path_pattern(cast("str", given))
    except OharaError as error:
        return refused(error)
    if isinstance(matching, re.Pattern):
        matching.match("src/a/b.py")
    return True


def _rules(given: Input) -> bool:
    ignored, attributes = cast("tuple[str, str]", given)
    try:
        judge = Exclusions(
            Rules(tuple(ignored.splitlines()), Attributes.parse([("", attributes), ("src", ignored)]))
        )
        for path in ("src/a/b.py", "a" * 80, "odd \x1b/x.go", "vendor/x.js"):
            judge.path(path)
    except OharaError as error:
        return refused(error)
    return True


def _make_rules(chance: random.Random) -> Input:
    lines = [inputs.text(chance, inputs.PATTERN_PIECES) for _ in range(3)]
    return ("\n".join(lines[:2]), lines[2])


def _regex(given: Input) -> bool:
    written, flags = cast("tuple[str, str]", given)
    pattern = Pattern(written, is_regex=True, flags=flags)
    try:
        matcher = Matcher(pattern)
    except OharaError as error:
        return refused(error)
    matcher.sides(_BODIES)
    for body in _BODIES:
        matcher.marks(body.decode())
    required_trigrams(pattern)
    return True


def _cursor(given: Input) -> bool:
    try:
        cursor.asked_at(cast("str", given))
        cursor.read(cast("str", given), "name", "state")
    except OharaError as error:
        return refused(error)
    return True


def _make_cursor(chance: random.Random) -> Input:
    odd: tuple[object, ...] = (0, 5, -1, 10**30, "x", None, [], 1.5, float("inf"), "name", "state", [["x"]])
    said = json.dumps([chance.choice(odd) for _ in range(chance.choice((0, 4, 6, 6, 6, 7)))])
    if chance.random() < 0.4:
        page = cursor.Page(chance.randint(0, 9), chance.randint(0, 9), NOW, frozenset({"text"}))
        said = cursor.write(page, "name", chance.choice(("state", "x")))
    else:
        said = base64.urlsafe_b64encode(said.encode()).decode()
    return inputs.mutated(chance, said) if chance.random() < 0.6 else said


# -- what programs send --------------------------------------------------------------------------


def _frame(given: Input) -> bool:
    body = cast("bytes", given)
    answered = False
    for decoded in (wire.decode_request, wire.decode_reply):
        try:
            decoded(body)
            answered = True
        except OharaError as error:
            refused(error)
    with suppress(OharaError):
        wire.body_length((body + b"\0" * 4)[:4])
    return answered


def make_frame(chance: random.Random) -> Input:
    """A request, nearly one, or noise."""
    if chance.random() < 0.1:
        return inputs.raw(chance)
    kind = chance.choice(get_args(wire.AnyRequest))
    document: dict[str, object] = {"do": kind.__struct_config__.tag}
    document |= {
        field.name: _VALID.get(field.name, 1) for field in msgspec.structs.fields(kind) if field.required
    }
    if chance.random() < 0.7:
        document |= {chance.choice(_FIELDS): _value(chance, 2) for _ in range(chance.randint(0, 3))}
    body = json.dumps(document, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    return inputs.mutated_bytes(chance, body) if chance.random() < 0.4 else body


def _value(chance: random.Random, depth: int) -> object:
    simple = (None, True, 0, -1, 7, 2**53, 2**70, 1.5, "", "auto", "/nowhere", inputs.noise(chance, 12))
    if depth and chance.random() < 0.2:
        return [_value(chance, depth - 1), _value(chance, depth - 1)]
    if depth and chance.random() < 0.2:
        return {chance.choice(_FIELDS): _value(chance, depth - 1)}
    return chance.choice(simple)


# -- files ---------------------------------------------------------------------------------------


def _settings(given: Input) -> bool:
    content, place = cast("tuple[str, str]", given)
    data = content.encode("utf-8", "surrogatepass")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        environ = {"OHARA_INDEX_IGNORE": content} if place == "environment" and "\0" not in content else {}
        if place != "environment":
            (folder / config.REPOSITORY_FILE).write_bytes(data)
        try:
            if place == "user":
                config._from_user_file(folder / config.REPOSITORY_FILE)
            else:
                config.load(repository=folder, environ=environ)
        except OharaError as error:
            return refused(error)
    return True


_odd: list[Path] = []
_uses = itertools.count(1)


def _odd_repository() -> Path:
    """A bare repository of this process in which objects and refs may be anything; now and then a new one."""
    if not _odd or next(_uses) % 1_000 == 0:
        for old in _odd:
            shutil.rmtree(old, ignore_errors=True)
        _odd[:] = [Path(tempfile.mkdtemp(prefix="ohara-odd-"))]
        pygit2.init_repository(str(_odd[0]), bare=True)
    return _odd[0]


def _objects(given: Input) -> bool:
    head, tree, blob = cast("tuple[bytes, bytes, bytes]", given)
    folder = _odd_repository()
    database = pygit2.Repository(str(folder)).odb
    blob_id = database.write(ObjectType.BLOB, blob)
    tree_id = database.write(ObjectType.TREE, tree.replace(b"BLOB", blob_id.raw))
    links = b"tree " + str(tree_id).encode() + b"\n"
    data = head.replace(b"TREE", links)
    commit_id = database.write(ObjectType.COMMIT, data)
    sha = Sha(str(commit_id))
    commits.links(data)
    commits.committer(data)
    commits.committer_time(data)
    try:
        repository = Repository.open(folder)
        said = read_commit(repository, sha)
        list(walk(repository, {sha}))
        found = changes(repository, sha)
    except OharaError as error:
        return refused(error)
    if not 0 <= said.committer_time <= commits.LATEST_TIME:
        raise Fell(f"a time outside the calendar: {said.committer_time}")
    for file in found.files:
        for hunk in file.hunks:
            index_text(sides(hunk.body).changed)
    return True


def _make_objects(chance: random.Random) -> Input:
    head = b"".join(chance.choice((*inputs.HEADER_PIECES, b"TREE")) for _ in range(chance.randint(0, 9)))
    if chance.random() < 0.7:
        head = b"TREE" + head
    entries = b"".join(
        chance.choice(inputs.TREE_PIECES[:8])
        + chance.choice(inputs.TREE_PIECES[8:])
        + b"\0"
        + chance.choice((b"BLOB", b"\1" * 20))
        for _ in range(chance.randint(0, 4))
    )
    if chance.random() < 0.3:
        entries = inputs.mutated_bytes(chance, entries)
    blob = chance.choice(
        (
            inputs.raw(chance),
            b"line\n" * chance.randint(0, 5),
            inputs.noise(chance, 20).encode("utf-8", "surrogatepass"),
        )
    )
    return (inputs.mutated_bytes(chance, head) if chance.random() < 0.4 else head, entries, blob)


def _refs(given: Input) -> bool:
    name, packed, shallow = cast("tuple[str, str, str]", given)
    folder = _odd_repository()
    (folder / "packed-refs").write_bytes(
        packed.encode("utf-8", "surrogateescape") if _encodable(packed) else b""
    )
    (folder / "shallow").write_bytes(shallow.encode("utf-8", "replace"))
    Grafts.load(folder)
    answered = True
    try:
        repository = Repository.open(folder)
        repository.all_refs()
        repository.default_refs()
        repository.resolve_existing((name,))
        repository.find_commit(name)
        repository.resolve((name,))
    except OharaError as error:
        answered = refused(error)
    finally:
        for file in ("packed-refs", "shallow"):
            (folder / file).unlink(missing_ok=True)
    return answered


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _make_refs(chance: random.Random) -> Input:
    name = inputs.text(chance, inputs.REF_PIECES, 4)
    lines = [
        f"{chance.choice(('0' * 40, 'f' * 40, 'x', ''))} {inputs.text(chance, inputs.REF_PIECES, 3)}"
        for _ in range(chance.randint(0, 3))
    ]
    return (name, "\n".join(["# pack-refs with: peeled fully-peeled sorted", *lines]), "\n".join(lines[:1]))


# -- what is shown -------------------------------------------------------------------------------


def _shown(given: Input) -> bool:
    texts = cast("tuple[str, ...]", given)
    said, path, excerpt, symbol = texts
    harmless(sanitize.sanitize(said))
    commit = Commit(Sha("3f" * 20), (), said, said, NOW, 120, NOW, 120, said)
    marks = (Match(0, min(3, len(excerpt.split("\n")[0])), 0),) if excerpt else ()
    hit = Hit(1, 1.0, HunkId(1), commit, path, path, ChangeKind.RENAMED, 1, 1, said, symbol, excerpt, marks)
    for page, coloured in ((_SHOWN, False), (replace(_SHOWN, width=None, style=Style(coloured=True)), True)):
        harmless("\n".join(hit_lines(hit, page)), coloured=coloured)
    return True


def _make_shown(chance: random.Random) -> Input:
    excerpt = "\n".join(
        chance.choice("+- ") + inputs.noise(chance, 30)[:500].replace("\n", "")
        for _ in range(chance.randint(1, 4))
    )
    return (
        inputs.noise(chance)[:500],
        inputs.noise(chance, 20)[:500],
        excerpt,
        inputs.noise(chance, 10)[:100],
    )


def _content(given: Input) -> bool:
    old, new, name = cast("tuple[bytes, bytes, bytes]", given)
    language = language_of(name.decode(), decode.text(new[:40]))
    for hunk in hunks.between(old, new) if old != new else ():
        for piece in split(hunk, None, language, chars=200, lines=5):
            index_text(sides(piece.body).changed)
    if language:
        symbols_in(new[:4_000], language)
    return True


_CODE = (
    b"def f(x):\n",
    b"class A {\n",
    b"}\n",
    b"fn x() ->",
    b"#if 0\n",
    b"/*",
    b"*/",
    b'"""',
    b"(",
    b")",
    b"\t",
    b"\r\n",
    b"\xff",
    b"\0",
    b"x = 1\n",
    b"end\n",
)


def _make_content(chance: random.Random) -> Input:
    old = b"".join(chance.choice(_CODE) for _ in range(chance.randint(0, 30)))
    new = inputs.mutated_bytes(chance, old)
    return (
        old,
        new,
        b"a."
        + chance.choice(
            (b"py", b"ts", b"go", b"rs", b"c", b"rb", b"java", b"ex", b"sh", b"php", b"lua", b"swift")
        ),
    )


def _pairs(pieces: tuple[str, ...], others: tuple[str, ...]) -> Callable[[random.Random], Input]:
    return lambda chance: (inputs.text(chance, pieces), chance.choice(others))


ENTRANCES = (
    Entrance("query", 300, _pairs(inputs.QUERY_PIECES, tuple(Mode)), _query),
    Entrance("date", 70, inputs.date, _date),
    Entrance("path pattern", 50, lambda chance: inputs.text(chance, inputs.PATTERN_PIECES), _glob),
    Entrance("ignore and attribute files", 50, _make_rules, _rules),
    Entrance("regular expression", 60, _pairs(inputs.REGEX_PIECES, ("", "i", "s", "m", "ism")), _regex),
    Entrance("cursor", 60, _make_cursor, _cursor),
    Entrance("frame", 200, make_frame, _frame),
    Entrance("settings file", 50, _pairs(inputs.TOML_PIECES, _PLACES), _settings),
    Entrance("git object", 25, _make_objects, _objects),
    Entrance("ref", 15, _make_refs, _refs),
    Entrance("text on a terminal", 40, _make_shown, _shown),
    Entrance("content of a file", 40, _make_content, _content),
)  # fmt: skip
