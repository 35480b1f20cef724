"""A desk whose tools carry somebody's name in every place where a host can put words."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import Field
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession

from deputize import (
    Actor,
    Allow,
    Args,
    Context,
    Deputize,
    Public,
    Refuse,
    Result,
    Settings,
    Surface,
    Target,
    Text,
    Toolset,
    Trusted,
    Yields,
    sqlite,
    tool,
)
from deputize.core.approval import Decision
from deputize.core.conversation import EntityRef, Screen
from deputize.engine import approvals, conversations, editing, runs
from deputize.engine.readers import Reader
from tests.engine.desk import EVA, PERSON, TASK, Base, DeskError, Person, Task, Told, refusal

NAMES = {
    "tool description": "Ursicina Baldovinos",
    "argument description": "Teodomira Grandalla",
    "enum": "Eulogia Mendrano",
    "default": "Filiberta Casasola",
    "free result": "Casilda Bermuzo",
    "dictionary key": "Ondina Farrapeira",
    "error": "Leovigilda Sarroca",
    "alternative": "Radegunda Pozaleiro",
    "key of an alternative": "Hermelinda Tuerola",
    "traceback": "Prudencia Alarifenda",
    "title": "Saturnina Pedregosa",
    "reason": "Veneranda Lopategui",
    "label": "Baldomera Quintasela",
    "guard": "Gumersinda Valcarcel",
    "alternative of a guard": "Petronila Zurbarano",
    "a guard's traceback": "Escolastica Marimbaldo",
    "edited argument": "Abundancia Tordesillas",
    "the model's own words": "Tiburcia Almendralejo",
    "a surname in the model's own words": "Crisanta Berlangona",
    "the model's own arguments": "Policarpa Zahinos",
    "system prompt": "Sinforosa Cabanillas",
}
UNKNOWN = ("guard", "alternative of a guard")
"""Seams whose people the tenant has no record of: only a detector can see them, when the words first go out."""
LABEL = "0198a000-0000-7000-8000-0000000000aa"


class Around(Args):
    what: Annotated[
        Literal["people", "Eulogia Mendrano", "Filiberta Casasola"],
        Field(description="What to look at, for instance what Teodomira Grandalla asked"),
    ] = "Filiberta Casasola"


class Seen(Result):
    said: Annotated[str, Trusted()]
    counts: dict[str, int]


class Nothing(Args):
    pass


class ForPerson(Args):
    person: Annotated[str, Target("person")]
    title: Annotated[str, Text()]


class Made(Result):
    id: Annotated[int, Yields("task")]
    title: Annotated[str, Trusted()]


async def nobody_may(ctx: Context, args: Nothing) -> Allow | Refuse:
    """Says who may."""
    return Refuse("not_you", f"Ask Mrs. {NAMES['guard']}.", {"who": f"Sra. {NAMES['alternative of a guard']}"})


async def stumbles(ctx: Context, args: Nothing) -> Allow | Refuse:
    """Breaks while it looks."""
    raise LookupError(NAMES["a guard's traceback"])


class Ok(Result):
    said: Annotated[str, Public()]


@tool(permissions=["people.read"], effect="read", title={"en": "Look for Saturnina Pedregosa"})
async def look_around(ctx: Context, args: Around) -> Seen:
    """Look around. Ursicina Baldovinos wrote this tool."""
    return Seen(said=f"{NAMES['free result']} was here", counts={NAMES["dictionary key"]: 1})


@tool(permissions=["people.read"], effect="read")
async def run_into_a_rule(ctx: Context, args: Nothing) -> Ok:
    """Meet a rule of the desk."""
    raise DeskError(
        "taken",
        f"Taken by {NAMES['error']}.",
        {"people": [NAMES["alternative"]], NAMES["key of an alternative"]: "free"},
    )


@tool(permissions=["people.read"], effect="read")
async def break_down(ctx: Context, args: Nothing) -> Ok:
    """Fail."""
    raise RuntimeError(f"no index for {NAMES['traceback']}")


@tool(permissions=["people.read"], effect="read", guard=nobody_may)
async def look_behind(ctx: Context, args: Nothing) -> Ok:
    """Look where one may not."""
    raise AssertionError


@tool(permissions=["people.read"], effect="read", guard=stumbles)
async def look_under(ctx: Context, args: Nothing) -> Ok:
    """Look where the guard stumbles."""
    raise AssertionError


@tool(permissions=["tasks.write"], effect="write", title={"en": "Write down"})
async def write_down(ctx: Context, args: ForPerson) -> Made:
    """Write a task down for a person."""
    found = await ctx.session.scalar(select(Person).where(Person.id == args.person))
    assert found is not None
    task = Task(tenant=ctx.actor.tenant, person_id=found.id, title=f"{args.title}: {found.name}")
    ctx.session.add(task)
    await ctx.session.flush()
    return Made(id=task.id, title=task.title)


@dataclass
class CanaryDesk:
    """The deputy, one open conversation, and what must not be seen outside."""

    deputy: Deputize
    conversation: str
    canaries: Mapping[str, str]

    def name(self, seam: str) -> str:
        return NAMES[seam]

    async def say(self, words: str) -> Told:
        screen = Screen("person", (EntityRef("person", LABEL),))
        return await self._read(await runs.start(self.deputy.wiring, EVA, self.conversation, words, screen, None))

    async def decide(self, told: Told, approve: bool, reason: str | None = None) -> Told:
        assert told.card.approval is not None
        decision = Decision(approve, told.card.approval.digest, reason)
        await approvals.decide(self.deputy.wiring, EVA, told.card.id, decision)
        return await self._read(told.run_id, told.last)

    async def edit(self, told: Told, title: str) -> Told:
        """The person writes another title on the card and approves that."""
        card = told.card
        assert card.approval is not None
        changed = {**card.args, "title": title}
        await editing.edit(self.deputy.wiring, EVA, card.id, card.approval.digest, changed)
        again = await self._read(told.run_id, told.last)
        return await self.decide(again, True)

    async def _read(self, run_id: str, after: int = 0) -> Told:
        told = Told(run_id)
        async for one in Reader(self.deputy.wiring, EVA, run_id, after=after):
            told.take(one.event, one.seq)
        return told


async def make_canary_desk(engine: AsyncEngine, settings: Settings) -> CanaryDesk:
    """The desk on a database that has our tables already; everybody named in a seam is one of its people."""
    sqlite(engine)
    async with engine.begin() as conn:
        await conn.run_sync(Base.metadata.create_all)
    async with AsyncSession(engine) as session, session.begin():
        for number, (seam, name) in enumerate(NAMES.items()):
            if seam in UNKNOWN:
                continue
            ident = LABEL if seam == "label" else f"0198a000-0000-7000-8000-0000000001{number:02d}"
            session.add(Person(id=ident, tenant=EVA.tenant, name=name, email=f"{name.split()[0].lower()}@x.example"))

    async def reload(session: AsyncSession, tenant: str, user_id: str) -> Actor | None:
        return EVA if user_id == EVA.id else None

    def session_of(conn: AsyncConnection, actor: Actor) -> AsyncSession:
        return AsyncSession(bind=conn, join_transaction_mode="create_savepoint", expire_on_commit=False)

    def as_refusal(error: Any) -> Refuse:
        return refusal(error)

    deputy = Deputize(
        settings,
        engine=engine,
        session=session_of,
        actor=lambda: EVA,
        reload=reload,
        entities=[replace(PERSON, version=None), TASK],
        toolsets=[Toolset("desk", [look_around, run_into_a_rule, break_down, look_behind, look_under, write_down])],
        surfaces=[Surface("desk", prompt=f"You help at the desk of {NAMES['system prompt']}.", tools=["desk.*"])],
        refusals={DeskError: as_refusal},
    )
    opened = await conversations.open_(deputy.wiring, EVA, "desk", None)
    words = {f"{seam}: {part}": part for seam, name in NAMES.items() for part in name.split()}
    return CanaryDesk(deputy, opened.id, {**words, "id": LABEL})
