"""python -m tests.bench PART --repo NAME=PATH …: measure, print tables, write JSON. Nothing is fetched."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench import report
from tests.bench.workspace import Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_PARTS = {
    "queries": "show the changelog queries of the repositories",
    "quality": "answers: the changelog benchmark, with messages, message-blind and lazy",
    "agents": "how many tokens an agent reads before the answer to a golden question, beside git's",
    "golden": "what people ask of five histories: MRR@10, hit@1, and questions without an answer",
    "lazy": "answers where many messages say nothing, beside a flat bonus for silence",
    "ablation": "answers with one piece of the ranking removed at a time",
    "cochange": "answers if what changes together counted in the ranking",
    "words": "answers without stemming, and without splitting identifiers",
    "index": "how fast a history becomes searchable, and at what cost",
    "find": "how soon a question is answered",
    "filters": "how soon it is answered with each filter, the first time and again",
    "structural": "structural search against brute force over the newest commits",
    "structural-whole": "structural search for patterns with a rare word, in a whole history",
    "literal": "literal and regex search against git log -G",
    "explain": "the history of lines against git log -L",
    "daemon": "the background service: what asking it costs, how it bears indexing, what it keeps",
    "tui": "the terminal UI: what a key costs, how soon hits come, how soon it paints",
    "fate": "what became of 300 hunks drawn by chance, beside git blame, git log -L and git log -S",
    "blame": "whose each line of files drawn by chance is, beside git blame",
    "scale": "all repositories given in one index",
    "federation": "all repositories given searched as one, with each other's changelog questions",
    "shared": "a team's index on PostgreSQL beside SQLite's: what it costs, and each lane",
    "shared-quality": "the answers of both engines to changelog questions, and of one statement",
    "shared-load": "200 clients of a server that keeps all repositories given, idle and with a push running",
    "width": "histories with thousands of branches, and a commit of tens of thousands of files, scripted",
    "content": "what a megabyte of each kind of content costs, on scripted histories",
    "related": "what changes together, on held-out commits",
    "threads": "threads beside what merges of pull requests and noted cherry-picks say",
    "handmade": "what is written by hand, beside the library that could do it",
    "all": "quality, index, find and literal of every repository given",
    "quick": "everything on a small scripted history: does the benchmark work, are the numbers sane",
    "together": "what the last quality runs of repositories that nothing was tuned on say together",
    "docs": "bring the tables in docs/ up to date with the numbers written before",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one part; 0 when it was measured (and, for quick, when the numbers are sane)."""
    given = _parser().parse_args(arguments)
    if given.part == "docs":
        return _docs(given.out)
    if given.part == "together":
        from tests.bench.together import lazy_together, together

        for found in (together(given.out), lazy_together(given.out)):
            if found.numbers["repositories"]:
                report.publish(found, given.out)
        return 0
    if given.part == "quick":
        from tests.bench.quick import rehearse

        return rehearse(given.out)
    if given.part in {"content", "width"}:
        report.publish(_scripted(given), given.out)
        return 0
    if not given.repo:
        report.talk("say which repositories: --repo NAME=PATH (a clone of your own; nothing is fetched)")
        return 2
    for part in ("quality", "index", "find", "literal") if given.part == "all" else (given.part,):
        for found in _reports(part, given):
            report.publish(found, given.out)
    return 0


def _scripted(given: argparse.Namespace) -> report.Report:
    """What is measured on histories of its own."""
    from tests.bench.content import measure_content
    from tests.bench.width import measure_width

    return measure_width() if given.part == "width" else measure_content(given.kind)


def _reports(part: str, given: argparse.Namespace) -> Iterator[report.Report]:
    """What a part measures, as it comes."""
    from tests.bench import parts
    from tests.bench.ablation import measure_ablation
    from tests.bench.agents import measure_agents
    from tests.bench.blame import measure_blame
    from tests.bench.cochange_ranking import measure_cochange
    from tests.bench.explain import measure_explain
    from tests.bench.fate import measure_fate
    from tests.bench.federation import measure_federation
    from tests.bench.filters import measure_filters
    from tests.bench.golden import measure_golden
    from tests.bench.handmade import measure_handmade
    from tests.bench.lazy_report import measure_lazy
    from tests.bench.plainwords import measure_words
    from tests.bench.quality import measure_quality
    from tests.bench.related import measure_related
    from tests.bench.screen import measure_screen
    from tests.bench.service import measure_service
    from tests.bench.shared import measure_shared
    from tests.bench.shared_load import measure_load
    from tests.bench.structural import measure_rare, measure_structural, structural_together
    from tests.bench.systems import WAYS
    from tests.bench.threads import measure_threads

    subjects: list[Subject] = given.repo
    work: Path = given.work or given.out / "work"
    several: dict[str, Callable[[], report.Report]] = {
        "queries": lambda: parts.queries_table(subjects, limit=given.queries),
        "index": lambda: parts.indexing(subjects, rounds=given.rounds),
        "agents": lambda: measure_agents(subjects, work),
        "golden": lambda: measure_golden(subjects, work),
        "scale": lambda: parts.scale(subjects, work),
        "shared-load": lambda: measure_load(
            subjects, work, dsn=given.dsn, clients=given.clients, as_is=given.as_is
        ),
        "federation": lambda: measure_federation(subjects, work, limit=given.queries, as_is=given.as_is),
    }
    each: dict[str, Callable[[Subject], report.Report]] = {
        "quality": lambda subject: measure_quality(
            subject,
            work,
            patterns=given.glob,
            limit=given.queries,
            git_queries=given.git_queries,
            ways=[way for way in WAYS if way.name not in given.skip],
            timed=not given.untimed,
        ),
        "lazy": lambda subject: measure_lazy(subject, work, patterns=given.glob, limit=given.queries),
        "ablation": lambda subject: measure_ablation(subject, work, patterns=given.glob, limit=given.queries),
        "cochange": lambda subject: measure_cochange(subject, work, patterns=given.glob, limit=given.queries),
        "words": lambda subject: measure_words(subject, work, patterns=given.glob, limit=given.queries),
        "find": lambda subject: parts.asking(subject, work),
        "filters": lambda subject: measure_filters(subject, work),
        "shared": lambda subject: measure_shared(subject, work, limit=given.queries, dsn=given.dsn),
        "shared-quality": lambda subject: measure_shared(
            subject, work, limit=given.queries, dsn=given.dsn, answers=True
        ),
        "daemon": lambda subject: measure_service(subject, work, queries=min(given.queries, 100)),
        "tui": lambda subject: measure_screen(subject, work),
        "handmade": measure_handmade,
        "fate": lambda subject: measure_fate(subject, work, hunks=given.hunks),
        "blame": lambda subject: measure_blame(subject, work, files=given.files),
        "structural": lambda subject: measure_structural(subject, work),
        "structural-whole": lambda subject: measure_rare(subject, work),
        "explain": lambda subject: measure_explain(subject, work),
        "related": measure_related,
        "threads": lambda subject: measure_threads(subject, work),
        "literal": lambda subject: parts.literal(subject, work, patterns=given.patterns),
    }
    if part in several:
        yield several[part]()
    else:
        for subject in subjects:
            yield each[part](subject)
        if part == "structural":
            yield structural_together(given.out)


def _docs(out: Path) -> int:
    from tests.bench.summary import summary

    for document in report.DOCUMENTS:
        before = document.read_text(encoding="utf-8")
        after, filled = report.refreshed(before, out)
        if after != before:
            document.write_text(after, encoding="utf-8")
        if filled:
            report.talk(f"{document.name}: {', '.join(filled)}")
    page = report.DOCS / "benchmarks.md"
    page.write_text(report.filled(page.read_text(encoding="utf-8"), "summary", summary()), encoding="utf-8")
    return 0


def _subject(text: str) -> Subject:
    name, equals, path = text.rpartition("=")
    repo = Path(path).expanduser().absolute()
    if not repo.is_dir():
        raise argparse.ArgumentTypeError(f"{path} is no folder")
    return Subject(name if equals else repo.name.removesuffix(".git"), repo)


def _parser() -> argparse.ArgumentParser:
    listed = "\n".join(f"  {name:16} {says}" for name, says in _PARTS.items())
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description=f"parts:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("part", choices=_PARTS, metavar="PART")
    parser.add_argument(
        "--repo", action="append", type=_subject, metavar="[NAME=]PATH", help="a clone; repeatable"
    )
    parser.add_argument(
        "--out", type=Path, default=report.DEFAULT_OUT, help="where the JSON goes (%(default)s)"
    )
    parser.add_argument("--work", type=Path, help="where copies and indexes are kept (OUT/work)")
    parser.add_argument(
        "--glob", action="append", default=[], help="where the fragments are; default: known places"
    )
    parser.add_argument("--queries", type=int, default=500, help="how many questions are drawn (%(default)s)")
    parser.add_argument(
        "--git-queries", type=int, default=40, help="how many of them git is asked (%(default)s)"
    )
    parser.add_argument(
        "--skip", action="append", default=[], metavar="SYSTEM", help="a system that quality leaves out"
    )
    parser.add_argument(
        "--untimed",
        action="store_true",
        help="quality asks each lane once for all systems, and shows no times",
    )
    parser.add_argument(
        "--patterns", type=int, default=50, help="how many patterns are compared (%(default)s)"
    )
    parser.add_argument("--files", type=int, default=60, help="how many files are blamed (%(default)s)")
    parser.add_argument("--hunks", type=int, default=300, help="how many fates are compared (%(default)s)")
    parser.add_argument(
        "--kind", action="append", default=[], help="a kind of content (part of its name); default: all"
    )
    parser.add_argument(
        "--as-is", action="store_true", help="federation and shared-load ask the indexes as they are"
    )
    parser.add_argument("--dsn", help="a PostgreSQL server on this machine (default: one of the run's own)")
    parser.add_argument("--clients", type=int, default=200, help="of shared-load (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="how often a history is indexed (%(default)s)")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
