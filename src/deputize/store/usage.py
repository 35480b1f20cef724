"""The ledger's reads: the books of scopes, and a tenant's use by local day and model (BUD-1)."""

import json
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import BigInteger, case, func, select, type_coerce
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.budget import DayUsage, ScopeHold, ScopeState
from deputize.store.dialect import from_micros
from deputize.store.ledger import scope_key
from deputize.store.tables import ledger_scopes, reservations

_QUARTER = 900_000_000
"""Every zone's midnight falls on a quarter of an hour, so days are summed from quarters."""


async def state(conn: AsyncConnection, tenant: str, holds: Sequence[ScopeHold]) -> list[ScopeState]:
    """The books of these scopes in these periods, in the order asked; zeros where nothing was ever counted."""
    keys = [scope_key(tenant, (hold.scope, hold.scope_id, hold.period, hold.starts)) for hold in holds]
    rows = {row.key: row for row in await conn.execute(select(ledger_scopes).where(ledger_scopes.c.key.in_(keys)))}
    return [
        ScopeState(hold)
        if (row := rows.get(key)) is None
        else ScopeState(hold, row.spent_micro, row.spent_tokens, row.held_micro, row.held_tokens, row.warned)
        for hold, key in zip(holds, keys, strict=True)
    ]


async def by_day(conn: AsyncConnection, tenant: str, since: datetime, time_zone: str) -> list[DayUsage]:
    """What the tenant used since then by local day, model and automation, oldest first; open holds are not in it."""
    r = reservations.c
    quarter = type_coerce(r.created_at, BigInteger) // _QUARTER
    automated = case((r.scopes.startswith('[["agent",', autoescape=True), r.scopes), else_="")
    query = (
        select(
            quarter.label("quarter"),
            r.provider,
            r.model,
            automated.label("automated"),
            func.count().label("calls"),
            func.coalesce(func.sum(func.coalesce(r.input_tokens, r.settled_tokens)), 0).label("input"),
            func.coalesce(func.sum(r.output_tokens), 0).label("output"),
            func.coalesce(func.sum(r.settled_micro), 0).label("cost"),
            func.coalesce(func.sum(case((r.estimated.is_(True), 1), else_=0)), 0).label("estimated"),
        )
        .where(r.tenant == tenant, r.created_at >= since, r.status.in_(("settled", "expired")))
        .group_by(quarter, r.provider, r.model, automated)
    )
    zone = ZoneInfo(time_zone)
    days: dict[tuple[str, str, str, str], list[int]] = {}
    for row in await conn.execute(query):
        day = from_micros(row.quarter * _QUARTER).astimezone(zone).date().isoformat()
        agent = str(json.loads(row.automated)[0][1]) if row.automated else ""
        sums = days.setdefault((day, row.provider, row.model, agent), [0] * 5)
        for i, figure in enumerate((row.calls, row.input, row.output, row.cost, row.estimated)):
            sums[i] += int(figure)
    return [
        DayUsage(day, provider, model, calls, given, made, cost, estimated, agent)
        for (day, provider, model, agent), (calls, given, made, cost, estimated) in sorted(days.items())
    ]
