"""Our schema inside the host's database: upgrade and downgrade (OPS-1). Alembic is imported when one of them is run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.pack import Pack
from deputize.store import audit_read
from deputize.store.dialect import sqlite

FOLDER = Path(__file__).with_name("migrations")


class AuditWouldBeLost(RuntimeError):
    """The chain may only be dropped with a verified export that reaches its end; `tenants` lack one."""

    def __init__(self, tenants: list[str]) -> None:
        super().__init__(f"no verified export reaches the end of the chain of {len(tenants)} tenant(s)")
        self.tenants = tenants


async def upgrade(engine: AsyncEngine, to: str = "head") -> None:
    """Bring our tables to the revision; doing it twice changes nothing."""
    await _run(engine, "upgrade", to)


async def downgrade(
    engine: AsyncEngine, to: str = "base", *, drop_audit: bool = False, exports: Mapping[str, Pack] | None = None
) -> None:
    """Take our tables back to the revision; the host's are never touched, the chain stays.

    With `drop_audit` the chain goes too: `exports` must then hold for each tenant a pack that has been
    verified (`core.pack.verify_pack`) and ends where the chain ends. Raises AuditWouldBeLost otherwise.
    """
    if drop_audit:
        await _demand(engine, exports or {})
    await _run(engine, "downgrade", to, drop_audit=drop_audit)


async def _demand(engine: AsyncEngine, exports: Mapping[str, Pack]) -> None:
    async with sqlite(engine).connect() as conn:
        lost = []
        for tenant in await audit_read.tenants(conn):
            pack = exports.get(tenant)
            if pack is None or not pack.complete or pack.head != await audit_read.head(conn, tenant):
                lost.append(tenant)
    if lost:
        raise AuditWouldBeLost(lost)


async def _run(engine: AsyncEngine, way: Literal["upgrade", "downgrade"], to: str, *, drop_audit: bool = False) -> None:
    from alembic import command  # noqa: PLC0415 - 10 MB and 100 ms that only these two commands need
    from alembic.config import Config  # noqa: PLC0415 - as above

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["drop_audit"] = drop_audit

    def run(conn: Connection) -> None:
        config.attributes["connection"] = conn
        getattr(command, way)(config, to)

    async with sqlite(engine).begin() as conn:
        await conn.run_sync(run)
