"""What is written by hand about git beside libgit2: attributes, the diffs of commits, and their renames."""

from __future__ import annotations

import random
import re
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pygit2
from pygit2.enums import AttrCheck, DiffFind, DiffOption

from fixtures.git import git_bytes
from ohara.git import decode
from ohara.git.attributes import Attributes
from ohara.git.diff import changes
from ohara.git.repo import Repository
from ohara.model import Sha
from tests.bench.report import Table, millis, seconds, talk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.bench.workspace import Subject

_ROUNDS = 200
_PIECES = ("a", "b", "ab", "*", "**", "?", "[ab]", "[!a]", "[a-c]", r"\*", "[[:digit:]]", "1", "*.py", "/")
_NAME = "linguist-generated"

# A file's hunks: path, path before, and each hunk's ranges and lines.
_Hunk = tuple[int, int, int, int, str]
_Files = list[tuple[str, str | None, tuple[_Hunk, ...]]]

_RENAMED = re.compile(r"\nrename from (?P<old>.+)\nrename to (?P<path>.+)")
_WRITTEN = re.compile(r"\n\+\+\+ b/(?P<path>[^\t\n]+)")
_DELETED = re.compile(r"\n--- a/(?P<path>[^\t\n]+)")
_SAME = re.compile(r"diff --git a/(?P<path>.+) b/(?P=path)(?:\n|$)")
_HEADER = re.compile(r"(?<=\n)@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*\n")


# -- attributes ------------------------------------------------------------------------------------


def attributes_table() -> Table:
    """Random patterns in the root and in a folder, judged by git, by ohara and by libgit2."""
    chance = random.Random(3)  # noqa: S311 - drawn the same every time
    checked = ours_wrong = theirs_wrong = 0
    ours_s = theirs_s = 0.0
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        subprocess.run(["git", "init", "-q", folder], check=True)
        for _ in range(_ROUNDS):
            files = {where: _attribute_file(chance) for where in ("", "a")}
            for where, text in files.items():
                (work / where).mkdir(exist_ok=True)
                (work / where / ".gitattributes").write_text(text)
            _commit(work)
            paths = sorted({_path(chance) for _ in range(30)})
            truth = _git_judges(work, paths)
            before = time.process_time()
            attributes = Attributes.parse(files.items())
            ours = {path: attributes.reason(path) is not None for path in paths}
            ours_s += time.process_time() - before
            theirs, spent = _libgit2_judges(work, paths)
            theirs_s += spent
            checked += len(paths)
            ours_wrong += sum(ours[path] != truth[path] for path in paths)
            theirs_wrong += sum(theirs[path] != truth[path] for path in paths)
    hostile = "a*" * 40 + "b"
    rows = (
        ("other than `git check-attr` says", f"{ours_wrong:,}", f"{theirs_wrong:,}"),
        ("an answer, processor time", _micros(ours_s / checked), _micros(theirs_s / checked)),
        (f"`{'a*' * 3}…b` (40 stars) against 200 letters", *_hostile_ms(hostile, "a" * 200)),
        ("a person's own attributes (`info/attributes`) decide too", "no", _reads_own_attributes()),
    )
    return Table(
        f"{checked:,} paths against random `.gitattributes`, as HEAD has them",
        ("", "`git/attributes`", "pygit2"),
        rows,
    )


def _attribute_file(chance: random.Random) -> str:
    patterns = ["".join(chance.choices(_PIECES, k=chance.randrange(1, 6))) for _ in range(3)]
    signs = chance.choices(("", "", "-", "!"), k=3)
    return "".join(f"{pattern} {sign}{_NAME}\n" for pattern, sign in zip(patterns, signs, strict=True))


def _path(chance: random.Random) -> str:
    names = ("".join(chance.choices("ab1c", k=chance.randrange(1, 3))) for _ in range(chance.randrange(1, 4)))
    return "/".join(names) + chance.choice(("", ".py"))


def _commit(work: Path) -> None:
    me = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(work), "add", "-A"], check=True)
    subprocess.run(["git", "-C", str(work), *me, "commit", "-qm", "x", "--allow-empty"], check=True)


def _git_judges(work: Path, paths: list[str]) -> dict[str, bool]:
    command = ["git", "-C", str(work), "check-attr", "-z", "--stdin", _NAME]
    asked = "\0".join(paths) + "\0"
    said = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout.split("\0")
    return {said[at]: said[at + 2] == "set" for at in range(0, len(said) - 2, 3)}


def _libgit2_judges(work: Path, paths: list[str]) -> tuple[dict[str, bool], float]:
    (work / ".git" / "index").unlink()  # a bare repository has none
    bare = pygit2.Repository(str(work / ".git"), pygit2.enums.RepositoryOpenFlag.BARE)
    before = time.process_time()
    flags = AttrCheck.INDEX_ONLY | AttrCheck.NO_SYSTEM | AttrCheck.INCLUDE_HEAD
    found = {path: bare.get_attr(path, _NAME, flags=flags) is True for path in paths}
    return found, time.process_time() - before


def _hostile_ms(pattern: str, path: str) -> tuple[str, str]:
    text = f"{pattern} {_NAME}\n"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        (Path(folder) / ".gitattributes").write_text(text)
        _commit(Path(folder))
        before = time.process_time()
        Attributes.parse([("", text)]).reason(path)
        ours = time.process_time() - before
        _, theirs = _libgit2_judges(Path(folder), [path])
    return millis(ours * 1000), millis(theirs * 1000)


def _reads_own_attributes() -> str:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        _commit(Path(folder))
        own = Path(folder) / ".git" / "info" / "attributes"
        own.parent.mkdir(exist_ok=True)
        own.write_text(f"a {_NAME}\n")
        (Path(folder) / "a").write_text("")
        _commit(Path(folder))
        found, _ = _libgit2_judges(Path(folder), ["a"])
    return "yes" if found["a"] else "no"


def _micros(value_s: float) -> str:
    return f"{value_s * 1e6:.1f} µs"


# -- diffs -----------------------------------------------------------------------------------------


def diff_table(subject: Subject, commits: int) -> Table:
    """The files and hunks of a history's newest commits, beside git's own."""
    listed = git_bytes(subject.repo, "rev-list", "--no-merges", f"-{commits}", "HEAD").decode().split()
    ours, ours_s = _timed(listed, _ours, subject.repo)
    theirs, theirs_s = _timed(listed, lambda repo, sha: list(_theirs(repo.handle, sha)), subject.repo)
    truth = _git_shows(subject.repo, listed)
    ours_same = theirs_same = ours_renames = theirs_renames = renames = 0
    for sha in listed:
        ours_same += _sorted(ours[sha]) == truth[sha]
        theirs_same += _sorted(theirs[sha]) == truth[sha]
        if _sorted(ours[sha]) != truth[sha]:
            talk(f"not as git shows it: {sha}")
        moved = {(path, old) for path, old, _ in truth[sha] if old}
        renames += len(moved)
        ours_renames += len(moved & {(path, old) for path, old, _ in ours[sha]})
        theirs_renames += len(moved & {(path, old) for path, old, _ in theirs[sha]})
    rows = (
        ("processor time", seconds(ours_s), seconds(theirs_s)),
        ("commits exactly as git shows them", f"{ours_same:,}", f"{theirs_same:,}"),
        (f"of git's {renames:,} renames, found", f"{ours_renames:,}", f"{theirs_renames:,}"),
    )
    return Table(
        f"Files and hunks of {subject.name}'s newest {len(listed):,} commits without merges",
        ("", "`git/tree`, `renames`, `regions`, `xdiff`", "libgit2's diff, find_similar"),
        rows,
    )


def _git_shows(repo: Path, shas: list[str]) -> dict[str, _Files]:
    """The files of each commit as one `git diff-tree` prints them all."""
    command = ["git", "-C", str(repo), "-c", "core.quotePath=false", "diff-tree", "--stdin", "--root"]
    done = subprocess.run(
        [*command, "-r", "-M", "-p"], input="\n".join(shas).encode() + b"\n", capture_output=True, check=True
    )
    shown: dict[str, _Files] = {sha: [] for sha in shas}
    pieces = re.split(rb"^([0-9a-f]{40})\n", done.stdout, flags=re.MULTILINE)[1:]
    for sha, patches in zip(pieces[::2], pieces[1::2], strict=True):
        for patch in re.split(rb"^(?=diff --git )", patches, flags=re.MULTILINE)[1:]:
            head = decode.text(patch.partition(b"\n@@ ")[0])
            named = (
                _RENAMED.search(head) or _WRITTEN.search(head) or _DELETED.search(head) or _SAME.match(head)
            )
            assert named, head
            groups = named.groupdict()
            shown[sha.decode()].append((groups["path"], groups.get("old"), tuple(_parsed(patch))))
    return {sha: _sorted(files) for sha, files in shown.items()}


def _sorted(files: _Files) -> _Files:
    return sorted(files, key=lambda file: (file[0], file[1] or ""))


def _timed(
    shas: list[str], read: Callable[[Repository, str], _Files], path: Path
) -> tuple[dict[str, _Files], float]:
    """What is read of each commit, and the processor time of it: the less of two runs, each opened anew."""
    spent = []
    for _ in range(2):
        repo = Repository.open(path)
        before = time.process_time()
        found = {sha: read(repo, sha) for sha in shas}
        spent.append(time.process_time() - before)
    return found, min(spent)


def _ours(repo: Repository, sha: str) -> _Files:
    return [
        (
            file.path,
            file.old_path,
            tuple((h.old_start, h.old_lines, h.new_start, h.new_lines, h.body) for h in file.hunks),
        )
        for file in changes(repo, Sha(sha)).files
    ]


def _theirs(handle: pygit2.Repository, sha: str) -> Iterator[tuple[str, str | None, tuple[_Hunk, ...]]]:
    commit = handle[sha].peel(pygit2.Commit)
    flags = DiffOption.INDENT_HEURISTIC | DiffOption.INCLUDE_TYPECHANGE
    if commit.parents:
        diff = commit.parents[0].tree.diff_to_tree(commit.tree, flags=flags, context_lines=3)
    else:
        diff = commit.tree.diff_to_tree(swap=True, flags=flags, context_lines=3)
    diff.find_similar(flags=DiffFind.FIND_RENAMES, rename_threshold=50, rename_limit=1000)
    for patch in diff:
        if patch is None:
            continue
        delta = patch.delta
        old, new = decode.text(delta.old_file.raw_path), decode.text(delta.new_file.raw_path)
        hunks = tuple(_parsed(patch.data))
        yield new, old if old != new else None, hunks


def _parsed(patch: bytes) -> Iterator[_Hunk]:
    """The hunks of a patch as text, which is quicker to get from libgit2 than its lines."""
    text = decode.text(patch)
    headers = list(_HEADER.finditer(text))
    ends = [header.start() for header in headers[1:]]
    for header, end in zip(headers, [*ends, len(text)][: len(headers)], strict=True):
        old, old_lines, new, new_lines = (1 if each is None else int(each) for each in header.groups())
        yield old, old_lines, new, new_lines, text[header.end() : end].removesuffix("\n")
