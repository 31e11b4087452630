"""What `ohara models` prints: the model in use for each of the two stages, then every model; text or JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ohara import config
from ohara.embed.catalog import (
    NONE,
    ModelEntry,
    ModelSource,
    Stage,
    all_models,
    broken_models,
    meant_by,
    serving_embedder,
    serving_reranker,
)
from ohara.records import dataclass
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SERVES = {Stage.EMBEDDER: serving_embedder, Stage.RERANKER: serving_reranker}


@dataclass(frozen=True, slots=True)
class StageState:
    """The setting of a stage, the model in use (None when the stage is off), and why if they differ."""

    stage: Stage
    setting: str
    serving: str
    note: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Both stages, all models, and the model folders that cannot be read, with the reason."""

    stages: tuple[StageState, ...]
    models: tuple[ModelEntry, ...]
    broken: Mapping[str, str]

    def is_active(self, entry: ModelEntry) -> bool:
        """True when this model is in use now."""
        return entry.origin is not ModelSource.AVAILABLE and any(
            state.serving.lower() == entry.name.lower() for state in self.stages if state.stage is entry.stage
        )


def read() -> Listing:
    """Read all models and which of them are in use, by the settings in force."""
    models = config.load().settings.models
    stages: list[StageState] = []
    for stage, setting in ((Stage.EMBEDDER, models.embedder), (Stage.RERANKER, models.reranker)):
        serving = _SERVES[stage](setting)
        name = meant_by(serving.name, stage)
        stages.append(StageState(stage, setting, "" if name == NONE else name, serving.note))
    return Listing(tuple(stages), all_models(), broken_models())


def as_lines(listing: Listing) -> str:
    """A line for each stage, then the models in two groups: installed, and available to pull."""
    lines = [f"{state.stage}  {sanitize(state.serving) or 'switched off'}" for state in listing.stages]
    lines += [f"  {sanitize(state.note)}" for state in listing.stages if state.note]
    here = [entry for entry in listing.models if entry.origin is not ModelSource.AVAILABLE]
    others = [entry for entry in listing.models if entry.origin is ModelSource.AVAILABLE]
    width = max(len(entry.name) for entry in listing.models)
    lines += ["", "on this machine (* serves)", *_rows(listing, here, width)]
    lines += [
        f"  {sanitize(name)}: {sanitize(reason)} (ohara models remove {sanitize(name)})"
        for name, reason in listing.broken.items()
    ]
    lines += ["", "to be had: ohara models pull NAME", *_rows(listing, others, width)]
    return "\n".join(lines)


def _rows(listing: Listing, entries: Iterable[ModelEntry], width: int) -> Iterable[str]:
    for entry in entries:
        mark = "*" if listing.is_active(entry) else " "
        dimensions = str(entry.dimensions) if entry.dimensions else "-"
        size = f"{entry.size_bytes / 1e6:,.1f} MB"
        state = "embedded, provisional" if entry.provisional else str(entry.origin)
        yield (
            f"{mark} {sanitize(entry.name):<{width}}  {entry.stage:<8}  {dimensions:>5}  {size:>10}  {state}"
            f", {sanitize(entry.licence)}"
        )


def as_json(listing: Listing) -> str:
    """The whole listing as one JSON object."""
    document = {
        "schema": 1,
        "stages": {
            state.stage: {
                "setting": state.setting,
                "serving": state.serving or None,
                "note": state.note,
            }
            for state in listing.stages
        },
        "models": [
            {
                "name": entry.name,
                "kind": entry.stage,
                "origin": entry.origin,
                "dimensions": entry.dimensions or None,
                "size_bytes": entry.size_bytes,
                "licence": entry.licence,
                "active": listing.is_active(entry),
                "provisional": entry.provisional,
            }
            for entry in listing.models
        ],
        "broken": [{"name": name, "reason": reason} for name, reason in listing.broken.items()],
    }
    return json.dumps(document, indent=2)
