"""Train the cross-encoder on groups, in the background, for as long as it is left to run.

    nice -n 19 python train.py GROUPS_DIR RUN_DIR --init BASE [--layers 0,1,2] [--steps N] [--cooldown N] [--minutes N]

BASE is a base model, or what `pretrained.py` made of a `model.onnx` of ours, to train that one further (`--layers` is then not
asked). With `--minutes` the clock ends the run, and the rate falls to zero over the last quarter of them.

One thread, matrices in bfloat16, the table of words as it was. A checkpoint is written every four minutes and on SIGTERM or SIGINT; the same command goes on
from it. While PAUSE exists beside RUN_DIR's parent it waits. The loss is a softmax over each group of
model score + a x BM25 prior with `a` learnt, the prior hidden in a quarter of the groups: the model learns
what the lexical order does not know, since its score is only ever blended with that order.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parent))
from model import CrossEncoder, from_base

MICRO = 32
CHECKPOINT_S = 240
PRIOR_SHOWN = 0.75


class Groups:
    """All training groups in one shuffled order that depends only on the epoch."""

    def __init__(self, folder: Path, held_out: str, *, batch: int = 8) -> None:
        parts = [
            np.load(file)
            for file in sorted(folder.glob("*.npz"))
            if ".tmp" not in file.name and file.stem != held_out
        ]
        self.ids = np.concatenate([part["ids"] for part in parts])
        self.lengths = np.concatenate([part["lengths"] for part in parts])
        self.split = np.concatenate([part["split"] for part in parts])
        self.prior = np.concatenate([part["prior"] for part in parts])
        self._batch = batch
        self._epoch = -1
        self._order = np.arange(0)

    def __len__(self) -> int:
        return len(self.ids)

    def at(self, step: int) -> np.ndarray:
        """The group numbers of one step."""
        per_epoch = len(self) // self._batch
        epoch, place = divmod(step, per_epoch)
        if epoch != self._epoch:
            self._epoch, self._order = epoch, np.random.default_rng(epoch).permutation(len(self))
        return self._order[place * self._batch : (place + 1) * self._batch]


def scores(model: CrossEncoder, groups: Groups, chosen: np.ndarray) -> torch.Tensor:
    """Model scores (groups, 8), pairs of like length run together."""
    size = groups.ids.shape[1]
    ids = groups.ids[chosen].reshape(len(chosen) * size, -1)
    lengths = groups.lengths[chosen].reshape(-1)
    split = groups.split[chosen].reshape(-1)
    order = np.argsort(lengths, kind="stable")
    parts = []
    for start in range(0, len(order), MICRO):
        rows = order[start : start + MICRO]
        width = int(lengths[rows].max())
        places = np.arange(width)
        batch = torch.from_numpy(ids[rows, :width].astype(np.int64))
        mask = torch.from_numpy((places[None] < lengths[rows, None]).astype(np.int64))
        second = (places[None] >= split[rows, None]) & (places[None] < lengths[rows, None])
        types = torch.from_numpy((second & model.has_types).astype(np.int64))
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=model.training):
            parts.append(model(batch, mask, types)[:, 0].float())
    flat = torch.cat(parts)
    back = torch.empty(len(order), dtype=torch.long)
    back[torch.from_numpy(order)] = torch.arange(len(order))
    return flat[back].view(len(chosen), size)


def freeze(model: CrossEncoder, layers: int) -> None:
    """Leave the table of words as it is, and the first layers with all that is below them."""
    still = [model.bert.words]
    if layers:
        still += [model.bert.positions, model.bert.types, model.bert.norm, *model.bert.layers[:layers]]
    for part in still:
        part.requires_grad_(requires_grad=False)


def held_out_quality(model: CrossEncoder, groups: Groups, pull: float) -> dict[str, float]:
    """On groups of the tuning repository: answer first by the model, by the prior, by both; loss of both."""
    model.eval()
    with torch.inference_mode():
        mine = torch.cat(
            [scores(model, groups, np.arange(s, min(s + 16, len(groups)))) for s in range(0, len(groups), 16)]
        )
    model.train()
    prior = torch.from_numpy(groups.prior)
    both = mine + pull * prior
    target = torch.zeros(len(mine), dtype=torch.long)

    def first(values: torch.Tensor) -> float:
        return float((values[:, 0] > values[:, 1:].max(1).values).float().mean())

    best = min(float(F.cross_entropy(scale * prior, target)) for scale in (2, 4, 6, 8, 12))
    return {
        "model": first(mine),
        "prior": first(prior),
        "both": first(both),
        "loss": float(F.cross_entropy(both, target)),
        "prior_loss": best,
    }


def main() -> None:
    """Train until told to stop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("groups", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--init", type=Path, required=True)
    parser.add_argument("--layers", default="0,1,2")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--steps", type=int, default=10**9)
    parser.add_argument(
        "--cooldown", type=int, default=0, help="the rate falls to zero over the last N of --steps"
    )
    parser.add_argument("--batch", type=int, default=8, help="groups a step")
    parser.add_argument("--warmup", type=int, default=150, help="steps")
    parser.add_argument("--frozen", type=int, default=0, help="layers that stay as they are")
    parser.add_argument("--ema", type=float, default=0.995)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--held-out", default="pytest-dev+pytest")
    parser.add_argument("--check-every", type=int, default=400)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    given.run.mkdir(parents=True, exist_ok=True)
    pause = given.run.parent / "PAUSE"
    stop = [False]
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.__setitem__(0, True))
    log = (given.run / "log.jsonl").open("a")

    def say(**values: float) -> None:
        log.write(json.dumps({key: round(value, 4) for key, value in values.items()}) + "\n")
        log.flush()

    groups = Groups(given.groups, given.held_out, batch=given.batch)
    held = Groups.__new__(Groups)
    data = np.load(given.groups / f"{given.held_out}.npz")
    held.ids, held.lengths, held.split, held.prior = (
        data[key][:240] for key in ("ids", "lengths", "split", "prior")
    )
    model = from_base(given.init, [int(layer) for layer in given.layers.split(",")], given.dropout)
    freeze(model, given.frozen)
    pull = torch.nn.Parameter(torch.tensor(4.0))
    learnt = [p for p in model.parameters() if p.requires_grad]
    decayed = [p for p in learnt if p.dim() > 1]
    plain = [p for p in learnt if p.dim() <= 1]
    optimiser = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}, {"params": [pull], "weight_decay": 0.0, "boost": 100.0}],
        lr=given.rate,
        betas=(0.9, 0.98),
    )  # fmt: skip
    mean = {name: value.clone() for name, value in model.state_dict().items()}
    step, spent, started = 0, 0.0, time.time()
    file = given.run / "checkpoint.pt"
    if file.exists():
        saved = torch.load(file, weights_only=True)
        model.load_state_dict(saved["model"])
        optimiser.load_state_dict(saved["optimiser"])
        mean, step, spent = saved["mean"], saved["step"], saved["spent"]
        started = saved["started"]
        with torch.no_grad():
            pull.copy_(saved["pull"])
    say(step=step, groups=len(groups), resumed=float(step > 0), pid=os.getpid())

    def save() -> None:
        state = {
            "model": model.state_dict(),
            "optimiser": optimiser.state_dict(),
            "mean": mean,
            "pull": pull.detach(),
            "step": step,
            "spent": spent,
            "started": started,
        }
        torch.save(state, file.with_suffix(".part"))
        file.with_suffix(".part").rename(file)

    def check() -> None:
        kept = {name: value.clone() for name, value in model.state_dict().items()}
        model.load_state_dict(mean)
        say(
            step=step,
            minutes=spent / 60,
            pull=float(pull.detach()),
            **held_out_quality(model, held, float(pull.detach())),
        )
        model.load_state_dict(kept)

    model.train()
    last_save, running, seen = time.time(), 0.0, 0
    while not stop[0] and step < given.steps and (gone := (time.time() - started) / 60) < given.minutes:
        while pause.exists() and not stop[0]:
            time.sleep(1)
        began = time.time()
        chosen = groups.at(step)
        shown = torch.from_numpy(
            (np.random.default_rng((step, 1)).random(len(chosen)) < PRIOR_SHOWN).astype(np.float32)
        )
        prior = torch.from_numpy(groups.prior[chosen])
        loss = F.cross_entropy(
            scores(model, groups, chosen) + pull * shown[:, None] * prior,
            torch.zeros(len(chosen), dtype=torch.long),
        )
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learnt, 1.0)
        rate = given.rate * min(1.0, (step + 1) / given.warmup)
        if given.cooldown:
            rate *= min(1.0, (given.steps - step) / given.cooldown)
        rate *= min(1.0, max(0.0, (1 - gone / given.minutes) * 4))
        for part in optimiser.param_groups:
            part["lr"] = rate * part.get("boost", 1.0)
        optimiser.step()
        step += 1
        keep = min(given.ema, 1 - 1 / (step + 1))
        with torch.no_grad():
            for name, value in model.named_parameters():
                if value.requires_grad:
                    mean[name].lerp_(value, 1 - keep)
        spent += time.time() - began
        running, seen = running + float(loss.detach()), seen + 1
        if step % 25 == 0:
            say(step=step, loss=running / seen, minutes=spent / 60, pull=float(pull.detach()))
            running, seen = 0.0, 0
        if step % given.check_every == 0:
            check()
        if time.time() - last_save > CHECKPOINT_S:
            save()
            last_save = time.time()
    save()
    if not stop[0]:
        check()


if __name__ == "__main__":
    main()
