"""Changelog fragments as queries: prose written for users, answered by the commit that added it."""

from __future__ import annotations

import random
import re

from corpus import Change, plain

KINDS = {
    "pytest-dev+pytest": re.compile(r"^changelog/[^/]+\.(rst|txt)\n"),
    "sveltejs+kit": re.compile(r"^\.changeset/(?!README)[^/]+\.md\n"),
    "open-telemetry+opentelemetry-collector": re.compile(r"^\.chloggen/(?!TEMPLATE|config|summary)[^/]+\.ya?ml\n"),
    "vectordotdev+vector": re.compile(r"^changelog\.d/(?!README)[^/]+\.md\n"),
    "twisted+twisted": re.compile(r"^(src/)?twisted/.*(newsfragments|topfiles)/[^/]+\.(feature|bugfix|doc|removal|misc)\n|^newsfragments/"),
    "agronholm+anyio": re.compile(r"^newsfragments/"),
    "python-trio+trio": re.compile(r"^newsfragments/[^/]+\.rst\n"),
}  # fmt: skip
CODE = re.compile(r"\.(py|js|ts|svelte|go|rs|c|h|cpp|tsx|jsx|mjs|toml|cue|vrl)$")


def prose(text: str) -> str:
    """The words of a fragment without front matter, keys and credits."""
    path, _, body = text.partition("\n")
    if path.endswith((".yaml", ".yml")):
        found = re.search(r"^note:\s*(.*?)(?=^\w+:|\Z)", body, re.MULTILINE | re.DOTALL)
        sub = re.search(r"^subtext:\s*\|?\s*(.*?)(?=^\w+:|\Z)", body, re.MULTILINE | re.DOTALL)
        body = (found.group(1) if found else "") + " " + (sub.group(1) if sub else "")
        body = "\n".join(line for line in body.split("\n") if not line.strip().startswith("#")).replace(
            '"', " "
        )
    elif body.startswith("---"):
        body = body.split("---", 2)[-1]
        body = re.sub(r"^\s*(feat|fix|chore|breaking|docs)[^:]{0,20}:", " ", body)
    body = re.sub(r"^authors?:.*$", " ", body, flags=re.MULTILINE | re.IGNORECASE)
    return plain(body)


def fragment_queries(
    name: str, changes: list[Change], limit: int = 1_000, seed: int = 7
) -> list[tuple[str, int]]:
    """(query, number of the commit that answers): one a commit, code touched, 5 to 60 words, no repeats."""
    pattern = KINDS[name]
    out: dict[str, int] = {}
    for number, change in enumerate(changes):
        found = [text for text in change.fragments if pattern.match(text)]
        if len(found) != 1 or not any(CODE.search(path) for path, _, _ in change.hunks):
            continue
        query = prose(found[0])
        if 5 <= len(query.split()) <= 60:
            out[query] = number
    queries = list(out.items())
    random.Random(seed).shuffle(queries)
    return queries[:limit]
