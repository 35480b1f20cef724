"""Who works here: one's own profile, the admin's list, and the switch that keeps the assistant from a person's work."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.workorders.caller import Caller, require
from deputize_hosts.workorders.errors import NotFound
from deputize_hosts.workorders.users.models import User

READ = "orders.read"
ADMIN = "users.admin"


@dataclass(frozen=True, slots=True)
class Person:
    """What may be told of a user. Password, failed sign-ins and lockout are no part of it."""

    id: UUID
    name: str
    email: str
    role: str
    ai_enabled: bool
    active: bool


@dataclass(frozen=True, slots=True)
class Found:
    """One page of people and how many there are in all."""

    items: tuple[Person, ...]
    total: int


def _person(user: User) -> Person:
    return Person(user.id, user.name, user.email, user.role, user.ai_enabled, user.active)


async def _one(session: AsyncSession, actor: Caller, organisation: UUID, user_id: UUID, *, lock: bool = False) -> User:
    query = select(User).where(User.organisation_id == organisation, User.id == user_id)
    if lock:
        query = query.with_for_update().execution_options(populate_existing=True)
    user = await session.scalar(query)
    if user is None:
        raise NotFound(actor)
    return user


async def profile(session: AsyncSession, actor: Caller) -> Person:
    """The person themselves."""
    organisation = require(actor, READ)
    return _person(await _one(session, actor, organisation, UUID(actor.id)))


async def list_users(session: AsyncSession, actor: Caller, query: str = "", *, page: int = 1, size: int = 50) -> Found:
    """Everybody in the organisation, by name; `query` narrows by name or e-mail. For admins."""
    wanted = [User.organisation_id == require(actor, ADMIN)]
    if query.strip():
        like = "%" + query.strip().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        wanted.append(or_(User.name.ilike(like, escape="\\"), User.email.ilike(like, escape="\\")))
    total = await session.scalar(select(func.count()).select_from(User).where(*wanted)) or 0
    rows = await session.scalars(
        select(User).where(*wanted).order_by(User.name, User.id).offset((page - 1) * size).limit(size)
    )
    return Found(tuple(_person(row) for row in rows), total)


async def set_ai_enabled(session: AsyncSession, actor: Caller, user_id: UUID, enabled: bool) -> Person:
    """Let the assistant and the agents work for this person, or keep them away (SEC-8). For admins."""
    user = await _one(session, actor, require(actor, ADMIN), user_id, lock=True)
    user.ai_enabled = enabled
    await session.flush()
    return _person(user)
