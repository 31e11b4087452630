"""What the table of actions means to Textual and to people: bindings, labels of keys, keys by the settings.

Bindings, the footer, the palette, the help and docs/keys.md all read the table in `tui.action_table`. The
setting `tui.keys` can change keys; an unknown action and a key with two meanings are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.keys import _character_to_key, format_key

from ohara.errors import ConfigError
from ohara.suggest import nearest
from tui.action_table import ACTIONS, BY_NAME, Action, Group, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = [
    "ACTIONS",
    "BY_NAME",
    "Action",
    "Group",
    "Keys",
    "Scope",
    "bindings",
    "by_group",
    "key_label",
    "key_name",
    "remapped",
    "textual_action",
]


def textual_action(action: Action) -> str:
    """An action as Textual runs it: by the app, by the query bar itself, or by the screen."""
    if action.run:
        return action.run
    match action.scope:
        case Scope.EVERYWHERE:
            return f"app.{action.name}"
        case Scope.QUERY:
            return action.name
        case Scope.READING | Scope.MESSAGE:
            return f"screen.do('{action.name}')"
        case _:
            return f"do('{action.name}')"


def bindings(*scopes: Scope) -> list[Binding]:
    """The bindings of a screen or widget for the actions of these scopes."""
    return [
        Binding(
            ",".join(map(key_name, action.keys)),
            textual_action(action),
            action.title,
            show=action.footer,
            id=action.name,
            tooltip=action.help,
        )
        for action in ACTIONS
        if action.scope in scopes
    ]


def key_name(key: str) -> str:
    """A key as Textual calls it: `?` is question_mark, `ctrl+p` is itself."""
    key = key.strip()
    return _character_to_key(key) if len(key) == 1 else key.lower()


def key_label(key: str) -> str:
    """A key as it is shown to people."""
    *modifiers, last = key_name(key).split("+")
    return "+".join([*modifiers, format_key(last)])


# -- other keys ----------------------------------------------------------------------------------

# On a screen its own keys work, those of the diff in it and those of everywhere: no key twice among these.
# A pane with the focus has keys of its own, which come before those of its screen.
_SCREENS = (Scope.SEARCH, Scope.COMMIT, Scope.HISTORY, Scope.FILE, Scope.REPOSITORIES)
_WITH_A_DIFF = frozenset({Scope.SEARCH, Scope.COMMIT, Scope.HISTORY, Scope.FILE, Scope.READING})
_PANES = (Scope.READING, Scope.MESSAGE)


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of each action, after changes by the settings."""

    changed: Mapping[str, tuple[str, ...]]

    def of(self, action: Action) -> tuple[str, ...]:
        """The keys of an action."""
        return self.changed.get(action.name, action.keys)

    def labels(self, action: Action) -> str:
        """The keys of an action as they are shown to people."""
        return " ".join(map(key_label, self.of(action)))

    def first_label(self, name: str) -> str:
        """The first key of an action as it is shown to people."""
        return key_label(self.of(BY_NAME[name])[0])

    def keymap(self) -> dict[str, str]:
        """The changed keys as Textual takes them."""
        return {name: ",".join(map(key_name, keys)) for name, keys in self.changed.items()}


def remapped(settings: Mapping[str, str]) -> Keys:
    """The keys in force; a setting names an action and its keys, separated by spaces."""
    changed: dict[str, tuple[str, ...]] = {}
    for name, typed in settings.items():
        if name not in BY_NAME:
            raise ConfigError(
                f"tui.keys: there is no action {name}", hint=f"did you mean {nearest(name, BY_NAME)}?"
            )
        if not typed.split():
            raise ConfigError(f"tui.keys: {name} has no key", hint=f'write a key, as in {name} = "x"')
        changed[name] = tuple(typed.split())
    keys = Keys(changed)
    for place in (*_SCREENS, *_PANES):
        _refuse_clashes(keys, place)
    return keys


def _refuse_clashes(keys: Keys, place: Scope) -> None:
    scopes = {place, Scope.EVERYWHERE} | ({Scope.DIFF} if place in _WITH_A_DIFF else set())
    taken: dict[str, Action] = {}
    for action in (each for each in ACTIONS if each.scope in scopes):
        for key in map(key_name, keys.of(action)):
            other = taken.setdefault(key, action)
            if other is not action:
                raise ConfigError(
                    f"tui.keys: {key_label(key)} would mean {other.name} and {action.name}",
                    hint="give one of them another key; docs/keys.md lists all",
                )


# -- words ---------------------------------------------------------------------------------------


def by_group(actions: Iterable[Action]) -> Iterator[tuple[Group, list[Action]]]:
    """Actions by group, in the order of the groups."""
    listed = list(actions)
    for group in Group:
        members = [action for action in listed if action.group is group]
        if members:
            yield group, members
