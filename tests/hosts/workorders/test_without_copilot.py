"""AUTO-7: with AI_ENABLED=false the desk works in full, also in a database that has none of our tables."""

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import inspect
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize import Settings
from deputize.testing.clock import FrozenClock
from deputize_hosts.workorders.main import BASE, Built, build
from deputize_hosts.workorders.migrations.upgrade import upgrade
from deputize_hosts.workorders.seed.plant import plant
from deputize_hosts.workorders.settings import HostSettings
from tests.conftest import Fresh
from tests.hosts.workorders.browser import Person, hidden, text_of
from tests.hosts.workorders.people import ADMIN, NOW, OTHER, USER

FOREIGN = re.compile(r"(?:AI|AGENT|COPILOT|WORKORDERS|OPENAI|ANTHROPIC|DEPUTIZE|DATABASE)_")


async def alone(engine: AsyncEngine) -> None:
    """The desk's own tables and data, and nothing of ours."""
    await upgrade(engine)
    async with AsyncSession(engine) as session, session.begin():
        await plant(session, NOW)


@pytest.fixture
async def engine(fresh: Fresh) -> AsyncEngine:
    """A database that `deputize db upgrade` has never seen, of either kind."""
    return await fresh("desk_alone", alone)


@pytest.fixture
async def built(engine: AsyncEngine) -> AsyncIterator[Built]:
    made = build(HostSettings(secret="cookies"), Settings(enabled=False), engine=engine, clock=FrozenClock(NOW))
    async with made.deputy.lifespan():
        yield made
    await made.deputy.close()


async def test_orders_users_and_admin_work_and_nothing_of_the_copilot_is_drawn(
    built: Built, engine: AsyncEngine
) -> None:
    """Sign in, report, edit, move, delete, list the users, switch one: no element, no tag, no table of ours."""
    person, admin = Person(built.app), Person(built.app)
    async with person.client, admin.client:
        seen = [await person.sign_in(USER)]
        made = await person.send("/app/orders/new", title="Tap drips", description="In room 4", priority="low")
        seen += [made, await person.send(f"{made.url.path}/edit", version="1", title="Tap leaks", priority="high")]
        shown = await person.get(made.url.path)
        assert "Tap leaks" in text_of(shown)
        stale = await person.send(f"{made.url.path}/edit", version="1", title="Old", priority="low")
        assert stale.status_code == 409
        seen.append(
            await person.send(f"{made.url.path}/status", version=hidden(shown, "version"), status="in_progress")
        )
        await admin.sign_in(ADMIN)
        seen += [await admin.get(path) for path in ("/app/orders/all", "/app/attention", "/app/admin/users")]
        people = {one["email"]: one["id"] for one in (await admin.get("/api/v1/users")).json()["items"]}
        token = {"X-CSRF-Token": admin.client.cookies.get("csrf") or ""}
        switched = await admin.client.patch(f"/api/v1/users/{people[OTHER]}", json={"aiEnabled": False}, headers=token)
        assert switched.json()["aiEnabled"] is False
        seen.append(await person.send(f"{made.url.path}/delete", version="3"))
        assert [answer.status_code for answer in seen] == [200] * len(seen)
        assert not any("deputize" in answer.text for answer in seen)
        refused = await person.client.post(
            f"{BASE}/sessions",
            json={"surface": "desk"},
            headers={"X-CSRF-Token": person.client.cookies.get("csrf") or ""},
        )
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "AI_DISABLED")
        assert (await person.get("/ops/ready")).json() == {"ok": True, "checks": {"copilot": "off"}}
    async with engine.connect() as conn:
        tables = await conn.run_sync(lambda sync: inspect(sync).get_table_names())
    assert not [name for name in tables if name.startswith("deputize")]


def test_no_worker_starts_and_no_other_variable_is_asked_for(tmp_path: Path) -> None:
    """A process with nothing of ours in its environment: status 2, and the one reason."""
    ours = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
    env = {**ours, "DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path / 'desk.sqlite'}"}
    command = [
        str(Path(sys.executable).parent / "deputize"),
        "worker",
        "--app",
        "deputize_hosts.workorders.main:deputy",
    ]
    ended = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (2, "AI_ENABLED is false: no worker starts\n")
