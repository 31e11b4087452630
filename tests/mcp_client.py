"""Drives `ohara mcp` with the client of the protocol's own SDK, over stdin and stdout or over HTTP."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, TextContent

from ohara.present.budget import tokens
from tests.process import ROOT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

OLD, NEW = "legacy", "2026-07-28"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server runs: the home of its service, its folder, and its arguments."""

    home: Path
    folder: Path
    arguments: tuple[str, ...] = ()
    program: tuple[str, ...] = ("-m", "ohara", "mcp")

    @property
    def environment(self) -> dict[str, str]:
        return {"OHARA_HOME": str(self.home), "PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT))}

    @property
    def command(self) -> list[str]:
        return [sys.executable, *self.program, *self.arguments]


@asynccontextmanager
async def over_stdio(place: Place, mode: str = NEW) -> AsyncIterator[Client]:
    """A client of a server of its own."""
    program, *arguments = place.command
    started = StdioServerParameters(command=program, args=arguments, env=place.environment, cwd=place.folder)
    async with Client(started, mode=mode) as client:
        yield client


@contextmanager
def http_server(place: Place) -> Iterator[str]:
    """A server that several clients share, and its address."""
    process = subprocess.Popen(
        [*place.command, "--http", "127.0.0.1:0"],
        env=os.environ | place.environment,
        cwd=place.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        address = re.fullmatch(r"serving (http://127\.0\.0\.1:\d+/mcp)\n", said)
        assert address, said + process.stderr.read()
        yield address[1]
    finally:
        process.terminate()
        process.wait(20)
        process.stderr.close()


async def call(client: Client, tool: str, **given: object) -> str:
    """The text of an answer, which must be one and within its budget."""
    result = await client.call_tool(tool, given)
    text = text_of(result)
    assert not result.is_error, text
    budget = given.get("budget", 6_000)
    assert isinstance(budget, int)
    assert tokens(text) <= budget
    return text


async def refused(client: Client, tool: str, **given: object) -> str:
    """The one line of an error."""
    result = await client.call_tool(tool, given)
    text = text_of(result)
    assert result.is_error, text
    assert "\n" not in text
    return text


def text_of(result: CallToolResult) -> str:
    """The one piece of text in a result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert result.structured_content is None
    return content.text
