"""Every declared setting is complete, and no value gets in that its declaration does not allow."""

from __future__ import annotations

import dataclasses
import tomllib
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.settings import SECTIONS, SETTINGS, Setting, Settings
from ohara.values import Kind, Value, from_text, written

BY_KEY = {item.key: item for item in SETTINGS}
visible = st.text(st.characters(categories=("L", "N", "P", "S", "Zs")), max_size=20).filter(str.isprintable)

values: st.SearchStrategy[Value] = st.one_of(
    st.booleans(),
    st.integers(-(10**12), 10**12),
    st.floats(allow_nan=False, allow_infinity=False),
    visible,
    st.lists(visible).map(tuple),
    st.dictionaries(visible, visible).map(MappingProxyType),
)


def plain(value: object) -> object:
    """A value as TOML's parser gives it back."""
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, MappingProxyType) else value


@pytest.mark.parametrize("item", SETTINGS, ids=lambda item: item.key)
def test_a_setting_is_documented_and_accepts_its_own_default(item: Setting) -> None:
    assert item.rule.doc.endswith(".")
    assert item.accept(plain(item.default)) == item.default
    assert getattr(getattr(Settings(), item.section), item.name) == item.default
    assert item.env == f"OHARA_{item.key.replace('.', '_').upper()}"


def test_every_field_of_the_tree_is_a_setting() -> None:
    fields = [
        f"{section}.{field.name}"
        for section in SECTIONS
        for field in dataclasses.fields(getattr(Settings(), section))
    ]
    assert fields == [item.key for item in SETTINGS]


def test_a_repository_may_choose_only_what_is_searched() -> None:
    assert [item.key for item in SETTINGS if item.rule.repo_safe] == ["index.refs", "index.ignore"]


@pytest.mark.parametrize(
    ("key", "raw", "reason"),
    [
        ("find.k", 0, "must be a whole number from 1 to 1000, not 0"),
        ("find.k", True, "must be a whole number from 1 to 1000, not True"),
        ("find.k", 5.0, "must be a whole number from 1 to 1000, not 5.0"),
        ("find.k", "5", "must be a whole number from 1 to 1000, not '5'"),
        ("find.recency_weight", float("nan"), "must be a number from 0 to 10, not nan"),
        ("find.recency_weight", 10**400, "must be a number from 0 to 10, not"),
        ("find.rerank", 1, "must be true or false, not 1"),
        ("find.profile", "fast", "must be one of default, reference, not 'fast'"),
        ("index.refs", "main", "must be a list of texts, not 'main'"),
        ("index.refs", ["main", 3], "must be a list of texts, not"),
        ("index.ignore", [""], "must be a list of texts, not"),
        ("index.ignore", ["\x1b[2J"], "must be a list of texts, not"),
        (
            "index.since",
            "when pigs fly",
            "must be a date that has come, as 2024-05-01, 2y or 2 weeks ago, not",
        ),
        ("index.since", "2999-01-01", "must be a date that has come"),
        ("models.embedder", "a\u202eb", "must be text, not"),
        ("tui.keys", {"quit": 1}, "must be a table of texts, not"),
    ],
)
def test_a_wrong_value_is_refused_in_words(key: str, raw: object, reason: str) -> None:
    with pytest.raises(ValueError, match="must be") as caught:
        BY_KEY[key].accept(raw)
    assert str(caught.value).startswith(reason)
    assert len(str(caught.value)) < 150


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("find.k", "7", 7),
        ("find.recency_weight", "0", 0.0),
        ("find.rerank", "off", False),
        ("find.rerank", "True", True),
        ("index.refs", "main, release/1.x,", ("main", "release/1.x")),
        ("tui.keys", "quit=ctrl+q, help = f1", {"quit": "ctrl+q", "help": "f1"}),
        ("tui.theme", "light", "light"),
    ],
)
def test_text_from_the_environment_is_read(key: str, text: str, value: object) -> None:
    assert BY_KEY[key].read(text) == value


@pytest.mark.parametrize(
    ("key", "text"),
    [("find.k", "many"), ("find.rerank", "maybe"), ("tui.keys", "quit"), ("find.k", "9" * 5000)],
)
def test_text_that_is_no_value_is_refused(key: str, text: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        BY_KEY[key].read(text)


@given(values)
def test_what_is_written_is_toml_for_the_same_value(value: Value) -> None:
    assert tomllib.loads(f"value = {written(value)}")["value"] == plain(value)


@given(st.sampled_from(SETTINGS), values)
def test_whatever_is_accepted_is_of_its_kind_and_accepted_again(item: Setting, value: Value) -> None:
    try:
        accepted = item.accept(plain(value))
    except ValueError:
        return
    assert type(accepted) is type(item.default)
    assert item.accept(accepted) == accepted


@given(st.sampled_from(Kind), st.text())
def test_reading_any_text_never_fails(kind: Kind, text: str) -> None:
    from_text(text, kind)
