"""Statements by hand, bulk statements and upserts: explained, shown or refused (APPR-1)."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import func, insert, select, text, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize.core.effect import UnseenChanges
from deputize.core.preview import Change
from deputize.engine.wiring import Wiring
from tests.conftest import Fresh
from tests.engine.shop import (
    Anything,
    Done,
    Order,
    Reminder,
    Slot,
    Tally,
    brief,
    dry,
    made,
    opened,
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
