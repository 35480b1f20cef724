"""A small host with every kind of column, key, cascade and trigger that a preview has to see."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID, uuid4

from sqlalchemy import DateTime, ForeignKey, Numeric, String, Text, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from deputize.core.actor import Actor
from deputize.core.channel import Channel, Receipt
from deputize.core.effect import Observed
from deputize.core.entity import Entity
from deputize.core.tool import Args, Refuse, Result, Tool, tool
from deputize.engine.preview import observe
from deputize.engine.wiring import Registry, Wiring
from deputize.policy.limits import Limits
from deputize.store.session import Database, Undo
from deputize.store.tables import metadata as our_tables

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ANA = UUID("0198a000-0000-7000-8000-0000000000a1")
BEA = UUID("0198a000-0000-7000-8000-0000000000b2")
LIMITS = Limits()
LINES = 400
"""Rows that measurements change many of at once."""
ACTOR = Actor(id="u1", tenant="north", label="Eva", grants=frozenset({"*"}), locale="en", time_zone="Europe/Madrid")


class Base(DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "customers"
    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant: Mapped[str] = mapped_column(String(40))
    name: Mapped[str] = mapped_column(String(80))
    email: Mapped[str | None] = mapped_column(String(80))
    updated_at: Mapped[datetime] = mapped_column(
        DateTime(timezone=True), default=lambda: datetime.now(UTC), onupdate=lambda: datetime.now(UTC)
    )


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    tenant: Mapped[str] = mapped_column(String(40))
    customer_id: Mapped[UUID] = mapped_column(ForeignKey("customers.id"))
    status: Mapped[str] = mapped_column(String(16), default="draft")
    total: Mapped[Decimal] = mapped_column(Numeric(10, 2), default=Decimal("0.00"))
    note: Mapped[str] = mapped_column(Text, server_default="")
    urgent: Mapped[bool] = mapped_column(default=False)
    due: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    code: Mapped[str] = mapped_column(String(40), default=lambda: f"ORD-{uuid4().hex[:8]}")
    created_at: Mapped[datetime] = mapped_column(DateTime, server_default=text("CURRENT_TIMESTAMP"))


class Line(Base):
    __tablename__ = "lines"
    id: Mapped[int] = mapped_column(primary_key=True)
    order_id: Mapped[int] = mapped_column(ForeignKey("orders.id", ondelete="CASCADE"))
    sku: Mapped[str] = mapped_column(String(20))
    amount: Mapped[int]


class Serial(Base):
    """Two levels below an order."""

    __tablename__ = "serials"
    id: Mapped[int] = mapped_column(primary_key=True)
    line_id: Mapped[int] = mapped_column(ForeignKey("lines.id", ondelete="CASCADE"))


class Reminder(Base):
    """Loses its order where that is deleted."""

    __tablename__ = "reminders"
    id: Mapped[int] = mapped_column(primary_key=True)
    order_id: Mapped[int | None] = mapped_column(ForeignKey("orders.id", ondelete="SET NULL"))


class Device(Base):
    """A trigger of its own table keeps `revision` and `touched_at`; another writes the log, a third the total."""

    __tablename__ = "devices"
    id: Mapped[int] = mapped_column(primary_key=True)
    tenant: Mapped[str] = mapped_column(String(40))
    name: Mapped[str] = mapped_column(String(40))
    revision: Mapped[int] = mapped_column(default=1)
    touched_at: Mapped[datetime | None] = mapped_column(DateTime)


class DeviceLog(Base):
    __tablename__ = "device_log"
    id: Mapped[int] = mapped_column(primary_key=True)
    device_id: Mapped[int]
    said: Mapped[str] = mapped_column(String(60))
    at: Mapped[datetime] = mapped_column(DateTime)


class Slot(Base):
    """A trigger counts the taken slots of another table's row."""

    __tablename__ = "slots"
    id: Mapped[int] = mapped_column(primary_key=True)
    taken: Mapped[bool] = mapped_column(default=False)


class Tally(Base):
    __tablename__ = "tallies"
    id: Mapped[int] = mapped_column(primary_key=True)
    taken: Mapped[int] = mapped_column(default=0)


class Part(Base):
    """Its parent is asked for at the commit only."""

    __tablename__ = "parts"
    id: Mapped[int] = mapped_column(primary_key=True)
    whole_id: Mapped[int | None] = mapped_column(
        ForeignKey("parts.id", deferrable=True, initially="DEFERRED", name="fk_parts_whole")
    )


SQLITE_TRIGGERS = (
    """CREATE TRIGGER devices_touch AFTER UPDATE OF name ON devices BEGIN
       UPDATE devices SET revision = revision + 1, touched_at = CURRENT_TIMESTAMP WHERE id = NEW.id; END""",
    """CREATE TRIGGER devices_log AFTER UPDATE OF name ON devices BEGIN
       INSERT INTO device_log (device_id, said, at) VALUES (NEW.id, 'was ' || OLD.name, CURRENT_TIMESTAMP); END""",
    """CREATE TRIGGER slots_tally AFTER UPDATE ON slots BEGIN UPDATE tallies SET taken = taken + 1; END""",
)
POSTGRESQL_TRIGGERS = (
    """CREATE FUNCTION devices_touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       NEW.revision := OLD.revision + 1; NEW.touched_at := now(); RETURN NEW; END $$""",
    "CREATE TRIGGER devices_touch BEFORE UPDATE ON devices FOR EACH ROW EXECUTE FUNCTION devices_touch()",
    """CREATE FUNCTION devices_log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO device_log (device_id, said, at) VALUES (NEW.id, 'was ' || OLD.name, now()); RETURN NULL; END $$""",
    "CREATE TRIGGER devices_log AFTER UPDATE ON devices FOR EACH ROW EXECUTE FUNCTION devices_log()",
    """CREATE FUNCTION slots_tally() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       UPDATE tallies SET taken = taken + 1; RETURN NULL; END $$""",
    "CREATE TRIGGER slots_tally AFTER UPDATE ON slots FOR EACH ROW EXECUTE FUNCTION slots_tally()",
)


async def opened(engine: AsyncEngine) -> None:
    """The shop's tables beside ours, with a few rows."""
    async with engine.begin() as conn:
        await conn.run_sync(our_tables.create_all)
        await conn.run_sync(Base.metadata.create_all)
        for statement in SQLITE_TRIGGERS if engine.dialect.name == "sqlite" else POSTGRESQL_TRIGGERS:
            await conn.exec_driver_sql(statement)
    async with AsyncSession(engine, expire_on_commit=False) as session:
        session.add_all(
            [
                Customer(id=ANA, tenant="north", name="Ana Ruiz", email="ana@example.org"),
                Customer(id=BEA, tenant="south", name="Bea Sol", email="bea@example.org"),
            ]
        )
        await session.flush()
        session.add_all([Order(tenant="north", customer_id=ANA, total=Decimal("10.50"), code="A-1") for _ in "12"])
        await session.flush()
        session.add_all([Line(order_id=1, sku="pen", amount=2), Line(order_id=1, sku="ink", amount=1)])
        await session.flush()
        session.add_all([Serial(line_id=1), Serial(line_id=1), Reminder(order_id=1), Reminder(order_id=2)])
        session.add_all([Device(tenant="north", name="press"), Slot(), Slot(), Tally(), Part(whole_id=None)])
        await session.commit()


class Closed(Exception):
    """The shop's own domain error."""


class TooLate(Closed):
    """A kind of it, mapped through its base."""


CUSTOMER = Entity(
    "customer",
    Customer,
    tenant="tenant",
    label=lambda c: c.name,
    read="customers.read",
    url="/customers/{id}",
    personal={"name": "NAME", "email": "EMAIL"},
    trusted=frozenset({"email"}),
    title={"en": "Customer", "es": "Cliente"},
    captions={"email": {"en": "E-mail", "es": "Correo"}},
)
ORDER = Entity(
    "order",
    Order,
    tenant="tenant",
    label=lambda o: f"Order {o.id}",
    read="orders.read",
    url="/orders/{id}",
    title={"en": "Order", "es": "Pedido"},
    captions={"customer_id": {"en": "Customer", "es": "Cliente"}, "due": {"es": "Vence"}},
)


async def _send(payload: Mapping[str, Any], key: str) -> Receipt:
    return Receipt()


MAIL = Channel("email", show=("to", "subject", "body"), destination="to", send=_send, title={"en": "E-mail"})


class Anything(Args):
    """Arguments of tools whose handler is all that matters."""

    text: str = ""


class Done(Result):
    id: str = ""


Handler = Callable[[Any, Any], Any]


def made(handler: Any, **options: Any) -> Tool:
    """A write tool around a bare handler `(ctx, args: Anything) -> Done`."""
    return tool(permissions=["x.write"], effect=options.pop("effect", "write"), no_target="a test", **options)(handler)


def host_session(conn: AsyncConnection, actor: Actor) -> AsyncSession:
    """As a host would bind it."""
    return AsyncSession(bind=conn, join_transaction_mode="create_savepoint", expire_on_commit=False)


def wiring(engine: AsyncEngine, **options: Any) -> Wiring:
    """As much of the wiring as a preview needs."""

    class Frozen:
        def now(self) -> datetime:
            return NOW

    registry = Registry(
        tools={},
        toolset_of={},
        surfaces={},
        entities={"customer": CUSTOMER, "order": ORDER} | options.pop("entities", {}),
        channels={"email": MAIL},
        refusals={Closed: lambda error: Refuse("shop_closed", "The shop is closed.", {"opens": "9:00"})},
        by_table={"customers": CUSTOMER, "orders": ORDER},
    )
    db = Database(engine, options.pop("session", host_session), Frozen())
    return cast(Wiring, SimpleNamespace(db=db, registry=registry, limits=LIMITS))


async def dry(w: Wiring, it: Tool, args: Args | None = None, actor: Actor = ACTOR) -> Observed:
    """A dry run: watched, then rolled back."""
    out: list[Observed] = []
    async with w.db.write(actor.tenant, "dry") as tx:
        out.append(await observe(w, tx, actor, it, args or Anything(), now=NOW, key="run:1", versions={}))
        raise Undo
    return out[0]


async def real(w: Wiring, it: Tool, args: Args | None = None, actor: Actor = ACTOR) -> Observed:
    """An execution: watched the same way, then committed."""
    async with w.db.write(actor.tenant, "real") as tx:
        return await observe(w, tx, actor, it, args or Anything(), now=NOW, key="run:1", versions={})
    raise AssertionError("unreachable")


def brief(observed: Observed) -> list[tuple[str, str, str]]:
    """What happened to which rows, in a few words."""
    return [(row.op, row.table, "new" if row.new_key else row.id) for row in observed.rows]
