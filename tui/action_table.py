"""The table of actions: every action of the terminal UI, declared once, with its keys, its words and its place.

A new action is a line of `ACTIONS` and an entry in the `commands` of the screen, or part of a screen, that does it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Scope(StrEnum):
    """The screen or pane in which an action's keys work; the order is the help's."""

    SEARCH = "Search"
    QUERY = "Query bar"
    DIFF = "Diff"
    READING = "Diff, with the focus"
    COMMIT = "Commit"
    MESSAGE = "Message of a commit, with the focus"
    HISTORY = "History of this, and explanation"
    FILE = "Whole file"
    REPOSITORIES = "Repositories"
    EVERYWHERE = "Everywhere"


class Group(StrEnum):
    """The purpose of an action, for the help."""

    FIND = "Find"
    MOVE = "Move"
    READ = "Read"
    TAKE = "Take away"
    INDEX = "Index"
    APP = "Application"


@dataclass(frozen=True, slots=True)
class Action:
    """Something the user can do: `footer` shows it in the footer, `hidden` keeps it out of the palette."""

    name: str
    keys: tuple[str, ...]
    title: str
    help: str
    scope: Scope
    group: Group
    footer: bool = False
    hidden: bool = False
    run: str = ""  # Textual's name of it where another widget than the focused one does it


_E, _S, _Q, _D = Scope.EVERYWHERE, Scope.SEARCH, Scope.QUERY, Scope.DIFF
_C, _H, _F, _R = Scope.COMMIT, Scope.HISTORY, Scope.FILE, Scope.REPOSITORIES
_P, _M = Scope.READING, Scope.MESSAGE

ACTIONS: tuple[Action, ...] = (
    # -- search ----------------------------------------------------------------------------------
    Action("focus_query", ("/",), "Query", "Go to the query bar.", _S, Group.FIND, footer=True),
    Action("cursor_down", ("down", "j"), "Next hit", "Select the next hit; its diff follows.", _S, Group.MOVE, hidden=True),
    Action("cursor_up", ("up", "k"), "Previous hit", "Select the previous hit.", _S, Group.MOVE, hidden=True),
    Action("page_down", ("pagedown", "ctrl+f"), "A page down", "Move a page down in the list.", _S, Group.MOVE, hidden=True),
    Action("page_up", ("pageup", "ctrl+b"), "A page up", "Move a page up in the list.", _S, Group.MOVE, hidden=True),
    Action("cursor_first", ("home", "g"), "First hit", "Select the first hit.", _S, Group.MOVE, hidden=True),
    Action("cursor_last", ("end", "G"), "Last hit", "Select the last hit that was loaded; more are fetched.", _S, Group.MOVE, hidden=True),
    Action("open_hit", ("enter",), "Open", "Open the commit of the selected hit.", _S, Group.READ, footer=True),
    Action("history", ("h",), "History", "Every change of the symbol or lines of this hit, newest first.", _S, Group.READ, footer=True),
    Action("filters", ("f",), "Filter", "Choose author, path, language, dates, polarity and kind.", _S, Group.FIND, footer=True),
    Action("why", ("w",), "Why", "Why this hit: each lane's rank, fused score, reranking, recency.", _S, Group.READ, footer=True),
    Action("more_like", ("s",), "Similar", "Search for more hunks like this one.", _S, Group.FIND, footer=True),
    Action("search_selected", ("S",), "Search selected", "Search for the selected text, or else for the symbol of this hit.", _S, Group.FIND),
    Action("narrow_earlier", ("[",), "Earlier", "Narrow the period to the bar of the timeline before this one; again to walk on.", _S, Group.FIND),
    Action("narrow_later", ("]",), "Later", "Narrow the period to the bar of the timeline after this one; again to walk on.", _S, Group.FIND),
    Action("whole_period", ("0",), "Whole period", "Show the whole period again.", _S, Group.FIND),
    Action("order", ("t",), "Order", "Order hits by rank, newest first or oldest first.", _S, Group.FIND),
    Action("pattern", ("$",), "As code", "Read the query as a pattern of code ($NAME is any node), or by its looks again.", _S, Group.FIND),
    Action("by_thread", ("a",), "By thread", "One hit for each thread of commits that belong together, or for each commit.", _S, Group.FIND),
    Action("intent", ("I",), "Asks for", "Take the question for one about a beginning, an ending, a cause, or none of these.", _S, Group.FIND),
    Action("drop_filter", ("ctrl+d", "d"), "Drop filter", "Drop the filter that leaves nothing over.", _S, Group.FIND),
    Action("copy_command", ("!",), "Copy command", "Copy the `ohara find …` that asks the same in a shell.", _S, Group.TAKE),
    Action("index", ("i",), "Index", "Index this repository, or what is new in it.", _S, Group.INDEX),
    Action("retry", ("f5", "r"), "Again", "Ask again.", _S, Group.FIND),
    Action("widen_list", (")",), "Wider list", "Give the list more room.", _S, Group.APP),
    Action("widen_diff", ("(",), "Wider diff", "Give the diff more room.", _S, Group.APP),
    # -- query bar -------------------------------------------------------------------------------
    Action("query_down", ("down",), "Next hit", "Select the next hit while typing.", _Q, Group.MOVE, hidden=True, footer=True, run="screen.do('cursor_down')"),
    Action("query_up", ("up",), "Previous hit", "Select the previous hit while typing.", _Q, Group.MOVE, hidden=True, run="screen.do('cursor_up')"),
    Action("query_page_down", ("pagedown",), "A page down", "Move a page down in the list while typing.", _Q, Group.MOVE, hidden=True, run="screen.do('page_down')"),
    Action("query_page_up", ("pageup",), "A page up", "Move a page up in the list while typing.", _Q, Group.MOVE, hidden=True, run="screen.do('page_up')"),
    Action("submit", ("enter",), "To the list", "Go to the list; in an empty state, do what it offers.", _Q, Group.MOVE, hidden=True, footer=True),
    Action("older_query", ("ctrl+up", "alt+up"), "Older query", "Take back the query before this one.", _Q, Group.FIND, hidden=True),
    Action("newer_query", ("ctrl+down", "alt+down"), "Newer query", "Take the query after this one.", _Q, Group.FIND, hidden=True),
    Action("rub_out", ("backspace",), "Rub out", "Delete a character, or at the start of the bar the last chip.", _Q, Group.FIND, hidden=True),
    Action("complete", ("tab",), "Complete", "Complete the filter that is being typed, again for the next choice; else go to the next pane.", _Q, Group.FIND, hidden=True),
    Action("clear_query", ("ctrl+u",), "Clear", "Empty the bar: words, filters, sample.", _Q, Group.FIND, hidden=True, footer=True),
    Action("query_drop_filter", ("ctrl+d",), "Drop filter", "Drop the filter that leaves nothing over.", _Q, Group.FIND, hidden=True, run="screen.do('drop_filter')"),
    Action("query_pattern", ("ctrl+t",), "As code", "Read the query as a pattern of code, or by its looks again.", _Q, Group.FIND, hidden=True, run="screen.do('pattern')"),
    # -- diff, wherever one is shown -------------------------------------------------------------
    Action("scroll_down", ("J", "space"), "Scroll", "Scroll the diff down.", _D, Group.MOVE, hidden=True),
    Action("scroll_up", ("K", "b"), "Scroll back", "Scroll the diff up.", _D, Group.MOVE, hidden=True),
    Action("scroll_left", ("left",), "Left", "Scroll the diff to the left.", _D, Group.MOVE, hidden=True),
    Action("scroll_right", ("right",), "Right", "Scroll the diff to the right.", _D, Group.MOVE, hidden=True),
    Action("next_match", ("n",), "Next match", "Go to the next match in the diff, of the question or of what was looked for here.", _D, Group.MOVE),
    Action("previous_match", ("N",), "Previous match", "Go to the previous match in the diff.", _D, Group.MOVE),
    Action("wrap", ("Z",), "Wrap", "Wrap long lines, or cut them.", _D, Group.READ),
    Action("line_numbers", ("#",), "Line numbers", "Show or hide line numbers.", _D, Group.READ),
    Action("split_diff", ("|",), "Split", "Show the diff unified, or old and new side by side.", _D, Group.READ),
    Action("whitespace", ("W",), "Whitespace", "Show or hide spaces and tabs.", _D, Group.READ),
    Action("less_context", ("{",), "Less context", "Show fewer unchanged lines around a change.", _D, Group.READ),
    Action("more_context", ("}",), "More context", "Show more unchanged lines around a change.", _D, Group.READ),
    Action("edit", ("e",), "Edit", "Open the file in $EDITOR where this code is now.", _D, Group.TAKE),
    Action("copy", ("y",), "Copy", "Copy: then s sha, p path, u url, d diff, m message.", _D, Group.TAKE, footer=True),
    Action("mark", ("m",), "Mark", "Mark this hit or hunk, or unmark it, for an export.", _D, Group.TAKE),
    Action("export", ("x",), "Export", "Write what is marked as Markdown or as a patch.", _D, Group.TAKE),
    Action("git", ("X",), "Git", "Check out, branch, cherry-pick, revert or bisect from this commit: shown, then confirmed.", _D, Group.TAKE),
    Action("open_forge", ("O",), "On the forge", "Open the commit in the browser, at its forge.", _D, Group.TAKE),
    Action("blame", ("B",), "Blame", "Go to the commit that last touched this line; again to walk on to its parent.", _D, Group.READ),
    Action("whole_file", ("F",), "Whole file", "The whole file as of this commit, with who last touched each line beside it.", _D, Group.READ),
    Action("compare", ("=",), "Compare", "What differs between two marked commits, or a marked one and this; there, the other way round.", _D, Group.READ),
    Action("explain", ("E",), "Explain", "Why these lines are as they are: each commit's part in them, its message, pull request and release.", _D, Group.READ),
    Action("line_history", ("H",), "Line history", "Every change of the line under the cursor, newest first.", _D, Group.READ),
    # -- a diff that has the focus: these keys are its own there ------------------------------------
    Action("line_down", ("down", "j"), "Next line", "Go to the next line of the diff.", _P, Group.MOVE, hidden=True),
    Action("line_up", ("up", "k"), "Previous line", "Go to the previous line of the diff.", _P, Group.MOVE, hidden=True),
    Action("diff_page_down", ("pagedown", "ctrl+f"), "A page down", "Go a page down in the diff.", _P, Group.MOVE, hidden=True),
    Action("diff_page_up", ("pageup", "ctrl+b"), "A page up", "Go a page up in the diff.", _P, Group.MOVE, hidden=True),
    Action("diff_first", ("home", "g"), "Top", "Go to the first line of the diff.", _P, Group.MOVE, hidden=True),
    Action("diff_last", ("end", "G"), "End", "Go to the last line of the diff.", _P, Group.MOVE, hidden=True),
    Action("find_in_diff", ("/",), "Find", "Find text in this diff; n and N go through it.", _P, Group.FIND, footer=True),
    Action("diff_next_hunk", ("]",), "Next hunk", "Go to the next hunk of the diff.", _P, Group.MOVE, hidden=True, footer=True),
    Action("diff_previous_hunk", ("[",), "Previous hunk", "Go to the previous hunk of the diff.", _P, Group.MOVE, hidden=True),
    # -- commit ----------------------------------------------------------------------------------
    Action("file_down", ("down", "j"), "Next file", "Select the next file; the diff goes there.", _C, Group.MOVE, hidden=True),
    Action("file_up", ("up", "k"), "Previous file", "Select the previous file.", _C, Group.MOVE, hidden=True),
    Action("file_page_down", ("pagedown",), "A page down", "Move a page down in the files.", _C, Group.MOVE, hidden=True),
    Action("file_page_up", ("pageup",), "A page up", "Move a page up in the files.", _C, Group.MOVE, hidden=True),
    Action("first_file", ("home", "g"), "First file", "Select the first file.", _C, Group.MOVE, hidden=True),
    Action("last_file", ("end", "G"), "Last file", "Select the last file.", _C, Group.MOVE, hidden=True),
    Action("read_file", ("enter",), "Read", "Go to the diff of this file.", _C, Group.READ, hidden=True),
    Action("find_in_commit", ("/",), "Find", "Find text in this commit; n and N go through it.", _C, Group.FIND, footer=True),
    Action("next_hunk", ("]",), "Next hunk", "Go to the next hunk.", _C, Group.MOVE, footer=True),
    Action("previous_hunk", ("[",), "Previous hunk", "Go to the previous hunk.", _C, Group.MOVE),
    Action("parent", ("p",), "Parent", "Open the parent of this commit.", _C, Group.MOVE, footer=True),
    Action("child", ("c",), "Child", "Open a child of this commit.", _C, Group.MOVE, footer=True),
    Action("hunk_history", ("h",), "History", "Every change of the symbol or lines of this hunk, newest first.", _C, Group.READ, footer=True),
    Action("pager", ("v",), "Pager", "Read the commit in git's own pager.", _C, Group.READ, footer=True),
    Action("reload_commit", ("r", "f5"), "Again", "Ask for the commit again.", _C, Group.READ),
    Action("message_down", ("down", "j"), "Down", "Scroll the message down.", _M, Group.MOVE, hidden=True),
    Action("message_up", ("up", "k"), "Up", "Scroll the message up.", _M, Group.MOVE, hidden=True),
    Action("message_page_down", ("pagedown", "space"), "A page down", "Scroll the message a page down.", _M, Group.MOVE, hidden=True),
    Action("message_page_up", ("pageup", "b"), "A page up", "Scroll the message a page up.", _M, Group.MOVE, hidden=True),
    Action("message_first", ("home", "g"), "Top", "Go to the top of the message.", _M, Group.MOVE, hidden=True),
    Action("message_last", ("end", "G"), "End", "Go to the end of the message.", _M, Group.MOVE, hidden=True),
    # -- history ---------------------------------------------------------------------------------
    Action("step_down", ("down", "j"), "Older", "Select the next older change.", _H, Group.MOVE, hidden=True),
    Action("step_up", ("up", "k"), "Newer", "Select the next newer change.", _H, Group.MOVE, hidden=True),
    Action("step_page_down", ("pagedown",), "A page down", "Move a page down in the list.", _H, Group.MOVE, hidden=True),
    Action("step_page_up", ("pageup",), "A page up", "Move a page up in the list.", _H, Group.MOVE, hidden=True),
    Action("first_step", ("home", "g"), "Newest", "Select the newest change.", _H, Group.MOVE, hidden=True),
    Action("last_step", ("end", "G"), "Oldest", "Select the oldest change.", _H, Group.MOVE, hidden=True),
    Action("open_step", ("enter",), "Open", "Open the commit of this change.", _H, Group.READ, footer=True),
    Action("find_in_step", ("/",), "Find", "Find text in this change; n and N go through it.", _H, Group.FIND, footer=True),
    Action("symbol_or_lines", ("l",), "Symbol or lines", "Follow the symbol, or only these lines.", _H, Group.READ, footer=True),
    Action("step_pager", ("v",), "Pager", "Read the commit in git's own pager.", _H, Group.READ),
    Action("reload_history", ("r", "f5"), "Again", "Ask for the history again.", _H, Group.READ),
    # -- a whole file ----------------------------------------------------------------------------
    Action("open_line", ("enter",), "Open", "Open the commit that last touched this line.", _F, Group.READ, footer=True),
    Action("file_before", ("p",), "Before", "The file as it was before the commit that last touched this line.", _F, Group.READ, footer=True),
    Action("file_pager", ("v",), "Pager", "Read the file with git's own blame in the pager.", _F, Group.READ),
    Action("reload_file", ("r", "f5"), "Again", "Ask for the file again.", _F, Group.READ),
    # -- repositories ----------------------------------------------------------------------------
    Action("repository_down", ("down", "j"), "Next", "Select the next repository.", _R, Group.MOVE, hidden=True),
    Action("repository_up", ("up", "k"), "Previous", "Select the previous repository.", _R, Group.MOVE, hidden=True),
    Action("open_repository", ("enter",), "Search it", "Search the selected repository.", _R, Group.FIND, footer=True),
    Action("start_indexing", ("i",), "Index", "Index the selected repository, or what is new in it.", _R, Group.INDEX, footer=True),
    Action("stop_indexing", ("s",), "Stop", "Stop indexing the selected repository; what was read stays.", _R, Group.INDEX, footer=True),
    Action("pause_indexing", ("P",), "Pause all", "Pause indexing of all repositories, or resume it.", _R, Group.INDEX, footer=True),
    Action("look_again", ("r", "f5"), "Look again", "Look again how the indexes stand.", _R, Group.INDEX),
    # -- everywhere ------------------------------------------------------------------------------
    Action("next_pane", ("tab",), "Next pane", "Go to the next pane.", _E, Group.MOVE, hidden=True, run="app.focus_next"),
    Action("previous_pane", ("shift+tab",), "Previous pane", "Go to the previous pane.", _E, Group.MOVE, hidden=True, run="app.focus_previous"),
    Action("step_back", ("escape",), "Back", "Step back one level.", _E, Group.MOVE, hidden=True),
    Action("visit_back", ("<",), "Back", "Go back to what was visited before.", _E, Group.MOVE),
    Action("visit_forward", (">",), "Forward", "Go forward again through what was visited.", _E, Group.MOVE),
    Action("explain_place", ("L",), "Explain a place", "Explain lines, a file or a symbol that you name, as path:10-20, path:name or name.", _E, Group.READ),
    Action("repositories", ("ctrl+r",), "Repositories", "All indexed repositories: switch, start or stop indexing.", _E, Group.INDEX),
    Action("palette", ("ctrl+p",), "Palette", "Every action, recent queries, repositories, themes, go to a sha.", _E, Group.APP, footer=True),
    Action("choose_theme", ("T",), "Theme", "Choose colours: each is shown while it is under the cursor.", _E, Group.APP),
    Action("help", ("?", "f1"), "Help", "Keys and their meaning, those of this pane first.", _E, Group.APP, footer=True),
    Action("suspend", ("ctrl+z",), "Suspend", "Go to the shell; its fg comes back.", _E, Group.APP),
    Action("quit", ("q", "ctrl+q"), "Quit", "Leave; the session is kept.", _E, Group.APP, footer=True),
)  # fmt: skip

BY_NAME: Mapping[str, Action] = {action.name: action for action in ACTIONS}
