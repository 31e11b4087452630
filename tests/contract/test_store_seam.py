"""Nothing above `ohara/store` knows how an index is kept: no engine, no table, no statement."""

from __future__ import annotations

import re
from pathlib import Path

import ohara

ROOT = Path(ohara.__file__).parent
ENGINES = (
    ROOT / "store" / "sqlite",
    ROOT / "store" / "postgres",
    ROOT / "store" / "sql",
)  # and what they share
CHOOSER = ROOT / "store" / "engines.py"

# An engine's words: its libraries, its statements, its tables, its own types.
SECRET = re.compile(
    r"\b(?:sqlite|apsw|fts5|vec0|sqlite_vec|psycopg|postgres)\b(?!-utils)"
    r"|\bSELECT\b.+\bFROM\b|\bINSERT INTO\b|\bDELETE FROM\b|\bUPDATE \w+ SET\b|json_each"
    r"|\bCREATE (?:VIRTUAL )?TABLE\b|\b(?:reader|writer|index|store)\.connection\b"
    r"|\bfts_\w+|\bvec_\w+|HunkFilter|\bread_meta\b|\bset_meta\b|PASS_BITS|\.in_transaction\b",
    re.IGNORECASE,
)


def above() -> list[Path]:
    return [
        path
        for path in sorted(ROOT.rglob("*.py"))
        if not any(map(path.is_relative_to, ENGINES)) and path != CHOOSER and "make" not in path.parts
    ]


def test_no_module_above_the_engines_speaks_of_them() -> None:
    told = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in above()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if SECRET.search(line)
    ]
    assert not told, "\n".join(told)


def test_the_words_are_found_where_they_are_spoken() -> None:
    spoken = {
        found.group().lower()
        for engine in ENGINES
        for path in engine.glob("*.py")
        for found in SECRET.finditer(path.read_text())
    }
    assert {"apsw", "psycopg", "hunkfilter", "json_each", "delete from"} <= spoken
