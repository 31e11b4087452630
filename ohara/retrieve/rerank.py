"""Reranks the first hits with a cross-encoder.

Its order alone makes results worse on diffs, so its score is blended with the fused one. When the model is
missing, switched off, too slow or broken, the fused order stays as it is and the report says why.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from ohara.embed.model_text import rerank_text
from ohara.errors import reason_of
from ohara.model import LaneReport, LaneStatus
from ohara.records import dataclass
from ohara.retrieve.run_lanes import PREPARE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ohara.embed.encoder import Reranker
    from ohara.store.answers import StoredHunk

NAME = "rerank"

# Reading pairs costs 5-8 ms each, and what stands below this place is as well left there: answers are no
# better when fifty are read.
DEPTH = 36


@dataclass(frozen=True, slots=True)
class Reranked:
    """The model's score of each hunk, between 0 and 1; None when it did not answer."""

    opinions: tuple[float, ...] | None
    report: LaneReport


def documents_of(words: str, rows: Sequence[StoredHunk], titles: Mapping[int, str]) -> list[str]:
    """What is read of each hunk: subject, path, symbol, and the changed lines nearest to the query.

    `titles` stand for the subjects of some commits.
    """
    return [
        rerank_text(
            words,
            titles.get(row.commit_id) or row.commit.subject,
            row.path,
            row.symbols[0] if row.symbols else "",
            row.body,
        )
        for row in rows
    ]


async def rerank(
    reranker: Callable[[], Reranker | None], words: str, documents: Sequence[str], *, timeout_s: float
) -> Reranked:
    """Score the query with each document."""
    started = time.perf_counter()

    def report(status: LaneStatus, detail: str = "", count: int = 0) -> LaneReport:
        return LaneReport(NAME, status, count, (time.perf_counter() - started) * 1_000, detail)

    if not documents:
        return Reranked(None, report(LaneStatus.EMPTY))
    try:
        with anyio.fail_after(max(timeout_s, PREPARE_S)):
            model = await anyio.to_thread.run_sync(reranker, abandon_on_cancel=True)
            if model is None:
                return Reranked(None, report(LaneStatus.OFF, "the reranker is switched off"))
            await anyio.to_thread.run_sync(
                model.score, words, [], abandon_on_cancel=True
            )  # reads the weights
        with anyio.fail_after(timeout_s):
            scores = await anyio.to_thread.run_sync(model.score, words, documents, abandon_on_cancel=True)
    except TimeoutError:
        return Reranked(None, report(LaneStatus.TIMEOUT, f"took longer than {timeout_s:g} s"))
    except Exception as fault:  # noqa: BLE001 - whatever ails a model, the fused order stands
        return Reranked(None, report(LaneStatus.FAILED, reason_of(fault)))
    return Reranked(squashed(scores), report(LaneStatus.OK, count=len(scores)))


def squashed(scores: Sequence[float]) -> tuple[float, ...]:
    """Scale scores to between 0 and 1, by these scores themselves: models differ in scale."""
    from statistics import fmean, pstdev  # which takes longer to load than to compute this

    middle, spread = fmean(scores), pstdev(scores) or 1.0
    return tuple(1.0 / (1.0 + math.exp(-(score - middle) / spread)) for score in scores)
