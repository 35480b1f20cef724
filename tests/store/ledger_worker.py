"""Processes that call a model again and again under caps; each kills itself at a labelled point of one call."""

import asyncio
import json
import os
import random
import signal
import sys
from datetime import UTC, datetime, timedelta
from itertools import product

from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from deputize.core.budget import Cap, ScopeHold
from deputize.core.errors import BudgetExceeded
from deputize.core.usage import Usage
from deputize.policy.budget import Caps, holds
from deputize.store import ledger, usage
from deputize.store.dialect import sqlite

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
WORST_MICRO, WORST_TOKENS = 100, 50
CAPS: Caps = {
    ("user", "day"): Cap(micro=1500),
    ("user", "month"): Cap(tokens=700),
    ("tenant", "day"): Cap(tokens=1300),
    ("tenant", "month"): Cap(micro=2600),
    ("global", "day"): Cap(micro=4400, tokens=2300),
    ("global", "month"): Cap(micro=4500),
}
LABELS = ("in reserve", "reserved", "sent", "in settle", "settled")
WHO = list(product(("t1", "t2"), ("u1", "u2")))
OVERSPENT = 3


def scopes(tenant: str, user: str) -> tuple[ScopeHold, ...]:
    """All six scopes of a person's call, each capped."""
    return holds(tenant=tenant, user=user, time_zone="Europe/Madrid", now=NOW, caps=CAPS)


async def call(engine: AsyncEngine, dice: random.Random, number: str, kill: str | None) -> bool:
    """One call with a random end; False where the budget was used up."""

    def at(label: str) -> None:
        if label == kill:
            os.kill(os.getpid(), signal.SIGKILL)

    tenant, user = dice.choice(WHO)
    mine = scopes(tenant, user)
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
                now=NOW,
                expires_at=NOW + timedelta(minutes=5),
                reservation_id=number,
            )
        except BudgetExceeded:
            return False
        at("in reserve")
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
    at("sent")
    end = dice.choice(["settle", "settle", "settle", "fail", "lost"])
    if end == "lost":
        return True
    async with engine.begin() as conn:
        if end == "fail":
            await ledger.release(conn, tenant, number, NOW)
        else:
            used = Usage(input=dice.randint(0, 30), output=dice.randint(0, 20))
            await ledger.settle(conn, tenant, number, used, dice.randint(0, WORST_MICRO), NOW)
        at("in settle")
    at("settled")
    return True


async def work(address: str, seed: int, calls: int, kill: str) -> None:
    """Make `calls` calls; in the last but two be killed at `kill`, if that is a label."""
    engine = sqlite(create_async_engine(make_url(address)))
    dice = random.Random(seed)
    for n in range(calls):
        await call(engine, dice, f"{seed}-{n}", kill if n == calls - 3 else None)
    await engine.dispose()


def main(address: str, calls: int, kills: list[str]) -> list[int]:
    """One forked process for each of `kills`, all at once; their exit codes, negative where a signal ended them."""
    children = []
    for seed, kill in enumerate(kills):
        child = os.fork()
        if not child:
            asyncio.run(work(address, seed, calls, kill))
            os._exit(0)
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])))
