"""Downloads from a hub that runs on this machine: whole, cut off, resumed, damaged, refused."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

import pytest

from ohara import paths
from ohara.embed import catalog, download, installed
from ohara.embed.encoder import TextKind
from ohara.embed.hub import find_hub_model
from ohara.embed.weights import read_manifest
from ohara.errors import ModelError
from tests import onnx_bytes
from tests.model_hub import Hub, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("default")  # fastembed's dependencies warn as they are imported

NAME = "Xenova/ms-marco-MiniLM-L-6-v2"
EXTRA = "README.md"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes]:
    folder = onnx_bytes.write_folder(tmp_path / "cross", onnx_bytes.cross_encoder())
    names = ("tokenizer.json", "tokenizer_config.json", "config.json")
    found = {name: (folder / name).read_bytes() for name in names}
    return found | {"onnx/model.onnx": (folder / "model.onnx").read_bytes(), EXTRA: b"not needed"}


@pytest.fixture
def hub(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setattr(download, "_PAUSE_S", 0.0)
    monkeypatch.setattr(download, "_CHUNK_BYTES", 16)
    with serving(NAME, files) as one:
        monkeypatch.setenv("HF_ENDPOINT", one.url)
        yield one


def pull() -> list[download.Fetched]:
    return list(installed.install_pulled(download.look_up(find_hub_model(NAME))))


def pulled() -> Path:
    return paths.models_dir() / "pulled" / "xenova--ms-marco-minilm-l-6-v2"


def asked_for(hub: Hub, name: str) -> list[str]:
    return [span for path, span in hub.requests if path.endswith(f"/{name}")]


def test_a_pulled_model_runs_by_its_name(hub: Hub, files: dict[str, bytes]) -> None:
    moments = pull()
    wanted = sum(len(data) for name, data in files.items() if name != EXTRA)
    assert (moments[0].done_bytes, moments[-1].done_bytes) == (0, wanted)
    assert {moment.total_bytes for moment in moments} == {wanted}
    assert [one.done_bytes for one in moments] == sorted(one.done_bytes for one in moments)
    assert asked_for(hub, EXTRA) == []
    assert {file.relative_to(pulled()).as_posix() for file in pulled().rglob("*") if file.is_file()} == (
        set(files) - {EXTRA} | {"model.json"}
    )
    reranker = catalog.load_reranker(NAME.upper())
    assert reranker is not None
    assert reranker.name == NAME
    assert reranker.id.startswith(f"{NAME}@")
    assert reranker.score("one", ["two", "three"]) == [3.0, 4.0]
    entry = catalog.find_local(NAME.lower())
    assert entry is not None
    assert (entry.origin, entry.stage, entry.size_bytes) == ("pulled", "reranker", wanted)
    assert [one.name for one in catalog.all_models()].count(NAME) == 1


def test_a_pulled_embedder_of_fastembed_s_own_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = onnx_bytes.write_folder(tmp_path / "dense", onnx_bytes.embedder())
    source = "Qdrant/bge-small-en-v1.5-onnx-Q"
    files = {name: (folder / name).read_bytes() for name in ("tokenizer.json", "tokenizer_config.json")}
    with serving(source, files | {"model_optimized.onnx": (folder / "model.onnx").read_bytes()}) as one:
        monkeypatch.setenv("HF_ENDPOINT", one.url)
        list(installed.install_pulled(download.look_up(find_hub_model("BAAI/bge-small-en-v1.5"))))
    manifest = read_manifest(paths.models_dir() / "pulled" / "baai--bge-small-en-v1.5")
    assert (manifest.name, manifest.dimensions) == ("BAAI/bge-small-en-v1.5", 384)
    # The stand-in has two dimensions where the name promises 384: what does not fit is refused, not stored.
    embedder = catalog.load_embedder("BAAI/bge-small-en-v1.5")
    assert embedder is not None
    with pytest.raises(ModelError, match=r"the model BAAI/bge-small-en-v1\.5 cannot be run"):
        embedder.embed(["one"], TextKind.DOCUMENT)


def test_a_pulled_static_table_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "minishlab/potion-retrieval-32M"
    files = onnx_bytes.static_table(tmp_path / "static", dimensions=512)
    with serving(name, files) as one:
        monkeypatch.setenv("HF_ENDPOINT", one.url)
        list(installed.install_pulled(download.look_up(find_hub_model(name))))
    embedder = catalog.load_embedder(name)
    assert embedder is not None
    rows = embedder.embed(["one", "two", "one two"], TextKind.DOCUMENT)
    assert rows.shape == (3, 512)
    assert rows[0, 1] == pytest.approx(1.0)
    assert rows[1, 2] == pytest.approx(1.0)
    assert rows[2, 1] == pytest.approx(rows[2, 2])


def test_a_connection_that_breaks_is_taken_up_where_it_broke(hub: Hub) -> None:
    size = len(hub.files["onnx/model.onnx"])
    hub.cut_after = [40, 8]
    pull()
    assert asked_for(hub, "model.onnx") == ["", "bytes=40-", "bytes=48-"]
    assert (pulled() / "onnx/model.onnx").read_bytes() == hub.files["onnx/model.onnx"]
    assert size > 48


def test_a_later_run_goes_on_where_the_first_ended(hub: Hub) -> None:
    moments = installed.install_pulled(download.look_up(find_hub_model(NAME)))
    seen = [next(moments), next(moments), next(moments)]
    assert seen[-1].done_bytes == 32
    moments.close()  # type: ignore[attr-defined]  # a generator, killed in the middle
    assert catalog.find_local(NAME) is None
    again = pull()
    assert asked_for(hub, "model.onnx") == ["", "bytes=32-"]
    assert again[-1].done_bytes == again[-1].total_bytes
    assert (pulled() / "onnx/model.onnx").read_bytes() == hub.files["onnx/model.onnx"]


def test_finished_files_are_not_fetched_again(hub: Hub) -> None:
    hub.damage = "tokenizer.json"
    with pytest.raises(ModelError):
        pull()
    hub.damage = ""
    pull()
    assert asked_for(hub, "model.onnx") == [""]
    assert len(asked_for(hub, "tokenizer.json")) == 2


def test_a_server_that_knows_no_ranges_begins_again(hub: Hub) -> None:
    hub.cut_after = [40]
    hub.ranges = False
    pull()
    assert (pulled() / "onnx/model.onnx").read_bytes() == hub.files["onnx/model.onnx"]


@pytest.mark.parametrize("name", ["onnx/model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_refused_whatever_its_digest(hub: Hub, name: str) -> None:
    hub.damage = name
    with pytest.raises(ModelError, match=f"{name} arrived damaged") as caught:
        pull()
    assert caught.value.hint.startswith(f"when there is a network: ohara models pull {NAME}")
    assert catalog.find_local(NAME) is None


def test_a_connection_that_brings_nothing_is_given_up(hub: Hub) -> None:
    hub.cut_after = [0, 0, 0, 0]
    with pytest.raises(ModelError, match=r"the connection ended in the middle of onnx/model\.onnx"):
        pull()
    assert len(asked_for(hub, "model.onnx")) == 3


def test_a_newer_revision_is_not_put_behind_an_older_one(hub: Hub) -> None:
    moments = installed.install_pulled(download.look_up(find_hub_model(NAME)))
    next(moments), next(moments)
    moments.close()  # type: ignore[attr-defined]  # a generator, killed in the middle
    hub.files["onnx/model.onnx"] = hub.files["onnx/model.onnx"][::-1]
    pull()
    assert (pulled() / "onnx/model.onnx").read_bytes() == hub.files["onnx/model.onnx"]
    assert not list(pulled().glob("*.part"))


@pytest.mark.parametrize(
    ("status", "said"), [(404, "the hub answered 404"), (503, "the hub answered 503")], ids=str
)
def test_a_hub_that_refuses_is_quoted(hub: Hub, status: int, said: str) -> None:
    hub.status = status
    with pytest.raises(ModelError, match=said) as caught:
        pull()
    assert f"could not be downloaded from {hub.url}/{NAME}: " in caught.value.message


def test_a_hub_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ModelError, match="Connection refused") as caught:
        pull()
    assert "\n" not in caught.value.message


def test_a_listing_without_the_weights_is_refused(hub: Hub) -> None:
    del hub.files["onnx/model.onnx"]
    with pytest.raises(ModelError, match=r"the hub has no onnx/model\.onnx for it"):
        pull()


@pytest.mark.parametrize("endpoint", ["file:///etc", "ftp://hub", "hub.example"])
def test_a_mirror_is_a_web_address(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    with pytest.raises(ModelError, match="HF_ENDPOINT is no web address"):
        pull()


@pytest.mark.usefixtures("hub")
def test_two_downloads_of_one_model_do_not_mix() -> None:
    part = pulled().with_name(f".{pulled().name}.part")
    part.mkdir(parents=True)
    other = os.open(part, os.O_RDONLY)
    try:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ModelError, match="is being downloaded already"):
            pull()
    finally:
        os.close(other)
    pull()


@pytest.mark.usefixtures("hub")
def test_a_pulled_model_that_changed_on_disk_is_refused() -> None:
    pull()
    weights = pulled() / "onnx/model.onnx"
    weights.write_bytes(weights.read_bytes()[:-1])
    reranker = catalog.load_reranker(NAME)
    assert reranker is not None
    with pytest.raises(ModelError, match=r"is damaged: onnx/model\.onnx has changed") as caught:
        reranker.score("one", ["two"])
    assert caught.value.hint == f"ohara models remove {NAME}, then ohara models pull {NAME}"


def test_removing_frees_what_it_took(hub: Hub) -> None:
    pull()
    assert installed.remove_folder(NAME) > sum(len(data) for data in hub.files.values()) - 20
    assert catalog.find_local(NAME) is None
    with pytest.raises(ModelError, match="no model named"):
        installed.remove_folder(NAME)
