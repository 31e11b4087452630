"""A stranger who knows the words of the field finds the module by its name alone."""

from __future__ import annotations

import re

import pytest

from tests.process import ROOT

FOUND_AT = {
    "the trigram query": "ohara/store/trigram_query",
    "the status line": "tui/status_line",
    "the blocking client": "ohara/client/blocking",
    "the fast path of the client": "ohara/client/fastpath",
    "the reranker": "ohara/retrieve/rerank",
    "the writer lock": "ohara/store/writer_lock",
    "the detection of renames": "ohara/git/renames",
    "the grammar of a query": "ohara/query/grammar",
    "the git hook": "ohara/setup/hook",
    "the wire's replies": "ohara/wire/replies",
    "the daemon's request handlers": "ohara/daemon/handlers",
    "the schema": "ohara/store/sqlite/schema",
    "rank fusion": "ohara/retrieve/fusion",
    "the pages' cursor": "ohara/retrieve/cursor",
    "the static model": "ohara/embed/static_model",
    "downloads": "ohara/embed/download",
    "the doctor": "ohara/setup/doctor",
    "the parser's symbols": "ohara/parse/symbols",
    "blame": "ohara/git/blame",
    "JSON output": "ohara/present/json",
    "the palette": "tui/palette",
    "the timeline": "tui/timeline",
    "syntax highlighting": "tui/highlight",
    "sanitizing": "ohara/sanitize",
}

NOISE = {"a", "an", "the", "of", "s", "ohara", "tui"}


def stems(text: str) -> set[str]:
    """The words of a phrase or a path, by their first letters: renames, rename and renaming are one."""
    return {word[:4] for word in re.findall(r"[a-z]+", text.lower()) if word not in NOISE}


def modules() -> list[str]:
    sources = (path for top in ("ohara", "tui") for path in (ROOT / top).rglob("*.py"))
    found = (path.relative_to(ROOT).with_suffix("") for path in sources)
    return sorted(str(path) for path in found if "make" not in path.parts and path.name != "__init__")


def likeness(module: str, wanted: set[str]) -> int:
    """How many words a module shares with a phrase; those of its own name count more than its package's."""
    package, _, name = module.rpartition("/")
    return 2 * len(stems(name) & wanted) + len(stems(package) & wanted)


@pytest.mark.parametrize("phrase", FOUND_AT)
def test_a_phrase_leads_to_its_module(phrase: str) -> None:
    wanted = stems(phrase)
    shared = {module: likeness(module, wanted) for module in modules()}
    most = max(shared.values())
    best = [module for module, count in shared.items() if count == most]
    assert FOUND_AT[phrase] in best, best
    assert len(best) <= 4, best
