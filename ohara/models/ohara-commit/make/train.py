"""Train the commit encoder: what people say of a commit should find the digest of what it did.

    nice -n 19 python train.py PAIRS_DIR RUN_DIR --init BASE [--tokenizer FILE] [--layers 0,2,4] [--steps N --cooldown N]
        [--tune PAIRS.jsonl.gz --questions FILE.json]

One thread, matrices in bfloat16, the table of words as it was. Batches come from one repository; they are made of little families of
commits that touch the same file at about the same time, so that a repository's own vocabulary does not
help. The loss is symmetrical over the batch; older digests of the repository are further negatives. A twentieth of the commits, chosen by sha,
is never trained on and gives the learning curve. A checkpoint every three minutes and on SIGTERM; the same
command goes on from it; waits while PAUSE exists beside RUN_DIR.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import json
import os
import random
import signal
import sys
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional as F

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parent), str(HERE.parents[4]), str(HERE.parents[2] / "ohara-static" / "make")]
from corpus import TRAIN  # noqa: E402
from digest import LAZY, query_text, subject_text  # noqa: E402
from encoder import Encoder, base, embed, padded, tokenizer_of, tokens  # noqa: E402
from lexical_prior import Prior  # noqa: E402

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FAMILIES, FAMILY = 16, 4
QUERY_TOKENS, DOCUMENT_TOKENS = 40, 96
MEMORY = 384
WARMUP = 50
EMA = 0.99
CHECKPOINT_S = 180
SHOWN = 0.2
# This many queries are answered without the lexical score, so that the encoder stands alone as well.
HIDDEN = 0.25
NEAR = 100
HOTTEST = 50.0  # unbounded, it rose while the loss stood still
ASK = (
    "how did we {}",
    "when did we {}",
    "where do we {}",
    "why did we {}",
    "commit where {}",
    "{}?",
    "how to {}",
)


@dataclass(slots=True)
class Commit:
    """One commit as text."""

    sha: str
    subject: str
    queries: list[str]
    digest: str
    paths: list[str]


class Repository:
    """A history's commits, and which of them touched a file."""

    def __init__(self, file: Path) -> None:
        with gzip.open(file, "rt", encoding="utf-8") as stream:
            rows = [Commit(**json.loads(line)) for line in stream]
        held = [int(row.sha[:2], 16) < 13 for row in rows]
        self.name = file.name.split(".")[0]
        self.held = [row for row, out in zip(rows, held, strict=True) if out]
        self.commits = [row for row, out in zip(rows, held, strict=True) if not out]
        self.of_path: dict[str, list[int]] = {}
        for number, row in enumerate(self.commits):
            for path in row.paths:
                self.of_path.setdefault(path, []).append(number)
        self.memory: deque[tuple[Commit, torch.Tensor]] = deque(maxlen=MEMORY)
        self.prior = Prior(row.digest for row in rows)

    def batch(self, chance: random.Random) -> list[Commit]:
        """Families of commits that touched one file at about one time."""
        chosen: dict[int, None] = {}
        while len(chosen) < FAMILIES * FAMILY:
            seed = chance.randrange(len(self.commits))
            chosen[seed] = None
            near = self.of_path[chance.choice(self.commits[seed].paths)]
            if len(near) > 1:
                at = near.index(seed)
                around = [n for n in near[max(0, at - 8) : at + 9] if n not in chosen]
                chosen.update(dict.fromkeys(chance.sample(around, min(FAMILY - 1, len(around)))))
        return [self.commits[number] for number in list(chosen)[: FAMILIES * FAMILY]]


def query_of(commit: Commit, chance: random.Random) -> tuple[str, bool]:
    """Something to ask for a commit, and whether it is its subject."""
    place = chance.randrange(len(commit.queries)) if chance.random() < 0.6 else 0
    text = commit.queries[place]
    roll = chance.random()
    words = text.split()
    if roll < 0.12:
        text = chance.choice(ASK).format(text[:1].lower() + text[1:])
    elif roll < 0.3 and len(words) > 4:
        keep = sorted(chance.sample(range(len(words)), chance.randint(3, max(3, len(words) * 2 // 3))))
        text = " ".join(words[at] for at in keep)
    return text, place == 0


def document_of(commit: Commit, *, shown: bool, chance: random.Random) -> str:
    """The digest; sometimes with the subject, or a lazy one, before it."""
    roll = chance.random()
    if roll < SHOWN:
        subject = commit.subject if shown and roll < SHOWN / 2 else chance.choice(LAZY)
        return f"{subject_text(subject)} . {commit.digest}"
    return commit.digest


class Judge:
    """The learning curve: held-out commits among their own kind, and the tuning repository's questions."""

    def __init__(
        self, repositories: list[Repository], tokenizer: Tokenizer, tune: Path | None, questions: Path | None
    ) -> None:
        chance = random.Random(0)
        self.held = []
        for repository in repositories:
            rows = repository.held[:]
            chance.shuffle(rows)
            rows = rows[:32]
            asked = tokens(tokenizer, [query_text(chance.choice(row.queries)) for row in rows], QUERY_TOKENS)
            self.held.append((asked, tokens(tokenizer, [row.digest for row in rows], DOCUMENT_TOKENS)))
        self.tuned = None
        if tune and questions:
            with gzip.open(tune, "rt", encoding="utf-8") as stream:
                rows = [json.loads(line) for line in stream]
            places = {row["sha"]: place for place, row in enumerate(rows)}
            asked = [
                (text, [places[a] for a in answers if a in places])
                for text, answers in json.loads(questions.read_text())[:200]
            ]
            kept = sorted(
                {place for _, answers in asked for place in answers}
                | set(chance.sample(range(len(rows)), 800))
            )
            at = {place: number for number, place in enumerate(kept)}
            self.tuned = (
                tokens(tokenizer, [query_text(text) for text, _ in asked], QUERY_TOKENS),
                tokens(tokenizer, [rows[place]["digest"] for place in kept], DOCUMENT_TOKENS),
                [[at[place] for place in answers] for _, answers in asked],
                Prior(row["digest"] for row in rows).scores(
                    [text for text, _ in asked], [rows[place]["digest"] for place in kept]
                ),
            )

    def look(self, model: Encoder) -> dict[str, float]:
        """Mean reciprocal ranks."""
        found = []
        for asked, told in self.held:
            near = embed(model, asked) @ embed(model, told).T
            found += [1.0 / (1 + int((row > row[place]).sum())) for place, row in enumerate(near)]
        out = {"held_mrr": float(np.mean(found))}
        if self.tuned:
            asked, told, answers, lexical = self.tuned
            near = embed(model, asked) @ embed(model, told).T
            last = np.sort(near)[:, -NEAR, None]
            added = lexical + np.clip((near - last) / (near.max(1, keepdims=True) - last), 0, 1)
            for title, scores in (("tune", near), ("words", lexical), ("both", added)):
                ranks = np.array(
                    [
                        1 + int((row > row[right].max()).sum()) if right else 10_000
                        for row, right in zip(scores, answers, strict=True)
                    ]
                )
                out[f"{title}_mrr"] = float(np.where(ranks <= 10, 1.0 / ranks, 0.0).mean())
                out[f"{title}_at_50"] = float((ranks <= 50).mean())
        return out


def contrast(  # noqa: PLR0917
    queries: torch.Tensor,
    documents: torch.Tensor,
    commits: list[Commit],
    repository: Repository,
    heat: torch.Tensor,
    lexical: torch.Tensor,
) -> torch.Tensor:
    """How far each query is from its own digest, and each digest from its own query.

    `lexical` is what the words say of the batch's and the older digests, in the measure of the logits.
    """
    same = torch.tensor([[left is not right and alike(left, right) for right in commits] for left in commits])
    older = [vector for _, vector in repository.memory]
    known = {commit.sha for commit in commits}
    near = queries @ torch.cat([documents, *([torch.stack(older)] if older else [])]).T * heat + lexical
    again = torch.tensor([commit.sha in known for commit, _ in repository.memory], dtype=torch.bool)
    wide = near.masked_fill(torch.cat([same, again.expand(len(commits), -1)], dim=1), -1e4)
    target = torch.arange(len(commits))
    logits = wide[:, : len(commits)]
    return (F.cross_entropy(wide, target) + F.cross_entropy(logits.T, target)) / 2


def alike(left: Commit, right: Commit) -> bool:
    """Whether one commit's query would be answered by the other as well."""
    return left.digest == right.digest or bool(set(left.queries) & set(right.queries))


def rate_at(step: int, given: argparse.Namespace) -> float:
    """The rate of learning: it rises at first, and falls at the end if there is one."""
    rate = given.rate * min(1.0, (step + 1) / WARMUP)
    return rate * min(1.0, (given.steps - step) / given.cooldown) if given.cooldown else rate


def wait(pause: Path, stop: list[bool]) -> None:
    """Do nothing while somebody needs the machine."""
    while pause.exists() and not stop[0]:
        time.sleep(1)


def follow(mean: dict[str, torch.Tensor], model: Encoder, keep: float) -> None:
    """Let the running mean of the weights follow them."""
    with torch.no_grad():
        for name, value in model.named_parameters():
            if value.requires_grad:
                mean[name].lerp_(value, 1 - keep)


def main() -> None:
    """Train until told to stop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--init", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path)
    parser.add_argument("--layers", default="0,2,4")
    parser.add_argument("--pooling", default="mean")
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--steps", type=int, default=10**9)
    parser.add_argument(
        "--cooldown", type=int, default=0, help="the rate falls to zero over the last N of --steps"
    )
    parser.add_argument(
        "--trust", type=float, default=0.0, help="what the lexical score counts at first; 0: never"
    )
    parser.add_argument("--check-every", type=int, default=200)
    parser.add_argument("--tune", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--from", dest="start", type=Path, help="another run's checkpoint to begin with")
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

    repositories = [Repository(given.pairs / f"{name}.jsonl.gz") for name in sorted(TRAIN)]
    share = np.array([len(one.commits) for one in repositories]) ** 0.5
    tokenizer = tokenizer_of(given.init, given.tokenizer)
    judge = Judge(repositories, tokenizer, given.tune, given.questions)
    model = base(given.init, [int(layer) for layer in given.layers.split(",")], given.pooling)
    model.bert.words.weight.requires_grad_(requires_grad=False)
    heat = torch.nn.Parameter(torch.tensor(np.log(20.0), dtype=torch.float32))
    trust = torch.nn.Parameter(torch.tensor(given.trust), requires_grad=given.trust > 0)
    learnt = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for p in learnt if p.dim() > 1], "weight_decay": 0.01},
            {"params": [p for p in learnt if p.dim() <= 1], "weight_decay": 0.0},
            {"params": [heat], "weight_decay": 0.0, "boost": 20.0},
            {"params": [trust], "weight_decay": 0.0, "boost": 100.0},
        ],
        lr=given.rate,
        betas=(0.9, 0.98),
    )
    mean = {name: value.clone() for name, value in model.state_dict().items()}
    # All in bfloat16, weights too: a fifth faster than autocast; the exact weights are kept beside.
    rounded = copy.deepcopy(model).bfloat16()

    def copy_rounded() -> None:
        with torch.no_grad():
            for exact, near in zip(model.parameters(), rounded.parameters(), strict=True):
                if exact.requires_grad:
                    near.copy_(exact)

    step, spent = 0, 0.0
    file = given.run / "checkpoint.pt"
    source = file if file.exists() else given.start
    if source:
        saved = torch.load(source, weights_only=True)
        model.load_state_dict(saved["model"])
        optimiser.load_state_dict(saved["optimiser"])
        mean, step, spent = saved["mean"], saved["step"], saved["spent"]
        with torch.no_grad():
            heat.copy_(saved["heat"])
            trust.copy_(saved["trust"])
        copy_rounded()
    say(step=step, commits=sum(len(one.commits) for one in repositories), pid=os.getpid())

    def save() -> None:
        state = {
            "model": model.state_dict(), "optimiser": optimiser.state_dict(), "mean": mean, "heat": heat.detach(), "step": step,
            "trust": trust.detach(), "spent": spent, "layers": given.layers, "pooling": given.pooling,
        }  # fmt: skip
        torch.save(state, file.with_suffix(".part"))
        file.with_suffix(".part").rename(file)

    def check() -> None:
        kept = {name: value.clone() for name, value in model.state_dict().items()}
        model.load_state_dict(mean)
        say(step=step, minutes=spent / 60, **judge.look(model))
        model.load_state_dict(kept)

    model.train()
    if step == 0:
        check()
    last_save, losses = time.time(), []
    while not stop[0] and step < given.steps:
        wait(pause, stop)
        began = time.time()
        chance = random.Random(step)
        repository = chance.choices(repositories, share)[0]
        commits = repository.batch(chance)
        asked, told = [], []
        for commit in commits:
            text, is_subject = query_of(commit, chance)
            asked.append(query_text(text))
            told.append(document_of(commit, shown=not is_subject, chance=chance))
        rows = tokens(tokenizer, told, DOCUMENT_TOKENS)
        order = np.argsort([len(row) for row in rows], kind="stable")
        half = len(order) // 2
        queries = rounded(*padded(tokens(tokenizer, asked, QUERY_TOKENS)))
        parts = [rounded(*padded([rows[at] for at in part])) for part in (order[:half], order[half:])]
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.from_numpy(order)] = torch.arange(len(order))
        documents = torch.cat(parts)[back]
        others = [commit.digest for commit, _ in repository.memory]
        lexical = torch.zeros(len(commits), len(commits) + len(others))
        if given.trust:
            scores = repository.prior.scores(asked, [commit.digest for commit in commits] + others)
            hidden = torch.tensor([chance.random() < HIDDEN for _ in commits])
            lexical = torch.from_numpy(scores).masked_fill(hidden[:, None], 0.0) * trust
        loss = contrast(queries, documents, commits, repository, heat.exp().clamp(max=HOTTEST), lexical)
        repository.memory.extend(zip(commits, documents.detach(), strict=True))
        rounded.zero_grad(set_to_none=True)
        heat.grad = trust.grad = None
        loss.backward()
        for exact, near in zip(model.parameters(), rounded.parameters(), strict=True):
            exact.grad = None if near.grad is None else near.grad.float()
        torch.nn.utils.clip_grad_norm_(learnt, 1.0)
        rate = rate_at(step, given)
        for part in optimiser.param_groups:
            part["lr"] = rate * part.get("boost", 1.0)
        optimiser.step()
        copy_rounded()
        step += 1
        follow(mean, model, min(EMA, 1 - 1 / (step + 1)))
        spent += time.time() - began
        losses.append(float(loss.detach()))
        if step % 25 == 0:
            say(
                step=step,
                loss=float(np.mean(losses)),
                minutes=spent / 60,
                heat=float(heat.detach().exp()),
                trust=float(trust.detach()),
                cpu=time.process_time() / 60,
            )
            losses = []
        if step % given.check_every == 0:
            check()
        if time.time() - last_save > CHECKPOINT_S:
            save()
            last_save = time.time()
    save()
    if step >= given.steps:
        check()


if __name__ == "__main__":
    main()
