"""The head of a commit: its sha, people, dates, parents, children and thread to go to, and its message."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from ohara.fate_phrase import MARKS, commit_fate_phrase
from ohara.model import Kin
from tui.actions import Scope, bindings
from tui.cells import cut, sanitize
from tui.formats import age, moment

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ohara.model import CommitDetails, Sha, Thread, ThreadCommit

_SAME_S = 3600  # a commit that was put in place within the hour was not carried about
_MOST_KIN = 6  # lines for parents, and as many for children: an octopus has its own screen


class CommitHead(VerticalScroll, can_focus=True, inherit_bindings=False):
    """The words of a commit, scrolled when they are many."""

    SCOPE: ClassVar[Scope] = Scope.MESSAGE
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.MESSAGE)]

    DEFAULT_CSS = "CommitHead { scrollbar-size-vertical: 1; padding: 0 1; background: $surface; }"

    class KinChosen(Message):
        """A parent, a child or a commit of the same thread was clicked."""

        def __init__(self, sha: Sha) -> None:
            super().__init__()
            self.sha = sha

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._words = _Words()

    def compose(self) -> ComposeResult:
        """The words inside."""
        yield self._words

    def show(self, details: CommitDetails, *, now: float) -> None:
        """Show another commit."""
        self._words.show(details, now)
        self.scroll_to(y=0, animate=False)

    def commands(self) -> dict[str, Callable[[], object]]:
        """What its keys do, by action name."""
        return {
            "message_down": partial(self.scroll_relative, y=1, animate=False),
            "message_up": partial(self.scroll_relative, y=-1, animate=False),
            "message_page_down": partial(self._page, 1),
            "message_page_up": partial(self._page, -1),
            "message_first": partial(self.scroll_home, animate=False),
            "message_last": partial(self.scroll_end, animate=False),
        }

    def _page(self, pages: int) -> None:
        self.scroll_relative(y=pages * max(1, self.size.height - 1), animate=False)


class _Person(NamedTuple):
    """Who did something, when, and how far east of Greenwich."""

    name: str
    email: str
    time: int
    offset: int

    def line(self, sign: str, now: float) -> Content:
        """In words."""
        return Content.assemble(
            (f"{sign} ", "$muted"),
            (sanitize(self.name) or "(nobody)", "$secondary"),
            (f"  {age(self.time, now=now)}", "$success"),
            (f"  {moment(self.time, self.offset)}", "$foreground"),
            (f"  {sanitize(self.email)}" if self.email else "", "$muted"),
        )


class _Words(Widget):
    DEFAULT_CSS = "_Words { height: auto; width: 100%; background: $surface; }"

    def __init__(self) -> None:
        super().__init__()
        self._details: CommitDetails | None = None
        self._now = 0.0
        self._kin: dict[int, Sha] = {}

    def show(self, details: CommitDetails, now: float) -> None:
        self._details, self._now = details, now
        self.refresh(layout=True)

    def render(self) -> Content:
        """Lines of words; long message lines wrap, the others are cut."""
        if self._details is None:
            return Content("")
        details, commit, width = self._details, self._details.commit, max(20, self.size.width)
        written = _Person(commit.author, commit.email, commit.author_time, commit.author_offset)
        placed = _Person(
            details.committer, details.committer_email, commit.committer_time, commit.committer_offset
        )
        lines = [_names(details), written.line("◆", self._now)]
        is_other = placed[:2] != written[:2]
        if is_other or abs(placed.time - written.time) > _SAME_S:
            lines.append(placed.line("◇", self._now))
        self._kin = {}
        for sign, title, all_kin in (("▲", "parent", details.parents), ("▼", "child", details.children)):
            for kin in all_kin[:_MOST_KIN]:
                self._kin[len(lines)] = kin.sha
                lines.append(_relative(sign, title, kin, width))
            if len(all_kin) > _MOST_KIN:
                lines.append(Content.styled(f"{sign} and {len(all_kin) - _MOST_KIN} more", "$muted"))
        if details.thread is not None:
            lines.append(_thread_title(details.thread))
            for other in _others(details.thread, commit.sha):
                self._kin[len(lines)] = other.sha
                mark = MARKS[other.fate.state] if other.fate else " "
                lines.append(_relative("≡", f"thread {mark}", _kin(other), width))
        lines = [line.truncate(width, ellipsis=True) for line in lines]  # what is clicked stays one line each
        subject, _, body = commit.message.strip("\n").partition("\n")
        lines += [Content(""), Content.styled(sanitize(subject) or "(no message)", "bold")]
        lines += (
            [Content(sanitize(line.rstrip())) for line in body.rstrip().split("\n")] if body.strip() else []
        )
        return Content("\n").join(lines)

    def on_click(self, event: events.Click) -> None:
        """Go to the commit that was clicked."""
        sha = self._kin.get(int(event.y))
        if sha is not None:
            self.post_message(CommitHead.KinChosen(sha))


def _names(details: CommitDetails) -> Content:
    names = [(f" {sanitize(name)} ", "bold $primary reverse") for name in details.refs]
    spaced = [part for name in names for part in ((" ", ""), name)]
    return Content.assemble((details.commit.sha[:12], "bold $accent"), " ", *spaced)


def _thread_title(thread: Thread) -> Content:
    likely = ", likely" if thread.likely else ""
    return Content.assemble(
        ("≡ ", "$muted"),
        (f"{len(thread.commits)} commits{likely} ", "$muted"),
        (sanitize(thread.title) or "(no title)", "$foreground"),
    )


def _others(thread: Thread, sha: Sha) -> list[ThreadCommit]:
    """The commits of a thread next to one of them, in order, without it."""
    places = {commit.sha: place for place, commit in enumerate(thread.commits)}
    at = places.get(sha, 0)
    near = sorted(range(len(thread.commits)), key=lambda place: (abs(place - at), place))[: _MOST_KIN + 1]
    return [thread.commits[place] for place in sorted(near) if thread.commits[place].sha != sha][:_MOST_KIN]


def _kin(commit: ThreadCommit) -> Kin:
    """A commit of the thread, with its fate after its subject, as far as it is known."""
    fate = commit_fate_phrase(commit.fate) if commit.fate else ""
    return Kin(commit.sha, f"{commit.subject} · {fate}" if fate else commit.subject, commit.time)


def _relative(sign: str, title: str, kin: Kin, width: int) -> Content:
    subject = cut(sanitize(kin.subject) or "(not indexed)", max(4, width - 12 - len(title)))
    return Content.assemble(
        (f"{sign} ", "$muted"),
        (f"{title} ", "$muted"),
        (kin.sha[:8], "$accent"),
        (f" {subject}", "$foreground"),
    )
