"""`ohara models` as a person meets it: tiny real ONNX models, a hub on this machine, a terminal to ask at."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ohara.cli.main import main
from tests import onnx_bytes
from tests.model_hub import serving
from tests.process import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo
    from tests.model_hub import Hub

pytestmark = pytest.mark.filterwarnings("default")  # fastembed's dependencies warn as they are imported

# A folder with bge_small_en/ and reranker_en/; read here, because tests run without variables of ohara.
WEIGHTS = os.environ.get("OHARA_TEST_MODELS", "")

NAME = "Xenova/ms-marco-MiniLM-L-6-v2"


@pytest.fixture
def dense(tmp_path: Path) -> Path:
    return onnx_bytes.write_folder(tmp_path / "dense", onnx_bytes.embedder(8))


@pytest.fixture
def cross(tmp_path: Path) -> Path:
    return onnx_bytes.write_folder(tmp_path / "cross", onnx_bytes.cross_encoder())


@pytest.fixture
def hub(cross: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    files = {name: (cross / name).read_bytes() for name in ("tokenizer.json", "tokenizer_config.json")}
    with serving(NAME, files | {"onnx/model.onnx": (cross / "model.onnx").read_bytes()}) as one:
        monkeypatch.setenv("HF_ENDPOINT", one.url)
        yield one


class Ohara:
    """Runs command lines in this process, so that fastembed is imported once."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    def run(self, *arguments: str) -> tuple[int, str, str]:
        self._capture.readouterr()
        code = main(list(arguments))
        said = self._capture.readouterr()
        return code, said.out, said.err

    def well(self, *arguments: str) -> str:
        code, out, err = self.run(*arguments)
        assert (code, err) == (0, "")
        return out

    def refused(self, *arguments: str) -> str:
        code, out, err = self.run(*arguments)
        assert (code, out) == (2, "")
        return err


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Ohara:
    return Ohara(capsys)


# -- listing -------------------------------------------------------------------------------------


def test_the_list_says_what_there_is_and_what_serves(here: Ohara) -> None:
    lines = here.well("models").splitlines()
    assert lines[:2] == ["embedder  ohara-static", "reranker  ohara-cross"]
    (static,) = [line.split() for line in lines if "ohara-static " in line]
    assert static[:4] == ["*", "ohara-static", "embedder", "256"]
    (cross,) = [line.split() for line in lines if "ohara-cross " in line]
    assert cross[:4] == ["*", "ohara-cross", "reranker", "-"]
    (bge,) = [line.split() for line in lines if "BAAI/bge-small-en-v1.5" in line]
    assert bge == ["BAAI/bge-small-en-v1.5", "embedder", "384", "67.0", "MB", "available,", "mit"]
    listed = {line.split()[0] for line in lines if line.startswith("  ")}
    assert listed >= {"BAAI/bge-reranker-base", "minishlab/potion-retrieval-32M", NAME}


def test_the_list_as_json(here: Ohara, cross: Path) -> None:
    here.well("models", "add", str(cross), "--name", "mine")
    here.well("models", "use", "mine")
    document = json.loads(here.well("models", "--json"))
    assert document["schema"] == 1
    assert document["stages"] == {
        "embedder": {"setting": "embedded", "serving": "ohara-static", "note": ""},
        "reranker": {"setting": "mine", "serving": "mine", "note": ""},
    }
    by_name = {model["name"]: model for model in document["models"]}
    assert [name for name, model in by_name.items() if model["active"]] == ["ohara-static", "mine"]
    size = sum(file.stat().st_size for file in cross.iterdir())
    assert by_name["mine"] == {
        "name": "mine", "kind": "reranker", "origin": "added", "dimensions": None, "size_bytes": size,
        "licence": "unknown", "active": True, "provisional": False,
    }  # fmt: skip
    assert by_name[NAME]["origin"] == "available"


def test_a_folder_that_cannot_be_read_is_named_and_can_be_removed(
    here: Ohara, cross: Path, ohara_home: Path
) -> None:
    here.well("models", "add", str(cross))
    here.well("models", "use", "cross")
    (ohara_home / "data/models/added/cross/model.json").write_text("{}")
    listed = here.well("models").splitlines()
    reason = "the model cross has an unreadable model.json: 'name'"
    assert listed[1:3] == [
        "reranker  ohara-cross",
        f"  {reason}, the embedded one serves: ohara models remove cross",
    ]
    assert f"  cross: {reason} (ohara models remove cross)" in listed
    assert json.loads(here.well("models", "--json"))["broken"] == [{"name": "cross", "reason": reason}]
    here.well("models", "use", "none", "--reranker")
    assert here.well("models", "remove", "cross").startswith("removed cross, freed ")
    assert not any("cross:" in line for line in here.well("models").splitlines())


# -- pulling -------------------------------------------------------------------------------------


def test_pulling_asks_and_where_nobody_can_answer_refuses(here: Ohara, hub: Hub) -> None:
    said = here.refused("models", "pull", NAME)
    assert said.splitlines() == [
        f"{NAME}: a reranker, about 80 MB, licence apache-2.0, from {hub.url}/{NAME}",
        "ohara: nobody is there to be asked",
        "  hint: give --yes to download without asking",
    ]
    assert hub.requests == []


@pytest.mark.parametrize(("answer", "code"), [("n", 1), ("y", 0)])
def test_a_person_is_asked_on_a_terminal(hub: Hub, answer: str, code: int) -> None:
    leader, follower = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "ohara", "models", "pull", NAME.lower()],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=follower,
            stdout=subprocess.PIPE,
            stderr=follower,
            encoding="utf-8",
        )
        os.write(leader, f"{answer}\n".encode())
        out, _ = process.communicate(timeout=60)
        shown = os.read(leader, 65536).decode()
    finally:
        os.close(leader)
        os.close(follower)
    assert process.returncode == code
    assert "download it? [y/N]: " in shown
    assert bool(hub.requests) is (answer == "y")
    assert out == (f"pulled {NAME}; ohara models use {NAME} chooses it\n" if answer == "y" else "")


def test_a_pulled_model_can_be_used_and_removed(here: Ohara, hub: Hub) -> None:
    code, out, err = here.run("models", "pull", NAME, "--yes")
    assert (code, out) == (0, f"pulled {NAME}; ohara models use {NAME} chooses it\n")
    size = sum(map(len, hub.files.values())) / 1e6
    assert err.splitlines()[-1] == f"{NAME}: {size:.1f} of {size:.1f} MB"
    asked = len(hub.requests)
    assert (
        here.well("models", "pull", NAME) == f"{NAME} is here already; ohara models use {NAME} chooses it\n"
    )
    assert len(hub.requests) == asked
    here.well("models", "use", NAME.lower())
    assert json.loads(here.well("models", "--json"))["stages"]["reranker"]["serving"] == NAME
    assert f"{NAME} serves: models.reranker names it" in here.refused("models", "remove", NAME)
    here.well("models", "use", "none", "--reranker")
    assert here.well("models", "remove", NAME).startswith(f"removed {NAME}, freed ")
    assert "is not on this machine" in here.refused("models", "use", NAME)


def test_without_a_network_one_line_says_so_and_nothing_changes(
    here: Ohara, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, source, place = "BAAI/bge-small-en-v1.5", "Qdrant/bge-small-en-v1.5-onnx-Q", "http://127.0.0.1:9"
    monkeypatch.setenv("HF_ENDPOINT", place)
    before = here.well("models")
    said = here.refused("models", "pull", name, "--yes").splitlines()
    assert said[1:] == [
        f"ohara: {name} could not be downloaded from {place}/{source}: Connection refused",
        f"  hint: when there is a network: ohara models pull {name}; until then nothing changes",
    ]
    assert here.well("models") == before


# -- adding and using ----------------------------------------------------------------------------


def test_an_added_pair_indexes_and_finds(here: Ohara, dense: Path, cross: Path, small_project: Repo) -> None:
    code, out, err = here.run("models", "add", str(dense))
    assert (code, out) == (0, "added dense, an embedder of 8 dimensions; ohara models use dense chooses it\n")
    assert err.startswith("  the mean of its tokens is taken")
    assert (
        here.well("models", "add", str(cross))
        == "added cross, a reranker; ohara models use cross chooses it\n"
    )
    here.well("models", "use", "dense")
    here.well("models", "use", "cross")
    here.well("index", "-q", "--repo", str(small_project.path))
    _, found, err = here.run("find", "--no-daemon", "--json", "one retry", "--repo", str(small_project.path))
    document = json.loads(found)
    lanes = {lane["name"]: lane for lane in document["lanes"]}
    assert (lanes["vector"]["status"], lanes["rerank"]["status"]) == ("ok", "ok"), err
    assert lanes["vector"]["count"] > 0
    assert any(hit["rerank"] is not None for hit in document["hits"])


def test_none_switches_both_stages_off(here: Ohara, small_project: Repo) -> None:
    here.well("models", "use", "none", "--embedder")
    here.well("models", "use", "none", "--reranker")
    here.well("index", "-q", "--repo", str(small_project.path))
    found = here.well(
        "find", "--no-daemon", "--json", "retry with backoff", "--repo", str(small_project.path)
    )
    assert json.loads(found)["passes"]["vector"] == [0, 0]
    status = here.well("status", "--repo", str(small_project.path))
    assert "vector      off: there is no embedder (ohara models)\n" in status
    lanes = {lane["name"]: lane for lane in json.loads(found)["lanes"]}
    assert (lanes["vector"]["status"], lanes["vector"]["count"]) == ("empty", 0)
    assert lanes["rerank"]["status"] == "off"
    here.well("models", "use", "embedded", "--embedder")
    assert here.well("models").splitlines()[0] == "embedder  ohara-static"


def test_a_model_that_is_not_here_is_one_line_and_the_embedded_one_serves(
    here: Ohara, small_project: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OHARA_MODELS_EMBEDDER", "BAAI/bge-small-en-v1.5")
    line = (
        "the model BAAI/bge-small-en-v1.5 is not on this machine, the embedded one serves: "
        "ohara models pull BAAI/bge-small-en-v1.5"
    )
    repo = str(small_project.path)
    code, _, err = here.run("index", "--repo", repo)
    assert (code, err.splitlines().count(line)) == (0, 1)
    code, _, err = here.run("find", "--no-daemon", "retry with backoff", "--repo", repo)
    assert (code, err.splitlines().count(line)) == (0, 1)
    _, out, _ = here.run("find", "--no-daemon", "--json", "retry with backoff", "--repo", repo)
    (vector,) = [lane for lane in json.loads(out)["lanes"] if lane["name"] == "vector"]
    assert vector["status"] == "ok"
    listed = here.well("models").splitlines()
    assert listed[0] == "embedder  ohara-static"
    assert listed[2] == f"  {line}"
    _, _, err = here.run("find", "--no-daemon", '"retry"', "--repo", repo)
    assert line not in err


def test_a_variable_that_is_stronger_is_named(here: Ohara, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OHARA_MODELS_RERANKER", "none")
    code, _, err = here.run("models", "use", "none", "--reranker")
    assert code == 0
    assert err == "but OHARA_MODELS_RERANKER is set in the environment and is stronger\n"


def test_comments_in_the_settings_file_survive(here: Ohara, cross: Path, ohara_home: Path) -> None:
    file = ohara_home / "config" / "config.toml"
    file.parent.mkdir()
    file.write_text('# mine\n[models]\nreranker = "none"  # too slow\n\n[find]\nk = 7\n')
    here.well("models", "add", str(cross))
    assert here.well("models", "use", "cross") == f"{file}: models.reranker = cross\n"
    assert file.read_text() == '# mine\n[models]\nreranker = "cross"  # too slow\n\n[find]\nk = 7\n'


@pytest.mark.parametrize(
    ("arguments", "said", "hint"),
    [
        ("use none", "none may mean either stage", "ohara models use none --embedder, or --reranker"),
        ("use nothing", "there is no model named nothing", "see `ohara models` for the names"),
        (
            "use baai/bge-small-en-v1.5",
            "the model BAAI/bge-small-en-v1.5 is not on this machine",
            "ohara models pull BAAI/bge-small-en-v1.5",
        ),
        (
            "use ohara-static --reranker",
            "ohara-static is no reranker but one of the embedders",
            "leave the option out",
        ),
        (
            "pull BAAI/bge-reranker-bas",
            "there is no model named BAAI/bge-reranker-bas",
            "did you mean BAAI/bge-reranker-base?",
        ),
        (
            "add /nowhere",
            "/nowhere has no model.onnx",
            "a model folder holds model.onnx, tokenizer.json, tokenizer_config.json",
        ),
        (
            "remove ohara-static",
            "no model named ohara-static was added or pulled",
            "see `ohara models` for the names",
        ),
        ("use", "missing argument 'NAME'", "ohara models use -h"),
    ],
)
def test_bad_input_is_one_line_and_a_hint(here: Ohara, arguments: str, said: str, hint: str) -> None:
    assert here.refused("models", *arguments.split()) == f"ohara: {said}\n  hint: {hint}\n"


# -- real weights --------------------------------------------------------------------------------


@pytest.mark.skipif(not WEIGHTS, reason="OHARA_TEST_MODELS names no folder with real weights")
@pytest.mark.timeout(600)
def test_real_weights_rank_as_they_should(here: Ohara, small_project: Repo) -> None:
    from ohara.embed import catalog
    from ohara.embed.encoder import TextKind

    here.well("models", "add", f"{WEIGHTS}/bge_small_en", "--name", "bge-small-en", "--pooling", "cls")
    here.well("models", "add", f"{WEIGHTS}/reranker_en", "--name", "ms-marco-12")
    texts = ["try again after a pause when the server fails", "draw a red circle", "retry with backoff"]
    embedder, reranker = catalog.load_embedder("bge-small-en"), catalog.load_reranker("ms-marco-12")
    assert embedder is not None
    assert reranker is not None
    assert embedder.dimensions == 384
    rows = embedder.embed(texts, TextKind.DOCUMENT)
    assert rows[2] @ rows[0] > rows[2] @ rows[1] + 0.05
    scores = reranker.score("retry a failed request", texts)
    assert scores.index(min(scores)) == 1
    here.well("models", "use", "bge-small-en")
    here.well("models", "use", "ms-marco-12")
    here.well("index", "-q", "--max-commits", "5", "--repo", str(small_project.path))
    _, found, _ = here.run(
        "find", "--no-daemon", "--json", "retry with backoff", "--repo", str(small_project.path)
    )
    lanes = {lane["name"]: lane["status"] for lane in json.loads(found)["lanes"]}
    assert (lanes["vector"], lanes["rerank"]) == ("ok", "ok")
