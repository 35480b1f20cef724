"""A handler is watched once, and every row that it would change is found, on both databases (APPR-1)."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import delete, func, insert, select, text, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize.core.effect import HandlerFailed, Refused, UnseenChanges
from deputize.core.preview import Change
from deputize.engine.preview import digest, observe
from deputize.engine.wiring import Wiring
from deputize.store.deeds import enqueue, note, on_commit, queue
from tests.conftest import Fresh
from tests.engine.shop import (
    ACTOR,
    ANA,
    BEA,
    NOW,
    Anything,
    Customer,
    Device,
    DeviceLog,
    Done,
    Line,
    Order,
    Part,
    Reminder,
    Slot,
    Tally,
    TooLate,
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


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE orders SET status = 'x' WHERE id = 1",
        "INSERT INTO reminders (order_id) VALUES (1)",
        "DELETE FROM reminders",
        "/* SELECT */ update orders set status = 'y'",
    ],
)
async def test_statements_by_hand_are_refused_where_nothing_explains_them(w: Wiring, statement: str) -> None:
    async def raw(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(text(statement))
        return Done()

    with pytest.raises(UnseenChanges) as caught:
        await dry(w, made(raw))
    assert set(caught.value.tables) <= {"orders", "reminders"}
    table = caught.value.tables[0]
    assert brief(await dry(w, made(raw, hidden={table: "a test"}))) is not None


@pytest.mark.parametrize(
    "statement",
    ["COMMIT", "ROLLBACK", "DROP TABLE reminders", "CREATE TABLE x (id int)", "SELECT 1; COMMIT", "VACUUM", "BEGIN"],
)
async def test_statements_that_end_the_transaction_or_change_tables_are_refused_before_they_run(
    w: Wiring, engine: AsyncEngine, statement: str
) -> None:
    async def raw(ctx: Any, args: Anything) -> Done:
        ctx.session.add(Reminder(order_id=1))
        await ctx.session.flush()
        await ctx.session.execute(text(statement))
        return Done()

    with pytest.raises(UnseenChanges):
        await dry(w, made(raw))
    assert await count(engine, Reminder) == 2


async def test_reads_by_hand_pass(w: Wiring) -> None:
    async def raw(ctx: Any, args: Anything) -> Done:
        found = await ctx.session.execute(text("WITH a AS (SELECT 'DELETE' AS x) SELECT x FROM a -- UPDATE"))
        return Done(id=found.scalar_one())

    assert (await dry(w, made(raw))).result == {"id": "DELETE"}


async def test_bulk_statements_are_explained_by_the_tools_own_preview(w: Wiring) -> None:
    async def tell(ctx: Any, args: Anything) -> list[Change]:
        ids = await ctx.session.scalars(select(Order.id).order_by(Order.id))
        await ctx.session.execute(update(Order).values(note="undone"))
        return [Change("update", "orders", "order", "Order", str(one), None, ()) for one in ids]

    async def short(ctx: Any, args: Anything) -> list[Change]:
        return (await tell(ctx, args))[:1]

    async def bulk(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(text("UPDATE orders SET status = 'x'"))
        return Done()

    seen = await dry(w, made(bulk, preview=tell))
    assert [change.id for change in seen.own] == ["1", "2"]
    assert seen.rows == ()
    with pytest.raises(UnseenChanges):
        await dry(w, made(bulk, preview=short))


async def test_an_upsert_shows_the_row_that_it_meets(w: Wiring, engine: AsyncEngine) -> None:
    make: Any = sqlite.insert if engine.dialect.name == "sqlite" else postgresql.insert

    async def upsert(ctx: Any, args: Anything) -> Done:
        statement = make(Tally).values([{"id": 1, "taken": 9}, {"id": 7, "taken": 3}])
        await ctx.session.execute(
            statement.on_conflict_do_update(index_elements=["id"], set_={"taken": statement.excluded.taken})
        )
        return Done()

    seen = await dry(w, made(upsert))
    assert sorted(brief(seen)) == [("insert", "tallies", "7"), ("update", "tallies", "1")]


async def test_inserts_from_a_select_and_with_returning_are_found(w: Wiring) -> None:
    async def copy(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(insert(Reminder).from_select(["order_id"], select(Order.id).where(Order.id == 2)))
        made_ids = await ctx.session.scalars(insert(Slot).returning(Slot.id), [{"taken": True}, {"taken": False}])
        return Done(id=str(len(list(made_ids))))

    seen = await dry(w, made(copy))
    expected = [("insert", "reminders", "new"), ("insert", "slots", "new"), ("insert", "slots", "new")]
    assert sorted(brief(seen)) == expected


async def test_sync_handlers_get_a_plain_session_in_the_same_transaction(w: Wiring, engine: AsyncEngine) -> None:
    def add(ctx: Any, args: Anything) -> Done:
        order = ctx.session.get(Order, 1)
        order.status = "closed"
        ctx.session.commit()
        return Done(id=str(order.id))

    seen = await dry(w, made(add))
    assert brief(seen) == [("update", "orders", "1")]
    assert seen.result == {"id": "1"}


async def test_deferred_constraints_are_asked_inside_the_run(w: Wiring) -> None:
    async def orphan(ctx: Any, args: Anything) -> Done:
        ctx.session.add(Part(whole_id=4711))
        return Done()

    async def whole(ctx: Any, args: Anything) -> Done:
        ctx.session.add(Part(id=10, whole_id=11))
        await ctx.session.flush()
        ctx.session.add(Part(id=11))
        return Done()

    with pytest.raises(HandlerFailed):
        await dry(w, made(orphan))
    assert len((await dry(w, made(whole))).rows) == 2


async def test_domain_errors_become_the_hosts_refusal_by_their_nearest_class(w: Wiring) -> None:
    async def late(ctx: Any, args: Anything) -> Done:
        raise TooLate("secret words")

    with pytest.raises(Refused) as caught:
        await dry(w, made(late))
    assert caught.value.refuse.code == "shop_closed"
    assert caught.value.refuse.alternatives == {"opens": "9:00"}


async def test_other_errors_fail_without_their_values_and_leave_the_transaction_usable(
    w: Wiring, engine: AsyncEngine
) -> None:
    async def breaks(ctx: Any, args: Anything) -> Done:
        ctx.session.add(Reminder(order_id=1))
        await ctx.session.flush()
        raise RuntimeError("Ana Ruiz, ana@example.org")

    async def poison(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(insert(Order).values(id=1, tenant="north", customer_id=ANA))
        return Done()

    for handler in (breaks, poison):
        async with w.db.write("north", "after a failure") as tx:
            with pytest.raises(HandlerFailed) as caught:
                await observe(w, tx, ACTOR, made(handler), Anything(), now=NOW, key="k", versions={})
            await tx.conn.execute(insert(Reminder).values(order_id=2))
        assert "Ana" not in str(caught.value)
        assert caught.value.__cause__ is not None
    assert await count(engine, Reminder) == 4


async def test_deeds_are_collected_in_order_and_dropped_with_their_savepoint(w: Wiring) -> None:
    def nothing() -> None:
        raise AssertionError("nothing runs before the commit")

    async def sends(ctx: Any, args: Anything) -> Done:
        queue(ctx.session, "email", {"to": "ana@example.org", "subject": "Hi", "body": "x"}, key="a")
        try:
            async with ctx.session.begin_nested():
                queue(ctx.session, "email", {"to": "lost"}, key="b")
                raise ValueError
        except ValueError:
            pass
        async with ctx.session.begin_nested():
            enqueue(ctx.session, "order.created", subject=1)
        note(ctx.session, ctx.actor, "order_noted", subject=1, details={"total": Decimal("1.5")})
        await ctx.session.commit()
        on_commit(ctx.session, nothing)
        return Done()

    seen = await dry(w, made(sends))
    assert [item.key for item in seen.outgoing] == ["a"]
    assert [(event.type, event.subject) for event in seen.events] == [("order.created", "1")]
    assert seen.notes[0].payload == {"subject": "1", "details": {"total": "1.5"}}
    assert seen.hooks == (nothing,)


async def test_an_effect_for_an_unknown_channel_fails(w: Wiring) -> None:
    async def sends(ctx: Any, args: Anything) -> Done:
        queue(ctx.session, "pigeon", {}, key="a")
        return Done()

    with pytest.raises(HandlerFailed):
        await dry(w, made(sends))


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
