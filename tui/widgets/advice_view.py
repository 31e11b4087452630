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
        lines = self._lines(width)
        above = max(0, (size.height - len(lines)) // 3)
        margin = " " * max(0, (size.width - width) // 2)
        first_choice = len(lines) - len(self.advice.choices)
        self._choice_lines = {above + first_choice + at: at for at in range(len(self.advice.choices))}
        drawn = [Content("")] * above + [Content.assemble(margin, line) for line in lines]
        return Content("\n").join(drawn[: max(1, size.height)])

    def _lines(self, width: int) -> list[Content]:
        advice = self.advice
        tone = _TONES[advice.tone]
        lines = [
            Content.assemble(
                (f"{advice.glyph}  ", f"bold {tone}"), (cut(sanitize(advice.title), width - 3), "bold")
            )
        ]
        for text in advice.lines:
            lines += [Content.styled(f"   {line}", "$muted") for line in _wrapped(sanitize(text), width - 3)]
        if advice.choices:
            lines.append(Content(""))
        label_width = min(
            max((cell_width(sanitize(each.label)) for each in advice.choices), default=0), width - 8
        )
        lines += [self._choice(each, at, label_width, width) for at, each in enumerate(advice.choices)]
        return lines

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
