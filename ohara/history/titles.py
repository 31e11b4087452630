"""The title of a thread: that of its pull request, or the subject of its first commit. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ohara.history.mentions import requests_of, subject_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_FORGE = re.compile(r"\AMerged? (?:pull request|PR|MR|in) ", re.IGNORECASE)
_SMALL = re.compile(r"\A(?:Merge|fixup!|squash!|amend!|Revert|Reapply)\b", re.IGNORECASE)


def title_of(messages: Sequence[str]) -> str:
    """The title of commits with these messages, in their order."""
    for message in messages:
        if _FORGE.match(subject_of(message)) and (title := _request_title(message)):
            return title
    subjects = [subject for message in messages if (subject := subject_of(message))]
    telling = [subject for subject in subjects if not _SMALL.match(subject)]
    return next(iter((*telling, *subjects)), "")


def _request_title(message: str) -> str:
    """What a forge writes below the subject of a merge, with the number; "" when it wrote nothing."""
    rest = message.strip().partition("\n")[2].strip()
    title = subject_of(rest)
    numbers = "".join(f" (#{number})" for number in requests_of(message) if f"#{number}" not in title)
    return f"{title}{numbers}" if title else ""
