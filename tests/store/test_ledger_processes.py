"""Several processes, one of them killed at every labelled point: no cap is passed, the books balance (BUD-2)."""

import asyncio
import json
import signal
import sys
from datetime import timedelta
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.store import ledger, usage
from deputize.store.tables import ledger_scopes, reservations
from tests.store.ledger_worker import CAPS, LABELS, NOW, WHO, scopes

ROOT = Path(__file__).parent.parent.parent
CALLS = 12


async def run(database: AsyncEngine, kills: list[str]) -> list[int]:
    """The workers to their ends; their exit codes, negative where a signal ended them."""
    address = database.url.render_as_string(hide_password=False)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.store.ledger_worker",
        address,
        str(CALLS),
        *kills,
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    ends: list[int] = json.loads(said)
    return ends


async def test_killed_anywhere_the_caps_hold_and_the_books_balance(database: AsyncEngine) -> None:
    """BUD-2: six processes over two tenants and four people, every scope capped, five of them killed."""
    ends = await run(database, [*LABELS, "nowhere"])
    assert set(ends) <= {0, -signal.SIGKILL}, "a worker saw a cap passed"
    assert ends[-1] == 0
    assert ends.count(-signal.SIGKILL) >= 1

    expired = []
    async with database.begin() as conn:
        while done := await ledger.expire_open(conn, NOW + timedelta(hours=1), limit=3):
            expired += done
    assert expired, "lost calls and killed processes leave holds behind"

    s, r = ledger_scopes.c, reservations.c
    async with database.connect() as conn:
        held = select(func.sum(s.held_micro), func.sum(s.held_tokens))
        assert tuple((await conn.execute(held)).one()) == (0, 0), "the reserved sum returns to zero"
        for tenant, user in WHO:
            for state in await usage.state(conn, tenant, scopes(tenant, user)):
                cap = CAPS[state.hold.scope, state.hold.period]
                assert cap.micro is None or state.spent_micro <= cap.micro
                assert cap.tokens is None or state.spent_tokens <= cap.tokens
        booked = (
            await conn.execute(select(func.sum(s.spent_micro), func.sum(s.spent_tokens)).group_by(s.scope, s.period))
        ).all()
        charged = (
            await conn.execute(
                select(func.sum(r.settled_micro), func.sum(r.settled_tokens)).where(
                    r.status.in_(("settled", "expired"))
                )
            )
        ).one()
        assert [tuple(row) for row in booked] == [tuple(charged)] * 6, (
            "each scope's books add up to all that was charged"
        )
        flagged = (await conn.execute(select(func.count()).where(r.status == "expired", r.estimated))).scalar_one()
        assert flagged == sum(one.charged for one in expired)
        assert (await conn.execute(select(func.count()).where(r.status == "open"))).scalar_one() == 0
