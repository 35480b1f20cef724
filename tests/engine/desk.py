"""A small host with people, tasks and letters, and a deputy over it whose model is a script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any

from sqlalchemy import String, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

import deputize
from deputize import (
    Actor,
    Allow,
    Approve,
    Args,
    Channel,
    Context,
    Deputize,
    Destination,
    Entity,
    Personal,
    Public,
    Receipt,
    Refuse,
    Result,
    Settings,
    Surface,
    Target,
    Text,
    Toolset,
    Trusted,
    Version,
    Yields,
    queue,
    tool,
)
from deputize.core.approval import Decision
from deputize.core.event import ToolCallDto
from deputize.engine import approvals, conversations, runs
from deputize.engine.readers import Reader
from deputize.engine.wiring import Wiring
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import ScriptedProvider


class Base(DeclarativeBase):
    pass


class Person(Base):
    __tablename__ = "people"
    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(40))
    name: Mapped[str] = mapped_column(String(80))
    email: Mapped[str] = mapped_column(String(80), default="")
    remark: Mapped[str] = mapped_column(String(2000), default="")
    revision: Mapped[int] = mapped_column(default=1)


class Task(Base):
    __tablename__ = "tasks"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    tenant: Mapped[str] = mapped_column(String(40))
    person_id: Mapped[str] = mapped_column(String(36))
    title: Mapped[str] = mapped_column(String(200))


class DeskError(Exception):
    """A rule of the desk was broken."""

    def __init__(self, code: str, message: str, alternatives: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.alternatives = code, message, alternatives or {}


PERSON = Entity(
    "person",
    Person,
    tenant="tenant",
    label=lambda p: p.name,
    read="people.read",
    url="/people/{id}",
    version="revision",
    personal={"name": "NAME", "email": "EMAIL"},
    trusted=frozenset({"email"}),
    title={"en": "Person", "es": "Persona"},
    captions={"remark": {"en": "Remark"}, "email": {"en": "E-mail"}},
)
TASK = Entity("task", Task, tenant="tenant", label=lambda t: t.title, read="tasks.read", title={"en": "Task"})


class Search(Args):
    query: str = ""


class PersonRow(Result):
    id: Annotated[str, Yields("person")]
    name: Annotated[str, Personal("NAME", of="id")]
    email: Annotated[str, Personal("EMAIL"), Trusted()]
    revision: Annotated[int, Version()]


class People(Result):
    people: list[PersonRow]


class ByPerson(Args):
    person: Annotated[str, Target("person")]


class Remark(Args):
    person: Annotated[str, Target("person")]
    remark: Annotated[str, Text()]


class NewTask(Args):
    person: Annotated[str, Target("person")]
    title: Annotated[str, Text()]


class TaskMade(Result):
    id: Annotated[int, Yields("task")]
    title: Annotated[str, Public()]


class Letter(Args):
    person: Annotated[str, Target("person")]
    to: Annotated[str, Destination("email")]
    body: Annotated[str, Text()]


class Done(Result):
    said: Annotated[str, Public()]


def _row(person: Person) -> PersonRow:
    return PersonRow(id=person.id, name=person.name, email=person.email, revision=person.revision)


async def _person(ctx: Context, ident: str) -> Person:
    found = await ctx.session.scalar(select(Person).where(Person.id == ident, Person.tenant == ctx.actor.tenant))
    if found is None:
        raise DeskError("person_unknown", "There is no such person.")
    return found


@tool(permissions=["people.read"], effect="read", say={"en": ["people called Ana"]})
async def find_people(ctx: Context, args: Search) -> People:
    """Find people by name."""
    rows = await ctx.session.scalars(
        select(Person).where(Person.tenant == ctx.actor.tenant, Person.name.icontains(args.query)).order_by(Person.name)
    )
    return People(people=[_row(person) for person in rows])


@tool(permissions=["people.read"], effect="read")
async def get_person(ctx: Context, args: ByPerson) -> PersonRow:
    """Read one person."""
    return _row(await _person(ctx, args.person))


@tool(permissions=["people.write"], effect="write", title={"en": "Write a remark", "es": "Escribir una nota"})
async def set_remark(ctx: Context, args: Remark) -> PersonRow:
    """Write a remark about a person."""
    person = await _person(ctx, args.person)
    if str(person.revision) != ctx.version("person"):
        raise DeskError("changed_meanwhile", "Somebody changed this person.")
    person.remark = args.remark
    person.revision += 1
    await ctx.session.commit()
    return _row(person)


@tool(permissions=["tasks.write"], effect="write", title={"en": "Add a task"})
async def add_task(ctx: Context, args: NewTask) -> TaskMade:
    """Add a task for a person."""
    await _person(ctx, args.person)
    if args.title == "forbidden":
        raise DeskError("title_taken", "This title is taken.", {"titles": ["other"]})
    task = Task(tenant=ctx.actor.tenant, person_id=args.person, title=args.title)
    ctx.session.add(task)
    await ctx.session.flush()
    return TaskMade(id=task.id, title=task.title)


async def not_the_boss(ctx: Context, args: ByPerson) -> Allow | Refuse:
    """The desk's own rule: the boss stays."""
    person = await _person(ctx, args.person)
    return Refuse("boss", "The boss cannot be removed.") if person.remark == "boss" else Allow()


@tool(permissions=["people.write"], effect="destructive", guard=not_the_boss, title={"en": "Remove a person"})
async def remove_person(ctx: Context, args: ByPerson) -> Done:
    """Remove a person."""
    await ctx.session.delete(await _person(ctx, args.person))
    return Done(said="removed")


@tool(permissions=["people.write"], effect="write", egress=True, title={"en": "Send a letter"})
async def send_letter(ctx: Context, args: Letter) -> Done:
    """Send a letter."""
    await _person(ctx, args.person)
    queue(ctx.session, "email", {"to": args.to, "subject": "Letter", "body": args.body}, key=f"letter:{ctx.key}")
    return Done(said="queued")


@tool(permissions=["people.write"], effect="write", approve=Approve(by="people.approve"), title={"en": "Approve raise"})
async def four_eyes(ctx: Context, args: Remark) -> Done:
    """Write a remark that a second person approves."""
    person = await _person(ctx, args.person)
    person.remark = args.remark
    return Done(said="written")


@tool(permissions=["people.read"], effect="read")
async def leak(ctx: Context, args: Search) -> Done:
    """A read that fails."""
    raise RuntimeError("secret inside")


TOOLS = [find_people, get_person, set_remark, add_task, remove_person, send_letter, four_eyes, leak]


async def _send(payload: Mapping[str, Any], key: str) -> Receipt:
    return Receipt(key)


@dataclass
class Desk:
    """The host, its people who may sign in, and the deputy over it."""

    engine: AsyncEngine
    provider: ScriptedProvider
    clock: FrozenClock
    deputy: Deputize
    actors: dict[str, Actor] = field(default_factory=dict)

    @property
    def w(self) -> Wiring:
        return self.deputy.wiring

    async def open(self, actor: Actor, surface: str = "desk") -> str:
        return (await conversations.open_(self.w, actor, surface, None)).id

    async def say(self, actor: Actor, conversation: str, words: str, **more: Any) -> "Told":
        run_id = await runs.start(self.w, actor, conversation, words, more.get("screen"), more.get("key"))
        return await self.read(actor, run_id)

    async def read(self, actor: Actor, run_id: str, after: int = 0) -> "Told":
        told = Told(run_id)
        async for shown in Reader(self.w, actor, run_id, after=after):
            told.take(shown.event, shown.seq)
        return told

    async def decide(self, actor: Actor, call: ToolCallDto, approve: bool, **more: Any) -> ToolCallDto:
        digest = more.pop("digest", call.approval.digest if call.approval else None)
        return await approvals.decide(self.w, actor, call.id, Decision(approve, digest, **more))

    async def rows(self, model: type[Any]) -> list[Any]:
        async with AsyncSession(self.engine) as session:
            return list(await session.scalars(select(model)))


@dataclass
class Told:
    """What a reader was shown."""

    run_id: str
    events: list[Any] = field(default_factory=list)
    last: int = 0
    text: str = ""

    def take(self, event: Any, seq: int | None) -> None:
        if event.type == "token":
            self.text = self.text[: event.at] + event.text if event.at or not self.text else event.text
            return
        self.last = seq or self.last
        self.events.append(event)

    @property
    def kinds(self) -> list[str]:
        return [event.type for event in self.events]

    @property
    def card(self) -> ToolCallDto:
        found: ToolCallDto = next(e.call for e in reversed(self.events) if e.type == "tool_approval_required")
        return found

    def outcomes(self) -> list[str]:
        return [event.outcome.value for event in self.events if event.type == "tool_result"]

    def codes(self) -> list[str | None]:
        return [event.code for event in self.events if event.type == "tool_result"]


EVA = Actor("eva", "north", label="Eva", grants=frozenset({"copilot.*", "people.*", "tasks.*"}))
VIC = Actor("vic", "north", label="Vic", grants=frozenset({"copilot.chat", "people.read"}))
SUE = Actor("sue", "south", label="Sue", grants=frozenset({"*"}))
ANA, BOB, ZOE = ("0198a000-0000-7000-8000-00000000000" + n for n in "123")
PEOPLE: Sequence[tuple[str, str, str, str]] = (
    (ANA, "north", "Ana Ruiz Calvo", "ana@ruiz.example"),
    (BOB, "north", "Bob Stone", "bob@stone.example"),
    (ZOE, "south", "Zoe Farr", "zoe@farr.example"),
)


def refusal(error: DeskError) -> Refuse:
    return Refuse(error.code, error.message, error.alternatives)


async def make_desk(engine: AsyncEngine, clock: FrozenClock, **more: Any) -> Desk:
    """The desk on a database that has our tables already."""
    deputize.sqlite(engine)
    if more.pop("seed", True):
        async with engine.begin() as conn:
            await conn.run_sync(Base.metadata.create_all)
        async with AsyncSession(engine) as session:
            session.add_all(Person(id=i, tenant=t, name=n, email=e) for i, t, n, e in PEOPLE)
            await session.commit()
    actors = {one.id: one for one in (EVA, VIC, SUE)}
    provider = more.pop("provider", None) or ScriptedProvider()

    async def reload(session: AsyncSession, tenant: str, user_id: str) -> Actor | None:
        return actors.get(user_id)

    def session_of(conn: AsyncConnection, actor: Actor) -> AsyncSession:
        return AsyncSession(bind=conn, join_transaction_mode="create_savepoint", expire_on_commit=False)

    settings, send, keyed = more.pop("settings", {}), more.pop("send", _send), more.pop("keyed", False)
    deputy = Deputize(
        Settings(
            **{
                "AI_ENABLED": True,
                "AI_SECRET_KEY": "a key for tests, long enough",
                "AI_MAX_ACTIONS_PER_MINUTE": 1000,
                "AI_RATE_LIMIT_MAX": 1000,
                **settings,
            }
        ),
        engine=engine,
        session=session_of,
        actor=more.pop("actor", lambda: EVA),
        reload=reload,
        entities=[PERSON, TASK],
        toolsets=[Toolset("desk", TOOLS)],
        surfaces=[
            Surface("desk", prompt="You help at a desk.", tools=["desk.*"], title={"en": "Desk"}),
            Surface("viewing", prompt="You only look.", tools=["desk.*"], mode="read"),
            Surface("narrow", prompt="You find people.", tools=["desk.find_people"]),
        ],
        channels=[Channel("email", show=("to", "subject", "body"), destination="to", send=send, keyed=keyed)],
        refusals={DeskError: refusal},
        providers={"scripted": provider},
        clock=clock,
        **more,
    )
    return Desk(engine, provider, clock, deputy, actors)


MOMENT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
