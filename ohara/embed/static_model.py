"""The embedded static model: a table of token vectors and a weighted mean, on numpy and tokenizers alone.

A text's vector is the sum over its distinct tokens of log(1 + count) x weight x row, scaled to length
one; queries and documents have learnt weights of their own. Nothing is read until the first text comes, and
the library's tokeniser not until a word that is not ASCII does.
It never reads word order, and says nothing (a row of zeros) of a text without a known word.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain, pairwise
from threading import Lock
from typing import TYPE_CHECKING

from ohara.arrays import np
from ohara.embed.encoder import TextKind
from ohara.embed.model_text import raw_words, split_word
from ohara.embed.vocabulary import Vocabulary
from ohara.embed.weights import embedded_folder, read_manifest, read_tensors, read_verified
from ohara.errors import ModelError
from ohara.model import VectorForm
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from importlib.resources.abc import Traversable

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from ohara.embed.encoder import Matrix, ModelId

STATIC = "ohara-static"

# Words seen are remembered with their tokens; histories repeat a few ten thousand, and this bounds the rest.
REMEMBERED_WORDS = 200_000


class StaticEmbedder:
    """Embeds thousands of hunks a second from a token table."""

    def __init__(self, folder: Traversable | None = None) -> None:
        self._folder = folder if folder is not None else embedded_folder(STATIC)
        self._manifest = read_manifest(self._folder)
        self._loaded: _Loaded | None = None
        # Lanes and passes run on threads and share one embedder, and with it the memory of words.
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The name a person types in a setting."""
        return self._manifest.name

    @property
    def id(self) -> ModelId:
        """The name with the digest of the weights."""
        return self._manifest.id

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        return self._manifest.dimensions

    @property
    def form(self) -> VectorForm:
        """How an index keeps its vectors."""
        return self._manifest.form

    @property
    def centre(self) -> Matrix:
        """The mean of document vectors of the histories it was trained on."""
        return self._ready().centre

    def _ready(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._folder)
            return self._loaded

    def embed(self, texts: Sequence[str], kind: TextKind) -> Matrix:
        """Returns one row a text; identical texts are embedded once, and a row never depends on its batch."""
        return self.embed_joined([(text,) for text in texts], kind)

    def embed_joined(self, texts: Sequence[tuple[str, ...]], kind: TextKind) -> Matrix:
        """Returns one row a text of several parts; a part that several texts have is read once."""
        distinct = {text: index for index, text in enumerate(dict.fromkeys(texts))}
        loaded = self._ready()
        with self._lock:
            rows = loaded.embed(list(distinct), kind)
        if len(distinct) == len(texts):
            return rows
        return rows[[distinct[text] for text in texts]]


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The table as it is stored with the two weightings, and the words already turned into tokens."""

    table: NDArray[np.generic]
    weights: dict[TextKind, NDArray[np.float32]]
    words: _WordMemory
    centre: NDArray[np.float32]

    def embed(self, texts: Sequence[tuple[str, ...]], kind: TextKind) -> Matrix:
        weights = self.weights[kind]
        rows = np.zeros((len(texts), self.table.shape[1]), dtype=np.float32)
        # No word reaches over the end of a line, and so over that of a part.
        read = self.words.tokens(dict.fromkeys(chain.from_iterable(texts)))
        lengths = [sum([len(read[part]) for part in text]) for text in texts]
        spoken = chain.from_iterable([read[part] for text in texts for part in text])
        said = np.fromiter(spoken, dtype=np.int64, count=sum(lengths))
        # Each token of each text once: for all texts together, as one by one takes several times as long.
        said += np.repeat(np.arange(len(texts)) * len(self.table), lengths)
        distinct, counts = np.unique(said, return_counts=True)
        of_text, distinct = np.divmod(distinct, len(self.table))
        pull = np.log1p(counts.astype(np.float32)) * weights[distinct]
        bounds = np.searchsorted(of_text, np.arange(len(texts) + 1)).tolist()
        for row, (start, end) in zip(rows, pairwise(bounds), strict=True):
            if end > start:
                row[:] = pull[start:end] @ self.table[distinct[start:end]].astype(np.float32, copy=False)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        np.divide(rows, norms, out=rows, where=norms > 0)
        return rows


class _WordMemory(dict[str, tuple[int, ...]]):
    """Maps a word as written to its token ids, asking the tokeniser once for each new word."""

    def __init__(self, document: str) -> None:
        """A tokeniser is given as its JSON."""
        super().__init__()
        self._document = document
        vocabulary = Vocabulary.read(document)
        self._unknown = vocabulary.unknown
        self._parts = _PartMemory(vocabulary)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer  # costs start-up time that a question in ASCII must not pay

        return Tokenizer.from_str(self._document)

    def tokens(self, texts: Iterable[str]) -> dict[str, list[int]]:
        """The token ids of each text."""
        if len(self) > REMEMBERED_WORDS:
            self.clear()
            self._parts.clear()
        of_word = self.__getitem__
        return {text: list(chain.from_iterable(map(of_word, raw_words(text)))) for text in texts}

    def __missing__(self, word: str) -> tuple[int, ...]:
        # Parts of ASCII are what the tokeniser would make of them; each Han character it sets apart.
        if word.isascii():
            parts = split_word(word)
            found = self._parts[parts[0]] if len(parts) == 1 else self._joined(parts)
        elif all(map(_is_han, word)):
            return self._joined(split_word(word) and word)  # a sentence: it will not come again
        else:
            encoding = self._tokenizer.encode(" ".join(split_word(word)), add_special_tokens=False)
            found = tuple(token for token in encoding.ids if token != self._unknown)
        self[word] = found
        return found

    def _joined(self, parts: Iterable[str]) -> tuple[int, ...]:
        return tuple(chain.from_iterable(map(self._parts.__getitem__, parts)))


def _is_han(char: str) -> bool:
    """True for a Han character that compatibility forms leave alone."""
    return "\u4e00" <= char <= "\u9fff"


class _PartMemory(dict[str, tuple[int, ...]]):
    """Maps a part of a word to its token ids: words are new every day, their parts are not."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self._vocabulary = vocabulary

    def __missing__(self, part: str) -> tuple[int, ...]:
        found = self[part] = self._vocabulary.of(part)
        return found


def _load(folder: Traversable) -> _Loaded:
    """Reads and checks the weights; the int8 rows' scales are folded into both weightings."""
    manifest = read_manifest(folder)
    tensors = read_tensors(read_verified(folder, manifest, "model.safetensors"))
    try:
        table = tensors["table"]
        weights = {kind: tensors[f"{kind}_weights"].astype(np.float32) for kind in TextKind}
        is_centred = manifest.form is VectorForm.BIT
        centre = (
            tensors["centre"].astype(np.float32) if is_centred else np.zeros(table.shape[-1:], np.float32)
        )
    except KeyError as error:
        raise ModelError(
            f"the model {manifest.name} lacks the tensor {error}", hint="choose another embedder"
        ) from error
    if table.ndim != 2 or table.shape[1] != manifest.dimensions or centre.shape != table.shape[1:]:
        raise ModelError(
            f"the model {manifest.name} has another shape than it says", hint="choose another embedder"
        )
    words = _WordMemory(read_verified(folder, manifest, "tokenizer.json").decode())
    return _Loaded(table=table, weights=weights, words=words, centre=centre)
