"""A handler is watched once, and every row that it would change is found, on both databases (APPR-1)."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize.core.effect import UnseenChanges
from deputize.engine.preview import digest
from deputize.engine.wiring import Wiring
from tests.conftest import Fresh
from tests.engine.shop import (
    ACTOR,
    ANA,
    BEA,
    Anything,
    Customer,
    Device,
    DeviceLog,
    Done,
    Line,
    Order,
    Reminder,
    Slot,
    Tally,
    brief,
    dry,
    made,
    opened,
    real,
    wiring,
)


@pytest.fixture
async def engine(fresh: Fresh) -> AsyncEngine:
    return await fresh("shop", opened)


@pytest.fixture
async def w(engine: AsyncEngine) -> AsyncIterator[Wiring]:
    made_for = wiring(engine)
    yield made_for
    await made_for.db.close()


async def count(engine: AsyncEngine, model: type[Any]) -> int:
    async with AsyncSession(engine) as session:
        return int(await session.scalar(select(func.count()).select_from(model)) or 0)


async def test_an_insert_is_shown_and_undone(w: Wiring, engine: AsyncEngine) -> None:
    async def add(ctx: Any, args: Anything) -> Done:
        order = Order(tenant="north", customer_id=ANA, due=datetime(2026, 4, 1, 8, tzinfo=UTC))
        ctx.session.add(order)
        await ctx.session.flush()
        return Done(id=str(order.id))

    seen = await dry(w, made(add))
    assert brief(seen) == [("insert", "orders", "new")]
    row = seen.rows[0]
    assert row.after is not None
    assert row.after["status"] == "draft"
    assert row.after["customer_id"] == str(ANA)
    assert row.assigned >= {"id", "code", "created_at"}
    assert not row.assigned & {"status", "total", "note", "due", "urgent"}
    assert await count(engine, Order) == 2


async def test_the_execution_commits_what_the_dry_run_showed(w: Wiring, engine: AsyncEngine) -> None:
    async def add(ctx: Any, args: Anything) -> Done:
        customer = Customer(tenant="north", name="Cid", email="cid@example.org")
        ctx.session.add(customer)
        await ctx.session.flush()
        ctx.session.add(Order(tenant="north", customer_id=customer.id))
        return Done()

    it = made(add)
    first, second = await dry(w, it), await real(w, it)
    assert digest(it, {}, first, ACTOR) == digest(it, {}, second, ACTOR)
    assert first.rows[0].key != second.rows[0].key
    assert await count(engine, Order) == 3


async def test_an_update_shows_the_stored_value_of_an_expired_object(w: Wiring) -> None:
    async def rename(ctx: Any, args: Anything) -> Done:
        customer = await ctx.session.get(Customer, ANA)
        ctx.session.expire(customer)
        customer.name = "Ana Gil"
        return Done()

    seen = await dry(w, made(rename))
    row = seen.rows[0]
    assert brief(seen) == [("update", "customers", str(ANA))]
    assert row.before is not None
    assert row.after is not None
    assert (row.before["name"], row.after["name"]) == ("Ana Ruiz", "Ana Gil")
    assert "updated_at" in row.assigned
    assert seen.labels["customer", str(ANA)] == "Ana Ruiz"


async def test_sql_expressions_are_shown_with_their_result(w: Wiring) -> None:
    async def raise_price(ctx: Any, args: Anything) -> Done:
        order = await ctx.session.get(Order, 1)
        order.total = Order.total + 5
        return Done()

    row = (await dry(w, made(raise_price))).rows[0]
    assert row.before is not None
    assert row.after is not None
    assert (Decimal(row.before["total"]), Decimal(row.after["total"])) == (Decimal("10.50"), Decimal("15.50"))


async def test_statements_in_core_show_every_row_under_their_condition(w: Wiring) -> None:
    async def close(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(update(Order).where(Order.tenant == "north").values(status="closed"))
        await ctx.session.execute(delete(Reminder).where(Reminder.order_id == 2))
        return Done()

    assert brief(await dry(w, made(close))) == [
        ("update", "orders", "1"),
        ("update", "orders", "2"),
        ("delete", "reminders", "2"),
    ]


async def test_the_same_statement_with_other_values_is_not_confused_by_caches(w: Wiring) -> None:
    async def close(ctx: Any, args: Anything) -> Done:
        for number, status in ((1, "a"), (2, "b")):
            await ctx.session.execute(update(Order).values(status=status).where(Order.id + 0 == number))
        return Done()

    seen = await dry(w, made(close))
    assert [(row.id, (row.after or {})["status"]) for row in seen.rows] == [("1", "a"), ("2", "b")]


async def test_cascades_are_shown_to_the_last_level(w: Wiring, engine: AsyncEngine) -> None:
    async def drop(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(delete(Order).where(Order.id == 1))
        return Done()

    seen = await dry(w, made(drop))
    assert sorted(brief(seen)) == [
        ("delete", "lines", "1"),
        ("delete", "lines", "2"),
        ("delete", "orders", "1"),
        ("delete", "serials", "1"),
        ("delete", "serials", "2"),
        ("update", "reminders", "1"),
    ]
    assert await count(engine, Line) == 2


async def test_columns_changed_by_a_trigger_of_the_same_table_are_seen(w: Wiring) -> None:
    async def rename(ctx: Any, args: Anything) -> Done:
        device = await ctx.session.get(Device, 1)
        device.name = "plotter"
        return Done()

    it = made(rename)
    seen = await dry(w, it)
    device = next(row for row in seen.rows if row.table == "devices")
    assert device.before is not None
    assert device.after is not None
    assert (device.before["revision"], device.after["revision"]) == (1, 2)
    assert "touched_at" in device.assigned
    assert "revision" not in device.assigned


async def test_rows_inserted_by_a_trigger_into_another_table_are_seen(w: Wiring, engine: AsyncEngine) -> None:
    async def rename(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(update(Device).values(name="plotter"))
        return Done()

    seen = await dry(w, made(rename))
    log = next(row for row in seen.rows if row.table == "device_log")
    assert log.after is not None
    assert log.after["said"] == "was press"
    assert log.assigned >= {"id", "at"}
    assert await count(engine, DeviceLog) == 0


async def test_a_row_that_a_trigger_updates_elsewhere_is_shown_or_the_tool_refused(
    w: Wiring, engine: AsyncEngine
) -> None:
    async def take(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(update(Slot).where(Slot.id == 1).values(taken=True))
        return Done()

    if engine.dialect.name == "sqlite":
        assert brief(await dry(w, made(take))) == [("update", "slots", "1"), ("update", "tallies", "1")]
    else:
        with pytest.raises(UnseenChanges) as caught:
            await dry(w, made(take))
        assert caught.value.tables == ("tallies",)
    seen = await dry(w, made(take, hidden={"tallies": "only a count"}))
    assert ("update", "slots", "1") in brief(seen)
    assert "tallies" not in str(seen.effect)


async def test_a_write_that_changes_nothing_is_no_change(w: Wiring) -> None:
    async def same(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(update(Order).values(status=Order.status))
        return Done()

    assert brief(await dry(w, made(same))) == []


@pytest.mark.parametrize("way", ["commit", "rollback", "nested", "twice"])
async def test_services_that_end_their_own_transactions_stay_inside(w: Wiring, engine: AsyncEngine, way: str) -> None:
    async def service(ctx: Any, args: Anything) -> Done:
        ctx.session.add(Order(tenant="north", customer_id=ANA, note="first"))
        if way == "nested":
            async with ctx.session.begin_nested():
                ctx.session.add(Reminder(order_id=1))
        elif way == "rollback":
            await ctx.session.flush()
            await ctx.session.rollback()
            ctx.session.add(Reminder(order_id=1))
        else:
            await ctx.session.commit()
            ctx.session.add(Reminder(order_id=1))
            await ctx.session.commit()
        return Done()

    seen = await dry(w, made(service))
    expected = [("insert", "orders", "new"), ("insert", "reminders", "new")]
    assert brief(seen) == (expected[1:] if way == "rollback" else expected)
    assert await count(engine, Order) == 2
    assert await count(engine, Reminder) == 2


async def test_attempts_in_a_savepoint_that_was_rolled_back_are_accounted_for(w: Wiring) -> None:
    async def tries(ctx: Any, args: Anything) -> Done:
        try:
            async with ctx.session.begin_nested():
                ctx.session.add(Line(order_id=1, sku="lost", amount=1))
                await ctx.session.execute(update(Order).where(Order.id == 1).values(status="lost"))
                await ctx.session.flush()
                raise ValueError
        except ValueError:
            pass
        try:
            async with ctx.session.begin_nested():
                ctx.session.add(Order(id=1, tenant="north", customer_id=ANA))
                await ctx.session.flush()
        except IntegrityError:
            pass
        order = await ctx.session.get(Order, 2)
        order.status = "kept"
        return Done()

    assert brief(await dry(w, made(tries))) == [("update", "orders", "2")]


async def test_a_changed_pre_image_changes_the_digest(w: Wiring, engine: AsyncEngine) -> None:
    async def rename(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(update(Customer).where(Customer.id == ANA).values(name="Ana Gil"))
        return Done()

    it = made(rename)
    first, again = await dry(w, it), await dry(w, it)
    assert digest(it, {}, first, ACTOR) == digest(it, {}, again, ACTOR)
    async with engine.begin() as conn:
        await conn.execute(update(Customer).where(Customer.id == ANA).values(email="new@example.org"))
    assert digest(it, {}, await dry(w, it), ACTOR) != digest(it, {}, first, ACTOR)


async def test_foreign_records_have_no_name_on_the_card(w: Wiring) -> None:
    async def move(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(update(Order).where(Order.id == 1).values(customer_id=BEA))
        return Done()

    seen = await dry(w, made(move))
    assert seen.labels["customer", str(ANA)] == "Ana Ruiz"
    assert ("customer", str(BEA)) not in seen.labels


async def test_two_hundred_rows_are_all_shown(w: Wiring) -> None:
    async def many(ctx: Any, args: Anything) -> Done:
        ctx.session.add_all([Line(order_id=1, sku=f"s{n}", amount=n) for n in range(200)])
        await ctx.session.flush()
        for line in await ctx.session.scalars(select(Line)):
            line.amount += 1
        return Done()

    it = made(many)
    seen = await dry(w, it)
    assert len(seen.rows) == 202
    assert digest(it, {}, seen, ACTOR) == digest(it, {}, await dry(w, it), ACTOR)


async def test_keys_that_move_are_refused_or_shown(w: Wiring, engine: AsyncEngine) -> None:
    async def move(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(update(Tally).values(id=5))
        return Done()

    with pytest.raises(UnseenChanges):
        await dry(w, made(move))


async def test_nothing_of_ours_stays_on_the_connection(w: Wiring, engine: AsyncEngine) -> None:
    async def rename(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(update(Device).values(name="x"))
        return Done()

    await real(w, made(rename))
    if engine.dialect.name == "sqlite":
        async with engine.connect() as conn:
            assert (await conn.exec_driver_sql("SELECT count(*) FROM temp.sqlite_master")).scalar_one() == 0
    assert await count(engine, Tally) == 1
