"""A file's lines are told with their commits, whatever the same reader was asked before."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

import anyio

from ohara.browse.annotate import annotate
from ohara.fate.tip import Tip
from ohara.fate.view import FateView
from tests.indexing import index

if TYPE_CHECKING:
    from fixtures.git import Repo
    from ohara.model import Annotation
    from ohara.store.reading import Reader

SOURCE = "parcel/upload.py"


def test_a_file_is_annotated_as_git_blames_it_by_a_reader_that_told_fates(small_project: Repo) -> None:
    engine = index(small_project)
    head = engine.repository.commit_named("HEAD")

    def told_fates_first(reader: Reader) -> Annotation:
        FateView(reader, Tip(engine.repository, head), time.monotonic() + 60)
        return annotate(engine.repository, reader, "HEAD", SOURCE)

    async def ask() -> Annotation:
        with closing(engine.store.readers()) as readers:
            return await readers.read(told_fates_first)

    told = anyio.run(ask)
    lines = small_project.git("blame", "-l", "-s", "--root", "HEAD", "--", SOURCE).splitlines()
    assert all(run.commit >= 0 for run in told.lines)
    assert [told.commits[run.commit].sha for run in told.lines for _ in range(run.lines)] == [
        line.split()[0].lstrip("^") for line in lines
    ]
