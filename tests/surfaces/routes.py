"""What every route demands, as data: the right it asks for, whose things it names, and a body that fits."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fastapi import APIRouter
from fastapi.routing import APIRoute

Shows = Literal["own", "tenant", "supervised", "nothing"]
"""Whose things a route with an id gives: the owner's only; any of the tenant with `history.read_all`, or with
`supervise`; none that belongs to one person."""


@dataclass(frozen=True)
class Case:
    """`rights`: one of these is enough, none means any sign-in."""

    rights: tuple[str, ...] = ()
    shows: Shows = "nothing"
    body: Mapping[str, Any] | None = None
    query: str = ""
    fits: Mapping[str, str] = field(default_factory=dict)
    """Path parameters that name no stored thing."""
    beside: tuple[str, ...] = ()
    """Rights that are asked for as well."""


CHAT = ("chat",)
READING = ("chat", "history.read")
LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
DECISION = {"approve": True, "digest": "0" * 64}

CASES: dict[str, Case] = {
    "GET /me": Case(query="?surface=desk"),
    "GET /suggestions": Case(CHAT, query="?surface=desk"),
    "POST /sessions": Case(CHAT, body={"surface": "viewing"}),
    "POST /agui/{surface}": Case(
        CHAT,
        body={"threadId": "t", "messages": [{"id": "1", "role": "user", "content": "hello"}]},
        fits={"surface": "narrow"},
    ),
    "POST /mcp/{surface}": Case(CHAT, body=LIST_TOOLS, fits={"surface": "narrow"}),
    "GET /sessions": Case(READING),
    "GET /sessions/{session_id}/messages": Case(READING, "tenant"),
    "POST /sessions/{session_id}/messages": Case(CHAT, "own", {"content": "hello"}),
    "GET /runs": Case(READING),
    "GET /runs/{run_id}": Case(READING, "supervised"),
    "GET /runs/{run_id}/events": Case(READING, "supervised"),
    "GET /approvals": Case(),
    "GET /tool-calls/{call_id}": Case(READING, "supervised"),
    "GET /tool-calls/{call_id}/fields": Case(CHAT, "own"),
    "POST /tool-calls/{call_id}/edit": Case(CHAT, "own", {"digest": "0" * 64, "arguments": {"title": "other"}}),
    "POST /tool-calls/{call_id}/decide": Case(CHAT, "own", DECISION),
    "POST /sessions/{session_id}/confirmations/{call_id}": Case(
        CHAT, "own", {"decision": "confirm", "digest": "0" * 64}
    ),
    "GET /settings": Case(("configure",)),
    "PATCH /settings": Case(("configure",), body={"monthlyTokenLimit": 1_000_000}),
    "GET /usage": Case(("chat", "supervise")),
    "POST /runs/{run_id}/retry": Case(CHAT, "own", {}),
    "POST /runs/{run_id}/cancel": Case(CHAT, "own", {}),
    "POST /sessions/{session_id}/end": Case(CHAT, "own", {}),
    "GET /admin/agents/runs": Case(("supervise",)),
    "GET /admin/agents/runs/{run_id}": Case(("supervise",)),
    "GET /admin/agents/{name}": Case(("supervise", "configure"), fits={"name": "greeting"}),
    "PATCH /admin/agents/{name}/config": Case(("configure",), body={"dailyCap": 5}, fits={"name": "greeting"}),
    "POST /admin/agents/{name}/run": Case(("configure",), body={}, fits={"name": "greeting"}),
    "POST /admin/agents/{name}/disable": Case(("configure",), body={}, fits={"name": "greeting"}),
    "POST /admin/agents/{name}/enable": Case(("configure",), body={}, fits={"name": "greeting"}),
    "POST /admin/agents/disable": Case(("configure",), body={}),
    "POST /admin/agents/enable": Case(("configure",), body={}),
    "GET /admin/events": Case(("supervise",)),
    "POST /admin/events/{event_id}/requeue": Case(("supervise",), body={}),
    "GET /admin/effects": Case(("supervise",)),
    "GET /admin/effects/{effect_id}": Case(("supervise",)),
    "POST /admin/effects/{effect_id}/requeue": Case(("supervise",), body={}),
    "POST /admin/effects/{effect_id}/settle": Case(("supervise",), body={"outcome": "sent"}),
    "GET /admin/audit": Case(("supervise",)),
    "GET /admin/audit/{seq}": Case(("supervise",), fits={"seq": "1"}),
    "POST /admin/audit/checkpoint": Case(("supervise",), body={}),
    "POST /admin/audit/subjects/erase": Case(("configure",), body={"subject": "person:x"}, beside=("supervise",)),
    "GET /admin/audit/verify": Case(("supervise",)),
    "GET /admin/audit/export": Case(("supervise",)),
}
"""In the order in which they can be asked by one owner: what ends things comes last within its group."""

PUBLIC = {"GET /static/{name}"}
"""Routes that anybody may ask: the element's own files."""
OPERATION = {"GET /health", "GET /ready", "GET /metrics"}
"""Routes without a sign-in that the host mounts apart; none of them takes anything."""


def names(*routers: APIRouter) -> Iterator[str]:
    """`METHOD /path` of every route that the routers have."""
    for router in routers:
        for route in router.routes:
            assert isinstance(route, APIRoute), f"{route} is not an HTTP route; say how it is kept apart"
            yield from (f"{method} {route.path}" for method in sorted(route.methods or ()))


def parameters(path: str) -> list[str]:
    """The names in braces."""
    return [part.split("}")[0] for part in path.split("{")[1:]]
