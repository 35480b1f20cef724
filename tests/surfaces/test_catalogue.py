"""Each code of the catalogue that other tests do not reach over HTTP, with its status and its shape (API-3)."""

from collections.abc import Mapping
from typing import Any

import httpx2
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core import errors
from deputize.core.errors import DeputizeError
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, Task
from tests.surfaces.catalogue import CATALOGUE
from tests.surfaces.serving import Served, served

LAX = pytest.mark.parametrize("databases", ["sqlite"], indirect=True)


def told(answer: httpx2.Response) -> tuple[int, str]:
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "details"}
    return answer.status_code, error["code"]


def listed(code: str) -> tuple[int, str]:
    return CATALOGUE[code], code


async def asked(site: Served, *turns: Any) -> tuple[str, Any]:
    """A conversation in which something was asked, and the last event of the answer."""
    site.desk.provider.then(*turns)
    session = (await site.post("/sessions", {"surface": "desk"})).json()["id"]
    frames = await site.stream("POST", f"/sessions/{session}/messages", {"content": "Ana, please"})
    return session, frames[-1].data


async def staged(site: Served, tool: str, arguments: Mapping[str, Any]) -> Any:
    """The card of a write about Ana."""
    _, last = await asked(site, calls(("find_people", {})), calls((tool, arguments)))
    return last["call"]


async def decide(site: Served, card: Any, **more: Any) -> tuple[int, str]:
    body = {"approve": True, "digest": card["approval"]["digest"], **more}
    return told(await site.post(f"/tool-calls/{card['id']}/decide", body))


def test_the_tree_of_errors_is_the_catalogue() -> None:
    """API-3: every code that a route can answer, and no other; what only start-up raises is apart."""
    leaves = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, DeputizeError)]
    found = {one.code: one.status for one in leaves if one.status < 500 or one.status == 503}
    assert found == CATALOGUE


@LAX
async def test_stale_expired_and_over(site: Served) -> None:
    """APPR-3: another digest, a withdrawn card, and a run that has ended."""
    card = await staged(site, "add_task", {"person": ANA, "title": "t"})
    assert await decide(site, card, digest="0" * 64) == listed("AI_APPROVAL_STALE")
    assert await decide(site, card, digest=None) == listed("VALIDATION_ERROR")
    assert (await site.post(f"/runs/{card['runId']}/cancel")).status_code == 200
    assert await decide(site, card) == listed("AI_APPROVAL_EXPIRED")
    assert await site.desk.rows(Task) == []


@LAX
async def test_a_run_that_was_completed_is_not_retried(site: Served) -> None:
    """RUN-8: only what failed is tried again."""
    await asked(site, says("Hello."))
    run = (await site.get("/runs")).json()["items"][0]["id"]
    assert told(await site.post(f"/runs/{run}/retry")) == listed("AI_RUN_NOT_ACTIVE")


@LAX
async def test_what_must_be_typed(site: Served) -> None:
    """APPR-8: the card stays open."""
    card = await staged(site, "remove_person", {"person": ANA})
    assert await decide(site, card) == listed("AI_CONFIRMATION_MISMATCH")
    assert await decide(site, card, typed={"confirm": "no"}) == listed("AI_CONFIRMATION_MISMATCH")
    assert (await site.get(f"/tool-calls/{card['id']}")).json()["approval"]["status"] == "pending"


@LAX
async def test_an_edit_that_names_what_was_never_shown(site: Served) -> None:
    """TOOL-6: 400 over HTTP."""
    card = await staged(site, "add_task", {"person": ANA, "title": "t"})
    arguments = {"person": "0198a000-0000-7000-8000-0000000000ff", "title": "t"}
    body = {"digest": card["approval"]["digest"], "arguments": arguments}
    assert told(await site.post(f"/tool-calls/{card['id']}/edit", body)) == listed("AI_INJECTION_BLOCKED")


@LAX
async def test_no_key_no_checkpoint(site: Served) -> None:
    """AUD-4: 503."""
    assert told(await site.post("/admin/audit/checkpoint")) == listed("AI_UNAVAILABLE")


@LAX
@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ({"AI_DAILY_SPEND_USD": 0}, "AI_BUDGET_EXCEEDED"),
        ({"AI_RATE_LIMIT_MAX": 1}, "AI_RATE_LIMITED"),
        ({"AI_MAX_MESSAGES_PER_SESSION": 2}, "AI_SESSION_FULL"),
    ],
)
async def test_limits(database: AsyncEngine, clock: FrozenClock, setting: dict[str, Any], code: str) -> None:
    """BUD-7, BUD-8, RUN-12: before the first byte, as JSON."""
    async with served(database, clock, settings=setting) as site:
        session = (await site.post("/sessions", {"surface": "desk"})).json()["id"]
        path, answer = f"/sessions/{session}/messages", None
        for _ in range(3):
            answer = await site.post(path, {"content": "hi"})
            if answer.status_code != 200:
                break
        assert answer is not None
        assert told(answer) == listed(code)
