"""Signing in, and loading a member with the grants of this moment."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.auth.grants import GRANTS
from deputize_hosts.clinic.auth.models import Clinic, Membership, Role, User
from deputize_hosts.clinic.caller import holds
from deputize_hosts.kit.passwords import verify_password


@dataclass(frozen=True, slots=True)
class Member:
    """A user in a clinic, as loaded now. `id` is the user's, `tenant` the clinic's, `membership` their row there."""

    id: str
    tenant: str
    membership: str
    name: str
    role: str
    grants: frozenset[str]
    locale: str
    time_zone: str
    clinic: str
    is_professional: bool
    ai_enabled: bool
    seeded: bool
    epoch: int

    def may(self, permission: str) -> bool:
        """True if the grants cover the permission."""
        return holds(self.grants, permission)


def _member(user: User, membership: Membership, clinic: Clinic) -> Member:
    return Member(
        id=str(user.id),
        tenant=str(clinic.id),
        membership=str(membership.id),
        name=membership.name,
        role=membership.role,
        grants=GRANTS[Role(membership.role)],
        locale=user.language or clinic.locale,
        time_zone=clinic.time_zone,
        clinic=clinic.name,
        is_professional=membership.is_professional,
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
    """The member as they are now, or None if the clinic no longer knows them."""
    clinic_id, own = _uuid(tenant), _uuid(user_id)
    if clinic_id is None or own is None:
        return None
    found = await session.execute(
        select(User, Membership, Clinic)
        .join(Membership, Membership.user_id == User.id)
        .join(Clinic, Clinic.id == Membership.clinic_id)
        .where(User.id == own, Clinic.id == clinic_id, User.active.is_(True), Membership.active.is_(True))
    )
    row = found.one_or_none()
    return _member(*row) if row else None


async def sign_in(session: AsyncSession, email: str, password: str) -> Member | None:
    """The member whose password this is, in their first clinic by name; None for any kind of mistake."""
    user = await _user(session, email)
    right = await verify_password(user.password_hash if user else None, password)
    return await _first_membership(session, user) if user is not None and right else None


async def find_member(session: AsyncSession, email: str) -> Member | None:
    """The member with that e-mail, in their first clinic by name, for an operator's terminal; None if there is none."""
    user = await _user(session, email)
    return await _first_membership(session, user) if user is not None else None


async def _user(session: AsyncSession, email: str) -> User | None:
    found: User | None = await session.scalar(
        select(User).where(User.email == email.strip().lower(), User.active.is_(True))
    )
    return found


async def _first_membership(session: AsyncSession, user: User) -> Member | None:
    found = await session.execute(
        select(Membership, Clinic)
        .join(Clinic, Clinic.id == Membership.clinic_id)
        .where(Membership.user_id == user.id, Membership.active.is_(True))
        .order_by(Clinic.name)
        .limit(1)
    )
    row = found.one_or_none()
    return _member(user, *row) if row else None


async def set_language(session: AsyncSession, user_id: str, language: str) -> None:
    """Remember the language that a person chose for themselves."""
    user = await session.get(User, UUID(user_id))
    if user is not None:
        user.language = language


async def professionals_of(session: AsyncSession, clinic_id: UUID) -> tuple[Membership, ...]:
    """The active members who treat patients, by name."""
    rows = await session.scalars(
        select(Membership)
        .where(Membership.clinic_id == clinic_id, Membership.is_professional.is_(True), Membership.active.is_(True))
        .order_by(Membership.name, Membership.id)
    )
    return tuple(rows)
