"""Fresh databases for tests: file copies on SQLite, template clones on a PostgreSQL server of our own."""

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from sqlalchemy import URL, NullPool
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from deputize.store.dialect import sqlite
from deputize.store.migrate import upgrade

Prepare = Callable[[AsyncEngine], Awaitable[None]]
"""Fills an empty database once; the result is the template that each test's database is cloned from."""


async def migrated(engine: AsyncEngine) -> None:
    """Our own tables and nothing else, made by the migrations that adopters run (OPS-1)."""
    await upgrade(engine)


class Databases(Protocol):
    """Makes databases that are alike; `name` is `sqlite` or `postgresql`."""

    name: str

    async def fresh(self, template: str = "deputize", prepare: Prepare = migrated) -> URL:
        """The address of a new database; `prepare` fills the template at its first use."""
        ...

    async def drop(self, url: URL) -> None:
        """Remove it, whoever is still connected."""
        ...


def connect(url: URL) -> AsyncEngine:
    """An engine as a host would make it, with our settings on SQLite."""
    return sqlite(create_async_engine(url))


class SqliteFiles:
    """Databases are files below `folder`, copied from a template file."""

    name = "sqlite"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def fresh(self, template: str = "deputize", prepare: Prepare = migrated) -> URL:
        """Copy the template; its last connection has folded the write-ahead log into the file."""
        source = self.folder / f"template-{template}.db"
        if not source.exists():
            building = source.with_suffix(".new")
            engine = connect(self._url(building))
            await prepare(engine)
            await engine.dispose()
            building.rename(source)
        copy = self.folder / f"{uuid4().hex}.db"
        shutil.copyfile(source, copy)
        return self._url(copy)

    async def drop(self, url: URL) -> None:
        """Remove the file and its log."""
        for path in self.folder.glob(f"{Path(str(url.database)).name}*"):
            path.unlink()

    def _url(self, path: Path) -> URL:
        return URL.create("sqlite+aiosqlite", database=str(path))


class PostgresServer:
    """Databases on the server at `url`, cloned from a template database of this process."""

    name = "postgresql"

    def __init__(self, url: URL) -> None:
        self.url = url.set(drivername="postgresql+asyncpg")
        self.prefix = f"deputize_test_{uuid4().hex[:12]}"
        self.templates: set[str] = set()

    async def fresh(self, template: str = "deputize", prepare: Prepare = migrated) -> URL:
        """Clone the template; nobody may be connected to it, so its engine has been disposed of."""
        source = f"{self.prefix}_{template}"
        if template not in self.templates:
            await self._admin(f'CREATE DATABASE "{source}"')
            engine = connect(self.url.set(database=source))
            await prepare(engine)
            await engine.dispose()
            self.templates.add(template)
        copy = f"{self.prefix}_{uuid4().hex[:12]}"
        await self._admin(f'CREATE DATABASE "{copy}" TEMPLATE "{source}"')
        return self.url.set(database=copy)

    async def drop(self, url: URL) -> None:
        """Remove the database and end its connections."""
        await self._admin(f'DROP DATABASE IF EXISTS "{url.database}" WITH (FORCE)')

    async def close(self) -> None:
        """Remove the templates, for a server that outlives us."""
        for template in sorted(self.templates):
            await self._admin(f'DROP DATABASE IF EXISTS "{self.prefix}_{template}" WITH (FORCE)')

    async def _admin(self, statement: str) -> None:
        engine = create_async_engine(self.url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
        async with engine.connect() as conn:
            await conn.exec_driver_sql(statement)
