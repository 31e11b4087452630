"""The programs of coding agents: where each keeps its list of servers, and the entry that starts ohara there.

An entry written here names its client in its arguments (`--client cursor`), which marks it. One called ohara
that a person wrote is left alone. What a person added to a marked entry stays.
"""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from ohara import paths
from ohara.config import work_tree
from ohara.errors import ConfigError, UsageError
from ohara.records import dataclass
from ohara.safe_read import IrregularFile, read_regular
from ohara.setup import jsonc, toml_table
from ohara.setup.rewrite import replace_file
from ohara.setup.subprocesses import ohara_command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ohara.values import Value

NAME = "ohara"
_MARK = "--client"
_MOST_BYTES = 64 * 2**20


class Scope(StrEnum):
    """For whom an entry is: who works on one project, or one user in all of them."""

    PROJECT = "project"
    USER = "user"


class State(StrEnum):
    """What a client's file says about ohara."""

    INSTALLED = "installed"
    OUTDATED = "installed, but not as this ohara would write it"
    FOREIGN = "an entry called ohara that somebody else wrote"
    MISSING = "not installed"


@dataclass(frozen=True, slots=True)
class Client:
    """One program: its files, and the name of its list of servers there."""

    name: str
    project: str
    servers: str
    is_toml: bool = False
    typed: bool = False  # its entries say that they are of the kind that speaks over stdio
    workspace: bool = False  # it starts servers elsewhere, and has a name for the folder that is open

    def file(self, scope: Scope, folder: Path) -> Path:
        """The file that lists the servers."""
        if scope is Scope.USER:
            return _user_file(self.name)
        top = work_tree(folder)
        if top is None:
            raise UsageError(f"{folder} is in no work tree", hint="go to a project, or say --user")
        return top / self.project

    def entry(self, scope: Scope) -> dict[str, Value]:
        """What starts ohara: by its name for a file that others share, by its whole path for one's own."""
        asked = ("mcp", _MARK, self.name, *(("--repo", "${workspaceFolder}") if self.workspace else ()))
        program, *arguments = (NAME, *asked) if scope is Scope.PROJECT else ohara_command(*asked)
        entry: dict[str, Value] = {"type": "stdio"} if self.typed else {}
        entry |= {"command": program, "args": tuple(arguments)}
        home = os.environ.get(paths.HOME_VARIABLE)
        if home and scope is Scope.USER:
            entry["env"] = {paths.HOME_VARIABLE: home}
        return entry


CLIENTS = {
    client.name: client
    for client in (
        Client("claude-code", ".mcp.json", "mcpServers", typed=True),
        Client("cursor", ".cursor/mcp.json", "mcpServers", workspace=True),
        Client("vscode", ".vscode/mcp.json", "servers", typed=True, workspace=True),
        Client("codex", ".codex/config.toml", "mcp_servers", is_toml=True),
        Client("zed", ".zed/settings.json", "context_servers"),
    )
}


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after; `text` is None for one that is to be deleted."""

    file: Path
    before: str
    text: str | None

    @property
    def changes(self) -> bool:
        """True when there is anything to write."""
        return self.text != self.before

    def write(self) -> None:
        """Write the file, or delete it."""
        try:
            if self.text is None:
                self.file.unlink()
            else:
                replace_file(self.file.resolve(), self.text)
        except OSError as error:
            raise ConfigError(
                f"{self.file} cannot be written: {error.strerror}", hint="check its folder"
            ) from error


def state(client: Client, scope: Scope, folder: Path) -> State:
    """What a client's file says about ohara."""
    there = _there(client, _read(client.file(scope, folder), scope), client.file(scope, folder))
    if there is None:
        return State.MISSING
    if not _is_ours(there):
        return State.FOREIGN
    return State.INSTALLED if _merged(client, scope, there) == there else State.OUTDATED


def install(client: Client, scope: Scope, folder: Path) -> Change:
    """What installing changes; nothing where the entry is there already."""
    file = client.file(scope, folder)
    text = _read(file, scope)
    there = _there(client, text, file)
    if there is not None and not _is_ours(there):
        raise ConfigError(
            f"{file} has an entry called ohara that somebody else wrote", hint="rename or remove it first"
        )
    entry = _merged(client, scope, there or {})
    edited = _with(client, text, entry)
    if edited is None:
        raise ConfigError(
            f"{file} is written in a way that ohara does not dare to change", hint=_by_hand(client, entry)
        )
    return Change(file, text, edited)


def uninstall(client: Client, scope: Scope, folder: Path) -> Change:
    """What removing the entry changes; a project's file that holds nothing else is deleted."""
    file = client.file(scope, folder)
    text = _read(file, scope)
    there = _there(client, text, file)
    if there is None or not _is_ours(there):
        return Change(file, text, text)
    remove = toml_table.without_table if client.is_toml else jsonc.without_member
    edited = remove(text, client.servers, NAME)
    if edited is None:
        raise ConfigError(
            f"{file} is written in a way that ohara does not dare to change",
            hint=f"remove {client.servers}.{NAME} by hand",
        )
    is_empty = scope is Scope.PROJECT and edited.strip() in {"", "{}"}
    return Change(file, text, None if is_empty else edited)


def _with(client: Client, text: str, entry: Mapping[str, Value]) -> str | None:
    if client.is_toml:
        return toml_table.with_table(text, client.servers, NAME, entry)
    return jsonc.with_member(text, client.servers, NAME, {key: _json(value) for key, value in entry.items()})


def _json(value: object) -> jsonc.Json:
    if isinstance(value, tuple | list):
        return [_json(each) for each in value]
    if isinstance(value, dict):
        return {str(key): _json(each) for key, each in value.items()}
    return value if isinstance(value, str | bool | int | float) else None


def _there(client: Client, text: str, file: Path) -> dict[str, Value] | None:
    """The entry called ohara, if there is one."""
    try:
        whole = toml_table.read(text) if client.is_toml else jsonc.read(text)
    except ValueError as error:
        raise ConfigError(f"{file} cannot be read: {error}", hint="mend it, then try again") from error
    servers = whole.get(client.servers) if isinstance(whole, dict) else None
    if not isinstance(servers, dict) or NAME not in servers:
        return None
    entry = servers[NAME]
    return {key: _frozen(value) for key, value in entry.items()} if isinstance(entry, dict) else {}


def _frozen(value: object) -> Value:
    """A value as settings hold it: lists are tuples."""
    frozen: Value = tuple(value) if isinstance(value, list) else value  # type: ignore[assignment]
    return frozen


def _is_ours(entry: Mapping[str, Value]) -> bool:
    arguments = entry.get("args")
    return isinstance(arguments, tuple) and "mcp" in arguments and _MARK in arguments


def _merged(client: Client, scope: Scope, there: Mapping[str, Value]) -> dict[str, Value]:
    """The entry to write: what a person added to the one that is there is kept."""
    entry = client.entry(scope)
    wanted, arguments = entry["args"], there.get("args")
    if isinstance(arguments, tuple) and isinstance(wanted, tuple) and arguments[: len(wanted)] == wanted:
        entry["args"] = arguments
    return entry | {key: value for key, value in there.items() if key not in entry or key == "env"}


def _by_hand(client: Client, entry: Mapping[str, Value]) -> str:
    import json

    return f"write there by hand, in {client.servers}: {json.dumps({NAME: _json(dict(entry))})}"


def _read(file: Path, scope: Scope) -> str:
    """The text of a file; a project must not make this one write through a link of its own."""
    is_linked = scope is Scope.PROJECT and file.parent.is_symlink()
    try:
        content = read_regular(file.parent if is_linked else file, _MOST_BYTES, follow=scope is Scope.USER)
        return "" if content is None else content.decode("utf-8")
    except IrregularFile as error:
        raise ConfigError(
            str(error), hint="a link in a project may lead anywhere: write the file by hand"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise ConfigError(f"{file} cannot be read: {said}", hint="check its permissions") from error


def _user_file(name: str) -> Path:
    home = Path.home()
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    is_mac = sys.platform == "darwin"
    return {
        "claude-code": home / ".claude.json",
        "cursor": home / ".cursor" / "mcp.json",
        "vscode": (home / "Library" / "Application Support" if is_mac else settings)
        / "Code"
        / "User"
        / "mcp.json",
        "codex": Path(os.environ.get("CODEX_HOME") or home / ".codex") / "config.toml",
        "zed": (home / ".config" if is_mac else settings) / "zed" / "settings.json",
    }[name]
