"""Languages by path and by name."""

from __future__ import annotations

import pytest

from ohara.languages import LANGUAGES, canonical_language, language_of, languages_named
from ohara.parse.languages import GRAMMARS
from ohara.parse.tables import TABLES


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("src/app.py", "python"),
        ("types.pyi", "python"),
        ("web/App.TSX", "tsx"),
        ("web/index.d.ts", "typescript"),
        ("lib/x.mjs", "javascript"),
        ("Cart.jsx", "javascript"),
        ("main.go", "go"),
        ("go.mod", "gomod"),
        ("src/lib.rs", "rust"),
        ("Cargo.lock", "toml"),
        ("a.h", "c"),
        ("a.hpp", "cpp"),
        ("A.cs", "csharp"),
        ("build.gradle.kts", "kotlin"),
        ("build.gradle", "groovy"),
        ("Rakefile", "ruby"),
        ("lib/x.exs", "elixir"),
        ("run.zsh", "bash"),
        ("README.md", "markdown"),
        ("docs/index.rst", "rst"),
        ("pyproject.toml", "toml"),
        (".github/workflows/ci.yml", "yaml"),
        ("package.json", "json"),
        ("a.scss", "scss"),
        ("schema.sql", "sql"),
        ("Dockerfile", "dockerfile"),
        ("docker/Dockerfile.dev", "dockerfile"),
        ("GNUmakefile", "make"),
        ("rules.mk", "make"),
        ("CMakeLists.txt", "cmake"),
        ("App.vue", "vue"),
        ("App.svelte", "svelte"),
        ("README", "text"),
        ("notes.unknown", None),
        ("bin/tool", None),
        (".py", None),
        ("dir.py/file", None),
        ("", None),
    ],
)
def test_language_of_a_path(path: str, language: str | None) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("first_line", "language"),
    [
        ("#!/bin/sh -e", "bash"),
        ("#!/usr/bin/env python3", "python"),
        ("#!/usr/bin/python3.11", "python"),
        ("#! /usr/bin/env -S uv run --script", "python"),
        ("#!/usr/bin/env LC_ALL=C perl -w", "perl"),
        ("#!/opt/node", "javascript"),
        ("#!/bin/unheard-of", None),
        ("import os", None),
    ],
)
def test_language_by_interpreter(first_line: str, language: str | None) -> None:
    assert language_of("bin/tool", first_line) == language


def test_a_known_ending_outranks_the_first_line() -> None:
    assert language_of("tool.rb", "#!/bin/sh") == "ruby"


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("py", "python"), ("ts", "typescript"), ("js", "javascript"), ("jsx", "javascript"), ("c++", "cpp"),
        ("c#", "csharp"), ("sh", "bash"), ("golang", "go"), ("rs", "rust"), ("kt", "kotlin"), ("rb", "ruby"),
        ("md", "markdown"), ("yml", "yaml"), ("docker", "dockerfile"), ("makefile", "make"),
        (" Python ", "python"), ("TSX", "tsx"), ("klingon", None), ("", None),
    ],
)  # fmt: skip
def test_canonical_names(alias: str, name: str | None) -> None:
    assert canonical_language(alias) == name


def test_a_name_means_its_dialects_too() -> None:
    assert languages_named("ts") == ("typescript", "tsx")
    assert languages_named("tsx") == ("tsx",)
    assert languages_named("klingon") == ()


def test_every_name_is_its_own_canonical_name() -> None:
    assert all(canonical_language(name) == name for name in LANGUAGES)


def test_no_ending_alias_or_interpreter_means_two_languages() -> None:
    for field in ("extensions", "interpreters"):
        owners = [(each, it.name) for it in LANGUAGES.values() for each in getattr(it, field)]
        assert len(owners) == len({each for each, _ in owners}), field
    names = [name for it in LANGUAGES.values() for name in (it.name, *it.aliases)]
    assert len(names) == len(set(names))


def test_every_grammar_belongs_to_a_language_and_has_a_table() -> None:
    assert set(LANGUAGES) >= GRAMMARS
    assert set(TABLES) == GRAMMARS
