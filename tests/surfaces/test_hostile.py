"""Requests that nobody's client sends: every answer is the catalogue's JSON error, and never a 500 (API-3, SSE-2)."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.testing.clock import FrozenClock
from tests.engine.desk import ANA
from tests.surfaces.catalogue import amiss
from tests.surfaces.furnished import Desk, furnished
from tests.surfaces.routes import CASES, parameters
from tests.surfaces.serving import PREFIX

LAX = pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
STRICT = pytest.mark.parametrize("databases", [pytest.param("postgresql", marks=pytest.mark.postgresql)], indirect=True)
"""PostgreSQL refuses what SQLite takes: NULs, numbers beyond the column, text that is not UTF-8."""
DEEP = '{"a":' * 5_000 + "1" + "}" * 5_000
HUGE = "9" * 4_000
BODIES: dict[str, bytes] = {
    "nothing": b"",
    "half": b'{"content": ',
    "no object": b"[]",
    "null": b"null",
    "a text": b'"x"',
    "a number": HUGE.encode(),
    "longer than any number": b"9" * 5_000,
    "not a number": b"NaN",
    "not UTF-8": b'{"content": "\xff\xfe"}',
    "UTF-16": '{"content": "hi"}'.encode("utf-16"),
    "deep": DEEP.encode(),
    "deep list": b"[" * 30_000,
    "unknown": b'{"tenant": "south", "version": 3}',
    "unknown half pair": b'{"\\ud800": 1}',
    "unknown with NUL": b'{"a\\u0000b": 1}',
    "prototype": b'{"__proto__": {}, "__class__": 1}',
}
VALUES: list[Any] = ["", "a\x00b", "\udfff\ud800", "\u202e", "x" * 60_000, None, True, -1, 2**63, {"a": "\x00"}]
PATHS = ["a%00b", "%ED%A0%80", "x" * 5_000, "9" * 30, "%20"]
QUERIES = ["page=0", "page=10001", f"page={HUGE}", "page=1.5", "pageSize=0", "pageSize=201", f"pageSize={HUGE}"]
QUERIES += [
    "page=10000&pageSize=200",
    f"days={HUGE}",
    "all=maybe",
    "surface=desk&lang=%ED%A0%80",
    "surface=desk&lang=%00",
]
QUERIES += ["since=0001-01-01T00:00:00%2B14:00", "until=9999-12-31T23:59:59-14:00", "actor=%ED%A0%80&kind=%00"]


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock, tmp_path: Path) -> AsyncIterator[Desk]:
    """Eva may do everything, and as often as she likes."""
    async with furnished(database, clock, tmp_path, AI_RATE_LIMIT_MAX=10_000) as made:
        yield made


def replaced(value: Any, by: Any) -> Iterator[Any]:
    """The body with each of its values in turn replaced, at any depth."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield {**value, name: by}
            for changed in replaced(inner, by):
                yield {**value, name: changed}


async def tried(desk: Desk, requests: "Iterator[tuple[str, str, dict[str, Any]]]") -> list[str]:
    """What was wrong with any answer."""
    found = []
    for method, path, more in requests:
        headers = {**desk.site.as_("eva"), **more.pop("headers", {})}
        async with desk.site.client.stream(method, PREFIX + path, headers=headers, **more) as response:
            wrong = await amiss(response)
        if wrong:
            found.append(f"{method} {path[:80]} {str(more)[:120]}: {wrong}")
    return found


WRITES = {route: case for route, case in CASES.items() if not route.startswith("GET")}
WIDE: dict[str, dict[str, Any]] = {
    "POST /sessions": {"surface": "desk", "context": {"screen": "s", "entities": [{"kind": "person", "id": "x"}]}},
    "POST /sessions/{session_id}/messages": {
        "content": "hello",
        "context": {"screen": "s", "entities": [{"kind": "person", "id": "x"}]},
    },
    "POST /tool-calls/{call_id}/edit": {"digest": "0" * 64, "arguments": {"person": "x", "title": "other"}},
    "POST /tool-calls/{call_id}/decide": {
        "approve": True,
        "digest": "0" * 64,
        "reason": "r",
        "typed": {"confirm": "c", "destinations": {"to": "t"}},
    },
    "POST /sessions/{session_id}/confirmations/{call_id}": {
        "decision": "reject",
        "digest": "0" * 64,
        "reason": "r",
        "typed": {"confirm": "c", "destinations": {"to": "t"}},
    },
    "PATCH /settings": {
        "provider": "p",
        "model": "m",
        "redactionEnabled": True,
        "monthlyTokenLimit": 1,
        "monthlyCostLimitCents": 1,
    },
    "PATCH /admin/agents/{name}/config": {
        "enabled": True,
        "mode": "suggest",
        "allowedFields": ["a"],
        "dailyCap": 1,
        "flagThreshold": "x",
        "workingHours": "*",
        "timeZone": "UTC",
        "concurrency": 1,
    },
    "POST /admin/agents/{name}/run": {"subject": "x"},
}
"""Bodies with every field that a route knows."""


@LAX
async def test_bodies_of_every_kind(desk: Desk) -> None:
    """API-4: no JSON, no object, not UTF-8, too deep, unknown names."""

    def requests() -> Iterator[tuple[str, str, dict[str, Any]]]:
        for route, case in WRITES.items():
            method, path = desk.path(route, case)
            for body in BODIES.values():
                yield method, path, {"content": body}

    assert await tried(desk, requests()) == []


@STRICT
async def test_values_of_every_kind(desk: Desk) -> None:
    """API-3: each field of each body with NULs, half surrogates, numbers beyond every column, and other types."""

    def requests() -> Iterator[tuple[str, str, dict[str, Any]]]:
        for route, body in WIDE.items():
            method, path = desk.path(route, CASES[route])
            for value in VALUES:
                for changed in replaced(body, value):
                    yield method, path, {"content": json.dumps(changed)}

    assert await tried(desk, requests()) == []


@STRICT
async def test_a_message_of_every_kind(desk: Desk) -> None:
    """API-3: the same where nothing waits, so that each message that is valid starts a run."""
    run, session = desk.ids["run_id"], desk.ids["session_id"]
    assert (await desk.site.post(f"/runs/{run}/cancel")).status_code == 200
    route = "POST /sessions/{session_id}/messages"

    def requests() -> Iterator[tuple[str, str, dict[str, Any]]]:
        for value in VALUES:
            for changed in replaced(WIDE[route], value):
                yield "POST", f"/sessions/{session}/messages", {"content": json.dumps(changed)}

    assert await tried(desk, requests()) == []


ODD: list[Any] = ["a\x00b", "\ud800", "\u202ex", 2**63, 10**30, 1e308, [], {"a": 1}, None]


@STRICT
@pytest.mark.parametrize("field", ["person", "title", "other"])
async def test_an_edit_of_every_kind(desk: Desk, field: str) -> None:
    """APPR-7: arguments are any JSON; the door answers for what the body lets through, up to its limit of depth."""
    path = f"/tool-calls/{desk.ids['call_id']}"
    wrong = []
    for value in [*ODD, json.loads("[" * 25 + "]" * 25)]:
        digest = (await desk.site.get(path)).json()["approval"]["digest"]
        body = {"digest": digest, "arguments": {"person": ANA, "title": "t", field: value}}
        wrong += await tried(desk, iter([("POST", f"{path}/edit", {"content": json.dumps(body)})]))
    assert wrong == []


@STRICT
async def test_paths_and_queries_of_every_kind(desk: Desk) -> None:
    """API-3: ids that are none, pages and limits out of range."""

    def requests() -> Iterator[tuple[str, str, dict[str, Any]]]:
        for route, case in CASES.items():
            method, _, path = route.partition(" ")
            body = {} if method == "GET" else {"content": json.dumps(case.body or {})}
            for odd in PATHS if parameters(path) else ():
                asked = path
                for name in parameters(path):
                    asked = asked.replace("{" + name + "}", odd)
                yield method, asked + case.query, dict(body)
            for query in QUERIES if method == "GET" else ():
                yield method, desk.path(route, case)[1].partition("?")[0] + "?" + query, dict(body)

    assert await tried(desk, requests()) == []


@LAX
async def test_headers_of_every_kind(desk: Desk) -> None:
    """API-4, SSE-1: kinds of content, keys and ids that no client of ours sends."""
    events, message = f"/runs/{desk.ids['run_id']}/events", f"/sessions/{desk.ids['session_id']}/messages"
    kinds = ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp"]
    lasts = ["-1", "1.5", "abc", "9" * 20, "9" * 21, "\u00b2", "0x1", "1 2", "+1", "1_0"]

    def requests() -> Iterator[tuple[str, str, dict[str, Any]]]:
        for last in lasts:
            yield "GET", events, {"headers": {"Last-Event-ID": last.encode()}}
        for kind in kinds:
            yield "POST", message, {"content": "content=hi", "headers": {"Content-Type": kind}}
        for key in (b"x" * 201, b"\xff\xfe", b"\xc3\xa9" * 90):
            yield "POST", message, {"content": '{"content": "hi"}', "headers": {"Idempotency-Key": key}}

    assert await tried(desk, requests()) == []
