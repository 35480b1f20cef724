"""The HTTP interface: streams, decisions, errors before the first byte (contract 9)."""

import pytest

from deputize.store import settings
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, Task
from tests.surfaces.serving import Frame, Served


async def opened(site: Served, who: str = "eva") -> str:
    response = await site.post("/sessions", {"surface": "desk"}, who)
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


async def staged(site: Served) -> tuple[str, list[Frame]]:
    site.desk.provider.then(
        calls(("find_people", {})), calls(("add_task", {"person": ANA, "title": "call"})), says("Ok.")
    )
    session = await opened(site)
    return session, await site.stream("POST", f"/sessions/{session}/messages", {"content": "task for Ana"})


async def test_ask_streams(site: Served) -> None:
    """SSE-1: durable events have contiguous ids, text has none, exactly one event ends the stream."""
    site.desk.provider.then(calls(("find_people", {"query": "Ana"})), says("One Ana."))
    session = await opened(site)
    frames = await site.stream("POST", f"/sessions/{session}/messages", {"content": "Ana?"})
    durable = [frame for frame in frames if frame.id is not None]
    assert [frame.id for frame in durable] == list(range(1, len(durable) + 1))
    assert [frame.event for frame in durable] == ["tool_call_start", "tool_result", "message_done"]
    assert frames[-1].event == "message_done"
    assert "".join(f.data["text"] for f in frames if (f.event == "token" and f.data["at"]) or f.event == "token") != ""


async def test_reattach_by_id(site: Served) -> None:
    """SSE-1: re-attaching gives the text so far as one token, and every durable event after the id."""
    session, frames = await staged(site)
    call = frames[-1].data["call"]
    run = call["runId"]
    decided = await site.post(
        f"/tool-calls/{call['id']}/decide", {"approve": True, "digest": call["approval"]["digest"]}
    )
    assert decided.status_code == 200
    rest = await site.stream("GET", f"/runs/{run}/events", **{"Last-Event-ID": "2"})
    ids = [frame.id for frame in rest if frame.id is not None]
    assert ids == list(range(3, max(ids) + 1))
    assert rest[-1].event == "message_done"
    assert "Ok." in [frame.data["text"] for frame in rest if frame.event == "token"]
    assert session


async def test_decide_streams_the_resumed_run(site: Served) -> None:
    """APPR-3: with `Accept: text/event-stream` the decision answers with what follows."""
    _, frames = await staged(site)
    call = frames[-1].data["call"]
    body = {"approve": True, "digest": call["approval"]["digest"]}
    rest = await site.stream("POST", f"/tool-calls/{call['id']}/decide", body)
    assert [frame.event for frame in rest if frame.id] == ["tool_result", "message_done"]
    assert len(await site.desk.rows(Task)) == 1


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"digest": None}, 422, "VALIDATION_ERROR"),
        ({"digest": "0" * 64}, 409, "AI_APPROVAL_STALE"),
        ({"approve": "maybe"}, 422, "VALIDATION_ERROR"),
        ({"extra": 1}, 422, "VALIDATION_ERROR"),
    ],
)
async def test_bad_decisions(site: Served, change: dict[str, object], status: int, code: str) -> None:
    """APPR-3: JSON before the first byte, and the card stays open."""
    _, frames = await staged(site)
    call = frames[-1].data["call"]
    body = {"approve": True, "digest": call["approval"]["digest"], **change}
    response = await site.post(f"/tool-calls/{call['id']}/decide", body)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)
    waiting = (await site.get("/approvals")).json()
    assert [one["id"] for one in waiting["items"]] == [call["id"]]


async def test_decided_again(site: Served) -> None:
    """APPR-3: the same decision is answered again, another is 409, a stranger's is 404."""
    _, frames = await staged(site)
    call = frames[-1].data["call"]
    digest = call["approval"]["digest"]
    path = f"/tool-calls/{call['id']}/decide"
    assert (await site.post(path, {"approve": True, "digest": digest}, "vic")).status_code == 404
    assert (await site.post(path, {"approve": True, "digest": digest}, "sue")).status_code == 404
    assert (await site.post(path, {"approve": True, "digest": digest})).status_code == 200
    again = await site.post(path, {"approve": True, "digest": digest})
    assert (again.status_code, again.json()["outcome"]) == (200, "ok")
    other = await site.post(path, {"approve": False, "digest": digest})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "AI_APPROVAL_RESOLVED")
    assert len(await site.desk.rows(Task)) == 1


@pytest.mark.parametrize("content", ["", "x" * 4001, "   "])
async def test_message_length(site: Served, content: str) -> None:
    """API-3: 1 to 4,000 characters."""
    session = await opened(site)
    response = await site.post(f"/sessions/{session}/messages", {"content": content})
    assert (response.status_code, response.json()["error"]["code"]) == (422, "VALIDATION_ERROR")
    assert site.desk.provider.requests == []


async def test_not_json(site: Served) -> None:
    """API-4, D22, E17: JSON only, with a clear answer otherwise; too much is 413."""
    session = await opened(site)
    path = f"/api/v1/ai/sessions/{session}/messages"
    form = await site.client.post(path, content="content=hi", headers={"X-User": "eva"})
    assert (form.status_code, form.json()["error"]["code"]) == (422, "VALIDATION_ERROR")
    broken = await site.client.post(path, content="{", headers=site.as_("eva"))
    assert (broken.status_code, broken.json()["error"]["code"]) == (422, "VALIDATION_ERROR")
    huge = await site.client.post(path, content="x" * 100_000, headers=site.as_("eva"))
    assert (huge.status_code, huge.json()["error"]["code"]) == (413, "TOO_LARGE")


async def test_idempotency_key(site: Served) -> None:
    """RUN-11, D17, H11: a replay, also with another body, is 409 with the run's id."""
    session = await opened(site)
    site.desk.provider.then(says("Hello."))
    key = {"Idempotency-Key": "abc"}
    frames = await site.stream("POST", f"/sessions/{session}/messages", {"content": "hi"}, **key)
    assert frames[-1].event == "message_done"
    again = await site.post(f"/sessions/{session}/messages", {"content": "other"}, **key)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "AI_MESSAGE_DUPLICATE")
    runs = (await site.get("/runs")).json()
    assert [run["id"] for run in runs["items"]] == [again.json()["error"]["details"]["runId"]]


async def test_pending_blocks_messages_and_conversations(site: Served) -> None:
    """RUN-10, C35: while a run is not over, a message or a new conversation is refused; withdrawing frees both."""
    session, frames = await staged(site)
    for path, body in ((f"/sessions/{session}/messages", {"content": "more"}), ("/sessions", {"surface": "desk"})):
        response = await site.post(path, body)
        assert (response.status_code, response.json()["error"]["code"]) == (409, "AI_APPROVAL_PENDING")
    run = frames[-1].data["call"]["runId"]
    cancelled = await site.post(f"/runs/{run}/cancel")
    assert cancelled.json()["status"] == "aborted"
    assert (await site.post("/sessions", {"surface": "desk"})).status_code == 201
    assert await site.desk.rows(Task) == []


async def test_others_see_nothing(site: Served) -> None:
    """SEC-14: another's conversation, run and call are 404; without a sign-in everything is 401."""
    session, frames = await staged(site)
    call = frames[-1].data["call"]
    paths = [
        f"/sessions/{session}/messages",
        f"/runs/{call['runId']}",
        f"/runs/{call['runId']}/events",
        f"/tool-calls/{call['id']}",
    ]
    for path in paths:
        assert (await site.get(path, "vic")).status_code == 404
        assert (await site.get(path, "sue")).status_code == 404
        assert (await site.get(path, "nobody")).status_code == 401


async def test_reload_shows_the_pending_card(site: Served) -> None:
    """UI-1: what the element needs after a reload is all on the server."""
    session, frames = await staged(site)
    me = (await site.get("/me?surface=desk&lang=en")).json()
    assert me["session"]["id"] == session
    assert me["run"]["status"] == "awaiting_approval"
    messages = (await site.get(f"/sessions/{session}/messages")).json()["items"]
    pending = [call for message in messages for call in message["toolCalls"] if call["outcome"] is None]
    assert [call["id"] for call in pending] == [frames[-1].data["call"]["id"]]
    assert pending[0]["approval"]["preview"]["changes"]


async def test_switched_off(site: Served) -> None:
    """AUTO-7: the global switch refuses starts and decisions, and history stays readable."""
    session, frames = await staged(site)
    async with site.desk.w.db.write("*", "test") as tx:
        await settings.flip(tx, "*", "*", False, "admin", site.desk.clock.now())
    call = frames[-1].data["call"]
    response = await site.post(
        f"/tool-calls/{call['id']}/decide", {"approve": True, "digest": call["approval"]["digest"]}
    )
    assert (response.status_code, response.json()["error"]["code"]) == (403, "AI_DISABLED")
    assert (await site.get(f"/sessions/{session}/messages")).status_code == 200
    assert (await site.post("/sessions", {"surface": "desk"})).status_code == 403
