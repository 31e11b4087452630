"""Inputs nobody means well with: pieces that collide, mutations of what is valid, and plain noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

Input = str | bytes | tuple[str, ...] | tuple[bytes, ...]

# Characters that have broken programs before: controls, overrides, surrogates, combining, wide, far.
HOSTILE = tuple(
    "\0\a\b\t\n\r\x0b\x1b\x7f\x85\x9b\xa0\xad\u034f\u061c\u1160\u200b\u200d\u202e\u2028\u2066\ufeff\ufffd"
)
HOSTILE += (
    "\ud800",
    "\udcff",
    "\U000e0041",
    "\U0001f469\u200d\U0001f4bb",
    "e\u0301",
    "\u3000",
    "ﬁ",
    "İ",
    "ß",
    "\U0001d518",
)
PLAIN = tuple("abcxyzAZ019_-.,:;/\\|'\"`(){}[]<>*?+^$#@!~&%= ")

QUERY_PIECES = (
    "author:", "path:", "-path:", "lang:py", "since:2024", "until:2023-05", 'since:"2 weeks ago"',
    "until:3h", "added:", "removed:", "ref:main", "message:", "symbol:", "kind:added", "auther:x",
    "http://x", "a::b", "fix:", "before:2020", "after:2019-13-45", "ext:rs", "file:a", "tag:v1",
    "commit:deadbeef", "language:c++", "-author:x", '"', '""', '"two words"', '"a\\"b"', "/", "/re/",
    "/re/i", "/re/smi", "/a\\/b c/", "//", "/*", "*/", "\\", "\\/", '\\"', "\\author:", "x", "get_user",
    "foo()", "src/a.py", "#12", "deadbeef1", "-", "--", ":", "retry", "backoff",
    "def retry(self):\n    return 1\n", "+added line\n-removed line\n", "@@ -1,2 +3,4 @@\n", "日本語",
    "Straße", "\t",
)  # fmt: skip
REGEX_PIECES = (
    "a", "ab", ".", "\\d", "\\w+", "\\b", "^", "$", "(", ")", "(?:", "(?i)", "(?P<n>", "[", "]", "[^a-z]",
    "[z-a]", "[[:alpha:]]", "*", "+", "?", "*?", "{2}", "{0,1000}", "{1001}", "{,3}", "{2,1}", "|", "\\",
    "\\1", "\\x41", "\\x{10FFFF}", "\\x{110000}", "\\pL", "\\p{Greek}", "\\Q", "\\E", "\\C", "\\z", "\\A",
    "(?=x)", "(?<!x)", "(?s:.)", "(a|b)*", "((((", "é", "İ", "\\u0041", "\\0", "\\", "/", "(?", "(?)", "{",
    "}", "{-1}", "[]]", "[\\]]", "[a-\\d]", "(a*)*", "(a+)+b",
)  # fmt: skip
DATE_PIECES = (
    "2024", "-05", "-13", "-32", "T12:00", "Z", "+02:00", "+99:99", " ", "yesterday", "today", "now",
    "last", "week", "month", "2 weeks ago", "3h", "99999999999999999999y", "0d", "-1d", "in 2 days",
    "monday", "jan", "1st", "00:00", "/", ".", "12/31/2020", "@1700000000", "\uff11\uff12", "٣", "1e9",
    "inf", "nan", "0000-00-00", "9999-12-31", "10000-01-01",
)  # fmt: skip
PATTERN_PIECES = (
    "*", "**", "?", "/", "!", "#", "\\", "[a-z]", "[!a]", "[", "]", "[[:alpha:]]", "{a,b}", ".py", "src",
    " ", "\t", "\\ ", "linguist-generated", "-linguist-vendored", "=false", "[attr]m", "\"a\\142\"", '"',
    "a*a*a*a*a*a*b", "**/**/**", "é", "../", "./",
)  # fmt: skip
TOML_PIECES = (
    "[index]\n", "[find]\n", "[models]\n", "[tui]\n", "[tui.keys]\n", "[[index]]\n", "[nope]\n", "refs = ",
    "ignore = ", "k = ", "since = ", "embedder = ", "profile = ", "keys = ", "recency_weight = ",
    "chunk_lines = ", "repo_file = ", '["main"]', "[]", "[1]", '"main"', "'x'", "true", "1", "-1", "1.5",
    "inf", "nan", "1979-05-27", "{a = 1}", '"""\n', "\n", "=", ".", "#", "\\u0000", '"\\u0000"',
    "99999999999999999999999999", "0x10", "1e400", "[" * 50, '"*.py"', ",", "]", "}",
)  # fmt: skip
HEADER_PIECES = (
    b"tree ", b"parent ", b"author ", b"committer ", b"encoding ", b"gpgsig ", b"mergetag ", b"\n", b"\n\n",
    b" ", b"<", b">", b"0" * 40, b"4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    b"Ada <a@b> 1700000000 +0100\n", b"<> -1 -9999\n", b" 99999999999999999999999 +0000\n", b"utf-8",
    b"latin-1", b"utf-7", b"unicode_escape", b"\xff\xfe", b"\0", b"\x1b[2J", b"message\n", b"rot13",
    b"cp1252", b"  \t",
)  # fmt: skip
TREE_PIECES = (
    b"100644 ", b"40000 ", b"040000 ", b"0100644 ", b"120000 ", b"160000 ", b"777 ", b"99999999999 ", b"a",
    b"a.py", b".", b"..", b".git", b"a/b", b"\xff", b"\0", b"\x1b", b"", b" ", b"\n",
)  # fmt: skip
REF_PIECES = (
    "refs/heads/", "refs/tags/", "refs/remotes/", "refs/replace/", "HEAD", "main", "@", "@{-1}", "^", "~1",
    "^{}", "^{/x}", ":", ":/x", "..", "...", "//", ".lock", "\x7f", " ", "*", "?", "[", "\\", "-",
    "deadbeef", "0" * 40, "f" * 40, "\udcff", "é", "/", ".", "{", "}", "\n", "^", "#",
)  # fmt: skip


def joined(chance: random.Random, pieces: Sequence[str], most: int = 9) -> str:
    """Pieces in a row, with or without blanks between, then perhaps mutated."""
    glue = chance.choice(("", " ", " ", "  "))
    text = glue.join(chance.choice(pieces) for _ in range(chance.randint(0, most)))
    return mutated(chance, text) if chance.random() < 0.5 else text


def noise(chance: random.Random, most: int = 40) -> str:
    """Characters of any kind."""
    alphabet = chance.choice((PLAIN, HOSTILE, PLAIN + HOSTILE, None))
    count = chance.randint(0, most) if chance.random() < 0.97 else chance.randint(1_000, 70_000)
    if alphabet is None:
        return "".join(chr(chance.randrange(0x110000)) for _ in range(min(count, 500)))
    return "".join(chance.choices(alphabet, k=count))


def raw(chance: random.Random, most: int = 60) -> bytes:
    """Bytes of any kind."""
    return chance.randbytes(chance.randint(0, most))


def mutated(chance: random.Random, text: str) -> str:
    """A few characters taken out, put in, doubled or moved."""
    for _ in range(chance.randint(1, 4)):
        at, end = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
        match chance.randrange(5):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:at] + chance.choice(HOSTILE + PLAIN) + text[at:]
            case 2:
                text = text[:at] + text[at:end] * chance.randint(2, 4) + text[end:]
            case 3:
                text = text[end:] + text[at:end] + text[:at]
            case _:
                text = text[:at] + chance.choice(QUERY_PIECES) + text[end:]
        text = text[:20_000]
    return text


def mutated_bytes(chance: random.Random, data: bytes) -> bytes:
    """A few bytes changed, taken out, put in or doubled."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 5)):
        at, end = sorted((chance.randint(0, len(changed)), chance.randint(0, len(changed))))
        match chance.randrange(4):
            case 0:
                del changed[at : min(end, at + 8)]
            case 1:
                changed[at:at] = raw(chance, 6)
            case 2:
                changed[at:end] = changed[at:end] * 2
            case _:
                if at < len(changed):
                    changed[at] = chance.randrange(256)
        del changed[20_000:]
    return bytes(changed)


def text(chance: random.Random, pieces: Sequence[str], most: int = 9) -> str:
    """What an entrance of text gets: mostly pieces of its own language, some noise."""
    return joined(chance, pieces, most) if chance.random() < 0.8 else noise(chance)


def date(chance: random.Random) -> str:
    """A date as people write them, or nearly one."""
    if chance.random() < 0.3:
        return text(chance, DATE_PIECES, 5)
    year, month, day, count = (
        chance.randint(*bounds) for bounds in ((1, 9999), (0, 13), (0, 32), (0, 5_000))
    )
    unit = chance.choice(("day", "week", "month", "year", "hour", "minute", "d", "w", "mo", "y", "h"))
    forms = (
        f"{year:04}-{month:02}-{day:02}",
        f"{year:04}",
        f"{year:04}-{month:02}",
        f"{count} {unit}s ago",
        f"{count}{unit}",
        f"last {unit}",
    )
    written = chance.choice(
        (
            *forms,
            f"{forms[0]}T{month:02}:{day:02}:00Z",
            f"{forms[0]} {month:02}:{day:02}",
            "yesterday",
            "today",
        )
    )
    return mutated(chance, written) if chance.random() < 0.3 else written
