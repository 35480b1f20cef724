"""SEC-1: the keys of the environment stand in no answer of the whole application, in no bundle and in no log."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.routing import Route

import deputize
from deputize.testing.scripted import calls, says
from deputize_hosts.workorders.agents.router import router as agents
from deputize_hosts.workorders.auth.router import router as auth
from deputize_hosts.workorders.main import ABOVE_ADMIN, BASE, Built
from deputize_hosts.workorders.orders.router import data as order_data
from deputize_hosts.workorders.orders.router import router as orders
from deputize_hosts.workorders.users.router import router as users
from tests.databases import SqliteFiles
from tests.hosts.workorders.copilot import ADMIN_BASE, KEY, mounted
from tests.hosts.workorders.people import ADMIN

CANARIES: dict[str, Any] = {
    "api_key": "canary-api-6f1d2c",
    "openai_api_key": "canary-openai-90ab",
    "anthropic_api_key": "canary-anthropic-77",
}
STATIC = Path(str(deputize.__file__)).parent / "surfaces" / "http" / "static"


def openings(built: Built) -> Iterator[str]:
    """The path of every GET route of the desk's pages and of the mounted interfaces."""
    pages = [auth, orders, order_data, users, agents]
    for prefix, router in [*(("", one) for one in pages), (BASE, built.deputy.router)]:
        yield from (prefix + path for path in gets(router))
    yield from (ABOVE_ADMIN + path for path in gets(built.deputy.admin_router))
    yield from ("/ops" + path for path in gets(built.deputy.ops_router))


def gets(router: APIRouter) -> Iterator[str]:
    return (one.path for one in router.routes if isinstance(one, Route) and "GET" in (one.methods or ()))


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """One database is enough."""
    return sqlite_files


async def test_sec_1_no_key_in_any_answer_bundle_or_log(engine: AsyncEngine, caplog: pytest.LogCaptureFixture) -> None:
    """Every GET route is asked as an admin, with real ids and with none; so are a failing call and bad requests."""
    caplog.set_level(logging.DEBUG)
    async with mounted(engine, **CANARIES) as desk:
        admin = await desk.person(ADMIN)
        order = await desk.order("Boiler")
        change = ("update_work_order", {"order": str(order.id), "priority": "urgent"})
        desk.provider.then(calls(("admin_list_work_orders", {"number": 1036})), calls(change))
        card = (await admin.say("make it urgent")).card
        await admin.decide(card)
        desk.provider.then(says("no JSON"))
        await admin.post("/agents/triage/run", {"subject": str(order.id)}, ADMIN_BASE)
        known = {"run_id": card["runId"], "call_id": card["id"], "order_id": str(order.id), "name": "triage"}
        paths = set(openings(desk.built))
        answers = []
        for path in sorted(paths):
            filled = re.sub(r"{(\w+)(?::\w+)?}", lambda match: known.get(match[1], "nothing"), path)
            answers.append(await admin.get(filled))
        answers.append(await admin.post("/sessions", {"surface": 7}))
        answers.append(await admin.patch("/agents/triage/config", {"apiKey": "x"}, ADMIN_BASE))
        assert sum(answer.status_code == 200 for answer in answers) > 20
        shown = [answer.text + str(dict(answer.headers)) for answer in answers]
    shown += [path.read_text(encoding="utf-8", errors="replace") for path in STATIC.rglob("*") if path.is_file()]
    shown.append(caplog.text)
    secrets = [*CANARIES.values(), KEY]
    assert [one[:80] for one in shown if any(secret in one for secret in secrets)] == []
