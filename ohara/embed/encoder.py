"""The two protocols of models: an embedder (texts to vectors) and a reranker (pairs to scores).

Nothing here loads or computes. Lanes and stages use these protocols and do not depend on where the weights
come from.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NewType, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ohara.model import VectorForm

    Matrix = NDArray[np.float32]

ModelId = NewType("ModelId", str)
"""A model's name and the digest of its weights: what an index writes beside the vectors it holds.

Vectors are compared only when their ids are equal, so new weights under an old name are never mixed in.
"""


class TextKind(StrEnum):
    """Whether a text is a query or a document; models may treat the two differently."""

    QUERY = "query"
    DOCUMENT = "document"


class Kept(Protocol):
    """How an index keeps a model's vectors."""

    @property
    def form(self) -> VectorForm:
        """As bits, or as int8."""

    @property
    def centre(self) -> Matrix:
        """The mean of document vectors, where they are kept as bits; zeros elsewhere."""


class Embedder(Kept, Protocol):
    """Turns texts into unit vectors whose dot product says how alike they are."""

    @property
    def name(self) -> str:
        """The name a person types in a setting."""

    @property
    def id(self) -> ModelId:
        """The name with the digest of the weights."""

    @property
    def dimensions(self) -> int:
        """The length of every vector."""

    def embed(self, texts: Sequence[str], kind: TextKind) -> Matrix:
        """Returns one row a text, of length one, or of zeros when the text has no word the model knows."""

    def embed_joined(self, texts: Sequence[tuple[str, ...]], kind: TextKind) -> Matrix:
        """Returns what `embed` does of texts that consist of such parts, with a newline between them."""


class Reranker(Protocol):
    """Scores how well each document answers a query, reading both together."""

    @property
    def name(self) -> str:
        """The name a person types in a setting."""

    @property
    def id(self) -> ModelId:
        """The name with the digest of the weights."""

    def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Returns one score a document, larger is better; only their order and differences mean anything."""
