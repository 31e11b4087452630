"""What a commit's message says of other commits, pull requests and issues. Pure.

Only what is written on purpose counts: a trailer, a subject that git or a forge writes, a closing word before
a number. A number or a hash that merely occurs does not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHA = "[0-9a-f]{7,64}"
_SHAS = rf"{_SHA}(?:(?:,? and |[ ,]{{1,3}}){_SHA})*"

_PICKED = re.compile(rf"\(cherry[- ]picked from (?:commit )?({_SHAS})", re.IGNORECASE)
_REVERTED = re.compile(rf"\breverts? (?:commits? )?({_SHAS})\b", re.IGNORECASE)
_FIXED = re.compile(
    rf"^(?:fixes|fixup|amends|follow[- ]?up(?: to| of)?):? (?:commit )?({_SHA})\b"
    rf"|\b(?:introduced|caused|broken|regression|bug|follow[- ]?up) (?:in|by|from|since|to|of|for) "
    rf"(?:commit )?({_SHA})\b",
    re.IGNORECASE | re.MULTILINE,
)
_HASH = re.compile(_SHA)
_NAMED_COMMIT = re.compile(rf"\b{_SHA}\b", re.IGNORECASE)

_REVERT_SUBJECT = re.compile(r'\A(?:Revert|Reapply):? "(.+)"\.?\Z')
_FIXUP_SUBJECT = re.compile(r"\A(?:fixup|squash|amend)! +(.+)\Z")

_REQUEST_SUBJECT = re.compile(r"\AMerged? (?:pull request|PR|MR) [#!]?([0-9]{1,9})\b", re.IGNORECASE)
_REQUEST_END = re.compile(r"(?:\s?\((?:#|GH-|PR #?|pull request #)[0-9]{1,9}\))+[ .]*\Z", re.IGNORECASE)
_REQUEST_LINE = re.compile(r"^See merge request \S*!([0-9]{1,9})\s*$", re.MULTILINE)
_ISSUE = re.compile(
    r"\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|backport(?:s|ed)?(?: of)?|part of)"
    r"[ :]{1,2}(?:(?:issue|bug|PR|pull request) ?)?"
    r"((?:#|GH-)[0-9]{1,9}(?:(?:,? and |, ?| ?& ?)(?:#|GH-)[0-9]{1,9})*)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile("[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Mentions:
    """What one message says: commits by their hash or the beginning of it, subjects, numbers.

    `picked`, `reverts` and `fixes` are hashes, `reverted_subject` and `fixed_subject` the subjects in what
    git writes for a revert and a fixup. `requests` are the pull requests that brought the commit in, `issues`
    what it says that it closes or is a part of.
    """

    picked: tuple[str, ...] = ()
    reverts: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    reverted_subject: str = ""
    fixed_subject: str = ""
    requests: tuple[int, ...] = ()
    issues: tuple[int, ...] = ()


_NOTHING = Mentions()


def mentions(message: str) -> Mentions:
    """What a message says of others."""
    subject = subject_of(message)
    names_commit = _NAMED_COMMIT.search(message) is not None  # few do, and the other patterns take their time
    names_number = "#" in message or "GH-" in message or "gh-" in message or "!" in message
    revert = _REVERT_SUBJECT.match(subject)
    fixup = _FIXUP_SUBJECT.match(subject)
    if not (names_commit or names_number or revert or fixup or _REQUEST_SUBJECT.match(subject)):
        return _NOTHING
    return Mentions(
        picked=_hashes(_PICKED, message) if names_commit else (),
        reverts=_hashes(_REVERTED, message) if names_commit else (),
        fixes=_hashes(_FIXED, message) if names_commit else (),
        reverted_subject=revert.group(1) if revert else "",
        fixed_subject=fixup.group(1) if fixup else "",
        requests=requests_of(message),
        issues=_numbers(_ISSUE.findall(message)) if names_number else (),
    )


def subject_of(message: str) -> str:
    """The first line of a message that is not blank."""
    return message.lstrip().partition("\n")[0].strip()


def _hashes(pattern: re.Pattern[str], message: str) -> tuple[str, ...]:
    texts = (text.lower() for found in pattern.finditer(message) for text in found.groups() if text)
    return tuple(dict.fromkeys(sha for text in texts for sha in _HASH.findall(text)))


def requests_of(message: str) -> tuple[int, ...]:
    """The pull requests that brought a commit in, by its message."""
    subject = subject_of(message)
    texts = [found.group(1) for found in (_REQUEST_SUBJECT.match(subject),) if found]
    if found := _REQUEST_END.search(subject):
        texts.append(found.group())
    if "See merge request" in message:
        texts += _REQUEST_LINE.findall(message)
    return _numbers(texts)


def _numbers(texts: Iterable[str]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(number) for text in texts for number in _NUMBER.findall(text)))
