"""The case desk's engine: SQLite with explicit transactions, or PostgreSQL."""

from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from deputize import sqlite
from deputize_hosts.casedesk.settings import ensure_folder


def make_engine(database_url: str) -> AsyncEngine:
    """an engine for the case desk and for everything that is mounted on it."""
    ensure_folder(database_url)
    return sqlite(create_async_engine(database_url, pool_pre_ping=not database_url.startswith("sqlite")))
