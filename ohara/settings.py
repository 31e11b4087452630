"""All settings: one tree, each value declared once with its default, its bounds and its documentation.

Adding a setting is adding one line here. What `ohara config` prints, what docs/config.md must contain, the
environment variable and what a file may contain all follow from that line. `ohara.config` loads the values.
"""

from __future__ import annotations

import dataclasses
import textwrap
import time
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from ohara.errors import QueryError
from ohara.records import dataclass
from ohara.values import Kind, Value, as_kind, from_text, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_T = TypeVar("_T", bound=Value)
_RULE = "rule"


@dataclass(frozen=True, slots=True)
class Rule:
    """The documentation of a setting, its allowed values, and whether a repository may set it."""

    doc: str
    within: tuple[float, float] | None = None
    choices: tuple[str, ...] = ()
    repo_safe: bool = False
    is_date: bool = False


def setting(
    default: _T,
    doc: str,
    *,
    within: tuple[float, float] | None = None,
    choices: tuple[str, ...] = (),
    repo_safe: bool = False,
    is_date: bool = False,
) -> _T:
    """Declare a field of a section together with its rule.

    `repo_safe` marks what a repository's `.ohara.toml` may set: only which part of that same repository is
    searched. Nothing that names a file, a model or a program, or that costs time or memory.
    """
    metadata = {_RULE: Rule(doc, within, choices, repo_safe, is_date)}
    if isinstance(default, Mapping):
        return field(default_factory=lambda: default, metadata=metadata)
    return field(default=default, metadata=metadata)


# -- the tree ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What is indexed, and how it is split."""

    refs: tuple[str, ...] = setting(
        (), "Refs whose history is indexed; empty means HEAD and the remote's default branch.", repo_safe=True
    )
    ignore: tuple[str, ...] = setting(
        (),
        "Paths that only exact search finds, as gitignore patterns, beside those in the file `.oharaignore`.",
        repo_safe=True,
    )
    since: str = setting(
        "",
        "Leave out commits older than this date, but for what is indexed already; empty means none.",
        is_date=True,
    )
    jobs: int = setting(0, "Processes that read history; 0 means one for each core.", within=(0, 256))
    chunk_lines: int = setting(60, "A hunk of more lines is split on syntax boundaries.", within=(5, 2_000))
    chunk_chars: int = setting(
        1_500, "A hunk of more characters is split on syntax boundaries.", within=(200, 100_000)
    )
    max_blob_bytes: int = setting(
        8 * 2**20, "Files larger than this are not read; `ohara status` counts them.", within=(2**10, 2**30)
    )
    large_file_bytes: int = setting(
        512 * 2**10, "Files larger than this are searched literally only.", within=(2**10, 2**30)
    )
    repo_file: bool = setting(True, "Read `.ohara.toml` in repositories.")


@dataclass(frozen=True, slots=True)
class FindSettings:
    """How queries are answered."""

    k: int = setting(5, "How many hits are shown.", within=(1, 1_000))
    recency_weight: float = setting(
        0.05, "How much a change of today may gain over an old one: 0.05 is five percent.", within=(0, 10)
    )
    profile: str = setting(
        "default", "The ranking pipeline; `reference` is the textbook one.", choices=("default", "reference")
    )
    rerank: bool = setting(True, "Let the cross-encoder refine the order of the first hits.")
    lane_timeout_s: float = setting(
        2.0, "A lane that takes longer is left out of the answer, visibly.", within=(0.05, 600)
    )


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which models are used; `embedded` is the one that ships with ohara."""

    embedder: str = setting("embedded", "What turns text into vectors: `embedded`, `none` or a model's name.")
    reranker: str = setting("embedded", "What reorders the first hits: `embedded`, `none` or a model's name.")


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    """How the background service behaves."""

    autostart: bool = setting(
        True, "Start the service after a search on a terminal, so that the next answer comes sooner."
    )
    idle_exit_s: float = setting(
        0.0, "Exit after this many seconds without a request; 0 means never.", within=(0, 31_536_000)
    )
    interval_s: float = setting(
        900.0, "Look for new commits at least this often, should watching miss any.", within=(5, 86_400)
    )


@dataclass(frozen=True, slots=True)
class TuiSettings:
    """How the terminal UI looks and which keys it listens to."""

    theme: str = setting(
        "dark", "Colours of the terminal UI: dark, light, ansi, or any other that its `T` lists."
    )
    keys: Mapping[str, str] = setting(
        MappingProxyType({}), "Other keys for actions: the action's name and the key that should do it."
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, by section."""

    index: IndexSettings = field(default_factory=IndexSettings)
    find: FindSettings = field(default_factory=FindSettings)
    models: ModelSettings = field(default_factory=ModelSettings)
    daemon: DaemonSettings = field(default_factory=DaemonSettings)
    tui: TuiSettings = field(default_factory=TuiSettings)


# -- what the tree declares, as data -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Setting:
    """One declared setting: its key, default and rule."""

    section: str
    name: str
    kind: Kind
    default: Value
    rule: Rule

    @property
    def key(self) -> str:
        """Its name in files and messages, such as "find.k"."""
        return f"{self.section}.{self.name}"

    @property
    def env(self) -> str:
        """The environment variable that sets it."""
        return f"OHARA_{self.section}_{self.name}".upper()

    @property
    def expects(self) -> str:
        """What values it takes, for messages."""
        if self.rule.choices:
            return f"one of {', '.join(self.rule.choices)}"
        if self.rule.within:
            low, high = self.rule.within
            return f"{self.kind} from {low} to {high}"
        if self.rule.is_date:
            return "a date that has come, as 2024-05-01, 2y or 2 weeks ago"
        return str(self.kind)

    def accept(self, raw: object) -> Value:
        """The value that `raw` means; a ValueError says what was expected."""
        value = as_kind(raw, self.kind)
        if value is None or not self._allows(value):
            raise ValueError(f"must be {self.expects}, not {textwrap.shorten(repr(raw), 60)}")
        return value

    def read(self, text: str) -> Value:
        """The value that a text from the environment means; lists are separated by commas."""
        return self.accept(from_text(text, self.kind))

    def _allows(self, value: Value) -> bool:
        if self.rule.choices:
            return value in self.rule.choices
        if self.rule.within and isinstance(value, int | float):
            low, high = self.rule.within
            return low <= value <= high
        return not (self.rule.is_date and value) or _is_date(str(value))


def _is_date(text: str) -> bool:
    from ohara.dates import parse_date  # late: few set a date, everybody reads settings

    try:
        parse_date(text, now=int(time.time()))
    except QueryError:
        return False
    return True


def _declared(section: str) -> Iterator[Setting]:
    """The settings of one section, in the order of their declaration."""
    defaults = getattr(Settings(), section)
    for item in dataclasses.fields(defaults):
        default: Value = getattr(defaults, item.name)
        yield Setting(section, item.name, kind_of(default), default, item.metadata[_RULE])


SECTIONS: Mapping[str, Callable[..., object]] = {
    part.name: type(getattr(Settings(), part.name)) for part in dataclasses.fields(Settings)
}

SETTINGS = tuple(item for section in SECTIONS for item in _declared(section))
