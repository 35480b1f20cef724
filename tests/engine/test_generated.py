"""What a write generates by itself is the same placeholder every time, whatever values it happens to take (APPR-2)."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.engine.preview import digest
from deputize.engine.wiring import Wiring
from tests.conftest import Fresh
from tests.engine.shop import ACTOR, Anything, Device, Done, Line, dry, made, opened, wiring


@pytest.fixture
async def engine(fresh: Fresh) -> AsyncEngine:
    return await fresh("shop", opened)


@pytest.fixture
async def w(engine: AsyncEngine) -> AsyncIterator[Wiring]:
    made_for = wiring(engine)
    yield made_for
    await made_for.db.close()


async def renamed(ctx: Any, args: Anything) -> Done:
    await ctx.session.execute(update(Device).values(name=args.text or "new"))
    return Done()


async def test_a_key_that_equals_another_tables_new_key_is_no_placeholder(w: Wiring) -> None:
    """A trigger logs device 1 in a row whose own new key is 1 too, and 2, 3, … in later previews on PostgreSQL."""
    it = made(renamed)
    seen = [await dry(w, it) for _ in range(3)]
    assert len({digest(it, {}, one, ACTOR) for one in seen}) == 1
    logged = seen[0].effect["changes"][1]
    assert (logged["table"], logged["values"]["device_id"]) == ("device_log", 1)


@pytest.mark.parametrize("databases", [pytest.param("postgresql", marks=pytest.mark.postgresql)], indirect=True)
@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Los_Angeles", "Asia/Kolkata"])
async def test_times_of_a_server_in_another_zone_are_placeholders(engine: AsyncEngine, w: Wiring, zone: str) -> None:
    """`now()` in a column without a zone is the server's local time, wherever this process stands."""
    async with engine.begin() as conn:
        await conn.execute(text(f"ALTER DATABASE \"{engine.url.database}\" SET timezone TO '{zone}'"))
    await engine.dispose()
    it = made(renamed)
    one, other = await dry(w, it), await dry(w, it)
    assert one.effect["changes"][0]["values"]["touched_at"] == {"$assigned": 1}
    assert digest(it, {}, one, ACTOR) == digest(it, {}, other, ACTOR)


async def test_rows_made_by_triggers_stand_in_the_order_of_their_making(w: Wiring) -> None:
    async def often(ctx: Any, args: Anything) -> Done:
        for n in range(30):
            await ctx.session.execute(update(Device).values(name=f"n{n}"))
        return Done()

    seen = await dry(w, made(often))
    said = [row.after["said"] for row in seen.rows if row.table == "device_log" and row.after]
    assert said == ["was press", *[f"was n{n}" for n in range(29)]]


async def test_lines_selected_into_being_stand_in_their_order(w: Wiring) -> None:
    async def copied(ctx: Any, args: Anything) -> Done:
        rows = select(Line.order_id, Line.sku, Line.amount).order_by(Line.id.desc())
        await ctx.session.execute(insert(Line).from_select(["order_id", "sku", "amount"], rows))
        return Done()

    it = made(copied)
    one, other = await dry(w, it), await dry(w, it)
    assert [row.after["sku"] for row in one.rows if row.after] == ["ink", "pen"]
    assert digest(it, {}, one, ACTOR) == digest(it, {}, other, ACTOR)
