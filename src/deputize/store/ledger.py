"""The ledger's writes: reserve in every scope at once, settle, release, expire (BUD-1, BUD-2).

Every change of scopes is one statement that locks their rows in the order of their keys. Within one
transaction settle comes before reserve, and both before the chain.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import TextClause, bindparam, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.budget import ScopeHold, fits, warn_from
from deputize.core.clock import iso
from deputize.core.errors import BudgetExceeded
from deputize.core.usage import Usage
from deputize.store.tables import ledger_scopes, reservations

_r = reservations.c
_Where = tuple[str, str, str, str]
"""Scope, id, period, start: what names a scope's row beside its tenant."""
_FIGURES = ("spent_micro", "spent_tokens", "held_micro", "held_tokens")
_RESERVE = insert(reservations)
_SETTLE = (
    update(reservations)
    .where(_r.id == bindparam("of_id"), _r.tenant == bindparam("of_tenant"), _r.status == "open")
    .returning(_r.scopes, _r.micro, _r.tokens)
)
"""Statements of every turn are made once: building one costs as much as running it."""


@dataclass(frozen=True, slots=True)
class Expired:
    """A hold whose call never reported: charged in full, or released because nothing was sent.

    `months` are the first days (ISO, in the tenant's zone) of the tenant's months in which it was held.
    """

    id: str
    tenant: str
    run_id: str | None
    micro: int
    tokens: int
    charged: bool
    months: tuple[str, ...]


async def reserve(
    conn: AsyncConnection,
    tenant: str,
    holds: Sequence[ScopeHold],
    micro: int,
    tokens: int,
    *,
    run_id: str | None,
    provider: str,
    model: str,
    now: datetime,
    expires_at: datetime,
    reservation_id: str,
    sent: bool = False,
) -> None:
    """Hold the worst case in every scope, or in none: two statements.

    With `sent` the call goes out right after this transaction, and `mark_sent` is not needed.
    Raises BudgetExceeded with {scope, period, resetsAt} of the first scope that has no room; the
    transaction may go on, nothing is held then.
    """
    if min(micro, tokens) < 0:
        raise ValueError("a reservation cannot be negative")
    wheres = [(hold.scope, hold.scope_id, hold.period, hold.starts) for hold in holds]
    books = await _shift(conn, tenant, {where: (0, 0, micro, tokens) for where in wheres})
    for hold, where in zip(holds, wheres, strict=True):
        spent_micro, spent_tokens, held_micro, held_tokens = books[where]
        if fits(hold.cap_micro, spent_micro + held_micro - micro, micro) and fits(
            hold.cap_tokens, spent_tokens + held_tokens - tokens, tokens
        ):
            continue
        await _shift(conn, tenant, {where: (0, 0, -micro, -tokens) for where in wheres})
        resets = None if hold.resets_at is None else iso(hold.resets_at)
        raise BudgetExceeded(scope=hold.scope, period=hold.period, resetsAt=resets)
    await conn.execute(
        _RESERVE,
        {
            "id": reservation_id,
            "tenant": tenant,
            "run_id": run_id,
            "scopes": json.dumps(wheres, separators=(",", ":")),
            "micro": micro,
            "tokens": tokens,
            "status": "open",
            "provider": provider,
            "model": model,
            "sent": int(sent),
            "created_at": now,
            "expires_at": expires_at,
        },
    )


async def mark_sent(conn: AsyncConnection, tenant: str, reservation_id: str) -> None:
    """Record, before the first byte leaves, that the call goes out; from now on silence is charged in full."""
    await conn.execute(
        update(reservations).where(_r.id == reservation_id, _r.tenant == tenant).values(sent=_r.sent + 1)
    )


async def settle(
    conn: AsyncConnection, tenant: str, reservation_id: str, usage: Usage, cost_micro: int, now: datetime
) -> bool:
    """Replace the hold by what was used, in the periods in which it was held: two statements.

    False where it was settled before (nothing changes). A report that comes after the hold expired or was
    released corrects the books. Raises ValueError for a negative cost or an unknown reservation.
    """
    if cost_micro < 0:
        raise ValueError("a cost cannot be negative")
    final = {
        "status": "settled",
        "settled_micro": cost_micro,
        "settled_tokens": usage.total,
        "input_tokens": usage.input + usage.cache_read + usage.cache_write,
        "output_tokens": usage.output,
        "estimated": usage.estimated,
        "settled_at": now,
    }
    row = (await conn.execute(_SETTLE, {"of_id": reservation_id, "of_tenant": tenant, **final})).one_or_none()
    if row is not None:
        change = (cost_micro, usage.total, -row.micro, -row.tokens)
        await _shift(conn, tenant, dict.fromkeys(_wheres(row.scopes), change))
        return True
    mine = (_r.id == reservation_id, _r.tenant == tenant)
    late = (await conn.execute(select(reservations).where(*mine).with_for_update())).one_or_none()
    if late is None:
        raise ValueError("there is no such reservation")
    if late.status == "settled":
        return False
    await conn.execute(update(reservations).where(*mine).values(final))
    change = (cost_micro - (late.settled_micro or 0), usage.total - (late.settled_tokens or 0), 0, 0)
    await _shift(conn, tenant, dict.fromkeys(_wheres(late.scopes), change))
    return True


async def release(conn: AsyncConnection, tenant: str, reservation_id: str, now: datetime) -> bool:
    """Give the hold back; only for a call of which it is certain that nothing was sent. False if not open."""
    done = await conn.execute(
        update(reservations)
        .where(_r.id == reservation_id, _r.tenant == tenant, _r.status == "open")
        .values(status="released", settled_at=now)
        .returning(_r.scopes, _r.micro, _r.tokens)
    )
    row = done.one_or_none()
    if row is None:
        return False
    await _shift(conn, tenant, dict.fromkeys(_wheres(row.scopes), (0, 0, -row.micro, -row.tokens)))
    return True


async def expire_open(conn: AsyncConnection, now: datetime, limit: int = 100) -> list[Expired]:
    """End up to `limit` holds whose time is over, of all tenants: charge in full and flag, or release if unsent."""
    query = (
        select(_r.id, _r.tenant, _r.run_id, _r.scopes, _r.micro, _r.tokens, _r.sent)
        .where(_r.status == "open", _r.expires_at <= now)
        .order_by(_r.expires_at, _r.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    rows = (await conn.execute(query)).all()
    if not rows:
        return []
    change: dict[str, dict[_Where, tuple[int, ...]]] = {}
    for row in rows:
        spent = (row.micro, row.tokens) if row.sent else (0, 0)
        of_tenant = change.setdefault(row.tenant, {})
        for where in _wheres(row.scopes):
            before = of_tenant.get(where, (0, 0, 0, 0))
            more = (*spent, -row.micro, -row.tokens)
            of_tenant[where] = tuple(a + b for a, b in zip(before, more, strict=True))
    await _shift_all(conn, change)
    charged = [row.id for row in rows if row.sent]
    if charged:
        await conn.execute(
            update(reservations)
            .where(_r.id.in_(charged))
            .values(
                status="expired",
                settled_micro=_r.micro,
                settled_tokens=_r.tokens,
                estimated=True,
                settled_at=now,
            )
        )
    if len(charged) < len(rows):
        await conn.execute(
            update(reservations)
            .where(_r.id.in_([row.id for row in rows if not row.sent]))
            .values(status="released", settled_at=now)
        )
    return [
        Expired(row.id, row.tenant, row.run_id, row.micro, row.tokens, bool(row.sent), _months(row.scopes))
        for row in rows
    ]


async def warn_once(conn: AsyncConnection, tenant: str, hold: ScopeHold) -> bool:
    """True for exactly one caller in a period: the first to find four fifths of a cap settled (BUD-5)."""
    money, tokens = warn_from(hold.cap_micro), warn_from(hold.cap_tokens)
    reached = [
        column >= line
        for column, line in ((ledger_scopes.c.spent_micro, money), (ledger_scopes.c.spent_tokens, tokens))
        if line is not None
    ]
    if not reached:
        return False
    where = (hold.scope, hold.scope_id, hold.period, hold.starts)
    over = reached[0] if len(reached) == 1 else reached[0] | reached[1]
    done = await conn.execute(
        update(ledger_scopes)
        .where(ledger_scopes.c.key == scope_key(tenant, where), ledger_scopes.c.warned.is_(False), over)
        .values(warned=True)
    )
    return done.rowcount == 1


def scope_key(tenant: str, where: _Where) -> str:
    """The key of a scope's row; its order is the order of locking. Global rows belong to no tenant."""
    scope, scope_id, period, starts = where
    owner = "" if scope == "global" else tenant
    return f"{scope}:{period}:{starts}:{len(owner)}:{owner}:{scope_id}"


def _months(scopes: str) -> tuple[str, ...]:
    return tuple(starts for scope, _, period, starts in _wheres(scopes) if (scope, period) == ("tenant", "month"))


def _wheres(scopes: str) -> list[_Where]:
    return [(scope, scope_id, period, starts) for scope, scope_id, period, starts in json.loads(scopes)]


async def _shift(
    conn: AsyncConnection, tenant: str, change: Mapping[_Where, tuple[int, ...]]
) -> dict[_Where, tuple[int, int, int, int]]:
    return (await _shift_all(conn, {tenant: change})).get(tenant, {})


async def _shift_all(
    conn: AsyncConnection, change: Mapping[str, Mapping[_Where, tuple[int, ...]]]
) -> dict[str, dict[_Where, tuple[int, int, int, int]]]:
    """Add to the books (spent and held, money and tokens) of many scopes at once; the books as they then are.

    One statement that inserts or updates its rows in the order of their keys, and so locks them in that
    order whoever else is at work.
    """
    total: dict[str, tuple[_Where, tuple[int, ...]]] = {}
    for tenant, parts in change.items():
        for where, figures in parts.items():
            key = scope_key(tenant, where)
            if key in total:
                figures = tuple(a + b for a, b in zip(total[key][1], figures, strict=True))
            total[key] = (where, figures)
    owner = {scope_key(tenant, where): tenant for tenant, parts in change.items() for where in parts}
    rows = sorted(total.items())
    values: dict[str, Any] = {}
    for i, (key, (where, figures)) in enumerate(rows):
        values[f"key{i}"] = key
        values[f"tenant{i}"] = "" if where[0] == "global" else owner[key]
        values.update(zip((f"scope{i}", f"scope_id{i}", f"period{i}", f"starts{i}"), where, strict=True))
        values.update(zip((f"{name}{i}" for name in _FIGURES), figures, strict=True))
    books: dict[str, dict[_Where, tuple[int, int, int, int]]] = {tenant: {} for tenant in change}
    for row in await conn.execute(_statement(len(rows)), values):
        where = total[row[0]][0]
        books[owner[row[0]]][where] = (row[1], row[2], row[3], row[4])
    return books


@lru_cache(maxsize=64)
def _statement(rows: int) -> TextClause:
    names = ("key", "tenant", "scope", "scope_id", "period", "starts")
    added = ", ".join(f"{name} = s.{name} + excluded.{name}" for name in _FIGURES)
    values = ", ".join(_placeholders(names, i) for i in range(rows))
    return text(
        f"INSERT INTO {ledger_scopes.name} AS s ({', '.join((*names, *_FIGURES))}) "  # noqa: S608 names are ours
        f"VALUES {values} ON CONFLICT (key) DO UPDATE SET {added} "
        f"RETURNING key, {', '.join(_FIGURES)}"
    )


def _placeholders(names: Iterable[str], i: int) -> str:
    figures = (f"CAST(:{name}{i} AS BIGINT)" for name in _FIGURES)
    return f"({', '.join((*(f':{name}{i}' for name in names), *figures))})"
