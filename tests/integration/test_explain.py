"""`ohara explain`: the commits that made a place what it is, each with its part, told by every front end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from fixtures.tree import Edit, MovedFrom
from ohara import client, wire
from ohara.engine import Engine
from ohara.errors import QueryError, RepositoryError, UsageError
from ohara.model import ExplainOptions, Role
from tests.daemon import service
from tests.indexing import index
from tests.process import ohara

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.model import Results

CART = """\
class Cart:
    def __init__(self):
        self.items = []

    def total(self):
        return sum(self.items)

    def tax(self):
        return self.total() * 19 / 100
"""


def shop(path: Path) -> Repo:
    """A class that is edited on a pull request, reformatted, moved and partly removed; released twice."""
    with History(path) as history:
        history.commit("Begin", {"cart.py": CART, "notes.txt": "one\ntwo\nthree\n"}, key="begin")
        history.tag("v1.0")
        history.branch("topic")
        history.commit(
            "Skip nothing\n\nItems may be None.\n\nSigned-off-by: A <a@b.c>",
            {"cart.py": Edit("sum(self.items)", "sum(filter(None, self.items))")},
            key="filter",
        )
        history.switch("main")
        history.commit("Say four", {"notes.txt": "one\ntwo\nthree\nfour\n"}, key="four")
        history.merge("Merge pull request #7 from me/topic\n\nSkip nothing", "topic", key="merge")
        history.tag("v1.1rc1")
        history.commit(
            "Run the formatter",
            {
                "cart.py": Edit(
                    "return sum(filter(None, self.items))", "return sum( filter(None,  self.items) )"
                )
            },
            key="format",
        )
        history.tag("v1.1")
        history.commit("Move to shop/", {"shop/cart.py": MovedFrom("cart.py")}, key="move")
        history.commit("Raise the tax (#9)", {"shop/cart.py": Edit("19 / 100", "20 / 100")}, key="tax")
        history.commit("Pay", {"shop/pay.py": "def pay():\n    return 1\n"}, key="pay")
        history.commit("Drop the tax", {"shop/cart.py": Edit(TAX, "")}, key="drop")
        history.commit("Drop paying", {"shop/pay.py": None}, key="unpaid")
    return history.repo


TAX = "\n    def tax(self):\n        return self.total() * 20 / 100\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("explain")


@pytest.fixture(scope="module")
def made(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = shop(tmp_path_factory.mktemp("made") / "shop")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(home))
        index(repo)
    return repo


@pytest.fixture
def repo(made: Repo, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repo]:
    """The shop, indexed once for all tests; its work tree is clean again after each."""
    monkeypatch.setenv("OHARA_HOME", str(home))
    yield made
    made.git("reset", "-q", "--hard")
    made.git("clean", "-qfd")


def explain(repo: Repo, place: str, **options: object) -> Results:
    return Engine.open(repo.path).explain(place, ExplainOptions(**{"k": 0, **options}))  # type: ignore[arg-type]


def keys(repo: Repo, results: Results) -> list[str]:
    return [repo.key_of(hit.commit.sha) for hit in results.hits]


def roles(results: Results) -> list[Role]:
    return [hit.explained.role for hit in results.hits if hit.explained]


# -- what places are -----------------------------------------------------------------------------


def test_lines_of_an_address_are_those_of_its_branch(repo: Repo) -> None:
    repo.git("branch", "-f", "feature/x", repo.sha["filter"])
    told = explain(repo, "https://forge/a/b/blob/feature/x/cart.py#L6")
    assert keys(repo, told)[0] != "format"  # what came later is not on the branch


@pytest.mark.parametrize(
    "place",
    ["shop/cart.py:6", "shop/cart.py#L6", "./shop//cart.py:6", "https://forge/a/b/blob/main/shop/cart.py#L6"],
)
def test_lines_are_explained_through_renames_and_merges(repo: Repo, place: str) -> None:
    told = explain(repo, place)
    assert keys(repo, told) == ["format", "filter", "begin"]
    assert roles(told) == [Role.REFORMATTED, Role.CHANGED, Role.BEGAN]
    assert [hit.path for hit in told.hits] == ["cart.py"] * 3
    assert told.hits[1].excerpt.split("\n")[3:5] == [
        "-        return sum(self.items)",
        "+        return sum(filter(None, self.items))",
    ]
    begun = told.hits[2]
    assert begun.excerpt == "+        return sum(self.items)"  # of the file that began there, this line alone
    assert (begun.line, begun.explained and begun.explained.first) == (6, 6)


def test_each_commit_tells_how_it_came_in(repo: Repo) -> None:
    told = {repo.key_of(hit.commit.sha): hit.explained for hit in explain(repo, "shop/cart.py").hits}
    came = {
        key: (part.arrival.merge, part.arrival.pull, part.arrival.tag) for key, part in told.items() if part
    }
    assert came["begin"] == (None, None, "v1.0")
    assert came["filter"] == (repo.sha["merge"], 7, "v1.1")  # rc1 held it before, and is no release
    assert came["format"] == (None, None, "v1.1")
    assert came["tax"] == (None, 9, None)
    assert repo.git("describe", "--contains", "--match", "v1.?", repo.sha["filter"]).startswith("v1.1~")


def test_a_whole_file_and_a_file_that_is_gone(repo: Repo) -> None:
    whole = explain(repo, "shop/cart.py")
    assert keys(repo, whole) == ["drop", "tax", "move", "format", "filter", "begin"]
    assert roles(whole)[2] is Role.RENAMED
    assert whole.hits[2].excerpt == ""
    gone = explain(repo, "shop/pay.py")
    assert (keys(repo, gone), roles(gone)) == (["unpaid", "pay"], [Role.REMOVED, Role.BEGAN])
    assert gone.notes == (f"shop/pay.py was deleted in {repo.sha['unpaid'][:10]}",)
    assert gone.hits[0].excerpt == "-def pay():\n-    return 1"
    former = explain(repo, "cart.py:9", ref="HEAD")
    assert former.notes == (f"cart.py was renamed to shop/cart.py in {repo.sha['move'][:10]}",)
    assert keys(repo, former) == ["move", "begin"]


def test_symbols_also_those_that_are_gone(repo: Repo) -> None:
    for place in ("Cart.total", "total", "shop/cart.py:total", "Cart::total"):
        assert keys(repo, explain(repo, place)) == ["format", "filter", "begin"], place
    for place in ("tax", "Cart.tax", "shop/cart.py:Cart.tax"):
        told = explain(repo, place)
        assert keys(repo, told) == ["drop", "tax", "begin"], place
        assert roles(told) == [Role.REMOVED, Role.CHANGED, Role.BEGAN]
        assert f"removed in {repo.sha['drop'][:10]}" in told.notes[0]
        assert told.hits[0].excerpt.count("\n-") == 1
    assert keys(repo, explain(repo, "pay")) == ["unpaid", "pay"]


@pytest.mark.parametrize(
    ("place", "said", "hint"),
    [
        ("shop/cart.py:99", "shop/cart.py has only 6 lines", "shop/cart.py:1-6"),
        ("shop/crat.py", "no file shop/crat.py", "did you mean shop/cart.py?"),
        ("Cart.totl", "no file and no symbol Cart.totl", "did you mean Cart.total?"),
        ("shop/cart.py:totl", "no symbol totl in shop/cart.py", "did you mean shop/cart.py:total?"),
        ("shop", "shop is a folder", "git ls-files shop"),
        ("shop/", "shop is a folder", "git ls-files shop"),
        ("../out.py", "no file ../out.py", "git ls-files"),
        ("shop/cart.py:0", "lines are numbered from 1", "path:10"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(repo: Repo, place: str, said: str, hint: str) -> None:
    with pytest.raises(UsageError) as refused:
        explain(repo, place)
    assert said in refused.value.message
    assert hint in refused.value.hint


def test_a_place_is_looked_for_in_the_commit_that_is_named_and_what_led_to_it(repo: Repo) -> None:
    for place in ("Cart.tax", "tax", "cart.py:tax", "cart.py:8-9"):
        told = explain(repo, place, ref="v1.1")
        assert (keys(repo, told), told.notes, told.hits[0].path) == (["begin"], (), "cart.py"), place
    assert keys(repo, explain(repo, "Cart.total", ref=repo.sha["filter"])) == ["filter", "begin"]
    assert keys(repo, explain(repo, "pay", ref=repo.sha["drop"])) == ["pay"]
    former = explain(repo, "cart.py", ref=repo.sha["tax"])
    assert former.notes == (f"cart.py was renamed to shop/cart.py in {repo.sha['move'][:10]}",)
    assert keys(repo, explain(repo, "tax", ref="HEAD")) == ["drop", "tax", "begin"]


@pytest.mark.parametrize(
    ("place", "said", "hint"),
    [
        ("shop/cart.py:6", "shop/cart.py is not in v1.0", "did you mean cart.py?"),
        ("shop/cart.py:tax", "shop/cart.py is not in v1.0", "did you mean cart.py?"),
        ("shop/pay.py", "shop/pay.py is not in v1.0", "history has it: ohara explain shop/pay.py"),
        ("pay", "pay is not in v1.0, nor was it before", "history has it: ohara explain pay"),
        ("cart.py:pay", "pay is not in cart.py at v1.0", "history has it: ohara explain pay"),
        ("pay.py:1", "no file pay.py in v1.0, nor was there before", "did you mean shop/pay.py?"),
    ],
)
def test_what_came_after_the_commit_that_is_named_is_refused(
    repo: Repo, place: str, said: str, hint: str
) -> None:
    with pytest.raises(UsageError) as refused:
        explain(repo, place, ref="v1.0")
    assert said in refused.value.message
    assert hint in refused.value.hint


def test_an_unknown_revision_is_refused(repo: Repo) -> None:
    with pytest.raises(RepositoryError, match="named nowhere"):
        explain(repo, "shop/cart.py", ref="nowhere")
    with pytest.raises(RepositoryError, match="named nowhere"):
        explain(repo, "shop/cart.py", ignore=("nowhere",))
    assert keys(repo, explain(repo, "cart.py:6", ref=repo.sha["filter"])) == ["filter", "begin"]


# -- the work tree, and what is left out ---------------------------------------------------------


def test_lines_of_the_work_tree_are_mapped_to_the_commit(repo: Repo) -> None:
    file = repo.path / "shop" / "cart.py"
    text = file.read_text()
    file.write_text("# one\n# two\n" + text)
    told = explain(repo, "shop/cart.py:8")
    assert keys(repo, told) == ["format", "filter", "begin"]
    assert told.notes == ("shop/cart.py has uncommitted changes: in HEAD these are line 6",)
    new = explain(repo, "shop/cart.py:1-2")
    assert (new.hits, new.notes) == ((), ("lines 1-2 of shop/cart.py are not committed yet",))
    assert keys(repo, explain(repo, "Cart.total")) == ["format", "filter", "begin"]
    assert keys(repo, explain(repo, "shop/cart.py:6", ref="HEAD")) == ["format", "filter", "begin"]
    file.write_bytes(text.replace("\n", "\r\n").encode())
    assert explain(repo, "shop/cart.py:6").notes == ()
    (repo.path / "fresh.py").write_text("x = 1\n")
    fresh = explain(repo, "fresh.py:1")
    assert (fresh.hits, fresh.notes) == ((), ("fresh.py is not committed yet",))


def test_commits_that_blame_ignores_are_left_out_and_looked_behind(repo: Repo) -> None:
    assert keys(repo, explain(repo, "shop/cart.py:6", ignore=(repo.sha["format"][:12],))) == [
        "filter",
        "begin",
    ]
    listed = repo.path / ".git-blame-ignore-revs"
    listed.write_text(f"# the formatter\n{repo.sha['format']}\n")
    told = explain(repo, "shop/cart.py:6")
    assert keys(repo, told) == ["filter", "begin"]
    assert told.notes == ("1 commit is left out, as in git blame (--all-revs shows them)",)
    assert keys(repo, explain(repo, "shop/cart.py:6", all_revs=True)) == ["format", "filter", "begin"]
    listed.rename(repo.path / "others.txt")
    repo.git("config", "blame.ignoreRevsFile", "others.txt")
    assert keys(repo, explain(repo, "shop/cart.py:6")) == ["filter", "begin"]
    repo.git("config", "--unset", "blame.ignoreRevsFile")


# -- order, pages, forms -------------------------------------------------------------------------


def test_a_story_is_the_list_from_its_beginning_and_pages_make_it_up(repo: Repo) -> None:
    newest = keys(repo, explain(repo, "shop/cart.py"))
    assert keys(repo, explain(repo, "shop/cart.py", story=True)) == newest[::-1]
    for story in (False, True):
        pages: list[str] = []
        ranks: list[int] = []
        after = None
        while True:
            page = explain(repo, "shop/cart.py", story=story, k=4, after=after)
            pages += keys(repo, page)
            ranks += [hit.rank for hit in page.hits]
            after = page.next_cursor
            if after is None:
                break
            with pytest.raises(QueryError, match="another query"):
                explain(repo, "shop/cart.py:2", story=story, after=after)
        assert pages == (newest[::-1] if story else newest)
        assert ranks == [1, 2, 3, 4, 5, 6]


def test_what_is_older_than_a_day_is_left_out(repo: Repo) -> None:
    moment = int(repo.git("log", "-1", "--format=%ct", repo.sha["tax"]))
    assert keys(repo, explain(repo, "shop/cart.py", since=moment)) == ["drop", "tax"]


def test_every_front_end_gives_the_same_answer(
    repo: Repo, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = explain(repo, "shop/cart.py:6", k=2)
    with service(home, monkeypatch), client.connect() as connection:
        options = ExplainOptions(k=2)
        there = connection.send(
            wire.Explain(repo=str(repo.path), place="shop/cart.py:6", options=options)
        ).results
        searched = client.RemoteSearcher(connection, repo.path).explain("shop/cart.py:6", options)
        assert there.hits == searched.hits == here.hits
        assert there.next_cursor is not None
        printed = ohara("explain", "cart.py:6", "-k", "2", "--json", cwd=repo.path / "shop")
        traced = connection.send(
            wire.HistoryRequest(repo=str(repo.path), commit="HEAD", path="shop/cart.py", first=6, last=6)
        ).history
    said = json.loads(printed.stdout)
    assert [hit["commit"] for hit in said["hits"]] == [hit.commit.sha for hit in here.hits]
    assert [repo.key_of(hit.commit.sha) for hit in traced.hits] == ["format", "filter", "begin"]
    assert [hit.explained and hit.explained.arrival.pull for hit in traced.hits] == [None, 7, None]


def test_json_is_the_object_of_find_with_each_commits_part(repo: Repo) -> None:
    printed = ohara("explain", "shop/cart.py:6", "--json", "--no-daemon", cwd=repo.path)
    said = json.loads(printed.stdout)
    assert (printed.returncode, said["schema"], said["class"], said["query"]) == (
        0,
        1,
        "lines",
        "shop/cart.py:6",
    )
    assert said["fusion"] == "newest first"
    second = said["hits"][1]
    assert second["commit"] == repo.sha["filter"]
    assert second["explained"] == {
        "role": "changed",
        "lines": [6, 6],
        "old_lines": [6, 6],
        "moved_from": None,
        "omitted": 0,
        "message": "Skip nothing\n\nItems may be None.\n\nSigned-off-by: A <a@b.c>\n",
        "email": second["explained"]["email"],
        "merge": repo.sha["merge"],
        "merge_subject": "Merge pull request #7 from me/topic",
        "pull": 7,
        "tag": "v1.1",
    }
    lines = ohara("explain", "shop/cart.py:6", "--jsonl", "--no-daemon", "--budget", "340", cwd=repo.path)
    assert len(lines.stdout.splitlines()) == 1
    assert "2 of 3 hits did not fit into the budget" in lines.stderr


def test_text_tells_message_hunk_role_merge_and_release(repo: Repo) -> None:
    printed = ohara("explain", "total", "--story", "--no-daemon", "--color", "never", cwd=repo.path)
    begin, second, third = printed.stdout.split("\n\n")[0], *printed.stdout.split("\n2. ")[1].split("\n3. ")
    assert begin.startswith(f"1. {repo.sha['begin'][:10]}")
    assert "   Items may be None.\n" in second
    assert "Signed-off-by" not in second
    merged = f"merged in {repo.sha['merge'][:10]}: Merge pull request #7 from me/topic · first in v1.1"
    assert f"   changed lines 5-6 · {merged}" in second
    assert "reformatted lines 5-6 · first in v1.1" in third
    missing = ohara("explain", "totl", "--no-daemon", cwd=repo.path)
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr == "ohara: history knows no file and no symbol totl\n  hint: did you mean total?\n"
    assert ohara("explain", "a.py:5-3", cwd=repo.path).returncode == 2


# -- hostile histories ---------------------------------------------------------------------------


def test_a_commit_names_the_symbol_that_the_lines_stand_in(tmp_path: Path) -> None:
    functions = [f"def step_{at:03}():\n" + f"    work({at})\n" * 9 for at in range(40)]
    with History(tmp_path / "repo") as history:
        history.commit("Begin", {"steps.py": "import work\n\n" + "".join(functions)}, key="begin")
        history.commit(
            "Work harder",
            {"steps.py": Edit("work(7)\ndef step_008():", "work(7.5)\ndef step_008(hard):")},
            key="both",
        )
        history.commit(
            "Stop at 38", {"steps.py": Edit("    work(38)\n" + functions[39], "    stop()\n")}, key="stop"
        )
    index(history.repo)

    def symbols(place: str, **options: object) -> list[tuple[str, str | None]]:
        hits = explain(history.repo, place, **options).hits
        return [(history.repo.key_of(hit.commit.sha), hit.symbol) for hit in hits]

    assert symbols("steps.py:305") == [("begin", "step_030")]  # the file is stored in pieces
    assert symbols("steps.py:83")[0] == ("both", "step_008")
    assert symbols("steps.py:82")[0] == ("both", "step_007")
    assert symbols("steps.py:1") == [("begin", None)]
    assert symbols("step_039") == [("stop", "step_039"), ("begin", "step_039")]
    assert symbols("steps.py:300-305", all_hunks=True)[0] == ("begin", "step_029")


def test_lines_that_a_commit_moved_are_followed_to_where_they_were(tmp_path: Path) -> None:
    body = "def weigh(parcel):\n    total = parcel.weight\n    total += parcel.wrapping\n    return total\n"
    with History(tmp_path / "repo") as history:
        history.commit("Begin", {"a.py": f"import os\n\n\n{body}", "b.py": "import sys\n"}, key="begin")
        history.commit("Weigh the wrapping twice", {"a.py": Edit("+= parcel", "+= 2 * parcel")}, key="twice")
        moved = body.replace("+= parcel", "+= 2 * parcel")
        inside = "".join(f"    {line}\n" for line in moved.splitlines())
        history.commit(
            "Move into a class",
            {"a.py": "import os\n", "b.py": f"import sys\n\n\nclass Scales:\n{inside}"},
            key="move",
        )
    index(history.repo)
    told = explain(history.repo, "b.py:5-8")
    assert keys(history.repo, told) == ["move", "twice", "begin"]
    assert roles(told) == [Role.MOVED, Role.CHANGED, Role.BEGAN]
    assert told.hits[0].explained
    assert told.hits[0].explained.moved_from == "a.py:4"
    assert keys(history.repo, explain(history.repo, "b.py:5-8", moves=False)) == ["move"]


def test_a_symbol_that_only_head_has_is_refused_at_an_older_commit(tmp_path: Path) -> None:
    one, two = "def one():\n    return 1\n", "\n\ndef two():\n    return 2\n"
    with History(tmp_path / "repo") as history:
        history.commit("Begin", {"a.py": one})
        history.tag("v1")
        history.commit("Move", {"lib/a.py": MovedFrom("a.py")})
        history.commit("Count on", {"lib/a.py": one + two})
    index(history.repo)
    assert [hit.path for hit in explain(history.repo, "one", ref="v1").hits] == ["a.py"]
    with pytest.raises(UsageError, match=r"two is not in v1, nor was it before") as refused:
        explain(history.repo, "two", ref="v1")
    assert refused.value.hint == "HEAD has it in lib/a.py: ohara explain two"


def test_binary_and_empty_files_are_explained_as_a_whole(tmp_path: Path) -> None:
    with History(tmp_path / "repo") as history:
        history.commit("Draw", {"logo.png": b"\x89PNG\0\0", "empty": ""}, key="draw")
        history.commit("Draw again", {"logo.png": b"\x89PNG\0\1"}, key="again")
    index(history.repo)
    told = explain(history.repo, "logo.png")
    assert (keys(history.repo, told), [hit.excerpt for hit in told.hits]) == (["again", "draw"], ["", ""])
    with pytest.raises(UsageError, match="binary: it has no lines"):
        explain(history.repo, "logo.png:1")
    assert keys(history.repo, explain(history.repo, "empty")) == ["draw"]
    with pytest.raises(UsageError, match="has only 0 lines"):
        explain(history.repo, "empty:1")


def test_a_file_of_fifty_thousand_lines_is_explained(tmp_path: Path) -> None:
    lines = [f"entry {number} = {number * 7 % 1009}" for number in range(50_000)]
    with History(tmp_path / "repo") as history:
        history.commit("Begin", {"table.txt": "\n".join(lines) + "\n"}, key="begin")
        lines[30_000] = "entry changed"
        history.commit("Change", {"table.txt": "\n".join(lines) + "\n"}, key="change")
        lines[:0] = ["above"] * 10
        history.commit("Above", {"table.txt": "\n".join(lines) + "\n"}, key="above")
    index(history.repo)
    told = explain(history.repo, "table.txt:30011")
    assert keys(history.repo, told) == ["change", "begin"]
    assert told.hits[1].excerpt == "+entry 30000 = 128"
    whole = explain(history.repo, "table.txt")
    assert keys(history.repo, whole) == ["above", "change", "begin"]
    assert whole.hits[2].explained
    assert (len(whole.hits[2].excerpt.split("\n")), whole.hits[2].explained.omitted) == (40, 49_960)


def test_commits_that_are_not_indexed_yet_are_said(tmp_path: Path) -> None:
    repo = shop(tmp_path / "repo")
    index(repo)
    (repo.path / "shop" / "cart.py").write_text("# new\n" + (repo.path / "shop" / "cart.py").read_text())
    repo.git("commit", "-qam", "Comment")
    told = explain(repo, "shop/cart.py:7")
    assert keys(repo, told) == ["format", "filter", "begin"]
    assert told.notes == ("the newest 1 commit is not indexed yet, and left out (ohara status)",)


def test_an_octopus_and_a_criss_cross_are_followed_on_all_sides(tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    with History(tmp_path / "repo") as history:
        history.commit("Begin", {"a.txt": text}, key="begin")
        for number, at in enumerate((2, 12, 22)):
            history.branch(f"b{number}", "begin")
            history.commit(f"Side {at}", {"a.txt": Edit(f"line {at}\n", f"side {at}\n")}, key=f"side{at}")
        history.switch("main")
        both = text.replace("line 2\n", "side 2\n").replace("line 12\n", "side 12\n")
        for name, other in (("b0", "b1"), ("b1", "side2")):
            history.switch(name)
            history.merge(f"Cross {name}", other, changes={"a.txt": both}, key=f"cross-{name}")
        history.switch("main")
        every = both.replace("line 22\n", "side 22\n")
        history.merge("Octopus", "b0", "b1", "b2", changes={"a.txt": every}, key="octopus")
    index(history.repo)
    assert keys(history.repo, explain(history.repo, "a.txt:1-30")) == ["side22", "side12", "side2", "begin"]
    for at in (2, 12, 22):
        assert keys(history.repo, explain(history.repo, f"a.txt:{at + 1}")) == [f"side{at}", "begin"]


def test_a_history_that_was_merged_below_a_folder_is_followed_there(tmp_path: Path) -> None:
    with History(tmp_path / "repo") as history:
        history.commit("Begin", {"main.c": "int main;\n"}, key="begin")
    repo = history.repo
    repo.git("switch", "-q", "--orphan", "lib")
    (repo.path / "src").mkdir()
    for number, text in enumerate(("one\ntwo\nthree\n", "one\n2\nthree\n")):
        (repo.path / "src" / "a.c").write_text(text)
        repo.git("add", "src")
        repo.git("commit", "-q", "-m", f"Import {number}")
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "-s", "ours", "--no-commit", "--allow-unrelated-histories", "lib")
    repo.git("read-tree", "--prefix=deps/lib/", "-u", "lib")
    repo.git("commit", "-q", "-m", "Add lib below deps/lib")
    repo.git("commit", "-q", "--allow-empty", "-m", "Go on")
    index(repo)
    told = explain(repo, "deps/lib/src/a.c:2")
    assert [hit.commit.subject for hit in told.hits] == ["Import 1", "Import 0"]
    assert told.notes == ()
    said = repo.git("log", "--format=%H", "-s", "-L2,2:deps/lib/src/a.c").split()
    assert said == [hit.commit.sha for hit in told.hits]


def test_a_merge_that_replaces_a_folder_by_another_history_is_followed_there(tmp_path: Path) -> None:
    """The library was copied first, then merged below its folder, and merged once more."""
    with History(tmp_path / "repo") as history:
        history.commit(
            "Copy the library", {"app.c": "app\n", "deps/lib/a.c": "one\ntwo\nthree\n"}, key="copy"
        )
        history.commit("Patch the copy", {"deps/lib/a.c": Edit("two", "two, patched")}, key="patch")
        history.branch("lib", "main")
        history.commit("The library begins", {"a.c": "one\ntwo\nthree\n"}, parents=(), key="begin")
        history.commit("Say four", {"a.c": "one\ntwo\nthree\nfour\n"}, key="four")
        lib = history.find("lib")
        history.switch("main")
        history.commit(
            "Merge the library into deps/lib",
            {"deps/lib/a.c": "one\ntwo\nthree\nfour\n"},
            parents=("main", lib),
            key="import",
        )
        history.switch("lib")
        history.commit("Say five", {"a.c": "one\n2\nthree\nfour\nfive\n"}, key="five")
        history.switch("main")
        history.commit(
            "Merge the library again",
            {"deps/lib/a.c": "one\n2\nthree\nfour\nfive\n"},
            parents=("main", "lib"),
            key="again",
        )
    repo = history.repo
    index(repo)
    for first, last in ((1, 1), (2, 2), (4, 4), (5, 5), (1, 5)):
        said = repo.git("log", "--format=%H", "-s", "--no-merges", f"-L{first},{last}:deps/lib/a.c").split()
        told = explain(repo, f"deps/lib/a.c:{first}-{last}", moves=False)
        assert keys(repo, told) == [repo.key_of(sha) for sha in said], (first, last)
        assert not told.notes
