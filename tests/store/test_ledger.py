"""The ledger on both databases: no cap is overspent, the books balance, silence is charged (BUD-1 to BUD-5)."""

import asyncio
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from deputize.core.budget import Cap, ScopeHold
from deputize.core.errors import BudgetExceeded
from deputize.core.usage import Usage
from deputize.policy.budget import holds
from deputize.store import ledger, usage
from deputize.store.tables import ledger_scopes, reservations

NOW = datetime(2026, 3, 31, 22, 30, tzinfo=UTC)
NUMBERS = count(1)


def new_reservation() -> str:
    return f"r{next(NUMBERS)}"


async def reserve(
    conn: AsyncConnection,
    scopes: tuple[ScopeHold, ...],
    micro: int = 100,
    tokens: int = 10,
    *,
    tenant: str = "t",
    sent: bool = True,
    now: datetime = NOW,
) -> str:
    own = new_reservation()
    await ledger.reserve(
        conn,
        tenant,
        scopes,
        micro,
        tokens,
        run_id="run",
        provider="offline",
        model="m",
        now=now,
        expires_at=now + timedelta(minutes=5),
        reservation_id=own,
    )
    if sent:
        await ledger.mark_sent(conn, tenant, own)
    return own


def scopes_of(**caps: Cap) -> tuple[ScopeHold, ...]:
    """`user_day=Cap(...)` and so on, for user `u` of tenant `t` in Madrid."""
    by_scope = {tuple(name.split("_")): cap for name, cap in caps.items()}
    return holds(tenant="t", user="u", time_zone="Europe/Madrid", now=NOW, caps=by_scope)  # type: ignore[arg-type]


async def books(conn: AsyncConnection) -> tuple[int, int, int, int]:
    """The largest figures over all scopes; in these tests every scope has the same."""
    s = ledger_scopes.c
    query = select(func.max(s.spent_micro), func.max(s.spent_tokens), func.max(s.held_micro), func.max(s.held_tokens))
    row = (await conn.execute(query)).one()
    return row[0], row[1], row[2], row[3]


async def test_a_hold_stands_in_every_scope_and_is_settled_in_each(database: AsyncEngine) -> None:
    """BUD-2: the worst case is reserved in every scope, then replaced by what was used."""
    scopes = scopes_of(user_day=Cap(micro=1000))
    async with database.begin() as conn:
        own = await reserve(conn, scopes)
    async with database.begin() as conn:
        assert [(s.held_micro, s.held_tokens, s.spent_micro) for s in await usage.state(conn, "t", scopes)] == [
            (100, 10, 0)
        ] * 6
        assert await ledger.settle(conn, "t", own, Usage(input=3, output=2, cache_read=1), 40, NOW)
    async with database.begin() as conn:
        assert [
            (s.held_micro, s.held_tokens, s.spent_micro, s.spent_tokens) for s in await usage.state(conn, "t", scopes)
        ] == [(0, 0, 40, 6)] * 6
        assert not await ledger.settle(conn, "t", own, Usage(input=3), 40, NOW), "settled once"
        assert await books(conn) == (40, 6, 0, 0)


CAPS: dict[str, Cap] = {
    "user_day": Cap(micro=99),
    "user_month": Cap(tokens=9),
    "tenant_day": Cap(micro=0),
    "tenant_month": Cap(tokens=0),
    "global_day": Cap(micro=50, tokens=1000),
    "global_month": Cap(micro=1000, tokens=9),
}


async def test_each_cap_refuses_alone_and_nothing_is_held(database: AsyncEngine, subtests: pytest.Subtests) -> None:
    """BUD-1: either figure of any scope suffices to refuse; the error says which and when it resets."""
    async with database.begin() as conn:
        for name, cap in CAPS.items():
            with subtests.test(name):
                with pytest.raises(BudgetExceeded) as refused:
                    await reserve(conn, scopes_of(**{name: cap}))
                scope, period = name.split("_")
                local = "2026-04-01T22:00:00.000000Z" if period == "day" else "2026-04-30T22:00:00.000000Z"
                utc = "2026-04-01T00:00:00.000000Z"
                resets = utc if scope == "global" else local
                assert refused.value.details == {"scope": scope, "period": period, "resetsAt": resets}
        assert await books(conn) == (0, 0, 0, 0)
        assert (await conn.execute(select(func.count()).select_from(reservations))).scalar_one() == 0


async def test_null_is_no_cap_and_zero_is_nothing_at_all(database: AsyncEngine) -> None:
    """BUD-1, also for a call that costs nothing."""
    async with database.begin() as conn:
        await reserve(conn, scopes_of(), 10**12, 10**12)
        await reserve(conn, scopes_of(), 0, 0)
        for cap in (Cap(micro=0), Cap(tokens=0)):
            with pytest.raises(BudgetExceeded):
                await reserve(conn, scopes_of(user_day=cap), 0, 0)


async def test_a_cap_below_what_is_spent_refuses_until_cleared(database: AsyncEngine) -> None:
    """BUD-5: limits can be set and cleared at any time; what was spent counts at once."""
    async with database.begin() as conn:
        own = await reserve(conn, scopes_of())
        await ledger.settle(conn, "t", own, Usage(input=10), 100, NOW)
        with pytest.raises(BudgetExceeded):
            await reserve(conn, scopes_of(tenant_month=Cap(micro=50)), 0, 0)
        await reserve(conn, scopes_of(tenant_month=Cap(micro=200)))
        await reserve(conn, scopes_of())


async def test_users_of_two_tenants_with_one_id_do_not_share_a_scope(database: AsyncEngine) -> None:
    """BUD-1: only the global scope is shared over tenants."""
    cap = scopes_of(user_day=Cap(micro=100))
    async with database.begin() as conn:
        await reserve(conn, cap, tenant="t")
        await reserve(conn, cap, tenant="other")
        with pytest.raises(BudgetExceeded):
            await reserve(conn, cap, tenant="t")
        everywhere = (await usage.state(conn, "t", cap))[-1]
        assert everywhere.hold.scope == "global"
        assert everywhere.held_micro == 200


async def test_a_reservation_settles_in_its_own_period(database: AsyncEngine) -> None:
    """BUD-1: a call that began before midnight is charged to the day on which it began."""
    before, after = (
        scopes_of(),
        holds(tenant="t", user="u", time_zone="Europe/Madrid", now=NOW + timedelta(days=1), caps={}),
    )
    async with database.begin() as conn:
        own = await reserve(conn, before)
        await ledger.settle(conn, "t", own, Usage(input=1), 7, NOW + timedelta(days=1))
        assert (await usage.state(conn, "t", before))[0].spent_micro == 7
        assert (await usage.state(conn, "t", after))[0].spent_micro == 0


async def test_silence_is_charged_in_full_and_flagged(database: AsyncEngine) -> None:
    """BUD-2: a call that never reported costs its worst case; one that was never sent costs nothing."""
    async with database.begin() as conn:
        sent = await reserve(conn, scopes_of())
        unsent = await reserve(conn, scopes_of(), sent=False)
        alive = await reserve(conn, scopes_of(), now=NOW + timedelta(hours=1))
    async with database.begin() as conn:
        assert await ledger.expire_open(conn, NOW + timedelta(minutes=4)) == []
        done = await ledger.expire_open(conn, NOW + timedelta(minutes=5))
        assert [(one.id, one.charged) for one in done] == [(sent, True), (unsent, False)]
        assert await books(conn) == (100, 10, 100, 10), "only the live hold is still held"
        row = (await conn.execute(select(reservations).where(reservations.c.id == sent))).one()
        assert (row.status, row.estimated, row.settled_micro) == ("expired", True, 100)
        assert await ledger.release(conn, "t", alive, NOW)
        assert not await ledger.release(conn, "t", alive, NOW)
        assert await books(conn) == (100, 10, 0, 0)


async def test_a_late_report_corrects_the_books(database: AsyncEngine) -> None:
    """BUD-2: what the vendor says later replaces the estimate, also after a release."""
    async with database.begin() as conn:
        sent, unsent = await reserve(conn, scopes_of()), await reserve(conn, scopes_of(), sent=False)
        await ledger.expire_open(conn, NOW + timedelta(minutes=5))
        assert await ledger.settle(conn, "t", sent, Usage(input=4), 30, NOW)
        assert await ledger.settle(conn, "t", unsent, Usage(input=1), 5, NOW)
        assert await books(conn) == (35, 5, 0, 0)
        row = (await conn.execute(select(reservations).where(reservations.c.id == sent))).one()
        assert (row.status, row.estimated) == ("settled", False)


async def test_expiry_of_many_sums_up_each_scope(database: AsyncEngine) -> None:
    """BUD-2: the sweeper ends holds of several tenants and users in one go."""
    async with database.begin() as conn:
        for n in range(7):
            await reserve(conn, scopes_of(), tenant="t" if n % 2 else "other")
    async with database.begin() as conn:
        assert len(await ledger.expire_open(conn, NOW + timedelta(hours=1), limit=5)) == 5
        assert len(await ledger.expire_open(conn, NOW + timedelta(hours=1), limit=5)) == 2
        state = await usage.state(conn, "t", scopes_of())
        assert [(s.spent_micro, s.held_micro) for s in state] == [(300, 0)] * 4 + [(700, 0)] * 2


async def test_bad_figures_are_refused(database: AsyncEngine) -> None:
    """BUD-3: negative figures never reach the books."""
    async with database.begin() as conn:
        own = await reserve(conn, scopes_of())
        for micro, tokens in ((-1, 0), (0, -1)):
            with pytest.raises(ValueError, match="negative"):
                await reserve(conn, scopes_of(), micro, tokens)
        with pytest.raises(ValueError, match="negative"):
            await ledger.settle(conn, "t", own, Usage(), -1, NOW)
        with pytest.raises(ValueError, match="no such"):
            await ledger.settle(conn, "t", "nobody", Usage(), 1, NOW)
        with pytest.raises(ValueError, match="no such"):
            await ledger.settle(conn, "other", own, Usage(), 1, NOW)
        assert await books(conn) == (0, 0, 100, 10)


async def test_people_are_warned_once_a_period(database: AsyncEngine) -> None:
    """BUD-5: at four fifths of the settled month, held money not counted."""
    scopes = scopes_of(tenant_month=Cap(micro=1000))
    month = next(hold for hold in scopes if (hold.scope, hold.period) == ("tenant", "month"))
    async with database.begin() as conn:
        first = await reserve(conn, scopes, 900)
        assert not await ledger.warn_once(conn, "t", month), "held is not settled"
        await ledger.settle(conn, "t", first, Usage(), 799, NOW)
        assert not await ledger.warn_once(conn, "t", month)
        second = await reserve(conn, scopes, 10)
        await ledger.settle(conn, "t", second, Usage(), 1, NOW)
    answers = await asyncio.gather(*(warn(database, month) for _ in range(6)))
    assert sorted(answers) == [False] * 5 + [True]
    assert not await warn(database, scopes[0]), "no cap, no warning"


async def warn(database: AsyncEngine, hold: ScopeHold) -> bool:
    async with database.begin() as conn:
        return await ledger.warn_once(conn, "t", hold)


async def test_use_is_summed_by_local_day_and_model(database: AsyncEngine) -> None:
    """The charts: 22:30 UTC on 31 March is already April in Madrid."""
    async with database.begin() as conn:
        early = await reserve(conn, scopes_of(), now=NOW - timedelta(hours=2))
        late = await reserve(conn, scopes_of())
        await ledger.settle(conn, "t", early, Usage(input=3, output=1), 10, NOW)
        await ledger.settle(conn, "t", late, Usage(input=5, output=2, estimated=True), 20, NOW)
        await reserve(conn, scopes_of())
        days = await usage.by_day(conn, "t", NOW - timedelta(days=1), "Europe/Madrid")
        assert [(d.day, d.calls, d.input_tokens, d.output_tokens, d.cost_micro, d.estimated) for d in days] == [
            ("2026-03-31", 1, 3, 1, 10, 0),
            ("2026-04-01", 1, 5, 2, 20, 1),
        ]
        assert await usage.by_day(conn, "other", NOW - timedelta(days=1), "UTC") == []


async def test_use_is_told_apart_by_people_and_automations(database: AsyncEngine) -> None:
    """The charts by scope: an automation by its name, people together."""
    agent = holds(tenant="t", agent='tri"age', time_zone="Europe/Madrid", now=NOW, caps={})
    for scopes, tokens in ((scopes_of(), 5), (agent, 7), (agent, 9)):
        async with database.begin() as conn:
            own = await reserve(conn, scopes)
            await ledger.settle(conn, "t", own, Usage(input=tokens), tokens, NOW)
    async with database.connect() as conn:
        days = await usage.by_day(conn, "t", NOW - timedelta(days=1), "Europe/Madrid")
    assert [(one.agent, one.calls, one.input_tokens, one.cost_micro) for one in days] == [
        ("", 1, 5, 5),
        ('tri"age', 2, 16, 16),
    ]


async def test_callers_at_once_do_not_overspend(database: AsyncEngine) -> None:
    """BUD-2, B8: sixty-four callers want three times what there is."""
    scopes = scopes_of(user_day=Cap(micro=2000), global_month=Cap(tokens=190))

    async def call() -> bool:
        async with database.begin() as conn:
            try:
                own = await reserve(conn, scopes)
            except BudgetExceeded:
                return False
        async with database.begin() as conn:
            await ledger.settle(conn, "t", own, Usage(input=10), 100, NOW)
        return True

    admitted = sum(await asyncio.gather(*(call() for _ in range(64))))
    assert admitted == 19
    async with database.begin() as conn:
        assert await books(conn) == (1900, 190, 0, 0)
