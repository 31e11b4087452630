"""What is taken away reads well, and a patch of it is one that git applies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.forge import forge_of
from ohara.model import ChangeKind, SearchOptions
from tests.indexing import index
from tests.tui.hits import COMMIT, hit
from tui.export import markdown, patch, write

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

TEXT = "-port = 80\n+port = 443"


def test_markdown_has_a_section_for_each_commit_and_links_where_there_is_a_forge() -> None:
    found = [hit(TEXT, symbol="serve"), hit("+```\n+x", path="doc`s.md"), hit(TEXT, sha="aa" * 20)]
    text = markdown(found, title="Retry [all]", forge=forge_of("git@github.com:me/net.git"))
    assert text.startswith("# Retry \\[all\\]\n\n## Retry with backoff\n\n")
    assert text.count("## Retry with backoff") == 2
    assert f"[`3f3f3f3f3f`](https://github.com/me/net/commit/{COMMIT.sha}) · 2020-09-13 · Ada\n" in text
    assert (
        f"[`net/client.py:10`](https://github.com/me/net/blob/{COMMIT.sha}/net/client.py#L10) in `serve`"
        in text
    )
    assert "\n```diff\n-port = 80\n+port = 443\n```\n" in text
    assert "\n````diff\n+```\n+x\n````\n" in text
    assert "`net/client.py:10` in `serve`" in markdown(found, title="t")


def test_nothing_hostile_gets_into_what_is_read() -> None:
    text = markdown([hit("+\x1b[31mred", path="a\x1b.py")], title="\x1b]0;x\x07 <script>")
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\\<script\\>" in text


def test_a_patch_names_its_commits_and_leaves_out_what_is_not_whole() -> None:
    long = "+" + "x" * 400 + "…"
    text = patch(
        [
            hit(TEXT),
            hit(long, path="min.js"),
            hit("+a", path="new.py", kind=ChangeKind.ADDED, top=1, old_top=0),
        ]
    )
    assert text.startswith(
        f"commit {COMMIT.sha}\nAuthor: Ada <ada@example.org>\nDate:   2020-09-13\n\n    Retry with backoff\n"
    )
    assert "# min.js:10 is left out: a line of it is too long to be shown\n" in text
    assert (
        "diff --git a/net/client.py b/net/client.py\n"
        "--- a/net/client.py\n+++ b/net/client.py\n@@ -10,1 +10,1 @@\n" in text
    )
    assert "new file mode 100644\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,1 @@\n+a\n" in text


def test_git_applies_a_patch_of_real_hits(small_project: Repo, tmp_path: Path) -> None:
    engine = index(small_project)
    head = small_project.git("rev-parse", "HEAD").strip()
    applied = 0
    for sha in small_project.git("rev-list", "--no-merges", "-n", "12", "HEAD").split():
        found = engine.find_pattern(sha, SearchOptions(k=0, context=1_000)).hits
        lines = [each for each in found if each.excerpt and each.kind is ChangeKind.MODIFIED]
        if not lines:
            continue
        small_project.git("checkout", "-q", f"{sha}^")
        (tmp_path / "p.patch").write_text(patch(lines), newline="")
        small_project.git("apply", "--check", str(tmp_path / "p.patch"))
        applied += 1
    small_project.git("checkout", "-q", head)
    assert applied >= 5


def test_a_file_is_never_written_over(tmp_path: Path) -> None:
    first = write("one", tmp_path, "ohara", ".md")
    second = write("two", tmp_path, "ohara", ".md")
    assert (first.name, second.name) == ("ohara.md", "ohara-2.md")
    assert (first.read_text(), second.read_text()) == ("one", "two")
