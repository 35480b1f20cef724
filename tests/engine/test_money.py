"""Money through the public way: caps of every scope, warnings, bad limits, a clock that jumps (BUD-1 to BUD-8)."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.errors import BudgetExceeded, Invalid
from deputize.core.usage import Usage
from deputize.engine import money, overview
from deputize.store import ledger, probe, settings
from deputize.store.session import Tx
from deputize.store.tables import ledger_scopes, reservations
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import says
from tests.engine.desk import EVA, VIC, Desk, make_desk

Told = list[tuple[str, Mapping[str, Any]]]
WARNED = ("budget_threshold_reached", {"tenant": "north", "scope": "tenant", "period": "month"})


@pytest.fixture
def told() -> Told:
    """The thresholds that the host heard of."""
    return []


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock, told: Told) -> AsyncIterator[Desk]:
    async def hear(what: str, details: Mapping[str, Any]) -> None:
        if what == "budget_threshold_reached":
            told.append((what, details))

    made = await make_desk(database, clock, on_event=hear)
    yield made
    await made.deputy.close()


async def limit(desk: Desk, **limits: int | None) -> None:
    await overview.change_settings(desk.w, EVA, limits)
    await asyncio.sleep(0)


async def use(desk: Desk, tokens: int) -> None:
    """One answer that cost so many tokens."""
    desk.provider.then(says("Heard.", Usage(input=tokens - 5, output=5)))
    await desk.say(EVA, await desk.open(EVA), "hi")
    await asyncio.sleep(0)


async def banner(desk: Desk) -> str | None:
    shown: str | None = (await overview.me(desk.w, VIC, "desk", "en", ""))["banner"]
    return shown


async def state(desk: Desk, scope: str, period: str) -> dict[str, Any]:
    scopes = (await overview.usage_of(desk.w, EVA, 30))["scopes"]
    return next(one for one in scopes if (one["scope"], one["period"]) == (scope, period))


@pytest.mark.parametrize(
    ("setting", "limits"),
    [
        ("AI_DAILY_SPEND_USD", {}),
        ("AI_GLOBAL_DAILY_SPEND_USD", {}),
        (None, {"monthly_cost_limit_cents": 0}),
        (None, {"monthly_token_limit": 0}),
        (None, {"monthly_token_limit": 1}),
    ],
)
async def test_a_wired_budget_of_nothing_refuses_before_the_first_byte(
    database: AsyncEngine, clock: FrozenClock, setting: str | None, limits: dict[str, int]
) -> None:
    """BUD-1, BUD-8, B13: whichever cap it is, no model is asked, and nothing stays held."""
    desk = await make_desk(database, clock, settings={setting: 0} if setting else {})
    await limit(desk, **limits)
    conversation = await desk.open(EVA)
    with pytest.raises(BudgetExceeded) as refusal:
        await desk.say(EVA, conversation, "hi")
    assert set(refusal.value.details) == {"scope", "period", "resetsAt"}
    assert desk.provider.requests == []
    async with desk.w.db.read() as conn:
        assert (await conn.execute(select(func.coalesce(func.sum(ledger_scopes.c.held_micro), 0)))).scalar_one() == 0
        assert (await conn.execute(select(func.count()).select_from(reservations))).scalar_one() == 0
    await desk.deputy.close()


async def test_the_self_check_of_the_ledger(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """B13: `deputize check` and `doctor` say so where a cap does not hold; nothing of the try is kept."""
    assert await probe.probe(desk.w.db) == []
    async with desk.w.db.read() as conn:
        assert (await conn.execute(select(func.count()).select_from(ledger_scopes))).scalar_one() == 0
    monkeypatch.setattr(ledger, "fits", lambda cap, taken, more: True)
    assert "caps" in (await probe.probe(desk.w.db))[0]


async def test_a_cap_set_below_what_is_spent_warns_and_refuses_until_it_is_cleared(desk: Desk, told: Told) -> None:
    """BUD-5: nothing more will ever be settled, so the saving itself must tell; clearing lets people go on."""
    await use(desk, 1000)
    assert (told, await banner(desk)) == ([], None)
    await limit(desk, monthly_token_limit=900)
    assert told == [WARNED]
    assert "Four fifths" in (await banner(desk) or "")
    with pytest.raises(BudgetExceeded):
        await use(desk, 10)
    desk.provider.turns.clear()
    await limit(desk, monthly_token_limit=None)
    await use(desk, 10)
    assert await banner(desk) is None
    await limit(desk, monthly_token_limit=1000)
    assert told == [WARNED], "once in a period, whatever the limit does"


async def test_a_call_that_never_reported_can_reach_the_line_too(desk: Desk, told: Told) -> None:
    """BUD-2, BUD-5: charged by the sweeper, and told by it."""
    await limit(desk, monthly_token_limit=1000)
    now = desk.clock.now()
    chosen = settings.TenantSettings("north", monthly_token_limit=1000)
    holds = overview._holds(desk.w, EVA, chosen)

    async def reserve(tx: Tx) -> None:
        await ledger.reserve(
            tx.conn, "north", holds, 10, 850, run_id=None, provider="p", model="m", now=now,
            expires_at=now + timedelta(seconds=60), reservation_id="r", sent=True,
        )  # fmt: skip

    async with desk.w.db.write("north", "test") as tx:
        await reserve(tx)
    assert await money.expire(desk.w) == 0
    desk.clock.advance(61)
    assert await money.expire(desk.w) == 1
    await asyncio.sleep(0)
    assert told == [WARNED]
    assert (await state(desk, "tenant", "month"))["tokens"] == 850
    assert (await state(desk, "tenant", "month"))["near"]
    assert await money.expire(desk.w) == 0
    assert told == [WARNED]


async def test_a_new_month_begins_at_local_midnight_with_a_fresh_warning(desk: Desk, told: Told) -> None:
    """BUD-1, BUD-5: the banner goes with its month, and the next month is told of again."""
    await limit(desk, monthly_token_limit=100_000)
    await use(desk, 90_000)
    assert (len(told), await banner(desk) is not None) == (1, True)
    resets = (await state(desk, "tenant", "month"))["resetsAt"]
    assert resets == "2026-04-01T00:00:00.000000Z" or resets.startswith("2026-04-01T00:00:00")
    desk.clock.advance((30 - 1) * 86_400 + 15 * 3600)
    assert await banner(desk) is None
    await use(desk, 90_000)
    assert (len(told), await banner(desk) is not None) == (2, True)


@pytest.mark.parametrize("field", ["monthly_token_limit", "monthly_cost_limit_cents"])
async def test_a_limit_beyond_all_counting_is_refused(desk: Desk, field: str) -> None:
    """Bad input: named with its field, and nothing is changed."""
    with pytest.raises(Invalid) as refusal:
        await limit(desk, **{field: 10**19})
    assert refusal.value.details["field"] == field
    await limit(desk, **{field: 10**12})
    await use(desk, 10)


async def test_a_model_that_nobody_prices_is_never_free(database: AsyncEngine, clock: FrozenClock) -> None:
    """BUD-6: an unknown model costs the configured price; a price of 0 counts at least a micro-dollar a million."""
    for price, least in (("0", 1), ("3", 3_000)):
        desk = await make_desk(
            database,
            clock,
            seed=price == "0",
            settings={"AI_MODEL": "nobody-knows-1", "AI_PRICE_PER_1M_INPUT": price, "AI_PRICE_PER_1M_OUTPUT": price},
        )
        before = (await state(desk, "tenant", "month"))["spentMicroUsd"]
        await use(desk, 1000)
        assert (await state(desk, "tenant", "month"))["spentMicroUsd"] - before == least
        await desk.deputy.close()
