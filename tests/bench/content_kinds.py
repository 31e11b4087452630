"""Writes histories of one kind of content each: what people write, what programs encode, and nothing else.

Seeded, so that every run reads the same bytes. A history is new files and whole rewrites of them in turn,
which is the most diff a byte of content can make.
"""

from __future__ import annotations

import base64
import random
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Make = Callable[[random.Random, int], bytes]

_FILE_BYTES = 100_000  # below what is left out for its size, so that every pass reads it
_ARCHIVE_BYTES = 1_500_000
_ARCHIVE_COMMITS = 70
_TINY_COMMITS = 6_000
_TINY_FILES = 40
_FIRST_COMMIT = 1_500_000_000
_COLUMNS = 76
_SPOKEN = "ba co di fu ge ha jo ki lu me no pa qui ro sa ti vu we xa zo tion ment er ing pre con al"
_SYLLABLES = _SPOKEN.split()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of content: the path it stands in and how some bytes of it are made."""

    name: str
    path: str
    make: Make


@dataclass(frozen=True, slots=True)
class Written:
    """A commit to be written: the file it changes and all that the file then holds."""

    path: str
    data: bytes


def _lines(chance: random.Random, size: int, line: Callable[[random.Random], str]) -> bytes:
    made: list[str] = []
    total = 0
    while total < size:
        made.append(line(chance))
        total += len(made[-1].encode()) + 1
    return "\n".join([*made, ""]).encode()


def _word(chance: random.Random) -> str:
    return "".join(chance.choices(_SYLLABLES, k=chance.choice((1, 2, 2, 3))))


_VOCABULARY = [_word(random.Random(seed)) for seed in range(4_000)]  # noqa: S311 repeatable


def _prose(chance: random.Random) -> str:
    return " ".join(chance.choices(_VOCABULARY, k=12))


def _code_line(chance: random.Random) -> str:
    one, two, three = chance.choices(_VOCABULARY, k=3)
    return chance.choice(
        (
            f"def {one}_{two}({three}, *, {two}=None):",
            f"    {one} = {two}.{three}({one}, {two}={chance.randrange(99)})",
            f"    if {one} is not {two} and {three}:",
            f"        return [{one} for {one} in {three}]",
            f"    # {one} the {two} of a {three}",
            "",
        )
    )


def _wrapped(text: str) -> bytes:
    return "\n".join([*(text[at : at + _COLUMNS] for at in range(0, len(text), _COLUMNS)), ""]).encode()


def _base64(chance: random.Random, size: int) -> bytes:
    return _wrapped(base64.b64encode(chance.randbytes(size * 3 // 4)).decode())


def _base85(chance: random.Random, size: int) -> bytes:
    return _wrapped(base64.b85encode(chance.randbytes(size * 4 // 5)).decode())


def _raw_bytes(chance: random.Random, size: int) -> bytes:
    return chance.randbytes(size).replace(b"\0", b"\n").replace(b"\x0b", b"\n")


def _short(chance: random.Random) -> str:
    return "".join(chance.choices("abcdefghijklmnopqrstuvwxyz0123456789{}(),;", k=chance.choice((1, 2, 3))))


def _distinct(chance: random.Random) -> str:
    return " ".join(
        "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randrange(5, 11))) for _ in range(9)
    )


def _csv(chance: random.Random) -> str:
    numbers = (f"{chance.uniform(-1000, 1000):.4f}" for _ in range(7))
    return f"{chance.randrange(10**6)},{chance.choice(_VOCABULARY)},{','.join(numbers)}"


def _han_word(chance: random.Random) -> str:
    return "".join(chr(chance.randrange(0x4E00, 0x5A00)) for _ in range(chance.choice((1, 2, 2, 3))))


_HAN_VOCABULARY = [_han_word(random.Random(seed)) for seed in range(4_000)]  # noqa: S311 repeatable


def _han(chance: random.Random) -> str:
    return "\uff0c".join("".join(chance.choices(_HAN_VOCABULARY, k=6)) for _ in range(3)) + "。"


def _camel(chance: random.Random) -> str:
    names = ["".join(part.title() for part in chance.choices(_VOCABULARY, k=3)) for _ in range(4)]
    return f"    {names[0]} {names[1]} = new {names[2]}({names[3]}.class);"


def _latin(chance: random.Random) -> str:
    words = chance.choices(_VOCABULARY, k=11)
    return " ".join(
        word.replace("e", chance.choice("éèe")).replace("a", chance.choice("àa")) for word in words
    )


def _by_lines(line: Callable[[random.Random], str]) -> Make:
    return lambda chance, size: _lines(chance, size, line)


def _quoted(make: Make) -> Make:
    """The same inside a Python script, as programs carry their archives."""
    return lambda chance, size: (
        _lines(chance, 2_000, _code_line) + b'DATA = b"""\n' + make(chance, size) + b'"""\n'
    )


KINDS = (
    Kind("code", "src/module.py", _by_lines(_code_line)),
    Kind("prose", "docs/guide.md", _by_lines(_prose)),
    Kind("base64", "data/blob.txt", _base64),
    Kind("base64 in Python", "src/carrier.py", _quoted(_base64)),
    Kind("base85", "data/blob.txt", _base85),
    Kind("base85 in Python", "src/carrier.py", _quoted(_base85)),
    Kind("invalid UTF-8", "data/blob.txt", _raw_bytes),
    Kind(
        "Latin-1",
        "docs/guide.txt",
        lambda chance, size: _lines(chance, size, _latin).decode().encode("latin-1"),
    ),
    Kind("short lines", "data/short.txt", _by_lines(_short)),
    Kind("distinct words", "data/words.txt", _by_lines(_distinct)),
    Kind("CSV", "data/table.csv", _by_lines(_csv)),
    Kind("Han", "docs/guide.md", _by_lines(_han)),
    Kind("CamelCase", "src/Module.java", _by_lines(_camel)),
)


def write_kind(repo: Path, kind: Kind, *, megabytes: float) -> list[Written]:
    """Write a history of about so much diff, and say what its commits hold."""
    chance = random.Random(kind.name)  # noqa: S311
    commits: list[Written] = []
    stem, _, ending = kind.path.rpartition(".")
    left = megabytes * 1_000_000
    number = 0
    while left > 0:
        commits.append(Written(f"{stem}{number // 2}.{ending}", kind.make(chance, _FILE_BYTES)))
        left -= _FILE_BYTES * (1 + number % 2)  # a rewrite takes the old lines away as well
        number += 1
    _write(repo, iter(commits))
    return commits


def write_archive(repo: Path) -> list[Written]:
    """A script that carries an archive, which every commit replaces."""
    chance = random.Random("archive")  # noqa: S311
    carry = _quoted(_base64)
    commits = [Written("contrib/install.py", carry(chance, _ARCHIVE_BYTES)) for _ in range(_ARCHIVE_COMMITS)]
    _write(repo, iter(commits))
    return commits


def write_tiny(repo: Path) -> list[Written]:
    """Thousands of commits that change one line each."""
    chance = random.Random("tiny")  # noqa: S311
    files = {f"src/part{number}.py": [_code_line(chance) for _ in range(60)] for number in range(_TINY_FILES)}
    commits = []
    for _ in range(_TINY_COMMITS):
        path = chance.choice(list(files))
        files[path][chance.randrange(60)] = _code_line(chance)
        commits.append(Written(path, "\n".join([*files[path], ""]).encode()))
    _write(repo, iter(commits))
    return commits


def _write(repo: Path, commits: Iterator[Written]) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", str(repo)], check=True, timeout=60)
    importing = subprocess.Popen(
        ["git", "-C", str(repo), "fast-import", "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    assert importing.stdin is not None
    for number, commit in enumerate(commits):
        moment = _FIRST_COMMIT + 60 * number
        importing.stdin.write(
            f"commit refs/heads/main\ncommitter Bench <bench@example.invalid> {moment} +0000\n"
            f"data 10\nOne change\nM 644 inline {commit.path}\ndata {len(commit.data)}\n".encode()
        )
        importing.stdin.write(commit.data + b"\n")
    importing.stdin.close()
    if importing.wait(timeout=600):
        raise RuntimeError("git fast-import failed")
