"""Brings a database to the newest schema; safe to repeat."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncEngine

VERSION_TABLE = "casedesk_alembic_version"


def configured(connection: Connection) -> Config:
    """Alembic's configuration over an open connection."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


async def upgrade(engine: AsyncEngine) -> None:
    """Run what is missing, in one transaction."""
    async with engine.begin() as connection:
        await connection.run_sync(lambda sync: command.upgrade(configured(sync), "head"))
