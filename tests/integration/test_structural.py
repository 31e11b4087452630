"""When code of a shape came and went: beside brute force over every version of every file."""

from __future__ import annotations

import json
import os
import random
import re
import select
import signal
import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from fixtures.tree import Edit, MovedFrom
from ohara.errors import InternalError, QueryError
from ohara.mcp.arguments import DEFAULT_BUDGET
from ohara.mcp.found import fitted, found_text
from ohara.model import Mode, QueryClass, SearchOptions, SpanScope
from ohara.query.structure import read_structure
from ohara.retrieve import pickaxe, shares
from ohara.structural.pool import Answered, Pair, Parser, Task, Text
from tests.bench.structural_truth import changed_counts
from tests.indexing import index
from tests.process import ohara

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ohara.engine import Engine
    from ohara.model import Hit, Results
    from ohara.structural.found import Difference

PATTERN = "fetch($URL, verify=False)"
EVERYTHING = SearchOptions(k=0, mode=Mode.STRUCTURAL, all_hunks=True)

FILLER = "".join(f"def filler_{number}():\n    return {number}\n\n\n" for number in range(12))


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, History]]:
    """A history in which calls come, change, move and go."""
    folder = tmp_path_factory.mktemp("structural")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(folder / "home"))
        with History(folder / "repo") as history:
            call = "fetch(u, verify=False)\n"
            lines = "fetch(\n    v,\n    extra,\n    verify=False,\n)\n"
            quoted = (
                Edit("import net\n", 'import net\nX = """\n'),
                Edit("verify=False,\n)\n", 'verify=False,\n)\n"""\n'),
            )
            history.commit("start", {"a.py": f"import net\n\n{FILLER}", "b.js": "let a = 1\n"}, key="start")
            history.commit("one call", {"a.py": Edit("import net\n", f"import net\n\n{call}")}, key="one")
            history.commit("other words", {"a.py": Edit("fetch(u,", "fetch(v,")}, key="same")
            history.commit("over lines", {"a.py": Edit("fetch(v, verify=False)\n", lines)}, key="lines")
            history.commit("without extra", {"a.py": Edit("    extra,\n", "")}, key="back")
            history.commit("moved", {"lib/c.py": MovedFrom("a.py")}, key="moved")
            history.commit("in a text", {"lib/c.py": quoted}, key="quoted")
            history.commit("out", {"lib/c.py": (Edit('X = """\n', ""), Edit('"""\n', ""))}, key="unquoted")
            history.commit("in javascript", {"b.js": f"{call}{call.replace('u', 'w')}"}, key="js")
            history.commit("none of it", {"lib/c.py": None}, key="gone")
        engine = index(history.repo)
        yield engine, history
        engine.close()


def found(engine: Engine, query: str, options: SearchOptions = EVERYTHING) -> Results:
    return engine.find_pattern(query, options)


def keys(history: History, hits: tuple[Hit, ...]) -> list[str]:
    names = {sha: key for key, sha in history.repo.sha.items()}
    return [names[hit.commit.sha] for hit in hits]


def counts(results: Results) -> dict[tuple[str, str], tuple[int, int]]:
    return {
        (hit.commit.sha, hit.path): (hit.structural.before, hit.structural.after)
        for hit in results.hits
        if hit.structural
    }


def truth(engine: Engine, pattern: str, *languages: str) -> dict[tuple[str, str], tuple[int, int]]:
    structure = read_structure(pattern)
    tasks = {each: Task((each,), structure.text, dict(structure.where)) for each in languages}
    return changed_counts(engine.repository.common_dir, tasks)


def test_matches_come_and_go(told: tuple[Engine, History]) -> None:
    engine, history = told
    results = found(engine, f"{PATTERN} lang:python")
    assert keys(history, results.hits) == ["gone", "unquoted", "quoted", "back", "lines", "one"]
    assert counts(results) == truth(engine, PATTERN, "python")
    assert results.query.query_class is QueryClass.STRUCTURAL
    first = results.hits[-1]
    assert first.structural is not None
    assert (first.structural.before, first.structural.after, first.structural.captures) == (
        0,
        1,
        {"URL": "u"},
    )
    lines = [line[1:] for line in first.excerpt.split("\n")]
    assert [(mark.name, lines[mark.line][mark.start : mark.end]) for mark in first.matches] == [
        ("", "fetch(u, verify=False)"),
        ("URL", "u"),
    ]
    span = results.literal
    assert span is not None
    assert (span.introduced, span.gone) == (history.repo.sha["one"], history.repo.sha["gone"])
    assert span.head is not None
    assert (span.head.lines, span.scope) == (0, SpanScope.HISTORY)


def test_a_change_of_a_line_without_a_word_of_the_pattern_counts(told: tuple[Engine, History]) -> None:
    engine, history = told
    assert keys(history, found(engine, "fetch($A, $B, $C) lang:python").hits) == ["back", "lines"]


def test_every_language_in_which_it_is_code(told: tuple[Engine, History]) -> None:
    engine, history = told
    results = found(engine, PATTERN)
    assert keys(history, results.hits)[:2] == ["gone", "js"]
    assert counts(results) == truth(engine, PATTERN, "python", "javascript")
    assert any("python and javascript" in note for note in results.notes)
    assert results.literal is not None
    assert results.literal.head is not None
    assert results.literal.head.lines == 2


def test_a_language_in_which_any_text_is_code_must_be_asked_for(tmp_path: Path) -> None:
    with History(tmp_path / "prose") as history:
        history.commit("start", {"a.py": "x = 1\n", "b.yml": "a: fetch(\n", "c.html": "<p>fetch(</p>\n"})
    with closing(index(history.repo)) as engine:
        with pytest.raises(QueryError, match="parse as python"):
            found(engine, "fetch(")
        prose = engine.find_pattern("fix $FOO (bar) baz", SearchOptions(rerank=False))
        assert prose.query.query_class is not QueryClass.STRUCTURAL


def test_filters_and_polarity_narrow(told: tuple[Engine, History]) -> None:
    engine, history = told
    assert keys(history, found(engine, f"removed: {PATTERN} lang:python").hits) == ["gone", "quoted", "lines"]
    assert keys(history, found(engine, f"added: {PATTERN} lang:python").hits) == ["unquoted", "back", "one"]
    assert keys(history, found(engine, f"{PATTERN} lang:python path:a.py").hits) == ["back", "lines", "one"]
    narrowed = found(engine, f"{PATTERN} lang:python path:a.py")
    assert narrowed.literal is not None
    assert narrowed.literal.scope is SpanScope.FILTERED


def test_pages_follow_each_other(told: tuple[Engine, History]) -> None:
    engine, history = told
    options = SearchOptions(k=2, mode=Mode.STRUCTURAL)
    seen: list[str] = []
    after: str | None = None
    while True:
        page = found(engine, f"{PATTERN} lang:python", SearchOptions(k=2, mode=options.mode, after=after))
        seen += keys(history, page.hits)
        after = page.next_cursor
        if after is None:
            break
    assert seen == ["gone", "unquoted", "quoted", "back", "lines", "one"]


def test_a_second_search_parses_nothing(
    told: tuple[Engine, History], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, _ = told
    first = found(engine, f"{PATTERN} lang:python")

    def refuse(*_arguments: object) -> Answered:
        raise AssertionError

    monkeypatch.setattr(Parser, "compare", refuse)
    assert counts(found(engine, f"{PATTERN} lang:python")) == counts(first)


def test_without_words_everything_is_read(told: tuple[Engine, History]) -> None:
    engine, _ = told
    results = found(engine, "$A($B, verify=$C) where C=/^F/ lang:python")
    assert counts(results) == truth(engine, PATTERN, "python")
    short = found(engine, "$A = 1 lang:javascript")
    assert counts(short) == truth(engine, "$A = 1", "javascript")
    assert short.lanes[0].detail == "no word to look up: every version was read"


def test_a_search_that_runs_out_of_time_says_so_and_goes_on_when_asked_again(
    told: tuple[Engine, History], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, _ = told
    monkeypatch.setattr(pickaxe, "_BATCH_CHANGES", 1)
    advance = pickaxe.Pickaxe.advance

    def slow(each: pickaxe.Pickaxe, share: int) -> dict[str, dict[str, Difference]]:
        time.sleep(0.2)
        return advance(each, share)

    monkeypatch.setattr(pickaxe.Pickaxe, "advance", slow)
    query = "$A = $B lang:javascript lang:python"
    first = found(engine, query, replace(EVERYTHING, within_s=0.3))
    (lane,) = first.lanes
    assert (lane.status, lane.detail) == ("timeout", "no word to look up: versions are read one by one")
    (note,) = [note for note in first.notes if "out of time" in note]
    done, total = map(int, re.findall(r"\d+", note))
    assert note.endswith("changes, newest first; asked again, it goes on from there")
    assert 0 < done < total
    monkeypatch.setattr(pickaxe.Pickaxe, "advance", advance)
    second = found(engine, query)
    assert second.lanes[0].status == "ok"
    assert counts(second) == truth(engine, "$A = $B", "python", "javascript")
    assert set(counts(first)) < set(counts(second))


def test_a_parser_that_does_not_start_is_an_error_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "_WORTH_SHARING", 2)
    monkeypatch.setattr(shares, "_MOST_AHEAD", 0)
    with History(tmp_path / "silent") as history:
        for number in range(4):
            history.commit(f"change {number}", {"a.py": f"fetch({number})\n", "b.py": f"fetch(\n{number})\n"})
    with closing(index(history.repo)) as engine:
        monkeypatch.setattr(Parser, "compare", _fails)
        with pytest.raises(InternalError, match="does not start"):
            found(engine, "fetch($X) lang:python", replace(EVERYTHING, within_s=600.0))


def _fails(*_arguments: object) -> Answered:
    raise InternalError("the parser does not start", hint="")


def test_what_is_no_code_is_words_or_an_error(told: tuple[Engine, History]) -> None:
    engine, _ = told
    with pytest.raises(QueryError, match="no whole piece of code"):
        found(engine, "fetch($X lang:python")
    results = engine.find_pattern("fetch($X lang:python", SearchOptions(rerank=False))
    assert results.query.query_class is not QueryClass.STRUCTURAL
    assert any(note.startswith("read as words") for note in results.notes)
    with pytest.raises(QueryError, match="cannot be matched"):
        found(engine, "fetch($X) lang:cobol")


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("fetch($X) where X=/(/", "no regular expression: unclosed group"),
        ("fetch( where X=/a/", "where speaks of X"),
        ("fetch($X where X=/a/", "does not parse as python"),
        ("$X", "a name by itself stands for every piece of code"),
        ("$$$X", "a name by itself stands for every piece of code"),
        (f"{'f(' * 400}$X{')' * 400}", "nested too deep"),
        (f"{'f(' * 4_000}$X{')' * 4_000}", "nested too deep|more than the parser can read"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused(
    told: tuple[Engine, History], pattern: str, said: str
) -> None:
    engine, history = told
    with pytest.raises(QueryError, match=said):
        found(engine, f"{pattern} lang:python")
    assert keys(history, found(engine, "fetch($A, $B, $C) lang:python").hits) == ["back", "lines"]


def test_a_file_too_large_to_parse_is_told(
    told: tuple[Engine, History], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, _ = told
    monkeypatch.setattr(pickaxe, "MOST_BYTES", 40)
    results = found(engine, "fetch($Z, verify=False) lang:javascript")
    assert any("could not be parsed" in note for note in results.notes)


HOSTILE = b"print(x[" * 20_000 + b"1" + b"])" * 20_000


def compared(parser: Parser, *texts: bytes) -> Answered:
    """Texts, each compared with the one before it."""
    named = {str(number): text for number, text in enumerate(texts)}
    pairs = [Pair(number - 1 if number else None, number) for number in range(len(texts))]
    return parser.compare(
        Task(("python",), "print($X)"), [Text("python", name) for name in named], pairs, named.__getitem__
    )


@pytest.mark.parametrize(
    ("ends", "blamed", "for_now"),
    [
        ((signal.SIGSEGV,), "1", False),
        ((signal.SIGKILL,), None, True),
        ((signal.SIGKILL, signal.SIGKILL), "1", True),
    ],
)
def test_a_parser_that_dies_says_which_text_ended_it(
    monkeypatch: pytest.MonkeyPatch, ends: tuple[signal.Signals, ...], blamed: str | None, for_now: bool
) -> None:
    """One that is killed from outside is given another chance."""
    parser = Parser()
    asked = parser._line
    coming = [turn for end in ends for turn in (None, None, end)]

    def killed(patience_s: float) -> bytes | None:
        process = parser._process
        end = coming.pop(0) if coming else None
        if process is not None and end is not None:
            os.kill(process.pid, end)
            process.wait()
            return None
        return asked(patience_s)

    monkeypatch.setattr(parser, "_line", killed)
    texts = (b"print(1)", b"print(2)\nprint(3)", b"print(4)")
    for _ in ends:
        answered = compared(parser, *texts)
        assert answered.broken_off
        assert not answered.counts
    assert (answered.ended_by.name if answered.ended_by else None) == blamed
    assert answered.for_now == for_now
    whole = compared(parser, *texts)
    assert whole.counts == [1, 2, 1]
    assert [(each.before, each.after) for each in whole.differences] == [(0, 1), (1, 2), (2, 1)]
    parser.close()


def test_a_parser_that_is_killed_before_it_answers_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = Parser()
    send = parser._send
    kills = iter((True, True, False))

    def killed(data: bytes) -> None:
        process = parser._process
        if process is not None and next(kills, False):
            process.kill()
            process.wait()
        send(data)

    monkeypatch.setattr(parser, "_send", killed)
    assert compared(parser, b"print(1)").counts == [1]
    kills = iter((True, True, True))
    parser.close()
    with pytest.raises(InternalError, match="does not start"):
        compared(parser, b"print(1)")
    parser.close()


def test_being_stopped_for_a_while_is_no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by ctrl-z: the clock goes on, and neither this process nor the parser runs."""
    parser = Parser()
    wait = select.select
    clock = time.monotonic

    def stopped(*_arguments: object) -> tuple[list[int], list[int], list[int]]:
        monkeypatch.setattr(time, "monotonic", lambda: clock() + 3_600)
        monkeypatch.setattr(select, "select", wait)
        return ([], [], [])

    monkeypatch.setattr(select, "select", stopped)
    assert compared(parser, b"print(1)\nprint(2)").counts == [2]
    parser.close()


def test_a_text_that_takes_too_long_is_named() -> None:
    parser = Parser(text_cpu_s=0.05)
    answered = compared(parser, b"print(1)", HOSTILE, b"print(3)")
    assert (answered.broken_off, answered.ended_by) == (True, Text("python", "1"))
    parser.close()


def test_a_hostile_text_costs_itself_and_is_not_parsed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Parser.__init__, "__kwdefaults__", {"text_cpu_s": 0.2})
    with History(tmp_path / "hostile") as history:
        history.commit("start", {"a.py": "print(1)\n", "b.py": "print(2)\n"})
        history.commit("hostile", {"a.py": "print(1)\nprint(2)\n", "b.py": HOSTILE.decode()}, key="hostile")
        history.commit("back", {"a.py": "print(3)\n", "b.py": "print(1)\nprint(2)\n"}, key="back")
    with closing(index(history.repo)) as engine:
        first = found(engine, "print($X) lang:python")
        assert [(hit.path, keys(history, (hit,))[0]) for hit in first.hits[:2]] == [
            ("a.py", "back"),
            ("a.py", "hostile"),
        ]
        (note,) = [note for note in first.notes if "could not be parsed" in note]
        assert note.startswith("1 version of files could not be parsed")
        monkeypatch.setattr(Parser, "compare", _fails)
        second = found(engine, "print($X) lang:python")
        assert (counts(second), note in second.notes) == (counts(first), True)


def test_random_histories_beside_brute_force(tmp_path: Path) -> None:
    chance = random.Random(7)  # noqa: S311 - a script, not a secret
    lines = [
        "fetch(a, verify=False)",
        "x = fetch(b, verify=False)",
        "fetch(a)",
        "verify = False",
        '"""',
        "if x:",
        "    fetch(c,",
        "    verify=False)",
        "y = 1",
    ]
    with History(tmp_path / "random") as history:
        text = ["y = 1"]
        history.commit("start", {"f.py": "\n".join(text) + "\n"})
        path = "f.py"
        for number in range(60):
            for _ in range(chance.randint(1, 3)):
                at = chance.randrange(len(text) + 1)
                if text and chance.random() < 0.4:
                    del text[min(at, len(text) - 1)]
                else:
                    text.insert(at, chance.choice(lines))
            body = "\n".join(text) + "\n"
            if chance.random() < 0.1:
                renamed = f"f{number}.py"
                history.commit(f"move {number}", {renamed: MovedFrom(path)})
                path = renamed
            history.commit(f"change {number}", {path: body})
    with closing(index(history.repo)) as engine:
        results = found(engine, f"{PATTERN} lang:python")
        assert counts(results) == truth(engine, PATTERN, "python")
        assert len(results.hits) > 10


def test_many_changes_are_shared_among_parsers_by_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "_WORTH_SHARING", 4)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    asked: dict[int, set[str]] = {}
    compare = Parser.compare

    def recorded(
        parser: Parser, task: Task, texts: list[Text], pairs: list[Pair], read: Callable[[str], bytes]
    ) -> Answered:
        asked.setdefault(id(parser), set()).update(text.name for text in texts)
        return compare(parser, task, texts, pairs, read)

    monkeypatch.setattr(Parser, "compare", recorded)
    with History(tmp_path / "shared") as history:
        for number in range(6):
            calls = f"fetch({number}, verify=False)\n" * number
            history.commit(f"change {number}", {"a.py": f"x = {number}\n{calls}", "b.py": f"{calls}y = 1\n"})
    with closing(index(history.repo)) as engine:
        results = found(engine, f"{PATTERN} lang:python")
        assert counts(results) == truth(engine, PATTERN, "python")
        assert len(results.hits) == 10
    assert [len(each) for each in asked.values()] == [5, 5]
    assert not set.intersection(*asked.values())


def test_the_command_says_it(told: tuple[Engine, History]) -> None:
    engine, _ = told
    place = str(engine.repository.work_dir)
    said = ohara("find", "--no-daemon", "--repo", place, f"{PATTERN} lang:python", "-k", "0").stdout
    assert "+1 match (0 → 1) · $URL = u" in said
    assert "introduced in" in said
    assert "gone since" in said
    written = json.loads(
        ohara("find", "--no-daemon", "--repo", place, "--json", "-k", "0", f"{PATTERN} lang:python").stdout
    )
    assert written["class"] == "structural"
    assert written["hits"][-1]["structural"] == {"before": 0, "after": 1, "captures": {"URL": "u"}}


RULE = """\
id: unverified
language: python
rule:
  all:
    - pattern: fetch($$$A)
    - has: {kind: keyword_argument, regex: "^verify *= *False$", stopBy: end}
"""


def test_a_rule_from_a_file(told: tuple[Engine, History], tmp_path: Path) -> None:
    engine, history = told
    file = tmp_path / "rule.yml"
    file.write_text(RULE)
    place = str(engine.repository.work_dir)
    asked = ("find", "--no-daemon", "--repo", place, "--rule", str(file))
    written = json.loads(ohara(*asked, "--json", "-k", "0", "path:lib/").stdout)
    names = {sha: key for key, sha in history.repo.sha.items()}
    assert [names[hit["commit"]] for hit in written["hits"]] == ["gone", "unquoted", "quoted"]
    for wrong, said in (
        ("rule: {}\nrule:\n  pattern: [", "no YAML"),
        ("rule: {}", "one positive matcher"),
        ("rule: {form: call}", "unknown field"),
        ("pattern: fetch($A)", "is no rule"),
    ):
        file.write_text(wrong)
        failed = ohara(*asked)
        assert failed.returncode == 2
        assert said in failed.stderr
        assert "hint:" in failed.stderr


@pytest.mark.parametrize(
    ("beside", "said"),
    [
        (("words",), "--rule says what to look for, and 'words' is not filters alone"),
        (("path:lib/", '"verify"'), "is not filters alone"),
        (("path:lib/", "--mode", "text"), "--rule and --mode text exclude each other"),
        (("--batch",), "--batch and --rule exclude each other"),
    ],
)
def test_beside_a_rule_stand_filters_alone(
    told: tuple[Engine, History], tmp_path: Path, beside: tuple[str, ...], said: str
) -> None:
    engine, _ = told
    file = tmp_path / "rule.yml"
    file.write_text(RULE)
    place = str(engine.repository.work_dir)
    failed = ohara("find", "--no-daemon", "--repo", place, "--rule", str(file), *beside)
    assert failed.returncode == 2
    assert said in failed.stderr
    assert "hint:" in failed.stderr


def test_a_pattern_that_stands_nowhere_says_that_nothing_was_found(told: tuple[Engine, History]) -> None:
    engine, _ = told
    place = str(engine.repository.work_dir)
    said = ohara("find", "--no-daemon", "--repo", place, "never_called($A, b=$B)")
    assert said.returncode == 1
    assert "matched as python" in said.stderr
    assert "nothing found" in said.stderr.splitlines()


def test_an_agent_is_told_of_matches_at_head(told: tuple[Engine, History]) -> None:
    engine, _ = told
    results = found(engine, "fetch($Z, verify=False) lang:javascript")
    now = time.time()
    said = found_text(results, fitted(results, DEFAULT_BUDGET, now=now), DEFAULT_BUDGET, now=now)
    assert "still 2 matches at HEAD" in said
