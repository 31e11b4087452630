"""Train the table contrastively: a commit's words should find its hunks among those of its repository.

    nice -n 19 python train.py PAIRS_DIR DISTILLED.npz RUN_DIR [--seed 0] [--steps 3000] [--teacher TEACHER_DIR --follow .5]

One thread, minutes. Batches come from one repository at a time, so that repository-wide words do not
help; each commit brings one query and a few hunks, joined by log-sum-exp; tokens are dropped at random
on both sides. A checkpoint every four minutes and on SIGTERM; the same command goes on from it; waits
while PAUSE exists beside RUN_DIR. Writes RUN_DIR/trained.npz for export.py.

With `--teacher` (`teacher.py`) only the commits and queries that the teacher read are drawn, and a share of the loss is how
far the table's opinion of the batch is from the teacher's.
"""

from __future__ import annotations

import argparse
import signal
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

DROP_QUERY, DROP_DOCUMENT = 0.3, 0.2


class Repository:
    """One repository's bags."""

    def __init__(self, file: Path, teacher: Path | None = None) -> None:
        data = np.load(file)
        self.tokens, self.weights, self.starts, self.spans = (
            data[key] for key in ("tokens", "weights", "starts", "spans")
        )
        read = np.load(teacher / file.name) if teacher else {}
        self.teacher = {key: read[key] for key in read}

    def draw(
        self, most: int, chance: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, torch.Tensor | None]:
        """Spans of some commits, a query bag of each, and the teacher's likeness of each query to each commit."""
        commits = self.teacher.get("commits", np.arange(len(self.spans)))
        drawn = chance.choice(len(commits), min(most, len(commits)), replace=False)
        spans = self.spans[commits[drawn]]
        if not self.teacher:
            first, middle, _ = spans.T
            return spans, first + (chance.random(len(spans)) * (middle - first)).astype(np.int64), None
        side = chance.integers(0, 2, len(drawn))
        asked, told = self.teacher["asked"][drawn, side], self.teacher["told"][drawn]
        alike = torch.from_numpy(asked.astype(np.float32) @ told.astype(np.float32).T)
        return spans, self.teacher["bags"][drawn, side], alike

    def bags(
        self, numbers: np.ndarray, drop: float, chance: np.random.Generator
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Tokens, weights and offsets of some bags, with tokens dropped."""
        lengths = self.starts[numbers + 1] - self.starts[numbers]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(self.starts[numbers] - offsets[:-1], lengths) + np.arange(offsets[-1])
        weights = self.weights[places] * (chance.random(len(places)) >= drop)
        return (
            torch.from_numpy(self.tokens[places].astype(np.int64)),
            torch.from_numpy(weights.astype(np.float32)),
            torch.from_numpy(offsets[:-1]),
        )


class Table(torch.nn.Module):
    """The table with two weightings, as ohara pools it."""

    def __init__(self, table: np.ndarray, weights: np.ndarray) -> None:
        super().__init__()
        self.table = torch.nn.Parameter(torch.from_numpy(table))
        logs = torch.from_numpy(np.log(np.maximum(weights, 1e-3)))
        self.query = torch.nn.Parameter(logs.clone())
        self.document = torch.nn.Parameter(logs.clone())
        self.heat = torch.nn.Parameter(torch.tensor(3.0))
        self.lexical = torch.nn.Parameter(torch.tensor(4.0))

    def forward(
        self, bags: tuple[torch.Tensor, torch.Tensor, torch.Tensor], logs: torch.Tensor
    ) -> torch.Tensor:
        tokens, weights, offsets = bags
        pooled = F.embedding_bag(
            tokens, self.table, offsets, mode="sum", per_sample_weights=weights * logs[tokens].exp()
        )
        return F.normalize(pooled, dim=1)


def apart(logits: torch.Tensor, opinion: torch.Tensor) -> torch.Tensor:
    """How far the table is from its teacher: Kullback-Leibler, from queries to commits and back."""
    there, back = (
        F.kl_div(ours.log_softmax(1), theirs.log_softmax(1), reduction="batchmean", log_target=True)
        for ours, theirs in ((logits, opinion), (logits.T, opinion.T))
    )
    return (there + back) / 2


def words_shared(
    repository: Repository, queries: np.ndarray, hunks: np.ndarray, rarity: np.ndarray
) -> torch.Tensor:
    """A BM25 of each query against each hunk of the batch, over the query's best."""
    wanted = np.zeros((len(queries), len(rarity)), dtype=np.float32)
    for row, bag in enumerate(queries):
        tokens = repository.tokens[repository.starts[bag] : repository.starts[bag + 1]]
        wanted[row, tokens] = rarity[tokens]
    spans = [slice(repository.starts[bag], repository.starts[bag + 1]) for bag in hunks]
    size = np.array([np.expm1(repository.weights[span]).sum() for span in spans])
    size = 1.2 * (0.25 + 0.75 * size / size.mean())
    tokens = np.concatenate([repository.tokens[span] for span in spans])
    count = np.expm1(np.concatenate([repository.weights[span] for span in spans]))
    row = np.repeat(np.arange(len(spans)), [span.stop - span.start for span in spans])
    weight = (count * 2.2 / (count + size[row])).astype(np.float32)
    found = torch.sparse_csr_tensor(
        torch.from_numpy(np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(spans)))])),
        torch.from_numpy(tokens.astype(np.int64)), torch.from_numpy(weight), size=(len(spans), len(rarity)),
    )  # fmt: skip
    scores = (found @ torch.from_numpy(wanted.T.copy())).T
    return scores / scores.max(1, keepdim=True).values.clamp(min=1e-6)


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", type=Path)
    parser.add_argument("distilled", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=3_000)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--weight-rate", type=float, default=1e-2)
    parser.add_argument(
        "--power", type=float, default=0.5, help="repositories are drawn by their commits to this power"
    )
    parser.add_argument("--batch", type=int, default=384, help="commits a step")
    parser.add_argument("--hunks", type=int, default=2, help="hunks a commit, drawn with replacement")
    parser.add_argument(
        "--residual",
        type=float,
        default=0.0,
        help="share of steps in which a BM25 of the batch is part of the score",
    )
    parser.add_argument("--heat-rate", type=float, default=1e-2)
    parser.add_argument("--hold", type=float, default=0.0, help="pull of the rows back to the distilled ones")
    parser.add_argument("--teacher", type=Path, help="vectors of `teacher.py`")
    parser.add_argument("--follow", type=float, default=0.5, help="share of the loss that is the teacher's")
    parser.add_argument("--teacher-heat", type=float, default=35.0)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    given.run.mkdir(parents=True, exist_ok=True)
    pause = given.run.parent / "PAUSE"
    stop = [False]
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.__setitem__(0, True))
    repositories = [Repository(file, given.teacher) for file in sorted(given.pairs.glob("*.npz"))]
    share = np.array([len(repository.spans) for repository in repositories], dtype=float) ** given.power
    share /= share.sum()
    start = np.load(given.distilled)
    model = Table(start["table"], start["weights"])
    rarity = np.log(1 + start["weights"] / (1.001 - np.minimum(start["weights"], 1.0))).astype(np.float32)
    origin = model.table.detach().clone()
    optimiser = torch.optim.Adam(
        [
            {"params": [model.table], "base": given.rate},
            {"params": [model.query, model.document], "base": given.weight_rate},
            {"params": [model.heat, model.lexical], "base": given.heat_rate},
        ],
        lr=given.rate,
    )
    file = given.run / "checkpoint.pt"
    step = 0
    if file.exists():
        saved = torch.load(file, weights_only=True)
        model.load_state_dict(saved["model"])
        optimiser.load_state_dict(saved["optimiser"])
        step = saved["step"]

    def save() -> None:
        torch.save(
            {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": step},
            file.with_suffix(".part"),
        )
        file.with_suffix(".part").rename(file)

    last, running, began = time.time(), [], time.time()
    while step < given.steps and not stop[0]:
        while pause.exists() and not stop[0]:
            time.sleep(1)
        chance = np.random.default_rng((given.seed, step))
        repository = repositories[chance.choice(len(repositories), p=share)]
        chosen, queries, alike = repository.draw(given.batch, chance)
        _, middle, end = chosen.T
        drawn = middle + (chance.random((given.hunks, len(chosen))) * (end - middle)).astype(np.int64)
        asked = model(repository.bags(queries, DROP_QUERY, chance), model.query)
        told = model(repository.bags(drawn.reshape(-1), DROP_DOCUMENT, chance), model.document)
        both = (asked @ told.T) * model.heat.exp()
        if chance.random() < given.residual:
            both = both + model.lexical * words_shared(repository, queries, drawn.reshape(-1), rarity)
        count = len(chosen)
        logits = torch.logsumexp(both.view(count, given.hunks, count), dim=1)
        target = torch.arange(count)
        loss = (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2
        if alike is not None:
            loss = (1 - given.follow) * loss + given.follow * apart(logits, alike * given.teacher_heat)
        total = loss + given.hold * ((model.table - origin) ** 2).sum(1).mean() if given.hold else loss
        optimiser.zero_grad(set_to_none=True)
        total.backward()
        fall = min(1.0, (step + 1) / 50) * (0.5 + 0.5 * np.cos(np.pi * step / given.steps))
        for part in optimiser.param_groups:
            part["lr"] = part["base"] * fall
        optimiser.step()
        step += 1
        running.append(float(loss.detach()))
        if step % 100 == 0:
            print(
                step,
                f"loss {np.mean(running):.3f} heat {float(model.heat.detach().exp()):.1f} lexical {float(model.lexical.detach()):.1f} {time.time() - began:.0f} s",
                flush=True,
            )
            running = []
        if time.time() - last > 240:
            save()
            last = time.time()
    save()
    if step >= given.steps:
        # Rows of length one: int8 then costs every row the same, and the lengths move into the weights.
        table = model.table.detach().numpy()
        lengths = np.linalg.norm(table, axis=1)
        np.savez(
            given.run / "trained.npz",
            table=table / lengths[:, None],
            query_weights=(model.query.detach().exp().numpy() * lengths).astype(np.float32),
            document_weights=(model.document.detach().exp().numpy() * lengths).astype(np.float32),
        )


if __name__ == "__main__":
    main()
