"""The themes that can be chosen: ohara's own, Textual's, and those that the user wrote.

A theme of the user's is a file `themes/NAME.toml` in the folder of the settings, with the colours that a
Textual theme has: primary, secondary, accent, warning, error, success, foreground, background, surface, panel
as colours, `dark` as true or false. All but `primary` may be left out.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.color import Color, ColorParseError
from textual.theme import BUILTIN_THEMES, Theme

from ohara import paths
from ohara.errors import ConfigError
from ohara.suggest import nearest
from tui.theme import THEMES

if TYPE_CHECKING:
    from pathlib import Path

_COLOURS = (
    "primary", "secondary", "accent", "warning", "error", "success",
    "foreground", "background", "surface", "panel",
)  # fmt: skip
_MUTED, _FAINT = 0.35, 0.6  # of the way from the foreground to the background
_LINE, _CURSOR, _BLURRED = 0.2, 0.35, 0.15  # of the way back
_ANSI = "ansi"


def theme_names() -> list[str]:
    """The names of all themes: ohara's own, the user's, Textual's; no file is read for it."""
    written = sorted(path.stem for path in _folder().glob("*.toml"))
    taken = [name for name in BUILTIN_THEMES if not name.startswith(_ANSI)]
    return [*dict.fromkeys((*(theme.name for theme in THEMES), *written, *taken))]


def theme_named(name: str) -> Theme:
    """A theme by its name; a ConfigError when there is none, or when its file is wrong."""
    own = next((theme for theme in THEMES if theme.name == name), None)
    if own is not None:
        return own
    known = theme_names()
    if name not in known:
        raise ConfigError(
            f"tui.theme: there is no theme {name}",
            hint=f"did you mean {nearest(name, known) or known[0]}? The terminal UI's T lists them all",
        )
    path = _folder() / f"{name}.toml"
    return _read(path) if path.exists() else shaded(BUILTIN_THEMES[name])


def _folder() -> Path:
    return paths.config_file().parent / "themes"


def _read(path: Path) -> Theme:
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", hint="mend it, or move it elsewhere") from error
    colours: dict[str, str] = {}
    for name, value in said.items():
        if name != "dark" and name not in _COLOURS:
            known = ", ".join((*_COLOURS, "dark"))
            raise ConfigError(f"{path}: a theme has no {name}", hint=f"it has {known}")
        if name != "dark":
            colours[name] = _colour(path, name, value)
    if "primary" not in colours:
        raise ConfigError(f"{path}: a theme needs a primary colour", hint='primary = "#7aa2f7"')
    return shaded(
        Theme(
            name=path.stem,
            dark=bool(said.get("dark", True)),
            primary=colours["primary"],
            secondary=colours.get("secondary"),
            accent=colours.get("accent"),
            warning=colours.get("warning"),
            error=colours.get("error"),
            success=colours.get("success"),
            foreground=colours.get("foreground"),
            background=colours.get("background"),
            surface=colours.get("surface"),
            panel=colours.get("panel"),
        )
    )


def _colour(path: Path, name: str, value: object) -> str:
    try:
        return Color.parse(str(value)).hex
    except ColorParseError as error:
        raise ConfigError(f"{path}: {value!r} is no colour", hint=f'{name} = "#7aa2f7"') from error


def shaded(theme: Theme) -> Theme:
    """A theme with the shades that the panes use; what is under a cursor keeps its own colours there."""
    system = theme.to_color_system().generate()
    front, back = Color.parse(system["foreground"]), Color.parse(system["surface"])
    primary = Color.parse(theme.primary)
    shades = {
        "muted": front.blend(back, _MUTED).hex,
        "faint": front.blend(back, _FAINT).hex,
        "border": primary.hex,
        "border-blurred": back.blend(front, _LINE).hex,
        "block-cursor-background": back.blend(primary, _CURSOR).hex,
        "block-cursor-foreground": front.hex,
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-background": back.blend(primary, _BLURRED).hex,
        "block-cursor-blurred-foreground": front.hex,
        "block-cursor-blurred-text-style": "none",
        "footer-key-foreground": primary.hex,
        "scrollbar": back.blend(front, _LINE).hex,
        "scrollbar-background": back.hex,
    }
    return replace(theme, variables={**theme.variables, **shades})
