"""Attaching anew: by any id that a client may send, to a decided run, by who may not see it (SSE-1, APPR-3)."""

from dataclasses import replace
from typing import Any

import pytest

from deputize.core.provider import Done, TextDelta
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, EVA, VIC
from tests.surfaces.serving import Frame, Served

ENDS = {"message_done", "budget_exceeded", "error"}


async def opened(site: Served) -> str:
    return str((await site.post("/sessions", {"surface": "desk"})).json()["id"])


async def staged(site: Served, *more: Any) -> tuple[str, list[Frame]]:
    """Eva's conversation with a card in it, and the stream that ended with the card."""
    write = more or (("add_task", {"person": ANA, "title": "call"}),)
    site.desk.provider.then(calls(("find_people", {})), calls(*write))
    session = await opened(site)
    return session, await site.stream("POST", f"/sessions/{session}/messages", {"content": "task for Ana"})


async def events(site: Served, run: str, last: str | None, who: str = "eva") -> list[Frame]:
    headers = {} if last is None else {"Last-Event-ID": last}
    return await site.stream("GET", f"/runs/{run}/events", who=who, **headers)


def ids(frames: list[Frame]) -> list[int]:
    return [frame.id for frame in frames if frame.id is not None]


async def finished(site: Served) -> tuple[str, list[Frame]]:
    """A run that is over, and its whole stream."""
    site.desk.provider.then(
        calls(("find_people", {"query": "Ana"})), [TextDelta("One "), TextDelta("Ana."), Done("stop")]
    )
    session = await opened(site)
    frames = await site.stream("POST", f"/sessions/{session}/messages", {"content": "Ana?"})
    return (await site.get("/runs")).json()["items"][0]["id"], frames


@pytest.mark.parametrize("last", [None, "0", "4", "999", "9223372036854775807", "99999999999999999999"])
async def test_an_id_that_the_run_never_reached_gives_all_of_it(site: Served, last: str | None) -> None:
    """SSE-1: also numbers beyond every column; nothing is missed and the stream has its one end."""
    run, live = await finished(site)
    again = await events(site, run, last)
    assert ids(again) == ids(live) == [1, 2, 3]
    assert [frame.event for frame in again if frame.event in ENDS] == ["message_done"]
    assert again[-1].event == "message_done"
    assert "".join(frame.data["text"] for frame in again if frame.event == "token") == "One Ana."


async def test_each_id_gives_what_follows_it(site: Served) -> None:
    """SSE-1: every durable event after it, contiguous; after the last one nothing but the text."""
    run, live = await finished(site)
    for last in range(1, 4):
        assert ids(await events(site, run, str(last))) == ids(live)[last:]


@pytest.mark.parametrize("last", ["-1", "1.0", "abc", "1 2", "0x1", "1" * 21])
async def test_an_id_that_is_no_number_is_422(site: Served, last: str) -> None:
    """SSE-2: as JSON, before the first byte."""
    run, _ = await finished(site)
    answer = await site.get(f"/runs/{run}/events", **{"Last-Event-ID": last})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "VALIDATION_ERROR")


async def test_another_runs_id_is_no_way_in(site: Served) -> None:
    """SEC-14: the id of an event opens nothing; another's run stays 404."""
    run, _ = await finished(site)
    for who in ("vic", "sue"):
        answer = await site.get(f"/runs/{run}/events", who, **{"Last-Event-ID": "1"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")


async def test_text_carries_the_newest_durable_id(site: Served) -> None:
    """SSE-1: so that the last id a client has seen is right whatever frame it stood on; `at` counts characters."""
    _, live = await finished(site)
    tokens = [frame for frame in live if frame.event == "token"]
    assert [(frame.carried, frame.data["at"]) for frame in tokens] == [(2, 0), (2, 4)]


async def test_a_decision_that_is_sent_again_gives_its_stream_again(site: Served) -> None:
    """APPR-3, SSE-1: the answer to the first was lost; nothing is executed twice, and the stream has its end."""
    _, frames = await staged(site)
    card = frames[-1].data["call"]
    site.desk.provider.then(says("Done."))
    path, body = f"/tool-calls/{card['id']}/decide", {"approve": True, "digest": card["approval"]["digest"]}
    first = await site.stream("POST", path, body)
    again = await site.stream("POST", path, body)
    assert ids(first) == ids(again) == [5, 6]
    assert first[-1].event == again[-1].event == "message_done"


async def test_the_clinics_route_decides_alike(site: Served) -> None:
    """Contract 9: `confirmations/{call_id}` is the same decide, as JSON and as a stream, and 404 elsewhere."""
    session, frames = await staged(site)
    card = frames[-1].data["call"]
    site.desk.provider.then(says("Done."))
    body = {"decision": "confirm", "digest": card["approval"]["digest"]}
    assert (await site.post(f"/sessions/{card['id']}/confirmations/{card['id']}", body)).status_code == 404
    stream = await site.stream("POST", f"/sessions/{session}/confirmations/{card['id']}", body)
    assert [frame.event for frame in stream if frame.id] == ["tool_result", "message_done"]
    plain = await site.post(f"/sessions/{session}/confirmations/{card['id']}", body)
    assert (plain.status_code, plain.json()["outcome"]) == (200, "ok")
    other = await site.post(f"/sessions/{session}/confirmations/{card['id']}", {**body, "decision": "reject"})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "AI_APPROVAL_RESOLVED")


async def test_a_second_person_gets_the_call_and_not_the_run(site: Served) -> None:
    """APPR-3: who decides another's card without `supervise` asks for a stream and is answered all the same."""
    _, frames = await staged(site, ("four_eyes", {"person": ANA, "remark": "r"}))
    card = frames[-1].data["call"]
    site.hire(replace(VIC, grants=EVA.grants - {"copilot.*"} | {"copilot.chat", "people.*", "people.approve"}))
    site.desk.provider.then(says("Done."))
    answer = await site.post(
        f"/tool-calls/{card['id']}/decide",
        {"approve": True, "digest": card["approval"]["digest"]},
        "vic",
        Accept="text/event-stream",
    )
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert (answer.json()["outcome"], answer.json()["approval"]["decidedBy"]) == ("ok", "vic")
    rest = await events(site, card["runId"], "3")
    assert rest[-1].event == "message_done"


async def test_a_reader_stays_through_the_pause(site: Served) -> None:
    """SSE-1: `GET /runs/{id}/events` is open while the card waits, and shows how the run went on."""
    _, frames = await staged(site)
    card = frames[-1].data["call"]
    site.desk.provider.then(says("Done."))
    seen: list[str] = []
    async for frame in site.frames("GET", f"/runs/{card['runId']}/events"):
        seen.append(frame.event)
        if frame.event == "tool_approval_required":
            body = {"approve": False, "digest": card["approval"]["digest"], "reason": "no"}
            assert (await site.post(f"/tool-calls/{card['id']}/decide", body)).status_code == 200
    assert [kind for kind in seen if kind not in {"token", "ping"}] == [
        "tool_call_start",
        "tool_result",
        "tool_call_start",
        "tool_approval_required",
        "tool_result",
        "message_done",
    ]
