"""The object that programs read: every key of docs/json.md, and no other."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from ohara.errors import QueryError
from ohara.model import LiteralSpan, Pass, PassStatus, Sha
from ohara.present.json import error_object, hit_object, results_object, written
from tests.process import ROOT
from tests.unit.test_present_text import HOSTILE, commit, hit, results

DOCUMENT = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")


def table(heading: str) -> list[str]:
    """The keys in the first column of the table under a heading."""
    section = DOCUMENT.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| `(\w+)`", section, flags=re.MULTILINE)


def test_every_key_is_documented_in_its_order() -> None:
    span = LiteralSpan(Sha("a" * 40), 1, Sha("b" * 40), 2, ((1970, 2),))
    said = results_object(results(literal=span), name=7)
    assert list(said) == table("The answer")
    assert list(hit_object(hit())) == table("A hit")
    assert list(said["literal"]) == table("literal")  # type: ignore[call-overload]
    assert list(said["lanes"][0]) == table("lanes")  # type: ignore[index]


def test_what_is_not_there_is_left_out_or_null() -> None:
    said = results_object(results())
    assert "id" not in said
    assert "literal" not in said
    assert said["next"] is None
    assert hit_object(hit())["rerank"] is None


def test_an_answer() -> None:
    answer = results(next_cursor="c1")
    passes = (
        PassStatus(Pass.TEXT, 100, 100),
        PassStatus(Pass.SYMBOL, 90, 100),
        PassStatus(Pass.VECTOR, 5, 100),
    )
    said = json.loads(
        written(results_object(replace(answer, index=replace(answer.index, passes=passes)), name="q1"))
    )
    assert said["schema"] == 1
    assert said["id"] == "q1"
    assert (said["query"], said["mode"], said["class"], said["fusion"]) == ("retry", "auto", "prose", "rrf")
    assert said["index"] == {"commits": 120, "indexed": 100, "behind": 20, "shared": None}
    assert said["passes"] == {"symbol": [90, 100], "lines": [0, 0], "vector": [5, 100]}
    assert said["lanes"][0] == {"name": "text", "status": "ok", "count": 40, "ms": 3.4, "repository": None}
    assert said["next"] == "c1"
    (found,) = said["hits"]
    assert found["commit"] == "0123456789abcdef0123456789abcdef01234567"
    assert found["date"] == "2023-11-11T23:13:20+01:00"
    assert (found["subject"], found["author"]) == ("Retry with backoff", "Ada Lovelace")
    assert (found["path"], found["old_path"], found["kind"]) == ("src/client.py", None, "modified")
    assert (found["line"], found["old_line"], found["symbol"]) == (42, 40, "Client.send")
    assert found["matches"] == [[2, 4, 9]]
    assert (found["lanes"], found["lane_scores"]) == ({"text": 3, "vector": 1}, {"text": 12.5})
    assert (found["fused"], found["rerank"], found["recency"]) == (0.0312, None, 1.02)
    assert (found["more_in_commit"], found["also_in"]) == (0, [])


def test_repository_text_is_carried_exactly_and_harmlessly() -> None:
    found = hit(commit=commit(author=HOSTILE, message=HOSTILE.replace("\r", "")), excerpt=f"+{HOSTILE}上传")
    line = written(hit_object(found))
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["excerpt"] == f"+{HOSTILE}上传"


@pytest.mark.parametrize("name", [None, 3, "x"])
def test_a_line_that_failed(name: object) -> None:
    assert error_object(QueryError("no", hint="try"), name=name) == {
        "id": name,
        "error": {"message": "no", "hint": "try"},
    }
