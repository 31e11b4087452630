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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Language, Parser, Tree
    from tree_sitter_language_pack import SupportedLanguage

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
MAX_NESTING: Final = 500  # brackets within brackets; some grammars need quadratic memory for more
_READ_BYTES: Final = 4096  # the parser asks for this much at a time, and is told when its time is up
_READ_HERE_AND_THERE_BYTES: Final = 512  # where most of the tree is known

_STEP: Final = bytes(1 if byte in b"([{" else 255 for byte in range(256))  # 255 is -1 as a signed byte
_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"()[]{}"))
_NOT_ANGLES: Final = bytes(set(range(256)) - set(b"<>;(){}"))
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


Part = tuple[int, int, int, int]
"""Where a stretch of another version begins and ends, and where in this one what stands in its place."""


class Former(NamedTuple):
    """Another version of a file, parsed before, and where it differs; outside of that both are equal."""

    source: bytes
    tree: Tree
    parts: Sequence[Part]


def parse(source: bytes, language: str, former: Former | None = None) -> Tree | None:
    """The syntax tree, or None when the file is too large, takes too long or looks made to hurt.

    With another version in the same language, only what differs is parsed, to the same tree: where there are
    errors, on which the order of reading has an influence, all is parsed again.
    """
    if len(source) > MAX_SOURCE_BYTES or _is_hostile(source):
        return None
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
    parser = _parser(language)
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
    except ValueError:  # how the binding says that the time limit passed
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

    A process that parses a whole history has to be replaced now and then; see `index/worker.py`.
    """
    return _read["bytes"]


def _as_utf8(source: bytes) -> bytes:
    """The source with a question mark for each byte that is no UTF-8, so that offsets stay."""
    try:
        source.decode()
    except UnicodeDecodeError:
        return source.decode("utf-8", "surrogateescape").encode("utf-8", "replace")
    return source


def _is_hostile(source: bytes) -> bool:
    """True for what no person writes and a parser may choke on: NULs, or nesting without end."""
    if b"\0" in source:
        return True
    nesting = memoryview(source.translate(_STEP, _NOT_BRACKETS)).cast("b")
    if max(accumulate(nesting), default=0) > MAX_NESTING:
        return True
    return b"<" * MAX_NESTING in source.translate(None, _NOT_ANGLES)


def _parser(language: str) -> Parser:
    known: dict[str, Parser] = _parsers.__dict__
    if language not in known:
        known[language] = _new_parser(language)
    return known[language]


def _new_parser(language: str) -> Parser:
    from tree_sitter import Parser

    parser = Parser(grammar(language))
    # The setter is deprecated in favour of `progress_callback`, which crashes the process in 0.25.2 on
    # Python before 3.14 (it formats its arguments with a code those versions do not know).
    with _warnings_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        parser.timeout_micros = CLOCK_LIMIT_S * 1_000_000  # type: ignore[misc]  # no setter in the stubs
    return parser
