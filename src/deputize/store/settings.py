"""Queries of tenant settings and kill switches."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.store.dialect import upsert_ignore
from deputize.store.session import Tx, plain
from deputize.store.tables import switches, tenant_settings


@dataclass(frozen=True, slots=True)
class TenantSettings:
    """What a tenant has chosen; None means the deployment's default, or no limit."""

    tenant: str
    provider: str | None = None
    model: str | None = None
    redaction: bool = True
    monthly_token_limit: int | None = None
    monthly_cost_limit_cents: int | None = None


FIELDS = ("provider", "model", "redaction", "monthly_token_limit", "monthly_cost_limit_cents")


async def of_tenant(conn: AsyncConnection, tenant: str) -> TenantSettings:
    """The tenant's settings; defaults where nothing was ever saved."""
    row = (await conn.execute(select(tenant_settings).where(tenant_settings.c.tenant == tenant))).first()
    if row is None:
        return TenantSettings(tenant)
    values = plain(row)
    return TenantSettings(tenant, **{name: values[name] for name in FIELDS})


async def save(tx: Tx, tenant: str, changes: Mapping[str, Any], by: str, now: datetime) -> TenantSettings:
    """Set the given fields (None clears a limit) and return the whole."""
    t = tenant_settings.c
    start: dict[str, Any] = {"tenant": tenant, "redaction": True, "version": 0, "updated_at": now}
    await tx.conn.execute(upsert_ignore(tenant_settings, start, tx.dialect))
    values = {name: changes[name] for name in FIELDS if name in changes}
    await tx.conn.execute(
        update(tenant_settings)
        .where(t.tenant == tenant)
        .values(**values, version=t.version + 1, updated_by=by, updated_at=now)
    )
    return await of_tenant(tx.conn, tenant)


async def switched_on(conn: AsyncConnection, name: str = "*") -> bool:
    """Whether neither the global switch nor the named one is off; a switch that was never set is on."""
    rows = await conn.execute(select(switches.c.enabled).where(switches.c.name.in_({"*", name})))
    return all(bool(enabled) for (enabled,) in rows)


async def flip(tx: Tx, name: str, enabled: bool, by: str, now: datetime) -> None:
    """Set a switch; its generation grows so that a fence can notice."""
    s = switches.c
    changed = await tx.conn.execute(
        update(switches)
        .where(s.name == name)
        .values(enabled=enabled, generation=s.generation + 1, updated_by=by, updated_at=now)
    )
    if changed.rowcount == 0:
        await tx.conn.execute(insert(switches).values(name=name, enabled=enabled, updated_by=by, updated_at=now))
