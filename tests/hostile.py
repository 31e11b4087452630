"""Text that a stranger may put into a repository or a question, and where: written once, for every output.

Each sample goes into messages, people, paths, branches and lines of one history, and into every kind of value
that a person can type. `assert_inert` is what must hold of whatever reaches a terminal.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fixtures.people import Person
from fixtures.script import History
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

SAMPLES = {
    "colour": "\x1b[31mred",
    "clear": "\x1b[2J\x1b[H",
    "title": "\x1b]0;owned\x07",
    "link": "\x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;cm0gLXJm\x07",
    "device": '\x1bP$q"p\x1b\\',
    "c1": "\x9b31m\x9d0;x\x9c",
    "backspace": "good\b\b\b\bevil",
    "return": "good\revil",
    "bell": "\x07",
    "vertical": "a\x0bb\x0cc",
    "override": "\u202egnp.exe",
    "isolate": "\u2066\u2067x\u2069",
    "marks": "\u200e\u200f\u061c",
    "zero-width": "a\u200bb\u200cc\u200dd\u2060\ufeff",
    "separators": "a\u2028b\u2029c\x85d",
    "soft-hyphen": "pass\u00adword",
    "filler": "a\u3164b\uffa0c\u115f",
    "tags": "a\U000e0041\U000e0042\U000e007f",
    "selectors": "a\ufe00b\U000e0100",
    "annotation": "\ufff9a\ufffab\ufffb",
    "zalgo": "e" + "\u0301" * 3_000,
    "delete": "a\x7fb",
    "markup": "[bold]x[/bold] [link=file:///]y[/]",
    "format": "%s {0} ${HOME} `id` $(id)",
    "not-utf-8": "caf\udce9 \udcff\udcfe\udc9b31m",  # surrogates stand for bytes, as Python has it
    "half": "a\udced\udca0\udc80b",  # the bytes of half a character of UTF-16
    "wide": "\u4e2d\U0001f469\u200d\U0001f469\u200d\U0001f467",
}

# All at once, for what is asked many times over: a character is hostile whatever stands beside it.
TOGETHER = " ".join(sample[:60] for sample in SAMPLES.values())

_SGR = re.compile(r"\x1b\[[0-9;]*m")
# What neither git nor a file system takes in a path, or a fast-import stream in a name.
_NOT_IN_PATHS = re.compile(r"[\x00-\x1f\x7f/\\]")
_NOT_IN_PEOPLE = re.compile(r"[\x00\n<>]")
_NOT_IN_REFS = re.compile(r"[\x00-\x20\x7f~^:?*\[\]\\@{}]|\.\.|/")


def in_bytes(text: str) -> bytes:
    """Text as a repository holds it: UTF-8, but for the bytes that are not."""
    return text.encode("utf-8", "surrogateescape")


def hostile_history(path: Path) -> Repo:
    """A bare repository with every sample in a message, a person, a path and a line of its own commit."""
    with History(path, bare=True) as history:
        for name, sample in SAMPLES.items():
            name_only = _NOT_IN_PEOPLE.sub("", sample)
            person = Person(name_only[:200] or "x", f"{name}@{name_only[:40]}")
            message = in_bytes(f"needle {sample} {name}\n\nbody {sample}\n")
            file = f"dir {_NOT_IN_PATHS.sub('', sample)[:60]}/{name}.py"
            lines = f"needle = '{sample}'  # {name}\n" + f"def f_{name.replace('-', '_')}():\n    return 1\n"
            history.commit(message, {file: in_bytes(lines)}, key=name, author=person)
        history.commit("needle in a long line", {"long.txt": "needle\x1b[31m " * 80_000 + "\n"}, key="long")
        history.commit("needle beside nothing", {"nul.bin": "a\x00needle\x1b[31m\n"}, key="nul")
        history.commit("needle gone", {"long.txt": None}, key="gone")
    repo = history.repo
    for name, sample in SAMPLES.items():
        ref = f"refs/heads/{name}-{_NOT_IN_REFS.sub('', sample)[:40]}".rstrip(".")
        repo.git("update-ref", ref, repo.sha[name])
    return repo


def typed(sample: str) -> list[tuple[str, ...]]:
    """Command lines that hold a sample: as a value, a name, a mistake, something that is not there."""
    quoted = sample.replace("\\", "\\\\").replace('"', '\\"')
    return [
        ("find", sample),
        ("find", f'"{quoted}"'),
        ("find", f'x "{sample}'),
        ("find", f"/({sample}/"),
        ("find", f"author:{sample}", "x"),
        ("find", f"path:{sample}", "x"),
        ("find", f"lang:{sample}", "x"),
        ("find", f"ext:{sample}", "x"),
        ("find", f"since:{sample}", "x"),
        ("find", f"kind:{sample}", "x"),
        ("find", f"ref:{sample}", "x"),
        ("find", f"commit:{sample}", "x"),
        ("find", f"auther:{sample}", "x"),
        ("find", f'retry "{quoted}"'),
        ("find", "--since", sample, "x"),
        ("find", "--mode", sample, "x"),
        ("find", "--after", sample, "x"),
        ("find", "--ref", sample, "x"),
        ("find", f"--{sample}", "x"),
        ("find", "-k", sample, "x"),
        ("show", sample),
        (sample,),
    ]


def assert_inert(text: str, *, coloured: bool = False) -> None:
    """Whatever reaches a terminal holds no control, invisible or reordering character but line ends."""
    shown = _SGR.sub("", text) if coloured else text
    assert sanitize(shown, keep="\n") == shown, ascii(shown)[:500]
