"""A small host with tickets, a triage automation and two ways out, whose outside world a test can make fail."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import String, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

import deputize
from deputize import (
    Actor,
    Automation,
    Channel,
    Context,
    Deputize,
    Entity,
    Personal,
    Public,
    Receipt,
    Refuse,
    Result,
    Settings,
    Skip,
    Surface,
)
from deputize.core.channel import Send
from deputize.core.clock import Clock
from deputize.engine.wiring import Wiring
from deputize.store import audit_read, outbox
from deputize.store.dialect import db_now
from deputize.store.tables import outbox as rows
from deputize.store.tables import runs
from deputize.testing.scripted import ScriptedProvider, says

GRADES = ("low", "medium", "high", "urgent")


class Base(DeclarativeBase):
    pass


class Ticket(Base):
    __tablename__ = "tickets"
    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(40))
    owner: Mapped[str] = mapped_column(String(40))
    title: Mapped[str] = mapped_column(String(200))
    priority: Mapped[str] = mapped_column(String(20), default="low")
    status: Mapped[str] = mapped_column(String(20), default="open")
    version: Mapped[int] = mapped_column(default=1)


class Advice(Base):
    __tablename__ = "advice"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    ticket: Mapped[str] = mapped_column(String(40))
    priority: Mapped[str] = mapped_column(String(20))
    flag: Mapped[bool]


class Conflict(Exception):
    """Somebody else changed the ticket."""


class TriageAnswer(BaseModel):
    """How pressing the ticket is."""

    model_config = ConfigDict(extra="forbid")
    summary: str = Field(max_length=200)
    suggested_priority: Literal["low", "medium", "high", "urgent"]
    flag: bool = False


class TicketFacts(Result):
    title: Annotated[str, Public()]
    owner: Annotated[str, Personal("NAME")]


class Triage(Automation[TicketFacts, TriageAnswer]):
    """Reads one ticket, keeps an advice, may set the priority; `wild` makes its apply do what it must not."""

    name, on, capability = "triage", "ticket.created", "triage"
    allowed = frozenset({"priority"})
    answer = TriageAnswer
    prompt = "You triage tickets."
    entity = "ticket"
    keeps = frozenset({"advice"})
    grades, graded, flag = GRADES, "suggested_priority", "flag"

    def __init__(self) -> None:
        self.owners: dict[str, Actor] = {}
        self.wild: str | None = None
        self.conflicts = 0
        self.backlog: Sequence[tuple[str, str]] = ()
        self.versions: list[str | None] = []

    async def owner(self, ctx: Context, subject: str) -> Actor | None:
        ticket = await ctx.session.get(Ticket, subject)
        return self.owners.get(ticket.owner) if ticket else None

    async def facts(self, ctx: Context, subject: str) -> TicketFacts | Skip:
        assert ctx.actor.kind == "system"
        ticket = await ctx.session.get(Ticket, subject)
        if ticket is None or ticket.status != "open":
            return Skip("closed")
        return TicketFacts(title=ticket.title, owner=ticket.owner)

    async def propose(self, ctx: Context, facts: TicketFacts, answer: TriageAnswer) -> Any:
        if self.wild == "propose":
            await ctx.session.execute(update(Ticket).values(priority="urgent"))
        ctx.session.add(Advice(ticket=subject_of(facts.title), priority=answer.suggested_priority, flag=answer.flag))
        return {"suggested": answer.suggested_priority}

    async def apply(self, ctx: Context, facts: TicketFacts, answer: TriageAnswer) -> None:
        self.versions.append(ctx.version("ticket"))
        if self.conflicts:
            self.conflicts -= 1
            raise Conflict
        ident = subject_of(facts.title)
        ticket = (await ctx.session.scalars(select(Ticket).where(Ticket.id == ident))).one()
        ticket.priority = answer.suggested_priority
        ticket.version += 1
        if self.wild == "status":
            ticket.status = "done"
        if self.wild == "delete":
            await ctx.session.delete(ticket)
        if self.wild == "other":
            await ctx.session.execute(update(Ticket).where(Ticket.id != ident).values(priority="urgent"))
        if self.wild == "mail":
            deputize.queue(ctx.session, "email", {"to": "x@y.example", "body": "hi"}, key="k")

    async def missed(self, session: AsyncSession, before: datetime) -> Sequence[tuple[str, str]]:
        return self.backlog


SUBJECT: dict[str, str] = {}
"""Title → ticket, since the facts do not carry the id."""


def subject_of(title: str) -> str:
    """The ticket of a title; `ticket 7`, which another process may have made, is the ticket `7`."""
    return SUBJECT.get(title) or title.removeprefix("ticket ")


TICKET = Entity("ticket", Ticket, tenant="tenant", label=lambda t: t.title, read="tickets.read", version="version")


@dataclass
class Outside:
    """The outside world: what arrived there, by key, and the failures that it still has in store."""

    arrived: list[tuple[str, str]] = field(default_factory=list)
    before: list[Exception] = field(default_factory=list)
    """Raised before anything arrives."""
    after: list[Exception] = field(default_factory=list)
    """Raised after it has arrived: the answer is lost."""

    sender: Send | None = None

    async def send(self, payload: Mapping[str, Any], key: str) -> Receipt:
        if self.sender is not None:
            return await self.sender(payload, key)
        if self.before:
            raise self.before.pop(0)
        self.arrived.append((key, str(payload["to"])))
        if self.after:
            raise self.after.pop(0)
        return Receipt(f"r-{len(self.arrived)}")


@dataclass
class Depot:
    """The host, the deputy over it, its automation, its model's script and its outside world."""

    engine: AsyncEngine
    clock: Any
    provider: ScriptedProvider
    triage: Triage
    outside: Outside
    deputy: Deputize

    @property
    def w(self) -> Wiring:
        return self.deputy.wiring

    async def ticket(self, ident: str, title: str = "", tenant: str = "north", owner: str = "olga") -> str:
        """A new ticket whose creation enqueues its event in the same transaction."""
        SUBJECT[title or f"ticket {ident}"] = ident
        async with AsyncSession(self.engine, info={"tenant": tenant}) as session:
            session.add(Ticket(id=ident, tenant=tenant, owner=owner, title=title or f"ticket {ident}"))
            deputize.enqueue(session, "ticket.created", subject=ident, owner=self.triage.owners.get(owner))
            await session.commit()
        return ident

    async def queue(self, key: str, channel: str = "email", tenant: str = "north") -> None:
        """A host's own page queues an effect."""
        async with AsyncSession(self.engine, info={"tenant": tenant}) as session:
            deputize.queue(session, channel, {"to": f"{key}@out.example", "body": "hello"}, key=key)
            await session.commit()

    async def all(self, model: type[Any]) -> list[Any]:
        async with AsyncSession(self.engine) as session:
            return list(await session.scalars(select(model)))

    async def letters(self) -> list[dict[str, Any]]:
        async with self.w.db.read() as conn:
            return [dict(row._mapping) for row in await conn.execute(select(rows).order_by(rows.c.created_at))]

    async def passes(self) -> list[dict[str, Any]]:
        async with self.w.db.read() as conn:
            return [dict(row._mapping) for row in await conn.execute(select(runs).order_by(runs.c.id))]

    async def chain(self, tenant: str = "north") -> list[tuple[str, dict[str, Any]]]:
        async with self.w.db.read() as conn:
            found, _ = await audit_read.entries(conn, tenant, page_size=200)
        return [(entry.kind, dict(entry.payload or {})) for entry in found]

    async def kinds(self, tenant: str = "north") -> list[str]:
        return [kind for kind, _ in await self.chain(tenant)]

    async def hurry(self) -> None:
        """What waits for its backoff, or for a lease, is due now."""
        async with self.w.db.write("*", "age") as tx:
            await tx.conn.execute(update(rows).values(not_before=db_now()))
            await tx.conn.execute(update(rows).where(rows.c.status == "running").values(lease_until=db_now()))

    async def take(self, kind: str = outbox.EFFECT, owner: str = "dead") -> outbox.Claimed:
        """Claimed by a worker that then vanishes."""
        async with self.w.db.write("*", "claim") as tx:
            mine = await outbox.claim(tx.conn, kind, ["email", "hook", "ticket.created"], owner, 60.0)
        assert mine is not None
        return mine


def answer(priority: str = "high", **more: Any) -> Any:
    """A turn of the model: a valid answer."""
    return says(json.dumps({"summary": "short", "suggested_priority": priority, **more}))


async def make_depot(engine: AsyncEngine, clock: Clock, **more: Any) -> Depot:
    """The depot on a database that has our tables already."""
    deputize.sqlite(engine)
    async with engine.begin() as conn:
        await conn.run_sync(Base.metadata.create_all)
    provider, triage, outside = more.pop("provider", None) or ScriptedProvider(), Triage(), Outside()

    async def reload(session: AsyncSession, tenant: str, user_id: str) -> Actor | None:
        return triage.owners.get(user_id)

    def session_of(conn: AsyncConnection, actor: Actor) -> AsyncSession:
        return AsyncSession(bind=conn, join_transaction_mode="create_savepoint", expire_on_commit=False)

    settings = {"AI_ENABLED": True, "AI_SECRET_KEY": "a key for tests, long enough", **more.pop("settings", {})}
    show = ("to", "body")
    deputy = Deputize(
        Settings(**settings),
        engine=engine,
        session=session_of,
        actor=more.pop("actor", lambda: None),
        reload=reload,
        entities=[TICKET],
        toolsets=[],
        surfaces=[Surface("desk", prompt="You help.", tools=[])],
        channels=[
            Channel("email", show=show, destination="to", send=outside.send),
            Channel("hook", show=show, destination="to", send=outside.send, keyed=True),
        ],
        automations=[triage],
        refusals={Conflict: lambda error: Refuse("conflict", "Somebody changed it.")},
        providers={"scripted": provider},
        clock=clock,
        **more,
    )
    return Depot(engine, clock, provider, triage, outside, deputy)
