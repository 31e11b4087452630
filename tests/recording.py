"""Records a session in a terminal as an animated picture: python -m tests.recording docs/images/session.svg

Each command of the session is run in a pseudo-terminal, in the scripted project of the tests; what it prints,
colours and all, becomes text in an SVG whose style sheet shows it piece by piece. Nothing is drawn that was
not printed. `--frame N` writes the picture as it stands after the Nth command, to be looked at.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from fixtures.histories import small_project
from ohara.present.columns import width_of
from tests.process import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COLUMNS, ROWS = 88, 21
SESSION = (
    ("find", "-k", "1", "when did we drop python 2"),
    ("find", "--oneline", '"hashlib.md5"'),
    ("find", "-k", "1", "--tags", "-C", "2", "retry with backoff", "lang:go", "-author:renovate"),
    ("explain", "parcel/digest.py", "-k", "2", "-C", "0"),
)

_TYPED_S = 0.045  # a character
_READ_S = 4.5  # of what a command printed
_CELL, _LINE, _MARGIN = 8.43, 19, 16  # pixels of a character, a line, and around them
_SGR = re.compile(r"\x1b\[([0-9;]*)m|\x1b\[[0-9;?]*[A-Za-z]")
_CLASSES = {"1": "b", "2": "q", "4": "u", "31": "r", "32": "g", "33": "y", "35": "m", "36": "c"}
_STYLE = """
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d7dae0; white-space: pre }
.b { font-weight: bold } .q { fill: #8b919d } .u { text-decoration: underline }
.r { fill: #ef7a80 } .g, .p { fill: #8fce7e } .y { fill: #e5c07b } .m { fill: #cf8ee0 } .c { fill: #62c3d0 }
.s { opacity: 0 }
@media (prefers-reduced-motion: reduce) { .s { animation: none !important } #t0, #o0 { opacity: 1 } }
"""


@dataclass(frozen=True, slots=True)
class Step:
    """A command as it is typed, and the lines that it printed."""

    typed: str
    lines: tuple[str, ...]

    @property
    def typing_s(self) -> float:
        """How long it takes to type."""
        return len(self.typed) * _TYPED_S

    @property
    def length_s(self) -> float:
        """How long it is seen."""
        return self.typing_s + _READ_S


def main() -> None:
    """Record the session and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--frame", type=int)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        project = small_project(Path(scratch) / "parcel")
        os.environ |= {"OHARA_HOME": f"{scratch}/home", "PYTHONPATH": str(ROOT)}
        os.environ |= {"OHARA_DAEMON_AUTOSTART": "false"}
        subprocess.run([sys.executable, "-m", "ohara", "index", "-q"], cwd=project.path, check=True)
        steps = [Step(typed(command), tuple(printed(command, project.path))) for command in SESSION]
    options.file.write_text(picture(steps, frame=options.frame), encoding="utf-8")
    print(f"{options.file}: {options.file.stat().st_size:,} bytes")


def typed(command: Sequence[str]) -> str:
    """A command as a person types it."""
    quoted = [f"'{word}'" if re.search(r"[\"\s(]", word) else word for word in command]
    return " ".join(["ohara", *quoted])


def printed(command: Sequence[str], folder: Path) -> Iterator[str]:
    """The lines that a command prints on a terminal, as far as they fit one."""
    outside, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = {name: text for name, text in os.environ.items() if name not in {"NO_COLOR", "COLUMNS"}}
    process = subprocess.Popen(
        [sys.executable, "-m", "ohara", *command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=inside,
        stderr=subprocess.DEVNULL,
        env=environment | {"TERM": "xterm-256color", "GIT_PAGER": "cat"},
    )
    os.close(inside)
    read = b""
    while True:
        try:
            piece = os.read(outside, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        read += piece
    os.close(outside)
    process.wait()
    yield from read.decode().replace("\r\n", "\n").rstrip("\n").split("\n")[: ROWS - 2]


def picture(steps: Sequence[Step], *, frame: int | None = None) -> str:
    """The animated picture, or one of its frames."""
    total_s = sum(step.length_s for step in steps)
    size = f'width="{round(COLUMNS * _CELL + 2 * _MARGIN)}" height="{ROWS * _LINE + 2 * _MARGIN}"'
    rules: list[str] = []
    groups: list[str] = []
    start_s = 0.0
    for number, step in enumerate(steps):
        if frame is None:
            rules += _rules(number, step, start_s, total_s)
        if frame in {None, number}:
            groups += _group(number, step, animated=frame is None)
        start_s += step.length_s
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
            f"<title>A session in a terminal: {escape('; '.join(step.typed for step in steps))}</title>",
            f"<style>{_STYLE}{''.join(rules)}</style>",
            f'<rect {size} rx="8" fill="#16181d"/>',
            *groups,
            "</svg>\n",
        ]
    )


def _rules(number: int, step: Step, start_s: float, total_s: float) -> list[str]:
    """When the typed line and what was printed are seen."""
    moments = (start_s, start_s + step.typing_s, start_s + step.length_s)
    begin, shown, end = (100 * moment / total_s for moment in moments)

    def seen(name: str, start: float) -> str:
        return (
            f"@keyframes {name} {{ 0% {{ opacity: 0 }} {max(start, 0.01):.2f}% {{ opacity: 1 }}"
            f" {end:.2f}%, 100% {{ opacity: 0 }} }}\n"
            f"#{name} {{ animation: {name} {total_s:.1f}s step-end infinite }}\n"
        )

    narrow, wide = 2 * _CELL, (len(step.typed) + 2) * _CELL
    typing = (
        f"@keyframes w{number} {{ 0%, {begin:.2f}% {{ width: {narrow:.0f}px; animation-timing-function:"
        f" steps({len(step.typed)}) }} {shown:.2f}%, 100% {{ width: {wide:.0f}px }} }}\n"
        f"#w{number} {{ animation: w{number} {total_s:.1f}s infinite }}\n"
    )
    return [seen(f"t{number}", begin), seen(f"o{number}", shown), typing]


def _group(number: int, step: Step, *, animated: bool) -> list[str]:
    first = _text(0, f'<tspan class="p">$ </tspan>{escape(step.typed, quote=False)}')
    lines = [_text(row, _spans(line)) for row, line in enumerate(step.lines, 1) if line.strip()]
    if not animated:
        return [first, *lines]
    place = f'x="{_MARGIN}" y="{_MARGIN}" width="{(len(step.typed) + 2) * _CELL:.0f}" height="{_LINE}"'
    return [
        f'<clipPath id="c{number}"><rect id="w{number}" {place}/></clipPath>',
        f'<g id="t{number}" class="s"><g clip-path="url(#c{number})">{first}</g></g>',
        f'<g id="o{number}" class="s">',
        *lines,
        "</g>",
    ]


def _text(row: int, content: str) -> str:
    return f'<text x="{_MARGIN}" y="{_MARGIN + _LINE * (row + 1) - 4}" xml:space="preserve">{content}</text>'


def _spans(line: str) -> str:
    """A line with its colours as spans, cut to the width of the terminal."""
    spans: list[str] = []
    classes: list[str] = []
    at = taken = 0
    for found in [*_SGR.finditer(line), None]:
        text = line[at : found.start() if found else len(line)][: max(0, COLUMNS - taken)]
        taken += width_of(text)
        if text:
            inside = escape(text, quote=False)
            spans.append(f'<tspan class="{" ".join(classes)}">{inside}</tspan>' if classes else inside)
        if found is not None:
            at = found.end()
            codes = (found[1] or "0").split(";")
            classes = [] if "0" in codes else [_CLASSES[code] for code in codes if code in _CLASSES]
    return "".join(spans)


if __name__ == "__main__":
    main()
