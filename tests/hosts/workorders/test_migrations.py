"""The desk's migrations make exactly the tables that its rows declare, and take them away again."""

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, inspect
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize_hosts.workorders.migrations.upgrade import VERSION_TABLE, configured, upgrade
from deputize_hosts.workorders.tables import metadata
from tests.conftest import Fresh


async def empty(engine: AsyncEngine) -> None:
    """Nothing but the database itself."""
    async with engine.begin() as connection:
        await connection.exec_driver_sql("CREATE TABLE vacant (x int)")
        await connection.exec_driver_sql("DROP TABLE vacant")


def differences(connection: Connection) -> list[object]:
    """What autogenerate would still change."""
    options = {"compare_type": True, "version_table": VERSION_TABLE}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


async def test_migrated_tables_are_the_declared_ones_and_repeating_is_safe(fresh: Fresh) -> None:
    engine = await fresh("empty", empty)
    await upgrade(engine)
    await upgrade(engine)
    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []


async def test_downgrading_leaves_nothing_behind(fresh: Fresh) -> None:
    engine = await fresh("empty", empty)
    await upgrade(engine)
    async with engine.begin() as connection:
        await connection.run_sync(lambda sync: command.downgrade(configured(sync), "base"))
    async with engine.connect() as connection:
        assert await connection.run_sync(lambda sync: inspect(sync).get_table_names()) == [VERSION_TABLE]
