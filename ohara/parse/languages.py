"""Loads grammars and parses bytes, within limits on size, nesting and time: repositories are hostile.

Grammars load on first use and are shared; parsers are cheap and belong to one thread. A file that is
too large, takes too long or has no grammar gives no tree: the caller then does without syntax.
"""

from __future__ import annotations

import re
import threading
import warnings
from functools import cache
from itertools import accumulate, count
from operator import add
from time import thread_time
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from ohara.parse.hostile import is_hostile, nesting, nesting_after

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Language, Parser, Tree
    from tree_sitter_language_pack import SupportedLanguage

    from ohara.parse.hostile import Part

# Languages with a grammar; the grammar pack calls them by the same names.
GRAMMARS: Final = frozenset(
    {"bash", "c", "cpp", "csharp", "elixir", "go", "java", "javascript", "kotlin", "lua", "php", "python"}
    | {"ruby", "rust", "scala", "swift", "tsx", "typescript"}
)

MAX_SOURCE_BYTES: Final = 2 << 20  # hand-written sources are smaller; parsing runs at about 5 MB/s
# Seven times what 2 MB of honest code need, of this thread's own work: where a hunk is cut must not depend on
# how busy the machine is. The parser's own clock is one on the wall, and only the last resort.
TIME_LIMIT_S: Final = 3
CLOCK_LIMIT_S: Final = 30
# A file of this size is handed over whole, which is sooner than by pieces and loses no memory; it takes about
# 15 ms. What takes far longer by the clock is parsed again by pieces, and judged by the work that it takes.
_WHOLE_BYTES: Final = 128 << 10
_WHOLE_LIMIT_S: Final = 0.5
_READ_BYTES: Final = 4096  # a piece: the parser asks for one at a time, and is told when its time is up
_READ_HERE_AND_THERE_BYTES: Final = 512  # where most of the tree is known

_CPP_IN_HEADER: Final = re.compile(
    rb"^[ \t]*(?:(?:class|namespace)\b|template\s*<|using\s+\w+\s*=|(?:public|private|protected)\s*:)",
    re.MULTILINE,
)
_parsers = threading.local()
_read = {"bytes": 0}
_warnings_lock = threading.Lock()


def has_grammar(language: str | None) -> bool:
    """True when files of this language can be parsed."""
    return language in GRAMMARS


def dialect(source: bytes, language: str) -> str:
    """The language whose grammar fits: a C file that uses C++'s words is a C++ header."""
    return "cpp" if language == "c" and _CPP_IN_HEADER.search(source) else language


@cache
def grammar(language: str) -> Language:
    """The grammar of a language that has one."""
    from tree_sitter_language_pack import get_language

    return get_language(cast("SupportedLanguage", language))


class Former(NamedTuple):
    """Another version of a file, parsed before, and where it differs; outside of that both are equal.

    `nesting` is how many brackets stand within each other there, or more.
    """

    source: bytes
    tree: Tree
    parts: Sequence[Part]
    nesting: int = 0


class Parsed(NamedTuple):
    """A tree, and how many brackets stand within each other in what it was made from, or more."""

    tree: Tree | None
    nesting: int


def parse(source: bytes, language: str) -> Tree | None:
    """The syntax tree, or None when the file is too large, takes too long or looks made to hurt."""
    return parse_version(source, language).tree


def parse_version(source: bytes, language: str, former: Former | None = None) -> Parsed:
    """The syntax tree as `parse` says, of which no more is parsed than what differs from another version.

    That is in the same language. Where there are errors, on which the order of reading has an influence,
    all is parsed again.
    """
    if len(source) > MAX_SOURCE_BYTES:
        return Parsed(None, 0)
    if former is None:
        deepest = nesting(source)
    else:
        deepest = nesting_after(former.source, former.nesting, source, former.parts)
    tree = None if is_hostile(source, deepest) else _tree(source, language, former)
    return Parsed(tree, deepest)


def _tree(source: bytes, language: str, former: Former | None) -> Tree | None:
    utf8 = _as_utf8(source)
    edited = _edited(former, source) if former is not None and utf8 is source else None
    if edited is not None:
        tree = _parsed(utf8, language, edited)
        if tree is not None and not tree.root_node.has_error:
            return tree
    return _parsed(utf8, language)


def _edited(former: Former, source: bytes) -> Tree | None:
    """The tree of another version, told where the source is different; None if it is not whole."""
    before = former.source
    if former.tree.root_node.has_error or _as_utf8(before) is not before:
        return None
    tree = former.tree.copy()
    for start, old_end, new_start, new_end in reversed(former.parts):  # so that what is above stays in place
        put = source[new_start:new_end]
        first = _point(before, start)
        last = _point(put, len(put))
        new_point = (first[0] + last[0], last[1] if last[0] else first[1] + last[1])
        tree.edit(start, old_end, start + len(put), first, _point(before, old_end), new_point)
    return tree


def _point(source: bytes, at: int) -> tuple[int, int]:
    """The row and column of a place, both from 0."""
    return source.count(b"\n", 0, at), at - source.rfind(b"\n", 0, at) - 1


def _parsed(utf8: bytes, language: str, edited: Tree | None = None) -> Tree | None:
    if len(utf8) <= _WHOLE_BYTES:
        parser = _parser(language, _WHOLE_LIMIT_S)
        try:
            return parser.parse(utf8) if edited is None else parser.parse(utf8, edited)
        except ValueError:  # how the binding says that the time limit passed
            parser.reset()
    return _by_pieces(utf8, language, edited)


def _by_pieces(utf8: bytes, language: str, edited: Tree | None) -> Tree | None:
    parser = _parser(language, CLOCK_LIMIT_S)
    deadline = thread_time() + TIME_LIMIT_S
    late = False
    step = _READ_BYTES if edited is None else _READ_HERE_AND_THERE_BYTES

    def read(offset: int, _: object) -> bytes:
        # The parser looks at its own clock between tokens only; some scanners run long inside one.
        nonlocal late
        late = late or thread_time() > deadline
        if late:
            return b""
        # Half a character at the end of a chunk makes the parser ask again and trust the answer blindly.
        end = offset + step
        while end < len(utf8) and utf8[end] & 0xC0 == 0x80:
            end += 1
        _read["bytes"] += end - offset
        return utf8[offset:end]

    try:
        tree = parser.parse(read) if edited is None else parser.parse(read, edited)
    except ValueError:
        late = True
    if late:
        parser.reset()
        return None
    return tree


def line_starts(source: bytes) -> list[int]:
    """Where each line of a source begins."""
    lengths = list(map(len, source.split(b"\n")))
    return list(map(add, accumulate(lengths[:-1], initial=0), count()))  # and a newline for each line above


def bytes_lost() -> int:
    """How much memory parsing has cost for good: the binding (0.25) keeps whatever its callback returns.

    A process that parses many large files has to be replaced now and then; see `index/worker.py`.
    """
    return _read["bytes"]


def _as_utf8(source: bytes) -> bytes:
    """The source with a question mark for each byte that is no UTF-8, so that offsets stay."""
    if source.isascii():
        return source
    try:
        source.decode()
    except UnicodeDecodeError:
        return source.decode("utf-8", "surrogateescape").encode("utf-8", "replace")
    return source


def _parser(language: str, clock_s: float) -> Parser:
    """A parser of this thread that stops after so many seconds by the clock."""
    known: dict[str, Parser] = _parsers.__dict__
    name = f"{language} {clock_s}"
    if name not in known:
        known[name] = _new_parser(language, clock_s)
    return known[name]


def _new_parser(language: str, clock_s: float) -> Parser:
    from tree_sitter import Parser

    parser = Parser(grammar(language))
    # The setter is deprecated in favour of `progress_callback`, which crashes the process in 0.25.2 on
    # Python before 3.14 (it formats its arguments with a code those versions do not know).
    with _warnings_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        parser.timeout_micros = int(clock_s * 1_000_000)  # type: ignore[misc]  # no setter in the stubs
    return parser
