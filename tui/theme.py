"""The colours of the UI: a dark and a light theme of its own, and one that uses the terminal's sixteen.

`NO_COLOR` is handled by Textual, which drops every colour; no colour here carries a meaning alone.
"""

from __future__ import annotations

from textual.theme import Theme

NAMES = ("dark", "light", "ansi")  # as the setting tui.theme has them

_DARK = Theme(
    name="dark",
    primary="#7aa2f7",
    secondary="#bb9af7",
    accent="#e0af68",
    warning="#e0af68",
    error="#f7768e",
    success="#9ece6a",
    foreground="#c8d0e8",
    background="#16161e",
    surface="#1a1b26",
    panel="#24283b",
    dark=True,
    variables={
        "muted": "#8b94b5",
        "faint": "#565f80",
        "border": "#7aa2f7",
        "border-blurred": "#343a55",
        "block-cursor-foreground": "#e6eaf7",
        "block-cursor-background": "#31406b",
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-foreground": "#d5dbee",
        "block-cursor-blurred-background": "#262d47",
        "block-cursor-blurred-text-style": "none",
        "input-cursor-background": "#7aa2f7",
        "input-selection-background": "#31406b",
        "scrollbar": "#343a55",
        "scrollbar-background": "#1a1b26",
        "scrollbar-hover": "#4a5275",
        "scrollbar-active": "#7aa2f7",
        "footer-key-foreground": "#7aa2f7",
    },
)

_LIGHT = Theme(
    name="light",
    primary="#2e5cc5",
    secondary="#7847bd",
    accent="#8f5e15",
    warning="#8f5e15",
    error="#c02b45",
    success="#3f7a1d",
    foreground="#2b3048",
    background="#eceff5",
    surface="#f8f9fc",
    panel="#e1e5ef",
    dark=False,
    variables={
        "muted": "#5d6685",
        "faint": "#9aa3bb",
        "border": "#2e5cc5",
        "border-blurred": "#c3cadb",
        "block-cursor-foreground": "#101a3c",
        "block-cursor-background": "#c9d8fb",
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-foreground": "#2b3048",
        "block-cursor-blurred-background": "#e2e9fa",
        "block-cursor-blurred-text-style": "none",
        "input-cursor-background": "#2e5cc5",
        "input-cursor-foreground": "#f8f9fc",
        "input-selection-background": "#c9d8fb",
        "scrollbar": "#c3cadb",
        "scrollbar-background": "#f8f9fc",
        "scrollbar-hover": "#a5afc7",
        "scrollbar-active": "#2e5cc5",
        "footer-key-foreground": "#2e5cc5",
    },
)

_ANSI = Theme(
    name="ansi",
    ansi=True,
    primary="ansi_blue",
    secondary="ansi_magenta",
    accent="ansi_yellow",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    dark=True,
    variables={
        "ansi-background": "ansi_black",
        "ansi-foreground": "ansi_white",
        "muted": "ansi_default",
        "faint": "ansi_bright_black",
        "border": "ansi_bright_blue",
        "border-blurred": "ansi_bright_black",
        "block-cursor-foreground": "ansi_default",
        "block-cursor-background": "ansi_default",
        "block-cursor-text-style": "bold reverse",
        "block-cursor-blurred-foreground": "ansi_default",
        "block-cursor-blurred-background": "ansi_default",
        "block-cursor-blurred-text-style": "bold",
        "input-cursor-background": "ansi_default",
        "input-cursor-foreground": "ansi_default",
        "input-cursor-text-style": "reverse",
        "input-selection-background": "ansi_bright_blue",
        "input-selection-foreground": "ansi_black",
        "footer-key-foreground": "ansi_bright_blue",
    },
)

THEMES = (_DARK, _LIGHT, _ANSI)


def following(name: str) -> str:
    """The theme after this one, round and round."""
    return NAMES[(NAMES.index(name) + 1) % len(NAMES)] if name in NAMES else NAMES[0]
