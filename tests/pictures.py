"""Makes the pictures of the terminal UI in the docs: python -m tests.pictures docs/images

The real app is driven in the scripted project of the tests, with a service and an index of its own; each
picture is what was on screen then. They are to be looked at before they are committed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import string
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from fixtures.histories import small_project
from ohara import client, wire
from tests.daemon import CONFIG, end_whatever_runs
from tests.indexing import index
from tests.process import ROOT
from tests.tui.driving import app_for, text_of, until, until_complete, until_stage
from tui.search_state import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDE, NARROW = (140, 40), (80, 24)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: the question, the keys that are pressed then, and what must be on screen by the end."""

    name: str
    query: str
    keys: Sequence[str] = ()
    shows: str = ""
    size: tuple[int, int] = WIDE
    theme: str = "dark"


PICTURES = (
    Picture("search", "retry with backoff"),
    Picture("commit", "drop python 2", ("enter",), "files"),
    Picture("history", "retry with backoff", ("j", "h"), "History of"),
    Picture("why", "retry with backoff", ("w",), "Why"),
    Picture("palette", "retry with backoff", ("ctrl+p", *"hist"), "Palette"),
    Picture("repositories", "retry with backoff", ("ctrl+r",), "parcel"),
    Picture("narrow", "retry with backoff", size=NARROW),
    Picture("light", "retry with backoff", theme="light"),
    Picture("file", "chunk timeout", ("F",), "commits"),
    Picture("explain", "upload", ("L", *"parcel/upload.py", "enter"), "Why parcel"),
    Picture("compare", "retry with backoff", ("m", "j", "j", "equals_sign"), "Compare"),
)


async def make(picture: Picture, repository: Path, folder: Path) -> None:
    """Drive the app to what a picture shows, and save it."""
    app = app_for(repository, picture.query, theme=picture.theme, asked=True)
    if picture.name == "repositories":
        app.clock = time.time  # it was indexed just now
    async with app.run_test(size=picture.size) as pilot:
        await until_stage(pilot, Stage.RESULTS)
        await until_complete(pilot)
        await pilot.press(*picture.keys)
        await until(pilot, lambda: picture.shows in text_of(app), picture.shows)
        await pilot.pause(1.0)
        await until_complete(pilot)
        app.save_screenshot(f"{picture.name}.svg", str(folder))


def main(arguments: Sequence[str] | None = None) -> None:
    """Make all pictures, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="only these")
    given = parser.parse_args(arguments)
    wanted = [each for each in PICTURES if not given.names or each.name in given.names]
    place = _folder()
    home = place / "home"
    try:
        (home / "config").mkdir(parents=True)
        (home / "config" / "config.toml").write_text(CONFIG)
        os.environ |= {"OHARA_HOME": str(home), "PYTHONPATH": str(ROOT)}
        os.environ |= {"COLORTERM": "truecolor", "TERM": "xterm-256color"}
        repo = small_project(place / "parcel")
        index(repo)
        for picture in wanted:
            with client.connect(start=True) as ohara:  # what is shown stands still
                ohara.send(wire.Resume() if picture.name == "repositories" else wire.Pause())
            anyio.run(make, picture, repo.path, given.folder)
            file = given.folder / f"{picture.name}.svg"
            file.write_text(file.read_text(encoding="utf-8").replace(str(place), _SHOWN), encoding="utf-8")
    finally:
        end_whatever_runs(home)
        shutil.rmtree(place)


_SHOWN = "/home/ada"


def _folder() -> Path:
    """A folder whose path is as long as the one that is shown instead."""
    for letter in string.ascii_lowercase:
        folder = Path("/tmp") / f"ada{letter}"
        if not folder.exists():
            folder.mkdir(mode=0o700)
            return folder
    raise FileExistsError("every folder with a name of that length is there already")


if __name__ == "__main__":
    main()
