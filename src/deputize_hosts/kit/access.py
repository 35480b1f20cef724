"""Who is on the page, and its database sessions: one that only reads, one that writes and commits once."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Annotated, Protocol, TypeVar

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.kit.loopback import refuse_off_loopback
from deputize_hosts.kit.pages import checked_form, ticket_of

READS = {"deputize_begin": "DEFERRED"}
"""On SQLite a transaction that only reads must not take the write lock."""


class NotSignedIn(Exception):
    """The page wants somebody; the host sends them to the sign-in."""


def engine_of(request: Request) -> AsyncEngine:
    """The host's engine."""
    engine: AsyncEngine = request.app.state.engine
    return engine


def now_of(request: Request) -> datetime:
    """The present moment, UTC, by the host's clock."""
    clock: Callable[[], datetime] = request.app.state.clock
    return clock()


@asynccontextmanager
async def reading(request: Request) -> AsyncIterator[AsyncSession]:
    """A session for a page that changes nothing."""
    async with AsyncSession(engine_of(request).execution_options(**READS), expire_on_commit=False) as session:
        yield session


@asynccontextmanager
async def writing(request: Request) -> AsyncIterator[AsyncSession]:
    """A session whose transaction commits at the end, and is rolled back by any error."""
    async with AsyncSession(engine_of(request), expire_on_commit=False) as session, session.begin():
        yield session


class Person(Protocol):
    """The part of a host's member that signing in looks at."""

    @property
    def epoch(self) -> int:
        """Grows with each sign-out everywhere: tickets of before are void."""
        ...

    @property
    def seeded(self) -> bool:
        """A demonstration's sign-in, good on this machine only."""
        ...


P = TypeVar("P", bound=Person)
Load = Callable[[AsyncSession, str, str], Awaitable[P | None]]
"""The host's `load_member`: by tenant and user, as they are now."""


async def present(request: Request, load: Load[P]) -> P | None:
    """Whoever is signed in, as they are now. Raises OffLoopback for a seeded one from elsewhere."""
    ticket = ticket_of(request)
    if ticket is None:
        return None
    async with reading(request) as session:
        person = await load(session, ticket.tenant, ticket.user)
    if person is None or person.epoch != ticket.epoch:
        return None
    refuse_off_loopback(request, seeded=person.seeded)
    return person


async def required(request: Request, load: Load[P]) -> P:
    """Whoever is signed in. Raises NotSignedIn, OffLoopback."""
    person = await present(request, load)
    if person is None:
        raise NotSignedIn
    return person


Form = Annotated[dict[str, str], Depends(checked_form)]
Now = Annotated[datetime, Depends(now_of)]
