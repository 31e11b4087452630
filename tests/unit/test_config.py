"""Values come from the strongest place that names them, and nothing unknown or unsafe gets in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ohara import config, paths
from ohara.config import Origin, Source
from ohara.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def user_file(ohara_home: Path) -> Path:
    file = ohara_home / "config" / "config.toml"
    file.parent.mkdir()
    return file


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    top = tmp_path / "project"
    (top / ".git").mkdir(parents=True)
    return top


def test_with_nothing_set_all_is_default() -> None:
    loaded = config.load(environ={})
    assert loaded.settings.find.k == 5
    assert loaded.settings.find.recency_weight == 0.05
    assert loaded.settings.index.chunk_lines == 60
    assert set(loaded.origins.values()) == {Origin(Source.DEFAULT)}


def test_each_place_is_stronger_than_the_one_before(user_file: Path, repository: Path) -> None:
    repo_file = repository / ".ohara.toml"
    variable = {"OHARA_INDEX_REFS": "from-environment"}

    def refs(environ: dict[str, str], flag: list[str] | None = None) -> tuple[tuple[str, ...], Origin]:
        loaded = config.load(repository=repository, environ=environ, flags={"index.refs": flag})
        return loaded.settings.index.refs, loaded.origins["index.refs"]

    assert refs({}) == ((), Origin(Source.DEFAULT))
    user_file.write_text('[index]\nrefs = ["from-user"]\n[find]\nk = 9\n')
    assert refs({}) == (("from-user",), Origin(Source.USER, str(user_file)))
    repo_file.write_text('[index]\nrefs = ["from-repository"]\n')
    assert refs({}) == (("from-repository",), Origin(Source.REPOSITORY, str(repo_file)))
    assert refs(variable) == (("from-environment",), Origin(Source.ENVIRONMENT, "OHARA_INDEX_REFS"))
    assert refs(variable, ["from-flag"]) == (("from-flag",), Origin(Source.FLAG))
    assert config.load(repository=repository, environ=variable).settings.find.k == 9


@pytest.mark.parametrize(
    ("text", "unknown", "meant"),
    [
        ("[find]\nkk = 3\n", "find.kk", "find.k"),
        ("[find]\nrerankk = true\n", "find.rerankk", "find.rerank"),
        ("[fnid]\nk = 3\n", "fnid.k", "find.k"),
        ("[fnid]\n", "fnid", "find.k"),
        ("k = 3\n", "k", "find.k"),
        ("[index]\nk = 3\n", "index.k", "find.k"),
    ],
)
def test_an_unknown_key_names_the_file_and_the_nearest_known_key(
    user_file: Path, text: str, unknown: str, meant: str
) -> None:
    user_file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        config.load(environ={})
    assert caught.value.message == f"{user_file}: unknown setting {unknown}"
    assert caught.value.hint == f"did you mean {meant}?"


def test_a_section_given_a_value_is_an_error(user_file: Path) -> None:
    user_file.write_text('index = "everything"\n')
    with pytest.raises(ConfigError, match="index is a section, not a setting"):
        config.load(environ={})


def test_a_wrong_value_names_its_place(user_file: Path) -> None:
    user_file.write_text("[find]\nk = 0\n")
    with pytest.raises(
        ConfigError, match=r"config\.toml: find\.k must be a whole number from 1 to 1000, not 0"
    ):
        config.load(environ={})
    user_file.write_text('[index]\nsince = "soon"\n')
    with pytest.raises(ConfigError, match=r"config\.toml: index\.since must be a date .* not 'soon'"):
        config.load(environ={})
    user_file.unlink()
    with pytest.raises(ConfigError, match=r"^OHARA_FIND_K: find\.k must be .* not 'lots'"):
        config.load(environ={"OHARA_FIND_K": "lots"})
    with pytest.raises(ConfigError, match=r"^OHARA_INDEX_SINCE: index\.since must be a date .* not 'soon'"):
        config.load(environ={"OHARA_INDEX_SINCE": "soon"})
    with pytest.raises(ConfigError, match=r"^command line: find\.k must be"):
        config.load(environ={}, flags={"find.k": -1})


def test_broken_toml_names_the_file_and_the_line(user_file: Path) -> None:
    user_file.write_text("[find\nk = 1\n")
    with pytest.raises(ConfigError, match=r"config\.toml: not valid TOML: .*line 1"):
        config.load(environ={})


def test_a_user_file_that_cannot_be_read_is_an_error_not_a_default(user_file: Path) -> None:
    user_file.mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        config.load(environ={})


def test_an_unknown_variable_of_a_known_section_is_an_error() -> None:
    with pytest.raises(ConfigError, match="OHARA_FIND_KAY") as caught:
        config.load(environ={"OHARA_FIND_KAY": "3"})
    assert caught.value.hint == "did you mean OHARA_FIND_K?"


def test_other_variables_and_empty_ones_say_nothing() -> None:
    environ = {"OHARA_HOME": "/x", "OHARA_DEBUG": "1", "OHARA_FIND_K": "", "PATH": "/bin"}
    assert config.load(environ=environ).settings.find.k == 5


# -- a repository's file is a stranger's ---------------------------------------------------------


def test_a_repository_may_set_patterns_and_refs(repository: Path) -> None:
    (repository / ".ohara.toml").write_text('[index]\nignore = ["vendor/", "*.min.js"]\nrefs = ["main"]\n')
    loaded = config.load(repository=repository, environ={})
    assert loaded.settings.index.ignore == ("vendor/", "*.min.js")
    assert loaded.settings.index.refs == ("main",)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('[models]\nembedder = "/elsewhere/evil.onnx"\n', "models.embedder"),
        ("[index]\njobs = 200\n", "index.jobs"),
        ("[index]\nrepo_file = true\n", "index.repo_file"),
        ('[index]\nignore = ["ok"]\n[tui.keys]\nquit = "x"\n', "tui.keys"),
    ],
)
def test_anything_else_in_a_repository_s_file_is_refused(repository: Path, text: str, key: str) -> None:
    (repository / ".ohara.toml").write_text(text)
    with pytest.raises(ConfigError, match="may not set") as caught:
        config.load(repository=repository, environ={})
    assert f"a repository may not set {key}, only index.refs and index.ignore" in caught.value.message
    assert "OHARA_INDEX_REPO_FILE=false" in caught.value.hint
    assert config.load(repository=repository, environ={"OHARA_INDEX_REPO_FILE": "false"}).settings.find.k == 5


def test_a_user_can_choose_to_read_no_repository_s_file(user_file: Path, repository: Path) -> None:
    (repository / ".ohara.toml").write_text('[index]\nrefs = ["theirs"]\n')
    user_file.write_text("[index]\nrepo_file = false\n")
    assert config.load(repository=repository, environ={}).settings.index.refs == ()


def test_a_repository_cannot_point_at_another_file_or_block(repository: Path, tmp_path: Path) -> None:
    file = repository / ".ohara.toml"
    secret = tmp_path / "secret"
    secret.write_text("[index]\nrefs = ['stolen']\n")
    file.symlink_to(secret)
    with pytest.raises(ConfigError, match="not a regular file"):
        config.load(repository=repository, environ={})
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(ConfigError, match="not a regular file"):
        config.load(repository=repository, environ={})
    file.unlink()
    file.mkdir()
    with pytest.raises(ConfigError, match="not a regular file"):
        config.load(repository=repository, environ={})
    file.rmdir()
    file.write_text("#" * 70_000)
    with pytest.raises(ConfigError, match="at most 64 KiB"):
        config.load(repository=repository, environ={})


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_in_a_repository_s_file_load_or_are_refused(repository: Path, content: bytes) -> None:
    (repository / ".ohara.toml").write_bytes(content)
    try:
        loaded = config.load(repository=repository, environ={})
    except ConfigError as error:
        assert error.message.startswith(str(repository))  # noqa: PT017 - either end is fine, this is one
    else:
        assert loaded.settings.find == config.load(environ={}).settings.find


def test_endless_nesting_is_refused(repository: Path) -> None:
    (repository / ".ohara.toml").write_text("index = " + "[" * 60_000)
    with pytest.raises(ConfigError, match="not valid TOML"):
        config.load(repository=repository, environ={})


# -- where the repository's file is looked for ---------------------------------------------------


def test_the_work_tree_is_found_from_below_and_for_linked_ones(repository: Path, tmp_path: Path) -> None:
    deep = repository / "a" / "b"
    deep.mkdir(parents=True)
    assert config.work_tree(deep) == repository
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".git").write_text("gitdir: elsewhere\n")
    assert config.work_tree(linked) == linked


def test_the_default_file_is_the_user_s(user_file: Path) -> None:
    assert paths.config_file() == user_file
