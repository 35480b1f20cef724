"""Who is on the page, and its database sessions: one that only reads, one that writes and commits once."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.casedesk.auth.service import Member, load_member
from deputize_hosts.casedesk.errors import NotFound
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


async def member_or_none(request: Request) -> Member | None:
    """The signed-in person as they are now. Raises OffLoopback for a seeded one from elsewhere."""
    ticket = ticket_of(request)
    if ticket is None:
        return None
    async with reading(request) as session:
        member = await load_member(session, ticket.tenant, ticket.user)
    if member is None or member.epoch != ticket.epoch:
        return None
    refuse_off_loopback(request, seeded=member.seeded)
    return member


async def current_member(request: Request) -> Member:
    """The signed-in person, staff or customer. Raises NotSignedIn, OffLoopback."""
    member = await member_or_none(request)
    if member is None:
        raise NotSignedIn
    return member


async def current_officer(request: Request) -> Member:
    """Somebody of the desk; for customers the desk's pages are not there. Raises NotSignedIn, NotFound."""
    member = await current_member(request)
    if member.is_customer:
        raise NotFound(member)
    return member


async def current_customer(request: Request) -> Member:
    """Somebody of the portal. Raises NotSignedIn, NotFound."""
    member = await current_member(request)
    if not member.is_customer:
        raise NotFound(member)
    return member


Signed = Annotated[Member, Depends(current_officer)]
Customer = Annotated[Member, Depends(current_customer)]
Form = Annotated[dict[str, str], Depends(checked_form)]
Now = Annotated[datetime, Depends(now_of)]
