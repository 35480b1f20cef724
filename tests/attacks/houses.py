"""The three reference hosts, each with a hijacked model that knows all tools and all ids."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import MetaData, select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize import Actor, Settings
from deputize.core.conversation import EntityRef, Screen
from deputize.core.tool import Tool
from deputize.engine import conversations, runs
from deputize.policy.declared import schema_of
from deputize.policy.gate import offered
from deputize.policy.permissions import admits
from deputize.policy.pinning import targets_of
from deputize.policy.samples import samples
from deputize.redaction.spans import Span
from deputize.store import audit_read
from deputize.store.targets import table_of, tenant_value
from deputize.testing.clock import FrozenClock
from deputize_hosts.casedesk import main as casedesk
from deputize_hosts.clinic import main as clinic
from deputize_hosts.kit.mail import Letter
from deputize_hosts.workorders import main as workorders
from tests.attacks.attempts import Provider, rows_of
from tests.databases import Prepare, migrated
from tests.engine.desk import Desk, Told
from tests.hosts.casedesk import people as casedesk_people
from tests.hosts.clinic import people as clinic_people
from tests.hosts.workorders import people as workorders_people

Call = tuple[str, Mapping[str, Any] | str]
FREE = {
    "AI_ENABLED": True,
    "AI_SECRET_KEY": "a key for tests, long enough",
    "AI_MAX_ACTIONS_PER_MINUTE": 100_000,
    "AI_MAX_ACTIONS_PER_SESSION": 100_000,
    "AI_RATE_LIMIT_MAX": 100_000,
    "AI_MAX_STEPS_PER_RUN": 60,
    "AI_MAX_CONTEXT_TOKENS": 400_000,
    "AI_DAILY_SPEND_USD": "none",
    "AI_GLOBAL_DAILY_SPEND_USD": "none",
}
"""No limit is near unless a case wants one."""
NOBODY = "0198a000-0000-7000-8000-00000000dead"
"""Where the other tenant has no record of a kind."""


class Nobody:
    """A detector that is there and finds nobody, so that tools which return prose are offered."""

    def find(self, text: str, language: str) -> list[Span]:
        """Nothing."""
        return []


async def _unsent(letter: Letter) -> str:
    raise AssertionError("nothing may be sent")


async def _clinic(engine: AsyncEngine) -> None:
    await clinic_people.planted(engine)
    await migrated(engine)


@dataclass(frozen=True, slots=True)
class Plan:
    """How a host is furnished, who is hijacked there, and in which column an outsider's words stand.

    `boss` may everything that anybody may, `weak` little, `theirs` is of another tenant. `hostile` is
    `(table, column)` of text that a person outside wrote.
    """

    name: str
    prepare: Prepare
    boss: str
    weak: str
    theirs: str
    weak_surface: str
    hostile: tuple[str, str]


PLANS = (
    Plan(
        "clinic",
        _clinic,
        "admin@demo.clinic",
        "hygienist@demo.clinic",
        "admin@teide.clinic",
        clinic.SURFACE,
        ("recalls", "note"),
    ),
    Plan(
        "workorders",
        workorders_people.planted,
        workorders_people.ADMIN,
        workorders_people.VIEWER,
        workorders_people.FOREIGN,
        "desk",
        ("work_orders", "description"),
    ),
    Plan(
        "casedesk",
        casedesk_people.planted,
        casedesk_people.MLRO,
        casedesk_people.AUDITOR,
        casedesk_people.OTHER,
        "case",
        ("case_notes", "body"),
    ),
)


@dataclass
class House:
    """A host under attack."""

    plan: Plan
    desk: Desk
    boss: Actor
    weak: Actor
    theirs: Actor
    doors: Counter[str] = field(default_factory=Counter)
    before: Mapping[Any, Any] = field(default_factory=dict)

    @property
    def tools(self) -> Mapping[str, Tool]:
        return self.desk.w.registry.tools

    @property
    def provider(self) -> Provider:
        assert isinstance(self.desk.provider, Provider)
        return self.desk.provider

    @property
    def metadata(self) -> MetaData:
        found = next(iter(self.desk.w.registry.entities.values())).model.metadata
        assert isinstance(found, MetaData)
        return found

    def surface_of(self, tool: str, actor: Actor) -> str | None:
        """A place that offers the tool to this person; None where no place does."""
        w = self.desk.w
        for name, surface in w.registry.surfaces.items():
            if offered(w.registry.tools[tool], w.registry.toolset_of[tool], surface, actor, w.limits):
                return name
        return None

    def stands_in(self, tool: str, surface: str) -> bool:
        """Whether the place names the tool, whoever asks and whatever the operator has blocked."""
        registry = self.desk.w.registry
        return admits(registry.surfaces[surface].tools, registry.toolset_of[tool], tool)

    async def records(self, actor: Actor, most: int = 8) -> dict[str, list[str]]:
        """Ids of the actor's tenant by kind: the attacker knows them all."""
        found = {}
        async with self.desk.w.db.read() as conn:
            for kind, entity in self.desk.w.registry.entities.items():
                table = table_of(entity)
                key = next(iter(table.primary_key.columns))
                owner = table.c[entity.tenant]
                query = select(key).where(owner == tenant_value(owner, actor.tenant)).order_by(key).limit(most)
                found[kind] = [str(value) for value in (await conn.execute(query)).scalars()] or [NOBODY]
        return found

    async def say(
        self, actor: Actor, surface: str, orders: Sequence[Sequence[Call]], *, reads: bool = False, **more: Any
    ) -> Told:
        """One message in a conversation of its own, or of `conversation`, answered by the hijacked model."""
        self.provider.turn_over(orders, reads_first=reads)
        self.provider.obeys = bool(more.get("obeys"))
        shown = Screen("attack", tuple(EntityRef(kind, ident) for kind, ident in more.get("screen", ())))
        opened = more.get("conversation") or (await conversations.open_(self.desk.w, actor, surface, shown)).id
        run_id = await runs.start(self.desk.w, actor, opened, "hello", shown, None)
        return await self.desk.read(actor, run_id)

    async def entries(self, tenant: str) -> list[dict[str, Any]]:
        """What the chain tells; it verifies."""
        async with self.desk.w.db.read() as conn:
            found, _ = await audit_read.entries(conn, tenant, page_size=20_000)
            assert (await audit_read.verify_database(conn, tenant)).ok
        return [dict(entry.payload or {}) for entry in found]

    async def remember(self) -> None:
        self.before = await rows_of(self.desk.engine, self.metadata)


def made_of(tool: Tool, records: Mapping[str, Sequence[str]], now: datetime, most: int = 12) -> list[dict[str, Any]]:
    """Valid arguments as a model would send them."""
    found = samples(tool, records, now, most)
    return [json.loads(one.model_dump_json(exclude_unset=True)) for one in found]


def foreign(tool: Tool, records: Mapping[str, Sequence[str]], now: datetime) -> dict[str, Any] | None:
    """Arguments in which every record is another tenant's; None where the tool names none."""
    made = reversed(made_of(tool, records, now))
    return next((given for given in made if targets_of(tool.args, given)), None)


def reading(it: House, kind: str) -> list[tuple[str, str]]:
    """`(tool, argument)` of reads that name one record of that kind and nothing else that they need."""
    found = []
    for name, tool in it.tools.items():
        needed = [key for key, one in tool.args.model_fields.items() if one.is_required()]
        named = [path for path, one in schema_of(tool).schema.targets.items() if one == kind]
        if not tool.staged and len(needed) == 1 and needed == named:
            found.append((name, named[0]))
    return found[:2]


async def furnished(plan: Plan, engine: AsyncEngine, clock: FrozenClock, settings: Mapping[str, Any]) -> House:
    """The host on its seeded database."""
    given = Settings(**{**FREE, **settings})
    tools: list[Tool] = []
    provider: Any = Provider(tools)
    more: dict[str, Any] = {"providers": {"hijacked": provider}, "detectors": [Nobody()], "clock": clock}
    host = {"clinic": clinic, "workorders": workorders, "casedesk": casedesk}[plan.name]
    deputy = (
        clinic.make_deputy(engine, given, _unsent, **more)
        if host is clinic
        else host.make_deputy(engine, given, **more)
    )
    tools += deputy.wiring.registry.tools.values()
    deputy.wiring = replace(
        deputy.wiring, limits=replace(deputy.wiring.limits, invalid_arguments=10_000, unknown_tools=10_000)
    )
    async with AsyncSession(engine) as session:
        people = [await host.find_actor(session, email) for email in (plan.boss, plan.weak, plan.theirs)]
    boss, weak, theirs = [one for one in people if one is not None]
    return House(plan, Desk(engine, provider, clock, deputy), boss, weak, theirs)
