"""Models that run through fastembed and onnxruntime, for real, on graphs whose every number is known."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ohara import paths
from ohara.embed import catalog, fastembed_models, hub
from ohara.embed.add_model import add_folder
from ohara.embed.encoder import TextKind
from ohara.embed.weights import ModelKind, Pooling
from ohara.errors import ModelError
from tests import onnx_bytes

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("default")  # fastembed's dependencies warn as they are imported


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, and a network that is an error to touch."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a model reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setenv("OHARA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def cross(tmp_path: Path) -> Path:
    return onnx_bytes.write_folder(tmp_path / "cross", onnx_bytes.cross_encoder())


@pytest.fixture
def dense(tmp_path: Path) -> Path:
    return onnx_bytes.write_folder(tmp_path / "dense", onnx_bytes.embedder())


def test_an_added_cross_encoder_scores_each_pair_by_itself(cross: Path) -> None:
    add_folder(cross, "summing", ModelKind.CROSS_ENCODER)
    reranker = catalog.load_reranker("summing")
    assert reranker is not None
    assert reranker.name == "summing"
    assert reranker.id.startswith("summing@")
    documents = ["one", "nine nine nine nine", "", "two three"] * 10
    assert reranker.score("one two", documents) == [4.0, 39.0, 3.0, 8.0] * 10
    assert reranker.score("one two", []) == []


def test_the_shipped_cross_encoder_scores_each_pair_as_fastembed_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    documents = [
        f"def test_{word}(): assert {word} == {length}\n" * length
        for length, word in enumerate(["fixture", "teardown", "request", "", "monkeypatch", "naïve 名前"], 1)
    ] * 4  # more than a batch, some longer than is read
    shipped = catalog.load_reranker("ohara-cross")
    assert shipped is not None
    found = shipped.score("fixture teardown order", documents)
    assert len(set(found)) > 5
    assert shipped.score("fixture teardown order", documents[3:8]) == found[3:8]
    monkeypatch.setattr(fastembed_models, "_is_shipped", lambda *_: False)
    other = catalog.load_reranker("ohara-cross")
    assert other is not None
    assert found == [other.score("fixture teardown order", [document])[0] for document in documents]


def test_a_first_answer_does_not_wait_for_fastembed() -> None:
    code = """if True:
        import sys
        from ohara.embed.catalog import load_reranker
        assert load_reranker("ohara-cross").score("one", ["two"])
        assert "fastembed" not in sys.modules"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_prepared_cross_encoder_reads_split_words(cross: Path) -> None:
    add_folder(cross, "splitting", ModelKind.CROSS_ENCODER)
    folder = paths.models_dir() / "added" / "splitting"
    manifest = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(manifest | {"prepared": True}))
    reranker = catalog.load_reranker("splitting")
    assert reranker is not None
    assert reranker.score("oneTwo", ["threeFour(five)"]) == [15.0]


def test_an_added_embedder_gives_unit_vectors_and_zeros_for_nothing(dense: Path) -> None:
    add_folder(dense, "pairs", ModelKind.EMBEDDER, dimensions=2)
    embedder = catalog.load_embedder("pairs")
    assert embedder is not None
    assert (embedder.name, embedder.dimensions) == ("pairs", 2)
    rows = embedder.embed(["three", "one five", "  ", "three"], TextKind.DOCUMENT)
    assert rows.dtype == np.float32
    # Ids 1 and 5 have the mean 3: the same vector as the single id 3.
    assert rows == pytest.approx(
        np.array([[3, 1], [3, 1], [0, 0], [3, 1]]) / np.sqrt([[10], [10], [1], [10]]), abs=1e-6
    )
    assert embedder.embed([], TextKind.QUERY).shape == (0, 2)


def test_pooling_is_the_folder_s_own(dense: Path) -> None:
    add_folder(dense, "first", ModelKind.EMBEDDER, dimensions=2, pooling=Pooling.CLS)
    embedder = catalog.load_embedder("first")
    assert embedder is not None
    assert embedder.embed(["one five"], TextKind.QUERY)[0] == pytest.approx(
        np.array([1, 1]) / np.sqrt(2), abs=1e-6
    )


def test_a_changed_byte_is_refused(cross: Path) -> None:
    add_folder(cross, "changed", ModelKind.CROSS_ENCODER)
    weights = paths.models_dir() / "added" / "changed" / "model.onnx"
    weights.write_bytes(weights.read_bytes() + b"\x00")
    reranker = catalog.load_reranker("changed")
    assert reranker is not None
    with pytest.raises(ModelError, match=r"changed is damaged: model\.onnx has changed") as caught:
        reranker.score("one", ["two"])
    assert caught.value.hint == "ohara models remove changed, then add it again"


def test_what_is_no_onnx_model_is_one_clear_line_and_leaves_nothing(cross: Path, home: Path) -> None:
    (cross / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelError, match="the model rubbish cannot be run: ") as caught:
        add_folder(cross, "rubbish", ModelKind.CROSS_ENCODER)
    assert "\n" not in caught.value.message
    assert not list(home.rglob("*rubbish*"))


def test_an_embedder_is_no_reranker(dense: Path) -> None:
    add_folder(dense, "dense", ModelKind.EMBEDDER, dimensions=2)
    with pytest.raises(ModelError, match="dense is of the kind embedder, not cross-encoder"):
        catalog.load_reranker("dense")


@pytest.mark.parametrize("name", ["BAAI/bge-small-en-v1.5", "minishlab/potion-retrieval-32M"])
def test_a_hub_embedder_that_was_not_pulled_names_the_command(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ModelError, match="is not on this machine") as caught:
        catalog.load_embedder(name)
    assert caught.value.hint == f"ohara models pull {name}"
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["BAAI/bge-reranker-base", "Xenova/ms-marco-MiniLM-L-6-v2"])
def test_a_hub_reranker_that_was_not_pulled_names_the_command(name: str) -> None:
    with pytest.raises(ModelError, match="is not on this machine") as caught:
        catalog.load_reranker(name)
    assert caught.value.hint == f"ohara models pull {name}"


def test_an_unknown_name_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ModelError, match="the model nobody/nothing is not on this machine"):
        catalog.load_embedder("nobody/nothing")
    with pytest.raises(ModelError, match="there is no model named nobody"):
        catalog.load_embedder("nobody")
    with pytest.raises(ModelError, match=r"the model \.\./\.\./etc is not on this machine"):
        catalog.load_reranker("../../etc")
    with pytest.raises(ModelError, match="there is no model named BAAI/bge-reranker-bas") as caught:
        hub.find_hub_model("BAAI/bge-reranker-bas")
    assert caught.value.hint == "did you mean BAAI/bge-reranker-base?"
    assert capfd.readouterr().err == ""


def test_the_reference_models_are_known_with_what_they_are() -> None:
    known = {model.name: model for model in hub.hub_models()}
    assert known["BAAI/bge-small-en-v1.5"].dimensions == 384
    assert known["BAAI/bge-small-en-v1.5"].files == ("model_optimized.onnx",)
    assert known["BAAI/bge-reranker-base"].kind is ModelKind.CROSS_ENCODER
    assert known["minishlab/potion-retrieval-32M"].dimensions == 512
    assert 50_000_000 < known["Xenova/ms-marco-MiniLM-L-6-v2"].size_bytes < 200_000_000
    assert hub.find_hub_model("xenova/ms-marco-minilm-l-6-v2").source == "Xenova/ms-marco-MiniLM-L-6-v2"


def test_a_folder_that_ran_is_not_taken_for_a_hub_model(cross: Path) -> None:
    add_folder(cross, "mine", ModelKind.CROSS_ENCODER)
    assert not [model.name for model in hub.hub_models() if "mine" in model.name]


def test_none_switches_a_stage_off() -> None:
    assert catalog.load_embedder("none") is None
    assert catalog.load_reranker("none") is None


@pytest.mark.parametrize("name", ["none", "embedded", "ohara-static", "../up", "a/b", ".hidden", "x" * 65])
def test_some_names_cannot_be_added(cross: Path, name: str) -> None:
    with pytest.raises(ModelError, match="cannot be a model's name"):
        add_folder(cross, name, ModelKind.CROSS_ENCODER)


def test_adding_says_what_is_missing_and_keeps_nothing(cross: Path, home: Path) -> None:
    (cross / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"has no tokenizer\.json"):
        add_folder(cross, "half", ModelKind.CROSS_ENCODER)
    assert not list(home.rglob("*half*"))


def test_a_name_is_added_once(cross: Path) -> None:
    add_folder(cross, "twice", ModelKind.CROSS_ENCODER)
    with pytest.raises(ModelError, match="a model named twice already"):
        add_folder(cross, "twice", ModelKind.CROSS_ENCODER)


def test_what_a_folder_is_is_read_from_its_graph(cross: Path, dense: Path) -> None:
    scorer, vectors = add_folder(cross), add_folder(dense)
    assert (scorer.manifest.name, scorer.manifest.kind) == ("cross", ModelKind.CROSS_ENCODER)
    assert scorer.manifest.dimensions == 0
    assert scorer.assumed == ""
    assert (vectors.manifest.name, vectors.manifest.kind) == ("dense", ModelKind.EMBEDDER)
    assert (vectors.manifest.dimensions, vectors.manifest.pooling) == (2, Pooling.MEAN)
    assert vectors.assumed.startswith("the mean of its tokens is taken")


def test_pooling_is_read_where_sentence_transformers_writes_it(dense: Path) -> None:
    (dense / "1_Pooling").mkdir()
    (dense / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    added = add_folder(dense)
    assert (added.manifest.pooling, added.assumed) == (Pooling.CLS, "")


def test_the_layout_of_the_hub_is_understood(cross: Path) -> None:
    (cross / "onnx").mkdir()
    (cross / "model.onnx").rename(cross / "onnx" / "model_quantized.onnx")
    add_folder(cross, "hubwise")
    reranker = catalog.load_reranker("hubwise")
    assert reranker is not None
    assert reranker.score("one", ["two"]) == [3.0]


def test_a_folder_with_several_models_is_not_guessed_at(cross: Path) -> None:
    (cross / "model.onnx").rename(cross / "a.onnx")
    (cross / "b.onnx").write_bytes((cross / "a.onnx").read_bytes())
    with pytest.raises(ModelError, match=r"holds several models: a\.onnx, b\.onnx"):
        add_folder(cross)


def test_wrong_dimensions_are_refused(dense: Path) -> None:
    with pytest.raises(ModelError, match="have 2 dimensions, not 384"):
        add_folder(dense, "shapeless", ModelKind.EMBEDDER, dimensions=384)


def test_local_models_are_listed_without_fastembed(cross: Path) -> None:
    add_folder(cross, "listed", ModelKind.CROSS_ENCODER)
    code = (
        "import sys; from ohara.embed import catalog;"
        "print([(entry.name, str(entry.origin)) for entry in catalog.local_models()]);"
        "catalog.load_embedder('embedded'); catalog.load_reranker('listed');"
        "print({'fastembed', 'onnxruntime', 'tokenizers'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    listed, loaded = run.stdout.splitlines()
    assert "('ohara-static', 'embedded')" in listed
    assert "('listed', 'added')" in listed
    assert loaded == "set()"


def test_saying_which_model_serves_loads_none(dense: Path) -> None:
    add_folder(dense, "vectors", ModelKind.EMBEDDER)
    code = (
        "import sys; from ohara.embed.identity import embedder_identity;"
        "print(embedder_identity('vectors').dimensions, embedder_identity('embedded').dimensions,"
        " embedder_identity('BAAI/bge-small-en-v1.5').name);"
        "print({'fastembed', 'numpy', 'onnxruntime', 'tokenizers', 'urllib.request'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "2 256 embedded\nset()\n"


def test_only_a_pull_can_reach_a_network() -> None:
    code = (
        "import sys; from ohara.embed import add_model, catalog, fastembed_models, hub, identity, installed;"
        "import ohara.embed.static_model;"
        "hub.hub_models(); print('ohara.embed.download' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout == "False\n"


@pytest.mark.parametrize("threads", [0, 1])
def test_threads_are_bounded(dense: Path, threads: int) -> None:
    add_folder(dense, "bounded", ModelKind.EMBEDDER)
    embedder = catalog.load_embedder("bounded", threads=threads)
    assert isinstance(embedder, fastembed_models.FastEmbedder)
    embedder.embed(["one"], TextKind.DOCUMENT)
    model = embedder._model
    session = model.model.model.get_session_options()  # type: ignore[union-attr]  # fastembed's own layers
    assert 1 <= session.intra_op_num_threads <= (threads or fastembed_models.MAX_THREADS)
    assert session.inter_op_num_threads <= (threads or fastembed_models.MAX_THREADS)


def test_texts_of_like_length_run_together(dense: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_folder(dense, "batched", ModelKind.EMBEDDER)
    embedder = catalog.load_embedder("batched")
    assert isinstance(embedder, fastembed_models.FastEmbedder)
    embedder.embed([], TextKind.DOCUMENT)
    model = embedder._model
    assert model is not None
    run, batches = model.passage_embed, []

    def watched(texts: list[str]) -> object:
        batches.append([len(text) for text in texts])
        return run(texts)

    monkeypatch.setattr(model, "passage_embed", watched)
    texts = ["one " * (1 + place * 7 % 40) for place in range(40)]
    rows = embedder.embed([*texts, *texts], TextKind.DOCUMENT)
    assert len(rows) == 80
    assert [len(batch) for batch in batches] == [16, 16, 8]
    assert [length for batch in batches for length in batch] == sorted(map(len, texts))
