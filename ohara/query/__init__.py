"""The query language: one grammar for the command line, the terminal UI and the service.

`parse` turns what a person typed into a `Query`, `to_source` turns a `Query` into text again, and the
`parse_*` functions read single filter values so that a flag and an inline filter mean the same. All of it
is pure: the clock and the time zone are arguments, and nothing is looked up in a repository.
"""

from __future__ import annotations

from ohara.dates import parse_date
from ohara.query.globs import path_pattern
from ohara.query.grammar import LONGEST_QUERY, parse, required_patterns
from ohara.query.source import filter_sources, pattern_source, to_source
from ohara.query.unfinished import Unfinished, unfinished
from ohara.query.values import (
    ALL_NAMES,
    FILTER_NAMES,
    SYNONYMS,
    parse_author,
    parse_commit,
    parse_ext,
    parse_fate,
    parse_kind,
    parse_lang,
    parse_message,
    parse_path_glob,
    parse_ref,
    parse_repo,
    parse_symbol,
)

__all__ = [
    "ALL_NAMES",
    "FILTER_NAMES",
    "LONGEST_QUERY",
    "SYNONYMS",
    "Unfinished",
    "filter_sources",
    "parse",
    "parse_author",
    "parse_commit",
    "parse_date",
    "parse_ext",
    "parse_fate",
    "parse_kind",
    "parse_lang",
    "parse_message",
    "parse_path_glob",
    "parse_ref",
    "parse_repo",
    "parse_symbol",
    "path_pattern",
    "pattern_source",
    "required_patterns",
    "to_source",
    "unfinished",
]
