"""Health, readiness and figures (OPS-3)."""

from collections.abc import AsyncIterator

import httpx2
import pytest
from fastapi import FastAPI
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.effect import Enqueued
from deputize.store import outbox
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, EVA, Desk, make_desk


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock) -> AsyncIterator[Desk]:
    made = await make_desk(database, clock)
    yield made
    await made.deputy.close()


@pytest.fixture
async def ops(desk: Desk) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of the operator's routes alone."""
    app = FastAPI()
    app.include_router(desk.deputy.ops_router, prefix="/ops")
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://ops") as client:
        yield client


def figures(text: str) -> dict[str, float]:
    """Each sample by its name and labels."""
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


async def test_a_good_process_is_healthy_and_ready(ops: httpx2.AsyncClient) -> None:
    """OPS-3: no sign-in is asked for."""
    assert (await ops.get("/ops/health")).json() == {"ok": True, "enabled": True}
    ready = await ops.get("/ops/ready")
    assert (ready.status_code, ready.json()["checks"]) == (200, {"provider": "ok", "database": "ok", "tables": "ok"})


async def test_what_is_amiss_is_named_and_not_explained(ops: httpx2.AsyncClient, desk: Desk) -> None:
    """OPS-3: 503 with fixed words; the process itself still lives."""
    async with desk.engine.begin() as conn:
        await conn.execute(text("UPDATE deputize_version SET version_num = 'older'"))
    ready = await ops.get("/ops/ready")
    assert (ready.status_code, ready.json()["checks"]["tables"]) == (503, "other version")
    assert (await ops.get("/ops/health")).status_code == 200


async def test_switched_off_is_ready(database: AsyncEngine, clock: FrozenClock) -> None:
    """AUTO-7: with AI_ENABLED=false nothing of ours is needed."""
    desk = await make_desk(database, clock, settings={"AI_ENABLED": False})
    app = FastAPI()
    app.include_router(desk.deputy.ops_router)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://ops") as client:
        assert (await client.get("/ready")).json() == {"ok": True, "checks": {"copilot": "off"}}
        assert (await client.get("/health")).json() == {"ok": True, "enabled": False}
    await desk.deputy.close()


async def test_the_figures_of_a_turn(ops: httpx2.AsyncClient, desk: Desk) -> None:
    """OPS-3: runs, calls, tokens, money, what waits; no name of a person, a tenant or a model in any label."""
    desk.provider.then(calls(("find_people", {}), ("nope", {})), calls(("add_task", {"person": ANA, "title": "t"})))
    conversation = await desk.open(EVA)
    told = await desk.say(EVA, conversation, "a task for Ana")
    async with desk.w.db.write("north", "test") as tx:
        await outbox.put(tx.conn, "north", (), [Enqueued("person.created", ANA)], desk.clock.now())
    waiting = figures((await ops.get("/ops/metrics")).text)
    assert waiting["deputize_approvals_pending"] == 1
    assert waiting["deputize_runs_unfinished{status=awaiting_approval}"] == 1
    assert waiting["deputize_runs_unfinished{status=running}"] == 0
    assert waiting["deputize_outbox{kind=event,status=pending}"] == 1
    desk.provider.then(says("Done."))
    await desk.decide(EVA, told.card, True)
    await desk.read(EVA, told.run_id, told.last)
    answer = await ops.get("/ops/metrics")
    found = figures(answer.text)
    assert found["deputize_approvals_pending"] == 0
    assert found["deputize_runs_ended_total{mode=copilot,status=complete}"] == 1
    assert found["deputize_tool_calls_total{outcome=ok,tool=find_people}"] == 1
    assert found["deputize_tool_calls_total{outcome=invalid,tool=unknown}"] == 1
    assert found["deputize_tool_calls_total{outcome=ok,tool=add_task}"] == 1
    assert found["deputize_model_seconds_count{provider=scripted}"] == 3
    assert found["deputize_tokens_total{direction=input,provider=scripted}"] == 30
    assert found["deputize_tokens_total{direction=output,provider=scripted}"] == 15
    async with desk.w.db.read() as conn:
        spent = await conn.scalar(text("SELECT sum(cost_micro) FROM deputize_runs"))
    assert found["deputize_cost_micro_usd_total{provider=scripted}"] == spent
    assert found["deputize_audit_failures"] == 0
    for word in ("north", "eva", "Ana", "nope", "scripted-1", conversation, told.run_id):
        assert word not in answer.text
    assert answer.headers["content-type"].startswith("text/plain")


async def test_lost_entries_are_counted(ops: httpx2.AsyncClient, desk: Desk) -> None:
    """AUD-3: what best effort has lost is there for an alarm to see."""
    desk.w.db.audit_failures = 2
    assert figures((await ops.get("/ops/metrics")).text)["deputize_audit_failures"] == 2
