"""Where ohara keeps its files on this machine, for this user.

The only importer of platformdirs, imported late so that `--help` stays fast. With `OHARA_HOME` set, one
folder holds everything that ohara writes. Paths are only computed: code that writes a file calls `made` on
its folder. The exception is `runtime_dir`, which creates its folder to make sure that it is private.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Literal

from ohara.errors import OharaError

HOME_VARIABLE = "OHARA_HOME"

_APP = "ohara"


def config_file() -> Path:
    """The user's settings file, whether or not it exists."""
    return _folder_for("config") / "config.toml"


def data_dir() -> Path:
    """The folder for data that is costly to make again: indexes and added models."""
    return _folder_for("data")


def indexes_dir() -> Path:
    """The folder with one subfolder per indexed repository."""
    return data_dir() / "indexes"


def models_dir() -> Path:
    """The folder of models that the user added; those that ship with ohara are inside the package."""
    return data_dir() / "models"


def state_dir() -> Path:
    """The folder for state that may be lost: logs, query history, the last session."""
    return _folder_for("state")


def log_file() -> Path:
    """The background service's log."""
    return state_dir() / "ohara.log"


def made(folder: Path) -> Path:
    """Create a folder of ohara if missing, private to this user; an error says which setting chose it."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        home = os.environ.get(HOME_VARIABLE)
        chosen = f"{HOME_VARIABLE} is {home}, where " if home else ""
        raise OharaError(
            f"{chosen}{folder} cannot be created: {error.strerror or error}",
            hint=f"set {HOME_VARIABLE} to a folder that you can write in",
        ) from error
    return folder


def runtime_dir(*, create: bool = True) -> Path:
    """The folder for sockets and pid files, private to this user; with `create` it is made if missing.

    A folder of another user, or a link, is refused.
    """
    folder = _runtime_path()
    try:
        if create:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        elif not folder.exists():
            return folder
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            raise OharaError(
                f"the runtime folder {folder} is not a folder of your own",
                hint=f"remove it, or set {HOME_VARIABLE} to a folder of yours",
            )
        if stat.S_IMODE(found.st_mode) != 0o700:
            folder.chmod(0o700)
    except OSError as error:
        raise OharaError(
            f"the runtime folder {folder} cannot be used: {error.strerror or error}",
            hint=f"set {HOME_VARIABLE} to a folder of yours",
        ) from error
    return folder


def _runtime_path() -> Path:
    """The path of the runtime folder, the same for a login session and for cron.

    Not left to platformdirs: without XDG_RUNTIME_DIR it falls back, with a warning, to a guessable name in
    the shared temporary folder. The state folder is private already.
    """
    if home := _home():
        return home / "run"
    session = Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}")
    if session.is_absolute() and session.is_dir() and session.stat().st_uid == os.getuid():
        return session / _APP
    return state_dir() / "run"


def _folder_for(role: Literal["config", "data", "state"]) -> Path:
    """The folder for one role."""
    if home := _home():
        return home / role

    import platformdirs  # late, so that commands that touch no file do not pay for it

    places = platformdirs.PlatformDirs(_APP, appauthor=False)
    match role:
        case "config":
            return places.user_config_path
        case "data":
            return places.user_data_path
        case "state":
            return places.user_state_path


def _home() -> Path | None:
    home = os.environ.get(HOME_VARIABLE)
    return Path(home).expanduser().absolute() if home else None
