"""The protocol's server over the engine: tools by grants, reads answered, changes staged for a person to decide.

A change is never executed by a call. Where the client can open an address for its person, the call answers
`input_required` with the page on which they decide, and the same call sent again tells what became of it; other
clients are told the address in words. Source: MCP 2026-07-28 and the versions before it.
"""

import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from deputize.core.actor import Actor
from deputize.core.errors import DeputizeError, Unavailable
from deputize.core.provider import ToolSchema
from deputize.core.run import Outcome, ToolCall
from deputize.core.tool import Tool
from deputize.engine import direct
from deputize.engine.failures import as_answer, log_failure
from deputize.engine.views import tool_title
from deputize.engine.wiring import Wiring

CALLER = "deputize.caller"
"""Where the scope of a request says who asks."""
NAME = "deputize"
DECISION = "decision"
"""The one request that an answer of ours may carry: open the page, decide there."""
Ctx = ServerRequestContext[Any, Any]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, on which surface, and from where; `decide_at` is the page on which cards are decided."""

    actor: Actor
    surface: str
    decide_at: str
    peer: str | None = None


def caller_of(ctx: Ctx) -> Caller:
    """Who asks; the router has put it there, and a request without it is nobody's."""
    found = ctx.request.scope.get(CALLER) if ctx.request is not None else None
    if not isinstance(found, Caller):
        raise TypeError("a request without a caller")
    return found


def build_server(w: Wiring) -> "Server[Any]":
    """One server for all persons; each request brings its own."""

    async def list_tools(ctx: Ctx, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        caller = caller_of(ctx)
        try:
            found = await direct.offered(w, caller.actor, caller.surface)
        except DeputizeError as error:
            raise MCPError(types.INVALID_REQUEST, error.message, {"code": error.code}) from None
        return types.ListToolsResult(tools=[_tool(w, caller, tool, schema) for tool, schema in found])

    async def call_tool(
        ctx: Ctx, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        caller = caller_of(ctx)
        try:
            if params.request_state is not None:
                call = await direct.made(w, caller.actor, params.request_state)
            else:
                raw = json.dumps(params.arguments if params.arguments is not None else {})
                call = await direct.call(w, caller.actor, caller.surface, params.name, raw, caller.peer)
        except DeputizeError as error:
            return _refused(error)
        except Exception as error:
            log_failure("a call of a client", error)
            return _refused(as_answer(error))
        if not call.open:
            return _told(call)
        if call.approval is None:
            return _refused(Unavailable("The call was lost on the way; nothing was executed."))
        return _asked(w, ctx, caller, call, params.input_responses)

    server: Server[Any] = Server(
        NAME,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        cache_hints={"tools/list": CacheHint(ttl_ms=0, scope="private")},
    )
    key = hmac.new(w.secret_key.encode(), b"mcp request state", hashlib.sha256).digest()
    security = RequestStateSecurity(keys=[key], ttl=w.limits.approval_ttl, bind_principal=_principal)
    server.middleware.append(RequestStateBoundary(security, default_audience=NAME))
    return server


def _principal(ctx: Ctx) -> str:
    caller = caller_of(ctx)
    return json.dumps([caller.actor.tenant, caller.actor.id, caller.surface])


def _tool(w: Wiring, caller: Caller, tool: Tool, schema: ToolSchema) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool_title(w, tool.name, caller.actor.locale),
        description=schema.description,
        input_schema=dict(schema.parameters),
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.staged,
            destructive_hint=tool.effect == "destructive",
            idempotent_hint=not tool.staged,
            open_world_hint=tool.egress,
        ),
    )


def _told(call: ToolCall) -> types.CallToolResult:
    """What a model would be told; whatever is not `ok` is an error (TOOL-11)."""
    return _result(call.sent or "{}", error=call.outcome is not Outcome.OK)


def _refused(error: DeputizeError) -> types.CallToolResult:
    told = {"outcome": Outcome.REFUSED.value, "code": error.code, "message": error.message}
    return _result(json.dumps(told, ensure_ascii=False), error=True)


def _result(text: str, *, error: bool) -> types.CallToolResult:
    structured = json.loads(text)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=structured if isinstance(structured, dict) else None,
        is_error=error,
    )


def _asked(
    w: Wiring, ctx: Ctx, caller: Caller, call: ToolCall, answers: types.InputResponses | None
) -> types.CallToolResult | types.InputRequiredResult:
    """Staged, not executed: where to decide. What the card shows stays with the person (RED-2).

    Whoever would not open the page is told the address in words; the card stays.
    """
    answer = (answers or {}).get(DECISION)
    declined = isinstance(answer, types.ElicitResult) and answer.action != "accept"
    title = tool_title(w, call.tool, caller.actor.locale)
    words = f"{title}: staged, not executed. Decide at {caller.decide_at}"
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS and _opens_addresses(ctx) and not declined:
        wanted = types.ElicitRequest(params=types.ElicitRequestURLParams(message=words, url=caller.decide_at))
        return types.InputRequiredResult(input_requests={DECISION: wanted}, request_state=call.id)
    told = {"outcome": "staged", "message": words, "decideAt": caller.decide_at, "callId": call.id}
    return _result(json.dumps(told, ensure_ascii=False), error=False)


def _opens_addresses(ctx: Ctx) -> bool:
    wanted = types.ClientCapabilities(elicitation=types.ElicitationCapability(url=types.UrlElicitationCapability()))
    return ctx.session.check_client_capability(wanted)
