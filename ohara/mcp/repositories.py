"""Which repository a question is about, and which may be read at all.

Asked of are the one that was named with the question, else that of `--repo`, else that of the working folder.
Only these and what `--allow` names may be indexed from here; any other must have an index already, which the
service checks. Nothing is opened here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ohara.config import work_tree
from ohara.errors import UsageError
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Chosen:
    """A repository to ask about; `allowed` when it may be indexed if it is not yet."""

    path: str
    allowed: bool
    named: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """What the server was started with: its repository and working folder, what else is allowed.

    `index` names a shared index to ask instead of this machine's own.
    """

    folder: Path
    repo: Path | None = None
    allowed: tuple[Path, ...] = ()
    index: str = ""

    def choose(self, named: str, indexed: Iterable[str] = ()) -> Chosen:
        """The repository that a question names, or the one of this server; `indexed` may be named shortly."""
        if "\0" in named:
            raise UsageError("a path holds no NUL", hint="name a folder")
        default = (self.folder / self.repo if self.repo else self.folder).absolute()
        if not named:
            return Chosen(str(default), allowed=True, named=False)
        path = self._path(named, indexed)
        tops = {_top(default), *map(_top, self.allowed)}
        top = _top(path)
        allowed = top in tops or any(top.is_relative_to(_real(each)) for each in self.allowed)
        return Chosen(str(path), allowed=allowed, named=True)

    def _path(self, named: str, indexed: Iterable[str]) -> Path:
        given = Path(named)
        if named.startswith("~"):
            try:
                given = given.expanduser()
            except RuntimeError as error:
                raise UsageError(f"{named!r} names nobody's home", hint="give the whole path") from error
        if len(given.parts) == 1 and not given.is_absolute() and not (self.folder / given).exists():
            alike = [path for path in indexed if Path(path).name.removesuffix(".git") == named]
            if len(alike) == 1:
                return Path(alike[0])
        return (self.folder / given).absolute()


def is_in(git_dir: str, path: str) -> bool:
    """True when a git directory is that of the work tree that a path is in, or the path itself."""
    return _real(Path(git_dir)).is_relative_to(_top(Path(path)))


def _top(path: Path) -> Path:
    """The work tree that a path is in, or the path itself: a bare repository, or none at all."""
    real = _real(path)
    return work_tree(real) or real


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a loop of links
        return path.absolute()
