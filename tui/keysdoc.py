"""Writes docs/keys.md from the table of actions: `python -m tui.keysdoc > docs/keys.md`."""

from __future__ import annotations

import sys

from tui.actions import ACTIONS, Action, Scope, key_label

_HEAD = """# Keys of the terminal UI

This page is made from the table of actions (`python -m tui.keysdoc`); `?` shows the same on screen. Every
action can be given other keys in the settings, by the name in the last column; blanks separate keys:

```toml
[tui.keys]
open_hit = "enter o"
more_like = "ctrl+l"
```

A name that does not exist and a key that would mean two things at once are refused at the start. Keys are
written as here: a character, or `enter`, `escape`, `tab`, `space`, `up`, `pagedown`, `f1` and so on, with
`ctrl+`, `alt+` or `shift+` before it.
"""


def document() -> str:
    """The whole page."""
    parts = [_HEAD]
    for place in Scope:
        mine = [action for action in ACTIONS if action.scope is place]
        if not mine:
            continue
        rows = "\n".join(map(_row, mine))
        parts.append(f"\n## {place}\n\n| keys | action | what it does | name |\n|---|---|---|---|\n{rows}\n")
    return "".join(parts)


def _row(action: Action) -> str:
    keys = " ".join(map(_key, action.keys))
    return f"| {keys} | {action.title} | {action.help} | `{action.name}` |"


def _key(key: str) -> str:
    label = key if len(key) > 1 else key_label(key)
    return f"`{label}`" if label != "|" else "`\\|`"


if __name__ == "__main__":
    sys.stdout.write(document())
