"""Our schema inside the host's database: upgrade, downgrade, and what the host's own Alembic must not touch (OPS-1)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from deputize.core.pack import Pack
from deputize.store import audit_read
from deputize.store.dialect import sqlite
from deputize.store.migrations.names import VERSION_TABLE
from deputize.store.tables import PREFIX

FOLDER = Path(__file__).with_name("migrations")


class AuditWouldBeLost(RuntimeError):
    """The chain may only be dropped with a verified export that reaches its end; `tenants` lack one."""

    def __init__(self, tenants: list[str]) -> None:
        super().__init__(f"no verified export reaches the end of the chain of {len(tenants)} tenant(s)")
        self.tenants = tenants


async def upgrade(engine: AsyncEngine, to: str = "head") -> None:
    """Bring our tables to the revision; doing it twice changes nothing."""
    await _run(engine, lambda config: command.upgrade(config, to))


async def downgrade(
    engine: AsyncEngine, to: str = "base", *, drop_audit: bool = False, exports: Mapping[str, Pack] | None = None
) -> None:
    """Take our tables back to the revision; the host's are never touched, the chain stays.

    With `drop_audit` the chain goes too: `exports` must then hold for each tenant a pack that has been
    verified (`core.pack.verify_pack`) and ends where the chain ends. Raises AuditWouldBeLost otherwise.
    """
    if drop_audit:
        await _demand(engine, exports or {})
    await _run(engine, lambda config: command.downgrade(config, to), drop_audit=drop_audit)


async def revision(engine: AsyncEngine) -> str | None:
    """The revision of our tables; None where there are none."""
    async with sqlite(engine).connect() as conn:
        return await revision_on(conn)


async def revision_on(conn: AsyncConnection) -> str | None:
    """The same on a connection that the caller holds."""
    return await conn.run_sync(_revision)


def head() -> str | None:
    """The revision that this version of the package needs."""
    return ScriptDirectory(str(FOLDER)).get_current_head()


def alembic_ignore(name: str | None, type_: str, parent_names: Mapping[str, Any]) -> bool:
    """For the host's `include_name`: False for everything of ours, so that its autogenerate leaves it alone."""
    table = name if type_ == "table" else parent_names.get("table_name")
    return not str(table or "").startswith(PREFIX)


def _revision(conn: Connection) -> str | None:
    return MigrationContext.configure(conn, opts={"version_table": VERSION_TABLE}).get_current_revision()


async def _demand(engine: AsyncEngine, exports: Mapping[str, Pack]) -> None:
    async with sqlite(engine).connect() as conn:
        lost = []
        for tenant in await audit_read.tenants(conn):
            pack = exports.get(tenant)
            if pack is None or not pack.complete or pack.head != await audit_read.head(conn, tenant):
                lost.append(tenant)
    if lost:
        raise AuditWouldBeLost(lost)


async def _run(engine: AsyncEngine, deed: Any, *, drop_audit: bool = False) -> None:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["drop_audit"] = drop_audit

    def run(conn: Connection) -> None:
        config.attributes["connection"] = conn
        deed(config)

    async with sqlite(engine).begin() as conn:
        await conn.run_sync(run)
