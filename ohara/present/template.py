"""A line of one's own for each hit: `--format` with git's placeholders, and some for what git does not have.

An unknown placeholder is refused with the list of known ones. What comes from a repository is sanitized, so
that a format is safe on a terminal and in a pipe; JSON has the exact text. Pure.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from ohara.errors import UsageError
from ohara.fate_phrase import fate_phrase
from ohara.present.times import ago, written_date
from ohara.records import dataclass
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ohara.model import Hit
    from ohara.present.text import Page

    Field: TypeAlias = Callable[[Hit, Page], str]

ONELINE = "%C(yellow)%h%C(reset) %C(magenta)%(place)%C(reset) %s"
_OF_SEVERAL = ONELINE.replace("%C(magenta)", "%(repository) %C(magenta)")

SHORT_SHA = 10
_LINES = "\n\t"
_PREFIXES = ("format:", "tformat:")
_NAMES = {"json": "--json", "jsonl": "--jsonl"}

# %Cred and %C(bold red); %an, %aI: two letters; %x09; %(path).
_PLACEHOLDER = re.compile(
    r"%(?:C\((?P<ink>[^)]*)\)|C(?P<plain>red|green|blue|reset)|x(?P<byte>[0-9a-fA-F]{2})|\((?P<own>[^)]*)\)"
    r"|(?P<git>a[nelNELdriIstD]|c[driIstD]|[HhPpsfbBn%])|(?P<unknown>[A-Za-z]{1,2}|.?))",
    re.DOTALL,
)

_INKS = {
    "normal": "", "auto": "", "reset": "0", "bold": "1", "dim": "2", "italic": "3", "ul": "4", "blink": "5",
    "reverse": "7", "black": "30", "red": "31", "green": "32", "yellow": "33", "blue": "34", "magenta": "35",
    "cyan": "36", "white": "37",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Template:
    """A format that was read: texts and fields, in order."""

    parts: tuple[str | Field, ...]

    def line(self, hit: Hit, page: Page) -> str:
        """What the format says of a hit."""
        return "".join(part if isinstance(part, str) else part(hit, page) for part in self.parts)


def read_template(text: str) -> Template:
    """The format that a text is; an unknown placeholder is an error that lists the known ones."""
    body = text
    for prefix in _PREFIXES:
        body = body.removeprefix(prefix)
    if body == "oneline":
        body = ONELINE
    if body in _NAMES:
        raise UsageError(f"--format takes placeholders, and {body!r} is none", hint=_NAMES[body])
    if "%" not in body:
        raise UsageError(f"--format {body[:40]!r} has no placeholder", hint=_listed())
    parts: list[str | Field] = []
    end = 0
    for found in _PLACEHOLDER.finditer(body):
        parts += [body[end : found.start()], _part(found)]
        end = found.end()
    return Template((*parts, body[end:]))


def naming_repositories(text: str) -> str:
    """The format of --oneline where hits are of several repositories; another one stays as it is."""
    return text.replace(ONELINE, _OF_SEVERAL)


def _part(found: re.Match[str]) -> str | Field:
    if found["byte"]:
        return chr(int(found["byte"], 16))
    if found["plain"] or found["ink"] is not None:
        return partial(_inked, _escape(found["plain"] or found["ink"], found[0]))
    field = _OWN.get(found["own"]) if found["own"] is not None else _GIT.get(found["git"] or "")
    if field is None:
        raise UsageError(f"--format: {found[0]} is not a placeholder that ohara knows", hint=_listed())
    return field


def _listed() -> str:
    git = " ".join(f"%{name}" for name in _GIT)
    own = " ".join(f"%({name})" for name in _OWN)
    return f"the placeholders are {git} %xNN %C(colour) {own}"


# -- colours -------------------------------------------------------------------------------------


def _escape(names: str, written: str) -> str:
    """The escape sequence of git's names for colours; "" for those that follow the terminal."""
    words = names.removeprefix("always,").replace(",", " ").split()
    unknown = [word for word in words if word not in _INKS]
    if unknown or not words:
        raise UsageError(
            f"--format: {written} names no colour", hint=f"the names are {', '.join(name for name in _INKS)}"
        )
    codes = ";".join(filter(None, (_INKS[word] for word in words)))
    return f"\x1b[{codes}m" if codes else ""


def _inked(escape: str, _hit: Hit, page: Page) -> str:
    return escape if page.style.coloured else ""


# -- fields --------------------------------------------------------------------------------------


def _authored(style: str | None) -> Field:
    return lambda hit, page: written_date(
        hit.commit.author_time, hit.commit.author_offset, style or page.date, now=page.now
    )


def _committed(style: str | None) -> Field:
    return lambda hit, page: written_date(
        hit.commit.committer_time, hit.commit.committer_offset, style or page.date, now=page.now
    )


def _paragraphs(hit: Hit) -> tuple[list[str], list[str]]:
    """The lines of a message's first paragraph, which git takes for the subject, and those behind it."""
    lines = hit.commit.message.strip().split("\n")
    end = next((at for at, line in enumerate(lines) if not line.strip()), len(lines))
    body = next((at for at in range(end, len(lines)) if lines[at].strip()), len(lines))
    return lines[:end], lines[body:]


def _subject(hit: Hit, _page: Page) -> str:
    return sanitize(" ".join(line.rstrip() for line in _paragraphs(hit)[0]))


def _body(hit: Hit, _page: Page) -> str:
    return sanitize("\n".join(_paragraphs(hit)[1]), keep=_LINES)


def _file_name(hit: Hit, _page: Page) -> str:
    """The subject as git makes a file name of it."""
    return re.sub(r"\.{2,}", ".", re.sub(r"[^A-Za-z0-9._]+", "-", hit.commit.subject)).strip("-.")


def _place(hit: Hit, _page: Page) -> str:
    number = hit.line or hit.old_line
    return sanitize(hit.path) + (f":{number}" if hit.path and number and hit.excerpt else "")


def _fate(hit: Hit, page: Page) -> str:
    return sanitize(fate_phrase(hit.fate, lambda moment: ago(moment, now=page.now))) if hit.fate else ""


_DATES = {"d": None, "r": "relative", "t": "unix", "i": "iso", "I": "iso-strict", "s": "short", "D": "rfc"}

_GIT: Mapping[str, Field] = {
    "H": lambda hit, _: hit.commit.sha,
    "h": lambda hit, _: hit.commit.sha[:SHORT_SHA],
    "P": lambda hit, _: " ".join(hit.commit.parents),
    "p": lambda hit, _: " ".join(parent[:SHORT_SHA] for parent in hit.commit.parents),
    "an": lambda hit, _: sanitize(hit.commit.author),
    "ae": lambda hit, _: sanitize(hit.commit.email),
    "al": lambda hit, _: sanitize(hit.commit.email.partition("@")[0]),
    **{f"a{letter}": _authored(style) for letter, style in _DATES.items()},
    **{f"c{letter}": _committed(style) for letter, style in _DATES.items()},
    "s": _subject,
    "f": _file_name,
    "b": _body,
    "B": lambda hit, _: sanitize(hit.commit.message.strip("\n"), keep=_LINES),
    "n": lambda *_: "\n",
    "%": lambda *_: "%",
}

_OWN: Mapping[str, Field] = {
    "rank": lambda hit, _: str(hit.rank),
    "score": lambda hit, _: f"{hit.score:.6g}",
    "place": _place,
    "path": lambda hit, _: sanitize(hit.path),
    "old_path": lambda hit, _: sanitize(hit.old_path or ""),
    "line": lambda hit, _: str(hit.line),
    "old_line": lambda hit, _: str(hit.old_line),
    "kind": lambda hit, _: hit.kind.value,
    "symbol": lambda hit, _: sanitize(hit.symbol or ""),
    "excerpt": lambda hit, _: sanitize(hit.excerpt, keep=_LINES),
    "fate": _fate,
    "tag": lambda hit, _: sanitize(hit.tag or ""),
    "url": lambda hit, _: sanitize(hit.url),
    "repository": lambda hit, _: sanitize(hit.repository),
}

NEEDS_TAG = "%(tag)"
