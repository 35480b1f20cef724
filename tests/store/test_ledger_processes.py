"""Several processes, killed and cancelled anywhere: no cap is passed, the books balance (BUD-1, BUD-2, BUD-5)."""

import asyncio
import json
import signal
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from deputize.core.budget import warn_from
from deputize.store import ledger, usage
from deputize.store.tables import ledger_scopes, reservations
from tests.store.ledger_worker import LABELS, MOMENTS, WHO, caps, make_diary, scopes

ROOT = Path(__file__).parent.parent.parent
_s, _r = ledger_scopes.c, reservations.c


async def run(database: AsyncEngine, calls: int, scale: int, kills: list[str]) -> list[int]:
    """The workers to their ends; their exit codes, negative where a signal ended them."""
    async with database.begin() as conn:
        await conn.run_sync(make_diary)
    address = database.url.render_as_string(hide_password=False)
    command = (sys.executable, "-m", "tests.store.ledger_worker", address, str(calls), str(scale), *kills)
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    ends: list[int] = json.loads(said)
    return ends


async def expire(database: AsyncEngine) -> list[ledger.Expired]:
    """What was left behind by the dead, the cancelled and the lost is ended a few at a time."""
    expired: list[ledger.Expired] = []
    async with database.begin() as conn:
        while done := await ledger.expire_open(conn, MOMENTS[-1] + timedelta(hours=1), limit=7):
            expired += done
    return expired


async def diary(conn: AsyncConnection) -> tuple[Counter[str], Counter[str]]:
    """How often each scope refused, and how often people were warned of each month."""
    rows = (await conn.execute(text("SELECT what, about FROM diary"))).all()
    return tuple(Counter(row.about for row in rows if row.what == what) for what in ("refused", "warned"))  # type: ignore[return-value]  # two of them


async def balanced(conn: AsyncConnection, scale: int) -> None:
    """Nothing is held, no cap was passed in any period, and each scope's books add up to all that was charged."""
    held = (await conn.execute(select(func.sum(_s.held_micro), func.sum(_s.held_tokens)))).one()
    assert tuple(held) == (0, 0), "the reserved sum returns to zero"
    assert (await conn.execute(select(func.count()).where(_r.status == "open"))).scalar_one() == 0
    for who in WHO:
        for now in MOMENTS:
            for state in await usage.state(conn, who[0], scopes(who, now, scale)):
                assert state.hold.cap_micro is None or state.spent_micro <= state.hold.cap_micro
                assert state.hold.cap_tokens is None or state.spent_tokens <= state.hold.cap_tokens
    charged = (
        await conn.execute(
            select(func.sum(_r.settled_micro), func.sum(_r.settled_tokens)).where(_r.status.in_(("settled", "expired")))
        )
    ).one()
    for of in (("user", "agent"), ("tenant",), ("global",)):
        for period in ("day", "month"):
            sums = select(func.sum(_s.spent_micro), func.sum(_s.spent_tokens))
            booked = (await conn.execute(sums.where(_s.scope.in_(of), _s.period == period))).one()
            assert tuple(booked) == tuple(charged), (of, period)


async def warned_rightly(conn: AsyncConnection, warned: Counter[str], scale: int) -> None:
    """BUD-5: once for each month of a tenant that was warned, and only where four fifths were settled."""
    assert set(warned.values()) <= {1}, "exactly one of all processes warns"
    line = warn_from(caps(scale)["tenant", "month"].micro) or 0
    books = select(_s.tenant, _s.starts, _s.spent_micro, _s.warned).where(_s.scope == "tenant", _s.period == "month")
    for row in await conn.execute(books):
        assert bool(row.warned) == (f"{row.tenant} {row.starts}" in warned)
        assert not row.warned or row.spent_micro >= line


async def test_killed_anywhere_the_caps_hold_and_the_books_balance(database: AsyncEngine) -> None:
    """BUD-2: six processes over two tenants, four people and an automation, every scope capped, five of them killed."""
    ends = await run(database, 14, 1, [*LABELS, "nowhere"])
    assert set(ends) <= {0, -signal.SIGKILL}, "a worker saw a cap passed"
    assert ends[-1] == 0
    assert ends.count(-signal.SIGKILL) >= 1
    expired = await expire(database)
    assert expired, "lost calls and killed processes leave holds behind"
    async with database.connect() as conn:
        await balanced(conn, 1)
        refused, warned = await diary(conn)
        assert refused, "what is wanted is more than the caps allow"
        await warned_rightly(conn, warned, 1)
        flagged = (await conn.execute(select(func.count()).where(_r.status == "expired", _r.estimated))).scalar_one()
        assert flagged == sum(one.charged for one in expired)


@pytest.mark.long
async def test_a_long_siege(database: AsyncEngine) -> None:
    """BUD-2: sixteen processes and 4,800 calls; scopes of several kinds refuse, none is passed."""
    scale = 30
    ends = await run(database, 300, scale, [*LABELS * 3, "nowhere"])
    assert set(ends) <= {0, -signal.SIGKILL}, "a worker saw a cap passed"
    await expire(database)
    async with database.connect() as conn:
        await balanced(conn, scale)
        refused, warned = await diary(conn)
        assert len({scope.split()[0] for scope in refused}) >= 2, "scopes of several kinds are used up"
        await warned_rightly(conn, warned, scale)
