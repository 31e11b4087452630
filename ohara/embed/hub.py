"""The models that fastembed knows by name: what they are, how big, and where their files come from.

Only a list. Nothing here runs a model or reaches a network; `ohara.embed.download` fetches one, and what was
fetched is a folder like any other, opened without asking this list. Fastembed is imported inside functions.
"""

from __future__ import annotations

from ohara.embed.weights import ModelKind
from ohara.errors import ModelError
from ohara.records import dataclass
from ohara.suggest import nearest

# What a tokeniser may need beside the weights; a model has those of them that its hub lists.
TOKENISER_FILES = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")

LIST = "see `ohara models` for the names"


@dataclass(frozen=True, slots=True)
class HubModel:
    """A model that fastembed knows by name; `files` are what it cannot do without."""

    name: str
    kind: ModelKind
    dimensions: int
    size_bytes: int
    source: str
    files: tuple[str, ...]
    licence: str


def hub_models() -> tuple[HubModel, ...]:
    """Returns every embedder and cross-encoder that fastembed knows by name and that a hub holds."""
    from fastembed import TextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    found = [
        (ModelKind.EMBEDDER, entry, int(entry["dim"])) for entry in TextEmbedding.list_supported_models()
    ] + [(ModelKind.CROSS_ENCODER, entry, 0) for entry in TextCrossEncoder.list_supported_models()]
    return tuple(
        HubModel(
            name=str(entry["model"]),
            kind=kind,
            dimensions=dimensions,
            size_bytes=round(float(entry["size_in_GB"]) * 1e9),
            source=str(entry["sources"]["hf"]),
            files=(str(entry["model_file"]), *map(str, entry["additional_files"])),
            licence=str(entry["license"]),
        )
        for kind, entry, dimensions in found
        # A name with an @ is a folder's, which ohara told fastembed of itself.
        if entry["sources"]["hf"] and "@" not in str(entry["model"])
    )


def find_hub_model(name: str) -> HubModel:
    """Returns the hub model of that name, whatever its case."""
    known = {model.name.lower(): model for model in hub_models()}
    if found := known.get(name.lower()):
        return found
    meant = nearest(name.lower(), known, within=3)
    raise ModelError(
        f"there is no model named {name}", hint=f"did you mean {known[meant].name}?" if meant else LIST
    )
