"""The embedded static model, run for real, and small tables whose every number is known."""

from __future__ import annotations

import hashlib
import json
import math
import random
import string
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ohara.embed.encoder import TextKind
from ohara.embed.static_model import STATIC, StaticEmbedder
from ohara.embed.vocabulary import Vocabulary
from ohara.embed.weights import embedded_folder, read_manifest, read_tensors
from ohara.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

VOCABULARY = ["[UNK]", "red", "green", "##ish"]
ROWS = np.array([[0, 0], [127, 0], [0, 127], [127, 127]], dtype=np.int8)
QUERY = np.array([0, 1 / 127, 3 / 127, 1 / 127], dtype=np.float32)
DOCUMENT = np.array([0, 1 / 127, 1 / 127, 1 / 127], dtype=np.float32)


def safetensors(tensors: Mapping[str, NDArray[np.generic]]) -> bytes:
    header: dict[str, object] = {}
    blob = b""
    for name, array in tensors.items():
        kind = {"int8": "I8", "float32": "F32"}[str(array.dtype)]
        header[name] = {
            "dtype": kind,
            "shape": list(array.shape),
            "data_offsets": [len(blob), len(blob) + array.nbytes],
        }
        blob += array.tobytes()
    raw = json.dumps(header).encode()
    return len(raw).to_bytes(8, "little") + raw + blob


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model of four tokens in two dimensions."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    word_piece = models.WordPiece({word: index for index, word in enumerate(VOCABULARY)}, unk_token="[UNK]")  # noqa: S106
    tokenizer = Tokenizer(word_piece)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    tensors: dict[str, NDArray[np.generic]] = {
        "query_weights": QUERY,
        "document_weights": DOCUMENT,
        "table": ROWS,
    }
    (tmp_path / "model.safetensors").write_bytes(safetensors(tensors))
    write_manifest(tmp_path)
    return tmp_path


def write_manifest(folder: Path, **changes: object) -> None:
    names = ("tokenizer.json", "model.safetensors")
    files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    manifest = {
        "name": "tiny",
        "kind": "static-embedder",
        "dimensions": 2,
        "provisional": False,
        "licence": "none",
        "files": files,
    }
    (folder / "model.json").write_text(json.dumps(manifest | changes))


def test_a_vector_is_the_weighted_log_count_mean(folder: Path) -> None:
    (vector,) = StaticEmbedder(folder).embed(["red red red green"], TextKind.DOCUMENT)
    length = math.hypot(math.log(4), math.log(2))
    assert vector == pytest.approx([math.log(4) / length, math.log(2) / length], abs=1e-6)


def test_queries_and_documents_are_weighed_apart(folder: Path) -> None:
    embedder = StaticEmbedder(folder)
    (asked,) = embedder.embed(["red green"], TextKind.QUERY)
    (written,) = embedder.embed(["red green"], TextKind.DOCUMENT)
    assert asked == pytest.approx([1 / math.sqrt(10), 3 / math.sqrt(10)], abs=1e-6)
    assert written == pytest.approx([1 / math.sqrt(2), 1 / math.sqrt(2)], abs=1e-6)


def test_identifiers_are_split_and_pieces_looked_up(folder: Path) -> None:
    embedder = StaticEmbedder(folder)
    whole, split = embedder.embed(["redGreen_red", "red green red"], TextKind.DOCUMENT)
    assert whole.tolist() == split.tolist()
    (piece,) = embedder.embed(["greenish"], TextKind.DOCUMENT)
    assert piece == pytest.approx(np.array([1, 2]) / math.sqrt(5), abs=1e-6)


def test_a_text_without_a_known_word_is_zeros(folder: Path) -> None:
    rows = StaticEmbedder(folder).embed(["", "%%%", "blue", "red"], TextKind.QUERY)
    assert rows.tolist() == [[0, 0], [0, 0], [0, 0], [1, 0]]


def test_no_texts_give_no_rows(folder: Path) -> None:
    assert StaticEmbedder(folder).embed([], TextKind.QUERY).shape == (0, 2)


def test_a_row_does_not_depend_on_its_batch() -> None:
    embedder = StaticEmbedder()
    texts = [
        "def test_capture(monkeypatch): ...",
        "fix the crash",
        "def test_capture(monkeypatch): ...",
        "x = 1",
    ]
    together = embedder.embed(texts, TextKind.DOCUMENT)
    alone = np.concatenate([StaticEmbedder().embed([text], TextKind.DOCUMENT) for text in texts])
    assert together.tolist() == alone.tolist()
    assert together.dtype == np.float32
    assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(4), abs=1e-5)


def test_the_embedded_model_knows_that_words_are_related() -> None:
    embedder = StaticEmbedder()
    (query,) = embedder.embed(["delete a temporary directory"], TextKind.QUERY)
    near, far = (
        embedder.embed(["shutil.rmtree(tmp_dir)", "color = Style(bold=True)"], TextKind.DOCUMENT) @ query
    )
    assert near > far + 0.05


def test_the_embedded_model_is_what_its_card_says() -> None:
    folder = embedded_folder(STATIC)
    manifest = read_manifest(folder)
    tensors = read_tensors((folder / "model.safetensors").read_bytes())
    assert manifest.kind == "static-embedder"
    assert tensors["table"].shape[1] == manifest.dimensions == StaticEmbedder().dimensions
    assert sum(len((folder / file).read_bytes()) for file, _ in manifest.digests) < 16_000_000
    assert (folder / "CARD.md").is_file()
    assert StaticEmbedder().id.startswith("ohara-static@")


def test_a_changed_byte_is_refused(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x01")
    with pytest.raises(ModelError, match=r"tiny is damaged: model\.safetensors"):
        StaticEmbedder(folder).embed(["red"], TextKind.QUERY)


def test_other_weights_have_another_id(folder: Path) -> None:
    before = StaticEmbedder(folder).id
    (folder / "model.safetensors").write_bytes(
        safetensors({"query_weights": QUERY, "document_weights": QUERY, "table": ROWS})
    )
    write_manifest(folder)
    assert StaticEmbedder(folder).id != before


@pytest.mark.parametrize("changes", [{"dimensions": "many"}, {"files": 3}, {"files": None}])
def test_a_broken_manifest_is_one_clear_line(folder: Path, changes: dict[str, object]) -> None:
    write_manifest(folder, **changes)
    with pytest.raises(ModelError, match=r"unreadable model\.json"):
        StaticEmbedder(folder)


def test_a_missing_folder_is_not_installed(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="nowhere is not installed"):
        StaticEmbedder(tmp_path / "nowhere")


def test_weights_of_another_shape_are_refused(folder: Path) -> None:
    write_manifest(folder, dimensions=3)
    with pytest.raises(ModelError, match="another shape"):
        StaticEmbedder(folder).embed(["red"], TextKind.QUERY)


@pytest.mark.parametrize("damage", [b"", b"\xff" * 20, b"\x02\x00\x00\x00\x00\x00\x00\x00[]"])
def test_what_is_not_safetensors_is_refused(damage: bytes) -> None:
    with pytest.raises(ModelError, match="not a safetensors file"):
        read_tensors(damage)


def test_the_static_model_loads_neither_fastembed_nor_onnxruntime() -> None:
    code = (
        "import sys; from ohara.embed.static_model import StaticEmbedder;"
        "from ohara.embed.encoder import TextKind;"
        "e = StaticEmbedder(); e.embed(['retry x'], TextKind.QUERY);"
        "print({'fastembed', 'onnxruntime', 'tokenizers', 'torch', 'huggingface_hub'} & set(sys.modules));"
        "e.embed(['caf\u00e9'], TextKind.QUERY); print('tokenizers' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\nTrue\n"


def test_words_are_cut_into_the_pieces_that_the_library_finds() -> None:
    from tokenizers import Tokenizer

    document = (embedded_folder(STATIC) / "tokenizer.json").read_text(encoding="utf-8")
    model, vocabulary = Tokenizer.from_str(document).model, Vocabulary.read(document)
    chance = random.Random(20)  # noqa: S311
    letters = string.ascii_lowercase + string.digits + "_"
    words = ["".join(chance.choices(letters, k=chance.randint(1, 24))) for _ in range(3_000)]
    words += [word for word in json.loads(document)["model"]["vocab"] if word.isascii()][::7]
    words += ["a" * 100, "a" * 101, "", "\u4e2d", "na\u00efve", "unaffable", "[UNK]", "##ing"]
    for word in words:
        found = tuple(token.id for token in model.tokenize(word) if token.id != vocabulary.unknown)
        assert vocabulary.of(word) == found, word
    assert sum(len(vocabulary.of(word)) > 1 for word in words) > 1_000


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"model": {"vocab": {}}}'])
def test_what_is_no_vocabulary_is_refused(damage: str) -> None:
    with pytest.raises(ModelError, match="no vocabulary of word pieces"):
        Vocabulary.read(damage)


def test_a_process_that_embedded_can_fork_quietly() -> None:
    code = (
        "import os; from ohara.embed.static_model import StaticEmbedder;"
        "from ohara.embed.encoder import TextKind;"
        "e = StaticEmbedder(); e.embed([f'word{n} other' for n in range(5000)], TextKind.DOCUMENT);"
        "child = os.fork();"
        "e.embed(['new words here'], TextKind.QUERY);"
        "os._exit(0) if child == 0 else print(os.waitpid(child, 0)[1])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert (run.stdout, run.stderr) == ("0\n", "")
