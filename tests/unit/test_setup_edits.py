"""One entry of a file that people write is changed, and nothing else of it."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.setup import jsonc, toml_table

if TYPE_CHECKING:
    from ohara.values import Value

ENTRY: dict[str, jsonc.Json] = {"command": "ohara", "args": ["mcp", "--client", "zed"]}

ZED = """// Zed settings
{
  "theme": "One Dark", // dark
  /* servers
     of mine */
  "context_servers": {
    "other": { "command": "x", "args": [1, 2,], }, // keep
    // the last one
  },
  "vim_mode": true,
}
"""

FILES = [
    "",
    "{}",
    "{ }\n",
    '{"a": 1}',
    '{"a": 1}\n',
    '{\n  "a": 1\n}\n',
    '{\n\t"a": {"b": [{}]}, // note\n\t// end\n}\n',
    '{"context_servers": {"x": {"command": "y"}}}',
    '{\r\n    "context_servers": {\r\n        "x": {}\r\n    },\r\n    "z": "//no comment"\r\n}\r\n',
    '{"context_servers": {"x": 1,},}',
    '\ufeff{\n  "context_servers": {\n    "x": {} /* c */\n  }\n}',
    ZED,
]


@pytest.mark.parametrize("text", FILES)
def test_a_member_is_added_and_taken_out_again(text: str) -> None:
    added = jsonc.with_member(text, "context_servers", "ohara", ENTRY)
    assert added is not None
    before, after = jsonc.read(text), jsonc.read(added)
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    servers = before.get("context_servers", {})
    assert isinstance(servers, dict)
    assert after == before | {"context_servers": servers | {"ohara": ENTRY}}
    assert jsonc.with_member(added, "context_servers", "ohara", ENTRY) == added
    removed = jsonc.without_member(added, "context_servers", "ohara")
    assert removed is not None
    if text.strip("\ufeff \n{}"):
        assert removed == text
    else:
        assert jsonc.read(removed) == {}


def test_comments_and_everything_else_stay() -> None:
    added = jsonc.with_member(ZED, "context_servers", "ohara", ENTRY)
    assert added is not None
    kept = [line for line in added.splitlines() if line in ZED.splitlines()]
    assert kept == ZED.splitlines()
    assert '    "ohara": {\n      "command": "ohara",' in added


def test_a_member_that_is_there_is_replaced_where_it_stands() -> None:
    text = '{\n  "s": {\n    "ohara": {"command": "old"}, // mine\n    "z": 1\n  }\n}\n'
    changed = jsonc.with_member(text, "s", "ohara", {"command": "new"})
    assert (
        changed == '{\n  "s": {\n    "ohara": {\n      "command": "new"\n    }, // mine\n    "z": 1\n  }\n}\n'
    )


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"a" 1}', '{"a": 1 "b": 2}', '{"a":1}x', '{"a":1,"a":2}', "[" * 500]
)
def test_what_is_no_object_is_not_touched(text: str) -> None:
    try:
        assert jsonc.with_member(text, "s", "ohara", ENTRY) is None
    except jsonc.Unreadable:
        return
    assert text == "[]"


def test_a_list_that_is_none_is_not_replaced() -> None:
    assert jsonc.with_member('{"s": []}', "s", "ohara", ENTRY) is None
    assert toml_table.with_table("s = 1\n", "s", "ohara", {"command": "x"}) is None


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.dictionaries(st.sampled_from(["a", "s", "t"]), _VALUES, max_size=3),
    st.sampled_from([None, 1, "\t", "    "]),
)
def test_any_json_keeps_all_that_it_holds(whole: dict[str, jsonc.Json], indent: int | str | None) -> None:
    text = json.dumps(whole, indent=indent)
    assert jsonc.read(text) == whole
    added = jsonc.with_member(text, "s", "ohara", ENTRY)
    if not isinstance(whole.get("s", {}), dict):
        assert added is None
        return
    assert added is not None
    servers = whole.get("s", {})
    assert isinstance(servers, dict)
    assert json.loads(added) == whole | {"s": servers | {"ohara": ENTRY}}
    removed = jsonc.without_member(added, "s", "ohara")
    assert removed is not None
    rest = {key: value for key, value in whole.items() if key != "s" or servers}
    assert json.loads(removed) == rest


CODEX = """# my settings
model = "x"  # best

[mcp_servers.other]
command = "npx"
args = ["a",
  "b"]

# about history
[history]
persistence = "none"
"""

TABLE: dict[str, Value] = {"command": "ohara", "args": ("mcp", "--client", "codex")}


@pytest.mark.parametrize("text", ["", CODEX, CODEX.replace("\n", "\r\n"), 'model = "x"', "[a]\n\n\n"])
def test_a_table_is_added_and_taken_out_again(text: str) -> None:
    added = toml_table.with_table(text, "mcp_servers", "ohara", TABLE)
    assert added is not None
    assert tomllib.loads(added)["mcp_servers"]["ohara"] == {
        "command": "ohara",
        "args": ["mcp", "--client", "codex"],
    }
    assert added.startswith(text)
    assert toml_table.with_table(added, "mcp_servers", "ohara", TABLE) == added
    removed = toml_table.without_table(added, "mcp_servers", "ohara")
    assert removed is not None
    assert removed.rstrip() == text.rstrip()


def test_a_table_in_the_middle_is_changed_in_place_and_keeps_what_was_added() -> None:
    middle = '[mcp_servers.ohara]\ncommand = "old"\nstartup_timeout_sec = 30 # slow disk\n\n' + CODEX.replace(
        'model = "x"  # best\n', ""
    )
    changed = toml_table.with_table(middle, "mcp_servers", "ohara", TABLE)
    assert changed is not None
    assert "startup_timeout_sec = 30 # slow disk\n\n# my settings\n" in changed
    assert tomllib.loads(changed)["mcp_servers"]["ohara"]["command"] == "ohara"
    removed = toml_table.without_table(changed, "mcp_servers", "ohara")
    assert removed is not None
    assert "ohara" not in tomllib.loads(removed)["mcp_servers"]
    assert removed.endswith('# about history\n[history]\npersistence = "none"\n')


def test_an_inline_table_is_not_touched() -> None:
    assert (
        toml_table.with_table('mcp_servers = { ohara = { command = "x" } }\n', "mcp_servers", "ohara", TABLE)
        is None
    )
