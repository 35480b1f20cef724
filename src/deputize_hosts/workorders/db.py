"""The work-order desk's engine: SQLite with explicit transactions, or PostgreSQL."""

from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from deputize import sqlite
from deputize_hosts.workorders.settings import ensure_folder


def make_engine(database_url: str) -> AsyncEngine:
    """An engine for the desk and for everything that is mounted on it."""
    ensure_folder(database_url)
    return sqlite(create_async_engine(database_url, pool_pre_ping=not database_url.startswith("sqlite")))
