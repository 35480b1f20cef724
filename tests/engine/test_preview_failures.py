"""Sync handlers, deferred constraints, domain errors and deeds inside the watched run (APPR-1, APPR-5)."""

from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize.core.effect import HandlerFailed, Refused
from deputize.engine.preview import observe
from deputize.engine.wiring import Wiring
from deputize.store.deeds import enqueue, note, on_commit, queue
from tests.conftest import Fresh
from tests.engine.shop import (
    ACTOR,
    ANA,
    NOW,
    Anything,
    Done,
    Order,
    Part,
    Reminder,
    TooLate,
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
