"""Queries of tenant settings and kill switches."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, literal, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.store.dialect import upsert_ignore
from deputize.store.session import Tx, plain
from deputize.store.tables import runs, switches, tenant_settings

_SWITCHES = 0x64657075_73776974
"""Key of the advisory lock on the switches: readers that are about to commit share it, a flip has it alone."""


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


@dataclass(frozen=True, slots=True)
class Standing:
    """What every step asks before it goes on: is anything switched off, what the tenant chose, is the run cancelled."""

    on: bool
    chosen: TenantSettings
    cancelled: bool


def _off(named: ColumnElement[bool]) -> Select[Any]:
    """The switches of the deployment and the tenant that are off."""
    s = switches.c
    return select(s.name).where(s.tenant.in_(["*", bindparam("of_tenant")]), named, s.enabled.is_(False))


def _standing() -> Select[Any]:
    t = tenant_settings
    off = _off(switches.c.name == "*").exists()
    cancelled = select(runs.c.id).where(runs.c.id == bindparam("of_run"), runs.c.cancel_requested).exists()
    one = select(literal(1).label("one")).subquery()
    chosen = (t.c[name] for name in ("tenant", *FIELDS))
    return select(off.label("off"), cancelled.label("cancelled"), *chosen).select_from(
        one.outerjoin(t, t.c.tenant == bindparam("of_tenant"))
    )


_STANDING = _standing()


async def standing(conn: AsyncConnection, tenant: str, run_id: str = "") -> Standing:
    """All three in one statement."""
    row = (await conn.execute(_STANDING, {"of_tenant": tenant, "of_run": run_id})).one()
    chosen = TenantSettings(tenant)
    if row.tenant is not None:
        chosen = TenantSettings(tenant, **{name: getattr(row, name) for name in FIELDS})
    return Standing(not row.off, chosen, bool(row.cancelled))


_OFF = _off(switches.c.name.in_(["*", bindparam("of_name")])).limit(1)


async def switched_on(conn: AsyncConnection, tenant: str, name: str = "*") -> bool:
    """Whether no switch of the deployment or the tenant, for everything or for `name`, is off; unset is on."""
    return (await conn.execute(_OFF, {"of_tenant": tenant, "of_name": name})).first() is None


async def hold(conn: AsyncConnection) -> None:
    """Until this transaction ends nobody flips a switch: what is read on or off now is so at the commit (AUTO-7).

    Taken before any row is locked. SQLite needs nothing: its write transaction is alone.
    """
    if conn.dialect.name == "postgresql":
        await conn.execute(text("SELECT pg_advisory_xact_lock_shared(:key)"), {"key": _SWITCHES})


async def flip(tx: Tx, tenant: str, name: str, enabled: bool, by: str, now: datetime) -> None:
    """Set a switch of the tenant (`*`: of the deployment), once everybody who read the former state has committed."""
    await exclude(tx)
    s = switches.c
    start = {"tenant": tenant, "name": name, "enabled": enabled, "generation": 0, "updated_by": by, "updated_at": now}
    await tx.conn.execute(upsert_ignore(switches, start, tx.dialect))
    await tx.conn.execute(
        update(switches)
        .where(s.tenant == tenant, s.name == name)
        .values(enabled=enabled, generation=s.generation + 1, updated_by=by, updated_at=now)
    )


async def exclude(tx: Tx) -> None:
    """Wait for everybody who holds the switches as they are, and let nobody read them until this transaction ends."""
    if tx.dialect == "postgresql":
        await tx.conn.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _SWITCHES})


async def switch_rows(conn: AsyncConnection, tenant: str) -> dict[str, bool]:
    """The tenant's view of all switches that were ever set: name → on; off for the deployment is off."""
    rows = await conn.execute(select(switches.c.name, switches.c.enabled).where(switches.c.tenant.in_({"*", tenant})))
    found: dict[str, bool] = {}
    for name, enabled in rows:
        found[str(name)] = found.get(str(name), True) and bool(enabled)
    return found
