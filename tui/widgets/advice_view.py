"""Shows advice in the middle of the screen: a sign, a title, a few lines, and choices with a cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from tui.advice import Advice, Choice
from tui.cells import cell_width, cut, fit, sanitize

if TYPE_CHECKING:
    from textual import events

_TONES = {"": "$primary", "warning": "$warning", "error": "$error"}
_WIDEST = 76


class AdviceView(Widget, can_focus=True):
    """What is shown where hits would be."""

    DEFAULT_CSS = "AdviceView { height: 1fr; padding: 1 2; }"

    class Chosen(Message):
        """A choice was made."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.advice = Advice("", "")
        self._at = 0
        self._choice_lines: dict[int, int] = {}

    def show(self, advice: Advice) -> None:
        """Show other advice; the cursor stays where it was if there is something."""
        if [each.label for each in advice.choices] != [each.label for each in self.advice.choices]:
            self._at = 0
        self.advice = advice
        self.refresh()

    @property
    def chosen(self) -> Choice | None:
        """The choice under the cursor."""
        return self.advice.choices[self._at] if self._at < len(self.advice.choices) else None

    def move(self, by: int) -> None:
        """Move the cursor among the choices."""
        self._at = max(0, min(self._at + by, len(self.advice.choices) - 1))
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked."""
        at = self._choice_lines.get(int(event.y) - self.styles.padding.top)
        if at is not None:
            self._at = at
            self.post_message(self.Chosen(self.advice.choices[at]))

    def render(self) -> Content:
        """The advice, in the middle."""
        size = self.content_size
        width = min(_WIDEST, size.width)
        lines, choices = self._lines(width), self._choices(width)
        first = 0
        if len(lines) + len(choices) + bool(choices) > size.height:
            lines, first, choices = self._fitted(lines, choices, width, max(1, size.height))
        elif choices:
            lines.append(Content(""))
        above = max(0, (size.height - len(lines) - len(choices)) // 3)
        margin = " " * max(0, (size.width - width) // 2)
        self._choice_lines = {above + len(lines) + at: first + at for at in range(len(choices))}
        drawn = [Content.assemble(margin, line) for line in (*lines, *choices)]
        return Content("\n").join([Content("")] * above + drawn)

    def _fitted(
        self, lines: list[Content], choices: list[Content], width: int, height: int
    ) -> tuple[list[Content], int, list[Content]]:
        """As much as there is room for: the title, the choices about the cursor, what is left of the text."""
        room = max(1, height - 2) if len(lines) > 1 else height - 1
        shown = min(len(choices), room)
        first = max(0, self._at - shown + 1)
        kept = lines[: max(1, height - shown)]
        if len(kept) < len(lines):
            kept[-1] = Content.assemble(kept[-1].truncate(width - 2), " …")
        return kept, first, choices[first : first + shown]

    def _lines(self, width: int) -> list[Content]:
        """The title and the text."""
        advice = self.advice
        tone = _TONES[advice.tone]
        lines = [
            Content.assemble(
                (f"{advice.glyph}  ", f"bold {tone}"), (cut(sanitize(advice.title), width - 3), "bold")
            )
        ]
        for text in advice.lines:
            lines += [Content.styled(f"   {line}", "$muted") for line in _wrapped(sanitize(text), width - 3)]
        return lines

    def _choices(self, width: int) -> list[Content]:
        labels = [cell_width(sanitize(each.label)) for each in self.advice.choices]
        room = min(max(labels, default=0), width - 8)
        return [self._choice(each, at, room, width) for at, each in enumerate(self.advice.choices)]

    def _choice(self, choice: Choice, at: int, label_width: int, width: int) -> Content:
        here = at == self._at
        label = fit(sanitize(choice.label), label_width)
        key = f"  {choice.key}" if choice.key else ""
        note = cut(sanitize(choice.note), max(0, width - label_width - 5 - len(key) - 2))
        return Content.assemble(
            ("▌ " if here else "  ", "$primary"),
            (
                f" {label} ",
                "bold $block-cursor-foreground on $block-cursor-background" if here else "$foreground",
            ),
            (key, "bold $accent"),
            (f"  {note}" if note else "", "$muted"),
        )


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        grown = f"{lines[-1]} {word}".strip()
        if cell_width(grown) <= width:
            lines[-1] = grown
        else:
            lines.append(cut(word, width))
    return lines
