"""A whole run as it stood on the wire, for a person to read its changes, and each event in its closed shape (SSE-1)."""

import json
import re
from pathlib import Path

import pytest

from deputize.core.provider import Done, TextDelta
from deputize.testing.scripted import calls
from tests.engine.desk import ANA
from tests.surfaces.serving import PREFIX, Served

SNAPSHOT = Path(__file__).with_name("transcript.txt")
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
VOLATILE = [
    (re.compile(r'"(digest)":"[0-9a-f]{64}"'), r'"\1":"DIGEST"'),
    (re.compile(r'"(expiresAt)":"[-0-9T:.]+Z"'), r'"\1":"DATABASE TIME"'),
    (re.compile(r'"(latencyMs)":\d+'), r'"\1":0'),
]
SHAPES: dict[str, set[str]] = {
    "token": {"message", "at", "text"},
    "tool_call_start": {"callId", "tool", "args"},
    "tool_result": {"callId", "outcome", "result", "truncated"},
    "tool_approval_required": {"call"},
    "tool_approval_expired": {"callId", "reason"},
    "budget_exceeded": {"scope", "period", "resetsAt"},
    "message_done": {"messageId", "status", "usage"},
    "error": {"code", "message"},
    "ping": set(),
}
"""The closed set, and what each event has at least; as the contract writes it."""


async def raw(site: Served, method: str, path: str, body: object = None) -> str:
    """The bytes of a stream."""
    content = None if method == "GET" else json.dumps(body or {})
    headers = {**site.as_("eva"), "Accept": "text/event-stream"}
    async with site.client.stream(method, PREFIX + path, content=content, headers=headers) as response:
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        return (await response.aread()).decode("utf-8")


def steady(text: str) -> str:
    """Ids numbered in the order of their appearance, and what no two runs share left out."""
    names: dict[str, str] = {ANA: "ANA"}

    def named(found: "re.Match[str]") -> str:
        return names.setdefault(found[0], f"ID-{len(names)}")

    text = ID.sub(named, text)
    for pattern, by in VOLATILE:
        text = pattern.sub(by, text)
    return text


async def whole_run(site: Served) -> str:
    """Read, staged write, approval, resume, end."""
    site.desk.provider.then(
        calls(("find_people", {"query": "Ana"})), calls(("add_task", {"person": ANA, "title": "call\r\nevent: done"}))
    )
    session = (await site.post("/sessions", {"surface": "desk"})).json()["id"]
    first = await raw(site, "POST", f"/sessions/{session}/messages", {"content": "a task for Ana"})
    card = json.loads(first.rstrip().rpartition("data: ")[2])["call"]
    site.desk.provider.then([TextDelta("The task "), TextDelta("is\u2028there \U0001f600."), Done("stop")])
    body = {"approve": True, "digest": card["approval"]["digest"]}
    second = await raw(site, "POST", f"/tool-calls/{card['id']}/decide", body)
    again = await raw(site, "GET", f"/runs/{card['runId']}/events")
    return "\n".join(
        f"## {title}\n\n{text}"
        for title, text in (("POST message", first), ("POST decide", second), ("GET events", again))
    )


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
async def test_the_transcript_is_the_one_that_was_read(site: Served) -> None:
    """SSE-1: delete tests/surfaces/transcript.txt and run this to write a change down; then read it."""
    text = steady(await whole_run(site))
    if not SNAPSHOT.exists():
        SNAPSHOT.write_text(text, encoding="utf-8", newline="\n")
        pytest.fail("the transcript has been written; read it")
    assert text == SNAPSHOT.read_bytes().decode("utf-8")


async def test_frames_are_lines_of_json_that_end_with_lf(site: Served) -> None:
    """SSE-1: no CR, one line of data for each event, ids contiguous, exactly one end for each stream."""
    text = await whole_run(site)
    assert "\r" not in text
    for stream, ends in zip(
        text.split("## ")[1:], ("tool_approval_required", "message_done", "message_done"), strict=True
    ):
        title, _, body = stream.partition("\n\n")
        opening, *blocks, rest = body.split("\n\n")
        assert (opening, rest.strip()) == (": open", "")
        kinds = []
        for block in blocks:
            fields = [line.split(": ", 1) for line in block.split("\n")]
            assert [name for name, _ in fields] == ["id", "event", "data"], block
            kind, data = fields[1][1], json.loads(fields[2][1])
            assert SHAPES[kind] <= set(data), block
            kinds.append(kind)
        assert kinds[-1] == ends
        assert sum(kind in {"message_done", "budget_exceeded", "error"} for kind in kinds) == (ends == "message_done")
        durable = [
            int(block[4:].partition("\n")[0]) for block, kind in zip(blocks, kinds, strict=True) if kind != "token"
        ]
        assert durable == list(range(durable[0], durable[0] + len(durable))), title
