"""Processes that call a model again and again under caps; each kills itself at a labelled point of one call.

Their clocks jump between days and months, callers leave in the middle of a statement, and answers get lost.
"""

import asyncio
import json
import os
import random
import signal
import sys
from collections.abc import Awaitable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import product

from sqlalchemy import Connection, make_url, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from deputize.core.budget import Cap, Scope, ScopeHold
from deputize.core.errors import BudgetExceeded
from deputize.core.usage import Usage
from deputize.policy.budget import Caps, holds
from deputize.store import ledger, usage
from deputize.store.dialect import sqlite

MOMENTS = (
    datetime(2026, 3, 28, 22, 59, tzinfo=UTC),
    datetime(2026, 3, 28, 23, 30, tzinfo=UTC),
    datetime(2026, 3, 31, 22, 30, tzinfo=UTC),
)
"""The last minute of a Saturday in Madrid, a Sunday of 23 hours, and an hour that is April there and March in UTC."""
WORST_MICRO, WORST_TOKENS = 100, 50
LABELS = ("in reserve", "reserved", "sent", "in settle", "settled")
WHO: list[tuple[str, Scope, str]] = [
    *((tenant, "user", user) for tenant, user in product(("t1", "t2"), ("u1", "u2"))),
    ("t1", "agent", "triage"),
]
OVERSPENT = 3


def caps(scale: int) -> Caps:
    """A cap of money, of tokens or of both for each scope and period, about half of what is wanted."""
    return {
        ("user", "day"): Cap(micro=250 * scale),
        ("user", "month"): Cap(tokens=250 * scale),
        ("agent", "day"): Cap(tokens=90 * scale),
        ("agent", "month"): Cap(micro=250 * scale),
        ("tenant", "day"): Cap(tokens=400 * scale),
        ("tenant", "month"): Cap(micro=800 * scale),
        ("global", "day"): Cap(micro=2400 * scale, tokens=1250 * scale),
        ("global", "month"): Cap(micro=2500 * scale),
    }


def scopes(who: tuple[str, Scope, str], now: datetime, scale: int) -> tuple[ScopeHold, ...]:
    """All six scopes of a call by a person or an automation, each capped."""
    tenant, kind, name = who
    mine = {"user": name} if kind == "user" else {"agent": name}
    return holds(tenant=tenant, time_zone="Europe/Madrid", now=now, caps=caps(scale), **mine)


def make_diary(conn: Connection) -> None:
    """Where workers write, in the transaction of what they saw, what the books alone do not tell."""
    conn.execute(text("CREATE TABLE diary (what VARCHAR(20), about VARCHAR(40))"))


async def _write(conn: AsyncConnection, what: str, about: str) -> None:
    await conn.execute(text("INSERT INTO diary VALUES (:what, :about)"), {"what": what, "about": about})


async def _torn(dice: random.Random, deed: Awaitable[object]) -> None:
    """Begin the deed and cancel it after a few turns of the loop: before, within or after its commit."""
    task = asyncio.ensure_future(deed)
    for _ in range(dice.randint(0, 12)):
        await asyncio.sleep(0)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def _reserve(engine: AsyncEngine, tenant: str, mine: tuple[ScopeHold, ...], number: str, now: datetime) -> bool:
    async with engine.begin() as conn:
        try:
            await ledger.reserve(
                conn,
                tenant,
                mine,
                WORST_MICRO,
                WORST_TOKENS,
                run_id=None,
                provider="p",
                model="m",
                now=now,
                expires_at=now + timedelta(minutes=5),
                reservation_id=number,
            )
        except BudgetExceeded as refusal:
            await _write(conn, "refused", f"{refusal.details['scope']} {refusal.details['period']}")
            return False
    return True


async def _settle(engine: AsyncEngine, tenant: str, mine: tuple[ScopeHold, ...], number: str, used: Usage) -> None:
    async with engine.begin() as conn:
        await ledger.settle(conn, tenant, number, used, used.total * 2, MOMENTS[-1])
        for hold in mine:
            if (hold.scope, hold.period) == ("tenant", "month") and await ledger.warn_once(conn, tenant, hold):
                await _write(conn, "warned", f"{tenant} {hold.starts}")


async def call(engine: AsyncEngine, dice: random.Random, number: str, kill: str | None, scale: int) -> None:
    """One call with a random end."""

    def at(label: str) -> None:
        if label == kill:
            os.kill(os.getpid(), signal.SIGKILL)

    who, now = dice.choice(WHO), dice.choice(MOMENTS)
    tenant, mine = who[0], scopes(who, now, scale)
    if kill is None and dice.random() < 0.15:
        await _torn(dice, _reserve(engine, tenant, mine, number, now))
        return
    if not await _reserve(engine, tenant, mine, number, now):
        return
    at("reserved")
    async with engine.begin() as conn:
        await ledger.mark_sent(conn, tenant, number)
        for state in await usage.state(conn, tenant, mine):
            for cap, taken in (
                (state.hold.cap_micro, state.spent_micro + state.held_micro),
                (state.hold.cap_tokens, state.spent_tokens + state.held_tokens),
            ):
                if cap is not None and taken > cap:
                    os._exit(OVERSPENT)
        at("in reserve")
    at("sent")
    used = Usage(input=dice.randint(0, 30), output=dice.randint(0, 20))
    end = dice.choice(["settle", "settle", "settle", "fail", "lost", "torn"])
    if end == "torn" and kill is None:
        await _torn(dice, _settle(engine, tenant, mine, number, used))
    elif end == "fail":
        async with engine.begin() as conn:
            await ledger.release(conn, tenant, number, now)
            at("in settle")
    elif end != "lost":
        await _settle(engine, tenant, mine, number, used)
        at("settled")


async def work(address: str, seed: int, calls: int, scale: int, kill: str) -> None:
    """Make `calls` calls; in one of the last three be killed at `kill`, if that is a label.

    A call that SQLite kept waiting for too long ends like one whose answer was lost.
    """
    engine = sqlite(create_async_engine(make_url(address)))
    dice = random.Random(seed)
    for n in range(calls):
        try:
            await call(engine, dice, f"{seed}-{n}", kill if n >= calls - 3 else None, scale)
        except OperationalError as fault:
            if "locked" not in str(fault):
                raise
    await engine.dispose()


def main(address: str, calls: int, scale: int, kills: list[str]) -> list[int]:
    """One forked process for each of `kills`, all at once; their exit codes, negative where a signal ended them."""
    children = []
    for seed, kill in enumerate(kills):
        child = os.fork()
        if not child:
            asyncio.run(work(address, seed, calls, scale, kill))
            os._exit(0)
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])))
