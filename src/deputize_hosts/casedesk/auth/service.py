"""Signing in at the desk or at the portal, loading a person with the grants of this moment, the named officer."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.casedesk.auth.grants import GRANTS
from deputize_hosts.casedesk.auth.models import OFFICERS, Firm, Role, User
from deputize_hosts.casedesk.caller import Caller, holds
from deputize_hosts.casedesk.errors import NoNamedOfficer
from deputize_hosts.kit.passwords import verify_password


@dataclass(frozen=True, slots=True)
class Member:
    """A person of a firm, as loaded now. `id` is the user's, `tenant` the firm's."""

    id: str
    tenant: str
    name: str
    role: str
    grants: frozenset[str]
    locale: str
    time_zone: str
    firm: str
    ai_enabled: bool
    seeded: bool
    epoch: int
    kind: str = "human"

    def may(self, permission: str) -> bool:
        """True if the grants cover the permission."""
        return holds(self.grants, permission)

    @property
    def is_customer(self) -> bool:
        """True for somebody of the portal."""
        return self.role == Role.CUSTOMER


def _member(user: User, firm: Firm) -> Member:
    return Member(
        id=str(user.id),
        tenant=str(firm.id),
        name=user.name,
        role=user.role,
        grants=GRANTS[Role(user.role)],
        locale=user.language or firm.locale,
        time_zone=firm.time_zone,
        firm=firm.name,
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
    """The person as they are now, or None if the firm no longer knows them."""
    firm_id, own = _uuid(tenant), _uuid(user_id)
    if firm_id is None or own is None:
        return None
    query = select(User, Firm).join(Firm, Firm.id == User.firm_id)
    found = await session.execute(query.where(User.id == own, Firm.id == firm_id, User.active.is_(True)))
    row = found.one_or_none()
    return _member(*row) if row else None


async def find_member(session: AsyncSession, email: str) -> Member | None:
    """The active person with this address."""
    query = select(User, Firm).join(Firm, Firm.id == User.firm_id)
    found = await session.execute(query.where(User.email == email.strip().lower(), User.active.is_(True)))
    row = found.one_or_none()
    return _member(*row) if row else None


async def sign_in(session: AsyncSession, email: str, password: str, *, portal: bool) -> Member | None:
    """The person whose password this is; None for any mistake, and for staff at the portal or the reverse."""
    user = await session.scalar(select(User).where(User.email == email.strip().lower(), User.active.is_(True)))
    right = await verify_password(user.password_hash if user else None, password)
    if user is None or not right or (user.role == Role.CUSTOMER) is not portal:
        return None
    firm = await session.get(Firm, user.firm_id)
    return _member(user, firm) if firm else None


async def set_language(session: AsyncSession, user_id: str, language: str) -> None:
    """Remember the language that a person chose for themselves."""
    user = await session.get(User, UUID(user_id))
    if user is not None:
        user.language = language


async def named_officer(session: AsyncSession, actor: Caller) -> User:
    """The officer as whom something is recorded. Raises NoNamedOfficer for everybody else (ADR-0116, 2)."""
    own, firm = _uuid(actor.id), _uuid(actor.tenant)
    if actor.kind != "human" or own is None or firm is None:
        raise NoNamedOfficer(actor)
    query = select(User).where(User.id == own, User.firm_id == firm, User.active.is_(True))
    user = await session.scalar(query)
    if user is None or not user.name.strip() or user.role not in OFFICERS:
        raise NoNamedOfficer(actor)
    return user
