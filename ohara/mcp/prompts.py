"""Prompts that a person picks in a client: three questions about history, with how to answer them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.errors import UsageError
from ohara.records import dataclass
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt; `text` holds the name of its argument in braces."""

    name: str
    title: str
    description: str
    argument: str
    argument_is: str
    text: str

    def filled(self, given: Mapping[str, str] | None) -> str:
        """The prompt with its argument."""
        value = sanitize((given or {}).get(self.argument, ""), keep="\n\t").strip()
        if not value:
            raise UsageError(f"{self.name} needs the argument {self.argument}", hint=self.argument_is)
        return self.text.replace(f"{{{self.argument}}}", value)


PROMPTS = (
    Prompt(
        "why-is-this-line-here",
        "Why is this line here?",
        "The commits behind some lines, and the reasons they give.",
        "place",
        "A file with a line or lines: src/app.py:120-130",
        "Why is {place} as it is? Call explain_change with that place. Read the commits' messages and"
        " diffs, the reverts and the changes beside them; where a message says nothing, look with"
        " find_pattern for the issue or the words of the code. Answer with the reason in two or three"
        " sentences and the commits that show it, and say plainly what the history does not tell.",
    ),
    Prompt(
        "has-this-been-tried-before",
        "Has this been tried before?",
        "Earlier attempts at an idea, and what became of them.",
        "idea",
        "What you are about to do, in a few words.",
        "Has this been tried before in this repository: {idea}? Ask find_pattern for it in plain words,"
        " then with the names that the first answer shows, then with side=removed for what was taken out"
        " again. For each attempt say what it did, whether it is still there, and why it was changed or"
        " reverted, with the commits. If there was none, say so, and how much of the history was searched.",
    ),
    Prompt(
        "what-broke-this",
        "What broke this?",
        "The change that most likely caused a symptom.",
        "symptom",
        "What goes wrong, and since when if you know: an error, a test, a behaviour.",
        "What broke this: {symptom}? Find with find_pattern the code that the symptom is about (the text of"
        " the error in quotes, then the symbol), newest changes first with since=. Read the candidates with"
        " show_commit. Name the commit that most likely caused it, the lines that do it, and how to check"
        " that; name the runner-up if it is close.",
    ),
)
