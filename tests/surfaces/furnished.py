"""A served desk with one of everything that has an id, and how each route is asked for it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from deputize import Actor, Automation, Context
from deputize.core.effect import Enqueued, Queued
from deputize.store import keyfile, outbox
from deputize.store.dead_letters import page_of
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import calls
from tests.engine.desk import ANA, Person
from tests.surfaces.routes import CASES, Case, parameters
from tests.surfaces.serving import PREFIX, Served, served

RIGHTS = ("chat", "history.read", "history.read_all", "supervise", "configure")
HOST = frozenset({"people.*", "tasks.*"})
BEA = Actor("bea", "north", label="Bea", grants=frozenset({"copilot.*", *HOST}))


class Hello(BaseModel):
    model_config = ConfigDict(extra="forbid")
    word: str


class Greeting(Automation[str, Hello]):
    """Reads a name; nothing comes of it."""

    name, on, capability, answer, entity = "greeting", "person.created", "greeting", Hello, "person"

    async def owner(self, ctx: Context, subject: str) -> Actor | None:
        return None

    async def facts(self, ctx: Context, subject: str) -> str:
        person = await ctx.session.get(Person, subject)
        return person.name if person else ""

    async def propose(self, ctx: Context, facts: str, answer: Hello) -> Any:
        return {}

    async def apply(self, ctx: Context, facts: str, answer: Hello) -> None:
        """Never called in suggest mode."""


@dataclass
class Desk:
    """A served desk on which Eva has a pending card, and her tenant an event and an effect."""

    site: Served
    ids: dict[str, str]

    def path(self, route: str, case: Case) -> tuple[str, str]:
        method, _, path = route.partition(" ")
        for name in parameters(path):
            path = path.replace("{" + name + "}", case.fits.get(name) or self.ids[name])
        return method, path + case.query

    async def ask(self, route: str, who: str) -> tuple[int, str]:
        """Status and text; of a stream only its status."""
        case = CASES[route]
        method, path = self.path(route, case)
        content = None if method == "GET" else json.dumps(case.body or {})
        async with self.site.client.stream(
            method, PREFIX + path, content=content, headers=self.site.as_(who)
        ) as response:
            if response.headers.get("content-type", "").startswith("text/event-stream"):
                return response.status_code, ""
            return response.status_code, (await response.aread()).decode("utf-8", "replace")

    def grant(self, actor: Actor, *rights: str) -> None:
        """From now on the person holds these of our rights, and the desk's own."""
        self.site.hire(replace(actor, grants=HOST | {f"copilot.{right}" for right in rights}))


@asynccontextmanager
async def furnished(engine: Any, clock: FrozenClock, folder: Path, **more: Any) -> AsyncIterator[Desk]:
    """A desk of its own on a database that has our tables; `more` are settings."""
    key = folder / "keys" / "checkpoint.key"
    keyfile.generate(key)
    quiet = {"AI_CHECKPOINT_KEY_FILE": str(key), "AGENT_SWEEP_INTERVAL_MS": 3_600_000, "AI_DISCONNECT_GRACE_MS": 0}
    async with served(engine, clock, settings={**quiet, **more}, automations=[Greeting()]) as site:
        site.hire(BEA)
        site.desk.provider.then(calls(("find_people", {})), calls(("add_task", {"person": ANA, "title": "call"})))
        opened = await site.post("/sessions", {"surface": "desk"})
        assert opened.status_code == 201, opened.text
        session = opened.json()["id"]
        frames = await site.stream("POST", f"/sessions/{session}/messages", {"content": "task for Ana"})
        card = frames[-1].data["call"]
        w = site.desk.w
        async with w.db.write("north", "test") as tx:
            effect = Queued("email", {"to": "ana@ruiz.example", "subject": "s", "body": "b"}, "k")
            await outbox.put(tx.conn, "north", [effect], [Enqueued("person.created", ANA)], w.clock.now())
        async with w.db.read() as conn:
            found = {kind: (await page_of(conn, "north", kind, None, 0, 1))[0][0]["id"] for kind in ("event", "effect")}
        ids = {"session_id": session, "run_id": card["runId"], "call_id": card["id"]}
        yield Desk(site, {**ids, "event_id": found["event"], "effect_id": found["effect"]})
