"""One setting is changed in a file and nothing else is: comments, order and line ends stay."""

from __future__ import annotations

import os
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara import paths
from ohara.cli.config_edit import changed, removed, set_value
from ohara.errors import ConfigError


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[models]\nembedder = "new"\n'),
        ("# mine\n", '# mine\n\n[models]\nembedder = "new"\n'),
        ("[find]\nk = 3", '[find]\nk = 3\n\n[models]\nembedder = "new"\n'),
        (
            '[models]\n# why\nembedder = "old"  # slow\nreranker = "none"\n',
            '[models]\n# why\nembedder = "new"  # slow\nreranker = "none"\n',
        ),
        (
            '[models]  # two of them\nreranker = "none"\n\n# last words\n[find]\nk = 3\n',
            '[models]  # two of them\nreranker = "none"\nembedder = "new"\n\n# last words\n[find]\nk = 3\n',
        ),
        ("[models]\n", '[models]\nembedder = "new"\n'),
        ("[models]\nembedder = 'old'\r\n", '[models]\nembedder = "new"\r\n'),
        ("[find]\r\nk = 3\r\n", '[find]\r\nk = 3\r\n\r\n[models]\r\nembedder = "new"\r\n'),
        ('models.embedder = "old" # dotted\n', 'models.embedder = "new" # dotted\n'),
        ('[models]\nembedder="a # b"#c\n', '[models]\nembedder="new"#c\n'),
        ('[models]\n"embedder" = "old"\n', '[models]\n"embedder" = "new"\n'),
        (
            '[tui.keys]\nquit = "x"\n[models]\nembedder = "old"\n',
            '[tui.keys]\nquit = "x"\n[models]\nembedder = "new"\n',
        ),
        (
            '[tui.keys]\nembedder = "e"\n',
            '[tui.keys]\nembedder = "e"\n\n[models]\nembedder = "new"\n',
        ),
        ('models.reranker = "none"\n', 'models.embedder = "new"\nmodels.reranker = "none"\n'),
    ],
)
def test_only_the_setting_changes(before: str, after: str) -> None:
    assert changed(before, "models", "embedder", "new") == after


def test_what_holds_already_is_left_as_it_is() -> None:
    text = "[models]\nembedder = '''new'''\n"
    assert changed(text, "models", "embedder", "new") is text


@pytest.mark.parametrize(
    "text",
    [
        'models = { embedder = "old" }\n',
        '[models]\nembedder = """\nold"""\n',
        "models = 3\n",
        "[models\n",
    ],
)
def test_what_cannot_be_changed_without_a_doubt_is_refused(text: str) -> None:
    assert changed(text, "models", "embedder", "new") is None


_NAMES = st.sampled_from(["embedder", "reranker", "k", "theme"])
_VALUES = st.text(alphabet=st.sampled_from("ab #\"'\\[]={}.é\n"), max_size=8)
_LINES = st.one_of(
    st.sampled_from(["", "# [models]", '# embedder = "x"', "[models]", "[find]", "[models.deep]"]),
    st.tuples(_NAMES, _VALUES).map(lambda pair: f"{pair[0]} = {pair[1]!r}"),
    st.tuples(_NAMES, _VALUES).map(lambda pair: f'{pair[0]} = """{pair[1]}"""  # why'),
    st.tuples(_NAMES, _VALUES).map(lambda pair: f"{pair[0]} = ['a', 'b']"),
)


@given(
    st.lists(_LINES, max_size=8), st.sampled_from(["\n", "\r\n"]), st.text(alphabet='abc/"\\-.', max_size=6)
)
def test_any_file_is_changed_in_one_setting_or_not_at_all(lines: list[str], end: str, value: str) -> None:
    text = end.join(lines)
    amended = changed(text, "models", "embedder", value)
    if amended is None:
        return
    before, after = tomllib.loads(text), tomllib.loads(amended)
    assert after["models"].pop("embedder") == value
    before.setdefault("models", {}).pop("embedder", None)
    assert before == after
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert [line for line in amended.splitlines() if line.startswith("#")] == comments


def test_a_file_is_made_where_there_is_none_and_a_link_is_written_through() -> None:
    file = set_value("models", "embedder", "mine")
    assert file == paths.config_file()
    assert file.read_text() == '[models]\nembedder = "mine"\n'
    elsewhere = file.with_name("dotfiles.toml")
    file.rename(elsewhere)
    elsewhere.chmod(0o600)
    file.symlink_to(elsewhere.name)
    set_value("models", "embedder", "other")
    assert file.is_symlink()
    assert elsewhere.read_text() == '[models]\nembedder = "other"\n'
    assert elsewhere.stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(file.parent)) == ["config.toml", "dotfiles.toml"]  # noqa: PTH208 - names suffice


def test_a_refusal_says_what_to_write() -> None:
    file = paths.config_file()
    file.parent.mkdir(parents=True)
    file.write_text("models = { reranker = 'none' }\n")
    with pytest.raises(ConfigError, match="does not dare to change") as caught:
        set_value("models", "embedder", "mine")
    assert caught.value.hint == 'write there by hand, in [models]: embedder = "mine"'
    assert file.read_text() == "models = { reranker = 'none' }\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[find]\nk = 3\n", "[find]\n"),
        ("# why\n[find]\n# few\nk = 3  # mine\nrerank = true\n", "# why\n[find]\n# few\nrerank = true\n"),
        ("find.k = 3\n", ""),
        ("[index]\nk = 1\n[find]\r\nk = 3\r\n", "[index]\nk = 1\n[find]\r\n"),
        ("[find]\nrerank = true\n", "[find]\nrerank = true\n"),
        ("", ""),
        ("find = { k = 3 }\n", None),
        ("[find\n", None),
    ],
)
def test_a_setting_is_taken_out(before: str, after: str | None) -> None:
    assert removed(before, "find", "k") == after


def test_lists_and_tables_are_changed_too() -> None:
    assert (
        changed("[index]\nignore = ['a', 'b'] # x\n", "index", "ignore", ("c",))
        == '[index]\nignore = ["c"] # x\n'
    )
    assert changed("", "tui", "keys", {"quit": "x"}) == '[tui]\nkeys = {"quit" = "x"}\n'
    assert changed("[index]\nignore = [\n  'a',\n]\n", "index", "ignore", ("c",)) is None
