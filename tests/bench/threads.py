"""How right threads are, by what histories themselves know: merged pull requests, and noted cherry-picks.

The truth of the first is git's (`rev-list M ^M^1` of every merge M of a pull request that HEAD leads to);
each reason is tried alone, as if there were no other. The truth of the second are the trailers; equal patches
and equal changes are tried as if there were none.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from ohara.engine import Engine
from ohara.history.likely import likely_links
from ohara.history.links import certain_links
from ohara.history.mentions import requests_of
from ohara.history.reasons import Reason
from ohara.history.threads import MOST_IN_THREAD, find_threads, grouped
from ohara.index.threads import lines_of
from ohara.settings import Settings
from ohara.store.engines import index_at
from ohara.store.facts import TIPS
from tests.bench import machine
from tests.bench.githistory import git
from tests.bench.report import Report, Table
from tests.bench.workspace import Indexed, at_home, bring_up_to_date

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from ohara.history.reasons import Link, Node
    from tests.bench.workspace import Subject

_OF_REQUESTS = (Reason.MERGE, Reason.REQUEST, Reason.ISSUE, Reason.LIKELY)


def measure_threads(subject: Subject, work: Path) -> Report:
    """Precision and recall of pairs of commits, for each reason and for all together."""
    nodes, lines = _indexed(subject, work)
    certain = certain_links(nodes, lines)
    links = {reason: [link for link in certain if link.reason is reason] for reason in _OF_REQUESTS}
    links[Reason.LIKELY] = likely_links(nodes, [])
    truth = _merged(subject, nodes)
    rows = [(reason.word, *_pairs(_joined(nodes, links[reason]), truth)) for reason in _OF_REQUESTS]
    found = find_threads(nodes, lines)
    rows.append(("all together", *_pairs([[m.commit for m in thread] for thread in found.threads], truth)))
    return Report(
        f"threads.{subject.name}",
        machine.look(),
        (
            Table(
                f"Pairs of commits that one of {len(set(truth.values())):,} merged pull requests of "
                f"{subject.name} brought in ({len(truth):,} commits)",
                ("by", "pairs", "precision", "recall"),
                tuple(rows),
            ),
            _picks(subject.name, nodes, certain),
        ),
    )


def _indexed(subject: Subject, work: Path) -> tuple[list[Node], list[int]]:
    """The whole history with all its branches, and the lines that others are merged into."""
    indexed = Indexed(subject.repo, work / "threads", Settings())
    bring_up_to_date(indexed, "--all", "--passes", "text,literal,symbol")
    with at_home(indexed.home):
        index = index_at(Engine.open(subject.repo).location)
    with index.writer(passes=frozenset(), verdict=lambda _: None) as writer:
        head = git(subject.repo, "rev-parse", "HEAD").decode().strip()
        nodes = writer.threads.nodes()
        return nodes, lines_of(nodes, writer.fact(TIPS), head)


def _merged(subject: Subject, nodes: Sequence[Node]) -> dict[int, int]:
    """The merge of the pull request that brought each commit in, of several the smallest; git says which."""
    ids = {node.sha: node.id for node in nodes}
    messages = {node.sha: node.message for node in nodes}
    merges = git(subject.repo, "rev-list", "--merges", "HEAD").decode().split()
    found: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for merge in merges:
        if requests_of(messages.get(merge, "")):
            brought = git(subject.repo, "rev-list", "--no-merges", merge, f"^{merge}^1").decode().split()
            for commit in (ids[sha] for sha in brought if sha in ids):
                if len(brought) < sizes.get(commit, MOST_IN_THREAD):
                    found[commit], sizes[commit] = ids[merge], len(brought)
    return found


def _joined(nodes: Sequence[Node], links: Iterable[Link]) -> list[list[int]]:
    groups = grouped([node.id for node in nodes], links, most=MOST_IN_THREAD)
    return [[member.commit for member in group] for group in groups]


def _pairs(groups: Iterable[Sequence[int]], truth: Mapping[int, int]) -> tuple[str, str, str]:
    """How many pairs of such commits groups hold, how many of those are right, of how many there are."""
    held = right = 0
    for group in groups:
        known = Counter(truth[commit] for commit in group if commit in truth)
        held += _of(sum(known.values()))
        right += sum(map(_of, known.values()))
    whole = sum(map(_of, Counter(truth.values()).values()))
    return f"{held:,}", f"{right / held:.3f}" if held else "-", f"{right / whole:.3f}"


def _of(count: int) -> int:
    return count * (count - 1) // 2


def _picks(name: str, nodes: Sequence[Node], certain: Sequence[Link]) -> Table:
    """How many of the noted cherry-picks equal patches and equal changes find, and how sure these are."""
    noted = {frozenset(link.commits) for link in certain if link.reason is Reason.PICKED}
    parents = {node.id: set(node.parents) for node in nodes}
    paths = {node.id: set(node.paths) for node in nodes}

    def pairs(*reasons: Reason) -> set[frozenset[int]]:
        links = [link for link in certain if link.reason in reasons]
        return {frozenset(pair) for group in _joined(nodes, links) for pair in combinations(group, 2)}

    def alike(pair: frozenset[int]) -> bool:
        one, other = pair
        smaller = min(len(paths[one]), len(paths[other]))
        return (
            other not in parents[one]
            and one not in parents[other]
            and (not smaller or len(paths[one] & paths[other]) * 2 >= smaller)
        )

    rows = []
    for words, reasons in (
        ("same-patch", (Reason.SAME_PATCH,)),
        ("same-change", (Reason.SAME_CHANGE,)),
        ("either", (Reason.SAME_PATCH, Reason.SAME_CHANGE)),
    ):
        found = pairs(*reasons)
        share = sum(map(alike, found)) / len(found) if found else 0.0
        rows.append(
            (words, f"{len(found):,}", f"{len(noted & found) / max(1, len(noted)):.3f}", f"{share:.3f}")
        )
    return Table(
        f"{len(noted):,} cherry-picks that {name} noted",
        ("by", "pairs", "of the noted, found", "at least half of the files the same"),
        tuple(rows),
    )
