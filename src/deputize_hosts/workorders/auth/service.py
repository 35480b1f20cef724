"""Signing in with lockout, and loading a member with the grants of this moment."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from sqlalchemy import or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.kit.passwords import verify_password
from deputize_hosts.workorders.auth.grants import GRANTS
from deputize_hosts.workorders.auth.models import Credential
from deputize_hosts.workorders.caller import holds
from deputize_hosts.workorders.users.models import Organisation, Role, User

MAX_FAILURES = 5
LOCKOUT = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Member:
    """A user in their organisation, as loaded now. `id` is the user's, `tenant` the organisation's."""

    id: str
    tenant: str
    name: str
    email: str
    role: str
    grants: frozenset[str]
    locale: str
    time_zone: str
    organisation: str
    ai_enabled: bool
    seeded: bool
    epoch: int
    kind: Literal["human"] = "human"
    capability: None = None

    def may(self, permission: str) -> bool:
        """True if the grants cover the permission."""
        return holds(self.grants, permission)


@dataclass(frozen=True, slots=True)
class Challenge:
    """What a sign-in is checked against. It stays between the two halves of signing in and is shown to nobody."""

    user_id: UUID | None
    password_hash: str | None
    locked: bool

    def __repr__(self) -> str:
        return "Challenge(…)"


def _member(user: User, organisation: Organisation) -> Member:
    return Member(
        id=str(user.id),
        tenant=str(organisation.id),
        name=user.name,
        email=user.email,
        role=user.role,
        grants=GRANTS[Role(user.role)],
        locale=user.language or organisation.locale,
        time_zone=organisation.time_zone,
        organisation=organisation.name,
        ai_enabled=user.ai_enabled,
        seeded=user.seeded,
        epoch=user.epoch,
    )


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


async def load_member(session: AsyncSession, tenant: str, user_id: str) -> Member | None:
    """The member as they are now, or None if the organisation no longer knows them."""
    organisation_id, own = _uuid(tenant), _uuid(user_id)
    if organisation_id is None or own is None:
        return None
    found = await session.execute(
        select(User, Organisation)
        .join(Organisation, Organisation.id == User.organisation_id)
        .where(User.id == own, Organisation.id == organisation_id, User.active.is_(True))
    )
    row = found.one_or_none()
    return _member(*row) if row else None


async def find_member(session: AsyncSession, email: str) -> Member | None:
    """The member with that e-mail, for an operator's terminal; None if there is none."""
    found = await session.execute(
        select(User, Organisation)
        .join(Organisation, Organisation.id == User.organisation_id)
        .where(User.email == email.strip().lower(), User.active.is_(True))
    )
    row = found.one_or_none()
    return _member(*row) if row else None


async def challenge(session: AsyncSession, email: str, now: datetime) -> Challenge:
    """First half of signing in: what to check against. An unknown address gives one that nothing matches."""
    found = await session.execute(
        select(User.id, Credential.password_hash, Credential.locked_until)
        .join(Credential, Credential.user_id == User.id)
        .where(User.email == email.strip().lower(), User.active.is_(True))
    )
    row = found.one_or_none()
    if row is None:
        return Challenge(None, None, False)
    return Challenge(row.id, row.password_hash, row.locked_until is not None and now < row.locked_until)


async def check(asked: Challenge, password: str) -> bool:
    """Whether the password is right and the account not locked; takes as long for either, needs no transaction."""
    right = await verify_password(asked.password_hash, password)
    return right and not asked.locked


async def settle(session: AsyncSession, asked: Challenge, right: bool, now: datetime) -> Member | None:
    """Second half, in a transaction that writes: count or forget failures, lock, and load the member.

    The count is raised by the database, so that failures that arrive together are all counted. A locked
    account takes no further count: its lock ends when it ends. A right password that comes after the lock is
    refused, also where it was checked before.
    """
    if asked.user_id is None:
        return None
    own = Credential.user_id == asked.user_id
    if not right:
        if not asked.locked:
            await session.execute(update(Credential).where(own).values(failed_logins=Credential.failed_logins + 1))
            await session.execute(
                update(Credential)
                .where(own, Credential.failed_logins >= MAX_FAILURES)
                .values(locked_until=now + LOCKOUT, failed_logins=0)
            )
        return None
    unlocked = or_(Credential.locked_until.is_(None), Credential.locked_until <= now)
    opened = await session.execute(
        update(Credential).where(own, unlocked).values(failed_logins=0, locked_until=None).returning(Credential.user_id)
    )
    if opened.one_or_none() is None:
        return None
    found = await session.execute(
        select(User, Organisation)
        .join(Organisation, Organisation.id == User.organisation_id)
        .where(User.id == asked.user_id, User.active.is_(True))
    )
    row = found.one_or_none()
    return _member(*row) if row else None


async def set_language(session: AsyncSession, user_id: str, language: str) -> None:
    """Remember the language that a person chose for themselves."""
    user = await session.get(User, UUID(user_id))
    if user is not None:
        user.language = language
