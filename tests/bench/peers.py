"""What git alone can do with the same question: the tools people have today.

Nobody types a whole sentence into `git log -S`; a practised person picks its most telling word. Here that is
the rarest one in the history, which flatters git: a person has to guess it.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ohara.words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
_GREP_WORDS = 3  # --grep is cheap enough to ask for a few words and rank by how many are there
_TIMEOUT_S = 300.0


@dataclass(frozen=True, slots=True)
class Answer:
    """The commits a system names, best first, and how long that took; `fault` says why there are none."""

    commits: tuple[str, ...]
    elapsed_ms: float
    fault: str = ""


@dataclass(frozen=True, slots=True)
class WordCounts:
    """In how many commits each word of some queries occurs: in changed lines, and in messages."""

    changed: Counter[str]
    messages: Counter[str]


def count_words(repo: Path, texts: Iterable[str], pathspecs: Sequence[str] = ()) -> WordCounts:
    """One pass over the history, counting only words that some query holds."""
    wanted = {word for text in texts for word in words_of(text)}
    counts = WordCounts(Counter(), Counter())
    command = ["git", "-C", str(repo), "log", "-p", "-U0", "--no-merges", "--format=%x01%B%x02", "--"]
    command += pathspecs
    with subprocess.Popen(command, stdout=subprocess.PIPE) as stream:
        assert stream.stdout is not None
        held = b""
        while block := stream.stdout.read(2**24):
            *whole, held = (held + block).split(b"\x01")
            for commit in whole:
                _count(commit, wanted, counts)
        _count(held, wanted, counts)
    if stream.returncode:
        raise RuntimeError(f"git log -p failed on {repo}")
    return counts


def _count(commit: bytes, wanted: set[str], counts: WordCounts) -> None:
    message, _, diff = commit.decode("utf-8", "replace").partition("\x02")
    counts.messages.update(wanted & set(_WORD.findall(message)))
    counts.changed.update(wanted & set(_WORD.findall(diff)))


def words_of(text: str) -> list[str]:
    """The words of a query that could tell a change from others, each once."""
    return list(dict.fromkeys(word for word in _WORD.findall(text) if word.lower() not in STOP_WORDS))


def rarest(text: str, counts: Counter[str], limit: int) -> list[str]:
    """The words of a query that fewest commits hold, but some do."""
    known = [word for word in words_of(text) if counts[word]]
    return sorted(known, key=lambda word: (counts[word], word))[:limit]


@dataclass(frozen=True, slots=True)
class GitPickaxe:
    """`git log -S` or `-G` on the rarest word, newest first as git prints."""

    repo: Path
    counts: WordCounts
    option: str
    pathspecs: tuple[str, ...] = ()

    def ask(self, text: str) -> Answer:
        """Run it."""
        words = rarest(text, self.counts.changed, 1)
        if not words:
            return Answer((), 0.0, "no word of the query is in the history")
        return _log(self.repo, f"{self.option}{words[0]}", "--", *self.pathspecs)


@dataclass(frozen=True, slots=True)
class GitGrep:
    """`git log --grep` on the rarest words of messages: most words matched first, then newest."""

    repo: Path
    counts: WordCounts

    def ask(self, text: str) -> Answer:
        """Run it once for each word."""
        matched: Counter[str] = Counter()
        order: dict[str, int] = {}
        elapsed = 0.0
        for word in rarest(text, self.counts.messages, _GREP_WORDS):
            found = _log(self.repo, f"--grep={word}", "-i", "-F")
            elapsed += found.elapsed_ms
            for place, commit in enumerate(found.commits):
                matched[commit] += 1
                order.setdefault(commit, place)
        best = sorted(matched, key=lambda commit: (-matched[commit], order[commit]))
        return Answer(tuple(best), elapsed)


def _log(repo: Path, *options: str) -> Answer:
    started = time.perf_counter()
    done = subprocess.run(
        ["git", "-C", str(repo), "log", "--no-merges", "--format=%H", *options],
        capture_output=True,
        text=True,
        check=True,
        timeout=_TIMEOUT_S,
    )
    return Answer(tuple(done.stdout.split()), (time.perf_counter() - started) * 1_000)
