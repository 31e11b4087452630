"""Histories that nobody would plan: seeded operations on a bare repository, every one that git allows.

A history is told by its seed alone. After each step the repository on disk is whole and may be indexed; an
operation that has nothing to act on does nothing.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from fixtures.people import Person
from fixtures.script import History
from fixtures.tree import EXECUTABLE, FILE, GITLINK, SYMLINK, Mode, MovedFrom, gitlink, symlink

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from fixtures.git import Repo
    from fixtures.tree import Change, Tree
    from ohara.model import Sha

PATHS = (
    "app.py", "lib/retry.py", "web/view.ts", "cmd/tool.go", "core/engine.rs", "notes.txt", "docs/Über uns.md",
    "vendor/dep.js", "gen/api_pb2.py", "package-lock.json", "лес/файл.py", "thing", "a\tb.c",
)  # fmt: skip
WORDS = ("alpha", "retry", "upload", "gamma_ray", "deltaEpsilon", "zeta", "backoff", "Straße", "日本語", "x")
BRANCHES = ("main", "topic", "release", "wip/deep", "unborn")
RULES = ("*.go\n", "lib/\n!lib/retry.py\n", "docs/**\n*.txt\n", "!vendor/\n", "thing\n", "")
ATTRIBUTES = (
    "*.rs linguist-generated\n",
    "web/* linguist-vendored\n",
    "vendor/** -linguist-vendored\n",
    "*.py -linguist-generated\n",
    "",
)
PEOPLE = (
    Person("Ada", "ada@example.org", "+0100"),
    Person("Bob \N{SNOWMAN}", "bob@example.org", "-0730"),
    Person("", "nobody@example.org"),
)
_RULE_FILES = (".oharaignore", ".gitattributes")
_FOREIGN = "1234567890123456789012345678901234567890"


class Wild:
    """A repository that a seed changes step by step.

    `rules` lets it change what is left out of search, `encoded` commit text that no person wrote.
    """

    def __init__(
        self, path: Path, chance: random.Random, *, rules: bool = True, encoded: bool = True
    ) -> None:
        self._chance = chance
        self._history = History(path, bare=True)
        self._count = 0
        self._grafted: list[Sha] = []
        often: list[tuple[int, Callable[[], None]]] = [
            (10, self.commit), (3, self.merge), (1, self.octopus), (3, self.rename), (2, self.change_mode),
            (2, self.revert), (2, self.rebase), (3, self.amend), (3, self.force_move), (2, self.branch),
            (3, self.switch), (2, self.delete_branch), (2, self.tag), (1, self.delete_tag), (2, self.gc),
            (1, self.repack), (2, self.binary), (1, self.empty), (1, self.submodule), (1, self.link),
            (1, self.graft), (1, self.detach), (1, self.swap_file_and_folder), (1, self.cherry_pick),
            (1, self.odd_message),
        ]  # fmt: skip
        if encoded:
            often += [(1, self.encoded)]
        if rules:
            often += [(3, self.change_rules)]
        self._operations = [operation for _, operation in often]
        self._weights = [weight for weight, _ in often]
        self.played: list[str] = []
        self.commit()

    @property
    def repo(self) -> Repo:
        """The repository as it stands."""
        return self._history.repo

    def step(self) -> str:
        """Play one operation of chance, leave its result on disk, and say which it was."""
        (operation,) = self._chance.choices(self._operations, self._weights)
        name = operation.__name__
        operation()
        self._history.flush()
        self.played.append(name)
        return name

    def grow(self, commits: int) -> None:
        """Add many commits at once."""
        for _ in range(commits):
            self.commit()
        self._history.flush()

    # -- commits ---------------------------------------------------------------------------------

    def commit(self) -> None:
        """Write one to three files."""
        self._commit({self._path(): self._text() for _ in range(self._chance.randint(1, 3))})

    def amend(self) -> None:
        """Replace the tip."""
        if self._here():
            self._history.amend(
                self._message("Amend"), self._settled({self._path(): self._text()}), author=self._person()
            )

    def rename(self) -> None:
        """Move a file, sometimes with a change on the way."""
        tree = self._tree()
        old = self._existing(FILE, EXECUTABLE)
        new = f"moved/{self._count}-{self._chance.choice(PATHS).replace('/', '-')}"
        if old and new not in tree:
            self._commit({new: MovedFrom(old)})
            if self._chance.random() < 0.5:
                self._commit({new: self._tree()[new].data + self._text().encode()})

    def change_mode(self) -> None:
        """Set or take away the executable bit."""
        path = self._existing(FILE, EXECUTABLE)
        if path:
            mode = EXECUTABLE if self._tree()[path].mode == FILE else FILE
            self._commit({path: Mode(mode)})

    def binary(self) -> None:
        """Write bytes that are no text, or text that is no UTF-8."""
        data = self._chance.choice((b"\0\1\2binary", b"caf\xe9 = 1\r\nna\xefve\r\n", bytes(range(256))))
        self._commit(
            {self._chance.choice(("data.bin", "legacy.c", "app.py")): data * self._chance.randint(1, 9)}
        )

    def encoded(self) -> None:
        """Write text that no person wrote, in which every trigram is new."""
        lines = base64.encodebytes(self._chance.randbytes(self._chance.randint(500, 4_000))).decode()
        self._commit({self._chance.choice(("bundle.txt", "install.sh", "notes.txt")): lines})

    def empty(self) -> None:
        """Commit nothing."""
        self._commit({})

    def odd_message(self) -> None:
        """A message that is empty, hostile or in another encoding."""
        message = self._chance.choice(
            (b"", b"\x1b]0;owned\x07 fix \xff\xfe", "Größe ändern".encode("latin-1"))
        )
        self._history.commit(message, self._settled({self._path(): self._text()}), encoding="latin-1")

    def submodule(self) -> None:
        """Add, move or remove a submodule."""
        if "sub" in self._tree():
            self._commit({"sub": self._chance.choice((None, gitlink(_FOREIGN[::-1])))})
        else:
            self._commit({"sub": gitlink(_FOREIGN)})

    def link(self) -> None:
        """Write a symbolic link."""
        self._commit({"link": symlink(self._chance.choice(("app.py", "/dev/zero", "..")))})

    def swap_file_and_folder(self) -> None:
        """Let a folder take a file's place, or the other way round."""
        tree = self._tree()
        if "thing" in tree:
            self._commit({"thing": None, "thing/inner.py": self._text()})
        elif "thing/inner.py" in tree:
            self._commit({"thing/inner.py": None, "thing": self._text()})

    def change_rules(self) -> None:
        """Write or remove what says which files are left out of search."""
        name = self._chance.choice(_RULE_FILES)
        text = self._chance.choice(RULES if name == ".oharaignore" else ATTRIBUTES)
        if text:
            self._commit({name: text})
        elif name in self._tree():
            self._commit({name: None})

    def revert(self) -> None:
        """Take back a commit of this branch."""
        self._pick(self._history.revert)

    def cherry_pick(self) -> None:
        """Bring a commit of any branch here."""
        history = self._history
        if self._here() and (reachable := self._reachable()):
            history.cherry_pick(self._chance.choice(reachable), keep_ours=True)

    # -- merges ----------------------------------------------------------------------------------

    def merge(self) -> None:
        """Merge another branch, sometimes with a change of the merge's own."""
        others = self._mergeable()
        if others:
            own: dict[str, Change] = {self._path(): self._text()} if self._chance.random() < 0.4 else {}
            other = self._chance.choice(others)
            self._history.merge(self._message("Merge"), other, changes=self._settled(own), keep_ours=True)

    def octopus(self) -> None:
        """Merge all branches at once."""
        others = self._mergeable()
        if len(others) > 1:
            self._history.merge(self._message("Octopus"), *others, keep_ours=True)

    def rebase(self) -> None:
        """Replay the branch's own commits on another one."""
        history = self._history
        onto = self._chance.choice(sorted(history.branches))
        if not self._here():
            return
        own = history.ancestry(history.current) - history.ancestry(onto)
        replayed = [sha for sha in history.oldest_first(own) if len(history.parents(sha)) == 1]
        history.move(history.current, onto)
        for sha in replayed:
            history.cherry_pick(sha, note_origin=False, keep_ours=True)

    # -- refs ------------------------------------------------------------------------------------

    def branch(self) -> None:
        """Start a branch here, or move it here."""
        if self._here():
            self._history.branch(self._chance.choice(BRANCHES))

    def switch(self) -> None:
        """Put HEAD on another branch, now and then on one without a commit."""
        self._history.switch(self._chance.choice((*self._history.branches, *BRANCHES[-1:])))

    def force_move(self) -> None:
        """Point a branch at any commit, as a force-push does."""
        reachable = self._reachable()
        self._history.move(
            self._chance.choice(sorted(self._history.branches)), self._chance.choice(reachable)
        )

    def delete_branch(self) -> None:
        """Remove a branch that HEAD is not on."""
        others = sorted(set(self._history.branches) - {self._history.current})
        if others and len(self._history.branches) > 1:
            self._history.delete(self._chance.choice(others))

    def tag(self) -> None:
        """Tag a commit plainly or with a message; now and then a blob, which leads nowhere."""
        name = f"v{self._chance.randint(0, 3)}"
        note = self._chance.choice(("", "Release"))
        self._history.tag(name, self._chance.choice(self._reachable()), message=note)
        path = self._existing(FILE)
        if path and self._chance.random() < 0.2:
            self._history.flush()
            self.repo.git("tag", "-f", "blob", f"{self._history.find(self._history.current)}:{path}")

    def delete_tag(self) -> None:
        """Remove a tag."""
        self._history.flush()
        tags = self.repo.git("tag", "--list").split()
        if tags:
            self.repo.git("tag", "-d", self._chance.choice(tags))

    def detach(self) -> None:
        """Put HEAD on a commit, on no branch."""
        self._history.flush()
        self.repo.git("update-ref", "--no-deref", "HEAD", self._chance.choice(self._reachable()))
        self._history._head = ""  # the next step puts it on a branch again

    # -- objects ---------------------------------------------------------------------------------

    def gc(self) -> None:
        """Throw away what nothing reaches."""
        self._history.flush()
        self.repo.git("reflog", "expire", "--expire=now", "--all")
        self.repo.git("gc", "--quiet", "--prune=now")
        self._forget_collected()

    def repack(self) -> None:
        """Write the same objects and refs in another form."""
        self._history.flush()
        for command in (("repack", "-adq"), ("commit-graph", "write", "--reachable"), ("pack-refs", "--all")):
            if self._chance.random() < 0.6:
                self.repo.git(*command)

    def graft(self) -> None:
        """Give a commit another parent, or take that back."""
        self._history.flush()
        if self._grafted and self._chance.random() < 0.5:
            self.repo.git("replace", "-d", self._grafted.pop())
            return
        reachable = self._history.oldest_first(self._reachable())
        child = self._chance.choice(reachable)
        older = [sha for sha in reachable if sha != child and child not in self._history.ancestry(sha)]
        if older and child not in self._grafted:
            try:
                self.repo.git("replace", "--graft", child, self._chance.choice(older))
            except RuntimeError:
                return  # it had that parent
            self._grafted.append(child)

    # -- chances ---------------------------------------------------------------------------------

    def _commit(self, changes: Mapping[str, Change]) -> None:
        self._history.commit(self._message("Change"), self._settled(changes), author=self._person())

    def _pick(self, play: Callable[[str], object]) -> None:
        if not self._here():
            return
        own = sorted(self._history.ancestry(self._history.current))
        try:
            play(self._chance.choice(own))
        except ValueError:
            return  # it conflicts with what came later

    def _settled(self, changes: Mapping[str, Change]) -> dict[str, Change]:
        """The changes without those for which a file would have to be a folder as well, or the reverse."""
        tree = set(self._tree()) - {path for path, change in changes.items() if change is None}
        moved = {change.path for change in changes.values() if isinstance(change, MovedFrom)}
        kept: dict[str, Change] = {}
        for path, change in changes.items():
            others = (tree - moved) | kept.keys()
            if change is None or not any(_collide(path, other) for other in others - {path}):
                kept[path] = change
        return kept

    def _forget_collected(self) -> None:
        """Commits that git has thrown away cannot be named again; branches hold what is left."""
        reachable = set(self.repo.git("rev-list", "--all").split())
        self._grafted = [sha for sha in self._grafted if sha in reachable]

    def _here(self) -> bool:
        return self._history.current in self._history.branches

    def _tree(self) -> Tree:
        return self._history.tree(self._history.current) if self._here() else {}

    def _existing(self, *modes: str) -> str | None:
        paths = sorted(path for path, entry in self._tree().items() if entry.mode in modes)
        paths = [path for path in paths if path not in _RULE_FILES]
        return self._chance.choice(paths) if paths else None

    def _mergeable(self) -> list[str]:
        history = self._history
        if not self._here():
            return []
        ours = history.ancestry(history.current)
        return [
            name
            for name, tip in sorted(history.branches.items())
            if tip not in ours and ours & history.ancestry(name)
        ]

    def _reachable(self) -> list[Sha]:
        history = self._history
        return sorted({sha for branch in history.branches for sha in history.ancestry(branch)})

    def _path(self) -> str:
        return self._chance.choice(PATHS)

    def _person(self) -> Person:
        return self._chance.choice(PEOPLE)

    def _message(self, verb: str) -> str:
        self._count += 1
        about = self._chance.choice(WORDS)
        body = f"\n\nBecause of {self._chance.choice(WORDS)}.\n" if self._chance.random() < 0.3 else ""
        return f"{verb} {about} {self._count}{body}"

    def _text(self) -> str:
        chance = self._chance
        blocks = [
            f"def {chance.choice(WORDS)}_{chance.randint(0, 9)}({chance.choice(WORDS)}):\n"
            f"    return {chance.choice(WORDS)}({chance.randint(0, 99)})\n"
            for _ in range(chance.randint(1, 6))
        ]
        return "".join(blocks) if chance.random() < 0.9 else "".join(blocks).rstrip("\n")


def _collide(one: str, other: str) -> bool:
    return one.startswith(f"{other}/") or other.startswith(f"{one}/")


NO_TEXT = frozenset({GITLINK, SYMLINK})
