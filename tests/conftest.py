"""Fixtures that every suite shares: databases, the frozen clock, and what the machine must have."""

import os
import shutil
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.databases import Databases, PostgresServer, Prepare, SqliteFiles, connect, migrated
from tests.needs import missing
from tests.postgresql import server

os.environ.setdefault("AI_ENTITY_MODEL", "off")
"""The entity model is loaded only by the tests that are about it; every message would pay for it otherwise."""

settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
"""How long an example takes says how busy the machine is, not whether the product is right."""

BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)]

Fresh = Callable[..., Awaitable[AsyncEngine]]
"""`await fresh(template="deputize", prepare=migrated)`: an engine on a new database of the test's kind."""


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio; `anyio_mode = "auto"` finds them without a marker."""
    return "asyncio"


@pytest.fixture(scope="session")
def sqlite_files(tmp_path_factory: pytest.TempPathFactory) -> SqliteFiles:
    """SQLite databases of this process."""
    return SqliteFiles(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresServer]:
    """One server for this process, started at the first test that wants it."""
    with server() as databases:
        yield databases


@pytest.fixture(params=BOTH)
def databases(request: pytest.FixtureRequest) -> Databases:
    """Both databases in turn; a test (or a module) asks for one with `parametrize(..., indirect=True)`."""
    name = "postgresql_server" if request.param == "postgresql" else "sqlite_files"
    made: Databases = request.getfixturevalue(name)
    return made


@pytest.fixture
async def fresh(databases: Databases) -> AsyncIterator[Fresh]:
    """Makes engines on databases of the test's own, cloned from a template; all are gone afterwards."""
    engines: list[AsyncEngine] = []

    async def make(template: str = "deputize", prepare: Prepare = migrated) -> AsyncEngine:
        engines.append(connect(await databases.fresh(template, prepare)))
        return engines[-1]

    yield make
    for engine in engines:
        await engine.dispose()
        await databases.drop(engine.url)


@pytest.fixture
async def database(fresh: Fresh) -> AsyncEngine:
    """A fresh database with our tables, on SQLite and on PostgreSQL."""
    return await fresh()


@pytest.fixture(scope="session")
def chromium() -> Path:
    """The installed browser's program."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found is not None:
            return Path(found)
    return missing("chromium")


seconds: dict[str, float] = defaultdict(float)
"""Time spent in each suite (the folder below tests/), over all processes of the run."""


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up where the time went."""
    parts = report.nodeid.split("::")[0].split("/")
    seconds[parts[1] if len(parts) > 2 else "fixtures"] += report.duration


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the seconds of each suite, before pytest's own closing line."""
    if len(seconds) > 1:
        terminalreporter.section("seconds per suite")
        for suite in sorted(seconds):
            terminalreporter.line(f"{suite:<14}{seconds[suite]:8.1f}")
