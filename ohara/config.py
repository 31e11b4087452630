"""Loads settings from files, environment and flags, each with precedence over the one before.

    default  <  config.toml of the user  <  .ohara.toml of the repository  <  OHARA_* variables  <  flags

A repository's file is not trusted: it may set only what `ohara.settings` marks as safe, and anything else in
it is an error, never ignored. Unknown names are errors everywhere. Nothing is written here, and the TOML
parser is imported only when there is a file.
"""

from __future__ import annotations

import os
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from ohara import paths
from ohara.errors import ConfigError
from ohara.records import dataclass
from ohara.safe_read import IrregularFile, read_regular
from ohara.settings import SECTIONS, SETTINGS, Setting, Settings
from ohara.suggest import nearest
from ohara.values import Kind, as_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ohara.values import Value

REPOSITORY_FILE = ".ohara.toml"
SHARED = "shared"  # a section of the user's file with a table for each server that keeps a team's indexes
GROUPS = "groups"  # a section of the user's file with names of its own: sets of repositories

# Enough for a thousand patterns, and a bound on what a repository can make every command read.
_REPOSITORY_FILE_BYTES = 64 * 2**10

_BY_KEY = {item.key: item for item in SETTINGS}
_BY_ENV = {item.env: item for item in SETTINGS}
_ENV_PREFIXES = tuple(f"OHARA_{section.upper()}_" for section in SECTIONS)


class Source(StrEnum):
    """The kinds of source of a value, lowest precedence first."""

    DEFAULT = "default"
    USER = "user file"
    REPOSITORY = "repository file"
    ENVIRONMENT = "environment"
    FLAG = "command line"


@dataclass(frozen=True, slots=True)
class Origin:
    """The source that set a value; `where` is the file or the variable."""

    source: Source
    where: str = ""

    def __str__(self) -> str:
        return self.where or str(self.source)


@dataclass(frozen=True, slots=True)
class Shared:
    """A server that keeps a team's indexes: how it is reached, and whose repositories it answers for."""

    dsn: str = field(repr=False)
    default_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in force, and the origin of each value.

    `groups` are sets of repositories, and `shared` servers, by the names that the user gave them.
    """

    settings: Settings
    values: Mapping[str, Value]
    origins: Mapping[str, Origin]
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    shared: Mapping[str, Shared] = field(default_factory=dict)


_Found: TypeAlias = "dict[str, tuple[Value, Origin]]"


def load(
    *,
    repository: Path | None = None,
    flags: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Loaded:
    """The settings in force for a repository's top folder, or for none.

    `flags` maps keys such as "find.k" to values of the command line; None means that it gives none.
    """
    stronger = _from_environment(os.environ if environ is None else environ) | _from_flags(flags or {})
    found: _Found = {item.key: (item.default, Origin(Source.DEFAULT)) for item in SETTINGS}
    of_user, groups, shared = _from_user_file(paths.config_file())
    found |= of_user
    reads_repository_file, _ = (found | stronger)["index.repo_file"]
    if repository is not None and reads_repository_file:
        found |= _from_repository_file(repository / REPOSITORY_FILE)
    found |= stronger
    values = {key: value for key, (value, _) in found.items()}
    return Loaded(_tree(values), values, {key: origin for key, (_, origin) in found.items()}, groups, shared)


def default_server(path: Path | str) -> str | None:
    """The server whose index is the default of the repository at a path, by the user's settings."""
    from pathlib import Path

    here = Path(path).absolute()
    _, _, shared = _from_user_file(paths.config_file())
    for name, server in shared.items():
        for each in server.default_for:
            if here.is_relative_to(Path(each).expanduser()):
                return name
    return None


def require_known(server: str | None) -> None:
    """An error when the user's settings know no shared index of this name."""
    known = load().shared
    if server is None or server in known:
        return
    hint = (
        f"did you mean {nearest(server, known)}?"
        if known
        else f'write [shared.{server}] and dsn = "…" in {paths.config_file()}'
    )
    raise ConfigError(f"there is no shared index {server}", hint=hint)


def work_tree(start: Path) -> Path | None:
    """The nearest folder at or above `start` that is the top of a git work tree."""
    here = start.absolute()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), None)


def _tree(values: Mapping[str, Value]) -> Settings:
    build: Callable[..., Settings] = Settings
    sections: dict[str, object] = {}
    for section, section_class in SECTIONS.items():
        named = {item.name: values[item.key] for item in SETTINGS if item.section == section}
        sections[section] = section_class(**named)
    return build(**sections)


# -- files ---------------------------------------------------------------------------------------


def _from_user_file(file: Path) -> tuple[_Found, dict[str, tuple[str, ...]], dict[str, Shared]]:
    try:
        content = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}, {}, {}
    except OSError as error:
        raise _unreadable(file, error) from error
    origin = Origin(Source.USER, str(file))
    document = _document(file, content)
    groups = _groups(file, document.pop(GROUPS, {}))
    shared = _shared(file, document.pop(SHARED, {}))
    found = {item.key: (_accepted(item, raw, origin), origin) for item, raw in _entries(file, document)}
    return found, groups, shared


def _groups(file: Path, body: object) -> dict[str, tuple[str, ...]]:
    """The groups of repositories: a list of paths for each name."""
    if not isinstance(body, dict):
        raise ConfigError(
            f"{file}: {GROUPS} is a section", hint='write [groups] and work = ["~/src/a"] below it'
        )
    groups: dict[str, tuple[str, ...]] = {}
    for name, raw in body.items():
        listed = as_kind(raw, Kind.LIST)
        if not isinstance(listed, tuple) or not listed:
            raise ConfigError(
                f"{file}: {GROUPS}.{name} must be {Kind.LIST}", hint=f'{name} = ["~/src/a", "~/src/b"]'
            )
        relative = next((path for path in listed if not path.startswith(("/", "~"))), None)
        if relative is not None:
            raise ConfigError(
                f"{file}: {GROUPS}.{name}: {relative} is no whole path", hint="begin it with / or ~/"
            )
        groups[name] = listed
    return groups


def _shared(file: Path, body: object) -> dict[str, Shared]:
    """The servers of shared indexes: a table with a dsn for each name."""
    servers: dict[str, Shared] = {}
    for name, table in body.items() if isinstance(body, dict) else [("NAME", None)]:
        if not isinstance(table, dict) or not isinstance(table.get("dsn"), str):
            raise ConfigError(
                f"{file}: {SHARED}.{name} needs a dsn",
                hint=f'write [{SHARED}.{name}] and dsn = "postgresql://host/database" below it',
            )
        unknown = next((key for key in table if key not in {"dsn", "default_for"}), None)
        listed = as_kind(table.get("default_for", []), Kind.LIST)
        if unknown is not None or not isinstance(listed, tuple):
            raise ConfigError(
                f"{file}: {SHARED}.{name}.{unknown or 'default_for'} is not understood",
                hint='a shared index has a dsn, and default_for = ["~/src/a"]',
            )
        servers[name] = Shared(table["dsn"], listed)
    return servers


def _from_repository_file(file: Path) -> _Found:
    content = _read_repository_file(file)
    if content is None:
        return {}
    origin = Origin(Source.REPOSITORY, str(file))
    found: _Found = {}
    for item, raw in _entries(file, _document(file, content)):
        if not item.rule.repo_safe:
            safe = " and ".join(known.key for known in SETTINGS if known.rule.repo_safe)
            raise ConfigError(
                f"{file}: a repository may not set {item.key}, only {safe}",
                hint=f"set it in {paths.config_file()}, or ignore that file: OHARA_INDEX_REPO_FILE=false",
            )
        found[item.key] = (_accepted(item, raw, origin), origin)
    return found


def _read_repository_file(file: Path) -> bytes | None:
    """The content of a repository's settings file, which must be a regular file of bounded size.

    A link would let a repository choose which of the user's files is read and quoted in a message; a
    pipe would make every command hang.
    """
    try:
        return read_regular(file, _REPOSITORY_FILE_BYTES)
    except IrregularFile as error:
        raise ConfigError(str(error), hint="ignore that file: OHARA_INDEX_REPO_FILE=false") from error
    except OSError as error:
        raise _unreadable(file, error) from error


def _document(file: Path, content: bytes) -> dict[str, object]:
    import tomllib

    try:
        return tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{file}: not valid TOML: {error}", hint=f"edit {file}") from error


def _entries(file: Path, document: Mapping[str, object]) -> list[tuple[Setting, object]]:
    """The settings in a file, with the raw value of each."""
    entries = []
    for section, body in document.items():
        if not isinstance(body, dict):
            raise _section_as_value(file, section) if section in SECTIONS else _unknown(file, section)
        if section not in SECTIONS:
            raise _unknown(file, ".".join((section, *list(body)[:1])))
        for name, raw in body.items():
            if (key := f"{section}.{name}") not in _BY_KEY:
                raise _unknown(file, key)
            entries.append((_BY_KEY[key], raw))
    return entries


# -- environment and flags -----------------------------------------------------------------------


def _from_environment(environ: Mapping[str, str]) -> _Found:
    """The values of OHARA_SECTION_NAME variables; empty ones are ignored."""
    found: _Found = {}
    for name, text in environ.items():
        if not name.startswith(_ENV_PREFIXES):
            continue
        if name not in _BY_ENV:
            raise ConfigError(
                f"the environment sets {name}, which is no setting of ohara",
                hint=f"did you mean {nearest(name, _BY_ENV)}?",
            )
        if text:
            item, origin = _BY_ENV[name], Origin(Source.ENVIRONMENT, name)
            try:
                found[item.key] = (item.read(text), origin)
            except ValueError as error:
                raise _bad_value(item, origin, error) from error
    return found


def _from_flags(flags: Mapping[str, object]) -> _Found:
    origin = Origin(Source.FLAG)
    return {
        key: (_accepted(_BY_KEY[key], raw, origin), origin) for key, raw in flags.items() if raw is not None
    }


# -- what can be wrong ---------------------------------------------------------------------------


def _accepted(item: Setting, raw: object, origin: Origin) -> Value:
    try:
        return item.accept(raw)
    except ValueError as error:
        raise _bad_value(item, origin, error) from error


def _bad_value(item: Setting, origin: Origin, error: ValueError) -> ConfigError:
    return ConfigError(f"{origin}: {item.key} {error}", hint="ohara config -h")


def _unknown(file: Path, key: str) -> ConfigError:
    """The error for an unknown key; it suggests the known one with the same last part, or the nearest."""
    same_name = (known.key for known in SETTINGS if known.name == key.rpartition(".")[2])
    meant = next(same_name, None) or nearest(key, _BY_KEY)
    return ConfigError(f"{file}: unknown setting {key}", hint=f"did you mean {meant}?")


def _section_as_value(file: Path, section: str) -> ConfigError:
    return ConfigError(
        f"{file}: {section} is a section, not a setting", hint=f"write [{section}] and its settings below it"
    )


def _unreadable(file: Path, error: OSError) -> ConfigError:
    return ConfigError(f"{file}: cannot be read: {error.strerror or error}", hint=f"check {file}")
