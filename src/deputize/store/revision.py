"""Which revision our tables have and should have: asked by every process, without Alembic."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, column, inspect, select, table
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from deputize.store.dialect import sqlite
from deputize.store.migrations.names import HEAD, VERSION_TABLE
from deputize.store.tables import PREFIX

__all__ = ["HEAD", "alembic_ignore", "revision", "revision_on"]


async def revision(engine: AsyncEngine) -> str | None:
    """The revision of our tables; None where there are none."""
    async with sqlite(engine).connect() as conn:
        return await revision_on(conn)


async def revision_on(conn: AsyncConnection) -> str | None:
    """The same on a connection that the caller holds."""
    return await conn.run_sync(_revision)


def _revision(conn: Connection) -> str | None:
    if not inspect(conn).has_table(VERSION_TABLE):
        return None
    found = conn.execute(select(column("version_num")).select_from(table(VERSION_TABLE))).scalar()
    return None if found is None else str(found)


def alembic_ignore(name: str | None, type_: str, parent_names: Mapping[str, Any]) -> bool:
    """For the host's `include_name`: False for everything of ours, so that its autogenerate leaves it alone."""
    of = name if type_ == "table" else parent_names.get("table_name")
    return not str(of or "").startswith(PREFIX)
