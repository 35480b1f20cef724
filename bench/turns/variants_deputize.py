"""Deputize itself: everything on (budget, redaction, door, audit, events), everything kept.

The adapter uses the engine below the HTTP interface: a conversation is opened for each turn, the message
starts a run, a reader shows its events. To measure another face, add a variant here that gives a `Turn`.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from pydantic import SecretStr
from sqlalchemy import URL, Integer, String
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from bench.turns.task import ANSWER, MODEL, QUESTION, SYSTEM, Turn, Variant
from deputize import Actor, Args, Context, Entity, Public, Result, Surface, Target, Toolset, Yields, tool
from deputize.app import Deputize
from deputize.config import Settings
from deputize.core.event import Token
from deputize.engine import conversations, runs
from deputize.engine.readers import Reader
from deputize.store.dialect import sqlite
from deputize.store.migrate import upgrade
from tests.postgresql import server

DESK = Actor("u1", "t1", label="Desk", role="desk", grants=frozenset({"orders.read", "copilot.*"}))


class Base(DeclarativeBase):
    """The small host's tables."""


class Order(Base):
    """The one kind of row."""

    __tablename__ = "orders"
    id: Mapped[str] = mapped_column(String(20), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(20))
    status: Mapped[str] = mapped_column(String(20))
    due: Mapped[str] = mapped_column(String(20))
    total: Mapped[int] = mapped_column(Integer)


class GetOrder(Args):
    """What the tool is asked."""

    order: Annotated[str, Target("order")]


class Found(Result):
    """What the tool answers."""

    id: Annotated[str, Yields("order")]
    status: Annotated[str, Public()]
    due: Annotated[str, Public()]
    total: int


@tool(permissions=["orders.read"], effect="read", say={"en": ["what is the state of the order A-17"]})
async def get_order(ctx: Context, args: GetOrder) -> Found:
    """Get one order by its number."""
    row = await ctx.session.get_one(Order, args.order)
    return Found.model_validate(row)


def settings(base: str) -> Settings:
    """Everything on; caps and rates out of the way, since turns follow each other faster than people type."""
    given: dict[str, Any] = {
        "enabled": True,
        "provider": "openai",
        "base_url": base,
        "api_key": SecretStr("none"),
        "model": MODEL,
        "allow_private_endpoint": True,
        "secret_key": SecretStr("bench-" * 8),
        "rate_limit_max": 10**6,
        "daily_spend_usd": "none",
        "agent_daily_spend_usd": "none",
        "global_daily_spend_usd": "none",
    }
    return Settings(**given)


def deputy(base: str, engine: AsyncEngine) -> Deputize:
    """The small host with its deputy."""

    def session(conn: AsyncConnection, actor: Actor) -> AsyncSession:
        return AsyncSession(bind=conn, join_transaction_mode="create_savepoint", expire_on_commit=False)

    async def reload(session: AsyncSession, tenant: str, user_id: str) -> Actor | None:
        return DESK

    return Deputize(
        settings(base),
        engine=engine,
        session=session,
        actor=lambda: DESK,
        reload=reload,
        entities=[Entity("order", Order, tenant="tenant", label=lambda row: str(row.id), read="orders.read")],
        toolsets=[Toolset("orders", [get_order])],
        surfaces=[Surface("desk", prompt=SYSTEM, tools=["orders.*"])],
    )


@asynccontextmanager
async def on(base: str, url: URL) -> AsyncIterator[Turn]:
    """A turn on the database at `url`."""
    engine = sqlite(create_async_engine(url))
    await upgrade(engine)
    async with engine.begin() as conn:
        await conn.run_sync(Base.metadata.create_all)
    async with AsyncSession(engine) as filling:
        filling.add(Order(**ANSWER, tenant=DESK.tenant))
        await filling.commit()
    made = deputy(base, engine)

    async def turn(number: int) -> str:
        conversation = await conversations.open_(made.wiring, DESK, "desk", None)
        run = await runs.start(made.wiring, DESK, conversation.id, QUESTION, None, f"turn-{number}")
        text = ""
        async for shown in Reader(made.wiring, DESK, run):
            if isinstance(shown.event, Token):
                text = text[: shown.event.at] + shown.event.text
            elif shown.event.type == "error":
                raise RuntimeError(shown.event.code)
        return text

    async with made.lifespan():
        yield turn
    await engine.dispose()


@asynccontextmanager
async def on_sqlite(base: str, scratch: Path) -> AsyncIterator[Turn]:
    """One file, WAL, synchronous NORMAL."""
    async with on(base, URL.create("sqlite+aiosqlite", database=str(scratch / "deputize.db"))) as turn:
        yield turn


@asynccontextmanager
async def on_postgresql(base: str, scratch: Path) -> AsyncIterator[Turn]:
    """A server of our own, as the tests start it, its flushing to disk off."""
    with server() as databases:
        url = await databases.fresh("bench", _nothing)
        async with on(base, url) as turn:
            yield turn


async def _nothing(engine: AsyncEngine) -> None:
    """The variant migrates by itself."""


VARIANTS: dict[str, Variant] = {"deputize, SQLite": on_sqlite, "deputize, PostgreSQL": on_postgresql}
