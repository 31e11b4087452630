"""The server: tools, resources and prompts in the words of the protocol's SDK, whatever carries it."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from mcp_types import Prompt as PromptDefinition
from mcp_types import Tool as ToolDefinition

from ohara import __version__
from ohara.errors import InternalError, OharaError, UsageError, reason_of
from ohara.mcp.arguments import MOST_TOKENS, schema
from ohara.mcp.frame import error_line
from ohara.mcp.prompts import PROMPTS
from ohara.mcp.tools import INSTRUCTIONS, TOOLS
from ohara.suggest import nearest

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from ohara.mcp.asking import Asking, Progress

_log = logging.getLogger("ohara.mcp")

STATUS = "ohara://status"
_COMMIT = re.compile(r"ohara://commit/([0-9a-fA-F]{4,64})")

_READS_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


def make_server(asking: Asking) -> Server[dict[str, object]]:
    """A server whose questions go to one service."""
    handlers = _Handlers(asking)
    return Server(
        "ohara",
        version=__version__,
        title="ohara: a repository's history",
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_resource_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


def definitions() -> list[ToolDefinition]:
    """The tools as clients list them."""
    return [
        ToolDefinition(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=schema(tool.arguments),
            annotations=_READS_ONLY,
        )
        for tool in TOOLS
    ]


class _Handlers:
    """Answers the requests of all clients."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._tools = {tool.name: tool for tool in TOOLS}
        self._prompts = {prompt.name: prompt for prompt in PROMPTS}

    async def list_tools(self, context: _Context, given: PaginatedRequestParams | None) -> ListToolsResult:
        del context, given
        return ListToolsResult(tools=definitions())

    async def call_tool(self, context: _Context, given: CallToolRequestParams) -> CallToolResult:
        """Answer one call; what is wrong is told to the model, in one line."""
        try:
            text = await self._answer(given.name, given.arguments, _progress(context))
        except OharaError as error:
            return _said(error_line(error), is_error=True)
        except Exception as error:  # noqa: BLE001 - a fault of one call must not end the server
            _log.exception("%s failed", given.name)
            fault = InternalError(f"internal fault: {reason_of(error)}", hint="please report it")
            return _said(error_line(fault), is_error=True)
        return _said(text)

    async def _answer(self, name: str, given: dict[str, object] | None, progress: Progress) -> str:
        tool = self._tools.get(name)
        if tool is None:
            meant = nearest(name, self._tools, within=3)
            guess = f"did you mean {meant}?" if meant else f"there are {', '.join(self._tools)}"
            raise UsageError(f"there is no tool {name[:100]!r}", hint=guess)
        return await tool.call(self._asking, given, progress)

    async def list_resources(
        self, context: _Context, given: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        del context, given
        status = Resource(
            uri=STATUS,
            name="status",
            title="What is indexed",
            description="As history_status says it.",
            mime_type=_PLAIN,
        )
        return ListResourcesResult(resources=[status])

    async def list_resource_templates(
        self, context: _Context, given: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        del context, given
        commit = ResourceTemplate(
            uri_template="ohara://commit/{sha}",
            name="commit",
            title="A commit",
            description="Message, files and diff of a commit, named by its sha or the beginning of it.",
            mime_type=_PLAIN,
        )
        return ListResourceTemplatesResult(resource_templates=[commit])

    async def read_resource(self, context: _Context, given: ReadResourceRequestParams) -> ReadResourceResult:
        """The text of a resource; one that is not there is an error of the protocol."""
        uri = str(given.uri)
        try:
            if commit := _COMMIT.fullmatch(uri):
                asked: dict[str, object] = {"rev": commit[1], "budget": MOST_TOKENS}
                text = await self._answer("show_commit", asked, _progress(context))
            elif uri == STATUS:
                text = await self._answer("history_status", {}, _progress(context))
            else:
                raise UsageError(f"there is no resource {uri[:100]!r}", hint=f"{STATUS}, ohara://commit/SHA")
        except OharaError as error:
            raise MCPError(INVALID_PARAMS, error_line(error)) from error
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=_PLAIN, text=text)])

    async def list_prompts(
        self, context: _Context, given: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        del context, given
        return ListPromptsResult(
            prompts=[
                PromptDefinition(
                    name=prompt.name,
                    title=prompt.title,
                    description=prompt.description,
                    arguments=[
                        PromptArgument(name=prompt.argument, description=prompt.argument_is, required=True)
                    ],
                )
                for prompt in PROMPTS
            ]
        )

    async def get_prompt(self, context: _Context, given: GetPromptRequestParams) -> GetPromptResult:
        """A prompt with its argument."""
        del context
        prompt = self._prompts.get(given.name)
        try:
            if prompt is None:
                raise UsageError(
                    f"there is no prompt {given.name[:100]!r}", hint=f"there are {', '.join(self._prompts)}"
                )
            text = prompt.filled(given.arguments)
        except OharaError as error:
            raise MCPError(INVALID_PARAMS, error_line(error)) from error
        message = PromptMessage(role="user", content=TextContent(type="text", text=text))
        return GetPromptResult(description=prompt.description, messages=[message])


_PLAIN = "text/plain"

if TYPE_CHECKING:
    from typing import TypeAlias

    _Context: TypeAlias = ServerRequestContext[dict[str, object]]


def _said(text: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)


def _progress(context: _Context) -> Progress:
    async def report(done: float, total: float | None, message: str) -> None:
        await context.session.report_progress(done, total, message)

    return report
