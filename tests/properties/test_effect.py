"""Whatever a handler does, the rows shown are exactly the difference between the database before and after (APPR-1)."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession

from deputize.core.digest import plain
from deputize.core.effect import Observed
from deputize.engine.preview import digest, observe
from deputize.engine.wiring import Wiring
from deputize.store.session import Undo
from tests.conftest import Fresh
from tests.engine.shop import (
    ACTOR,
    ANA,
    NOW,
    Anything,
    Base,
    Customer,
    Device,
    DeviceLog,
    Done,
    Line,
    Order,
    Reminder,
    dry,
    made,
    opened,
    wiring,
)

Step = tuple[str, int, int]
Dump = dict[tuple[str, str], dict[str, Any]]

NAMES = (
    *("order", "line", "many", "copy", "touch", "status", "all", "drop", "unline"),
    *("device", "log", "unlog", "customer", "link", "commit"),
)
simple = st.tuples(st.sampled_from(NAMES), st.integers(1, 4), st.integers(0, 3))
steps = st.lists(simple | st.tuples(st.sampled_from(["undone", "kept"]), st.lists(simple, max_size=4)), max_size=8)


STATEMENTS: dict[str, Callable[[int, int], Any]] = {
    "status": lambda n, m: update(Order).where(Order.id >= n).values(status=f"st{m}"),
    "all": lambda n, m: update(Line).values(amount=Line.amount + m),
    "drop": lambda n, m: delete(Order).where(Order.id == n),
    "unline": lambda n, m: delete(Line).where(Line.amount == m),
    "device": lambda n, m: update(Device).values(name=f"d{m}"),
    "log": lambda n, m: update(DeviceLog).values(said=f"l{m}"),
    "unlog": lambda n, m: delete(DeviceLog).where(DeviceLog.said == f"l{m}"),
    "copy": lambda n, m: insert(Line).from_select(
        ["order_id", "sku", "amount"], select(Line.order_id, Line.sku, Line.amount + m).where(Line.id <= n)
    ),
}


async def step(session: AsyncSession, name: str, n: int, m: int) -> None:
    """One write; where its row is not there, it is none."""
    session.expire_all()
    there = await session.get(Order, n, populate_existing=True)
    if name in STATEMENTS:
        await session.execute(STATEMENTS[name](n, m))
    elif name == "order":
        session.add(Order(tenant="north", customer_id=ANA, note=str(m)))
    elif name == "customer":
        customer = await session.get(Customer, ANA, populate_existing=True)
        assert customer is not None
        customer.name = f"Ana {m}"
    elif name == "link":
        await session.execute(update(Reminder).where(Reminder.id == n).values(order_id=there and there.id))
    elif name == "commit":
        await session.commit()
    elif there is not None:
        await beside(session, there, name, m)
    await session.flush()


async def beside(session: AsyncSession, order: Order, name: str, m: int) -> None:
    """Writes that need an order."""
    if name == "line":
        session.add(Line(order_id=order.id, sku=f"s{m}", amount=m))
    elif name == "many":
        await session.execute(insert(Line), [{"order_id": order.id, "sku": "m", "amount": k} for k in range(m + 1)])
    else:
        order.note, order.urgent = f"t{m}", not order.urgent


def handler_of(plan: list[Any]) -> Any:
    async def run(ctx: Any, args: Anything) -> Done:
        for one in plan:
            if len(one) == 3:
                await step(ctx.session, *one)
                continue
            savepoint = await ctx.session.begin_nested()
            for inner in one[1]:
                await step(ctx.session, *(inner if inner[0] != "commit" else ("touch", *inner[1:])))
            await (savepoint.rollback() if one[0] == "undone" else savepoint.commit())
        return Done()

    return run


async def dump(conn: AsyncConnection) -> Dump:
    found: Dump = {}
    for table in Base.metadata.sorted_tables:
        for row in (await conn.execute(select(table))).mappings():
            values = plain(dict(row))
            found[table.name, ":".join(str(values[c.name]) for c in table.primary_key)] = values
    return found


def applied(before: Dump, observed: Observed) -> Dump:
    """The database as it would be, if only what was shown had happened."""
    after = dict(before)
    for row in observed.rows:
        assert row.before == before.get((row.table, row.id))
        if row.after is None:
            del after[row.table, row.id]
        else:
            after[row.table, row.id] = dict(row.after)
    return after


@pytest.fixture
async def engine(fresh: Fresh) -> AsyncEngine:
    return await fresh("shop", opened)


@pytest.fixture
async def w(engine: AsyncEngine) -> AsyncIterator[Wiring]:
    made_for = wiring(engine)
    yield made_for
    await made_for.db.close()


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(plan=steps)
@example(plan=[("many", 1, 1), ("all", 1, 1)])
@example(plan=[("device", 1, 1), ("log", 1, 1), ("unlog", 1, 1)])
@example(plan=[("undone", [("many", 1, 1), ("unline", 1, 1)]), ("many", 1, 2), ("drop", 1, 0)])
async def test_the_rows_shown_are_the_whole_difference(w: Wiring, plan: list[Any]) -> None:
    it = made(handler_of(plan))
    async with w.db.write(ACTOR.tenant, "property") as tx:
        before = await dump(tx.conn)
        observed = await observe(w, tx, ACTOR, it, Anything(), now=NOW, key="k", versions={})
        assert applied(before, observed) == await dump(tx.conn)
        raise Undo
    again = await dry(w, it)
    one, other = digest(it, {}, observed, ACTOR), digest(it, {}, again, ACTOR)
    assert json.loads(one[1]) == json.loads(other[1])
    assert one == other
