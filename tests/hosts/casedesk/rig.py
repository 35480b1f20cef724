"""The case desk with a deputy whose model is a script: people by e-mail, the gate, rows and provenance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize import Actor, Settings
from deputize.testing.scripted import ScriptedProvider
from deputize_hosts.casedesk.auth.service import find_member
from deputize_hosts.casedesk.conflicts.models import Discrepancy
from deputize_hosts.casedesk.conflicts.service import Examined
from deputize_hosts.casedesk.gate.service import evaluate
from deputize_hosts.casedesk.main import actor_of, make_deputy
from deputize_hosts.casedesk.surfaces import SURFACES
from deputize_hosts.casedesk.trail.models import SignalEvent
from tests.hosts.driven import Driven, NobodyFound, Told, text_of

__all__ = ["SURFACE_NAMES", "Rig", "Told", "make_rig", "text_of"]


@dataclass
class Rig(Driven):
    """A deputy over the seeded desk."""

    async def actor(self, email: str) -> Actor:
        async with AsyncSession(self.engine) as session:
            found = await find_member(session, email)
        assert found is not None
        return actor_of(found)

    async def blocking(self, case: UUID) -> set[UUID]:
        """The gate's blocking set of a case, as the database has it now."""
        async with AsyncSession(self.engine) as session:
            rows = (await session.scalars(select(Discrepancy).where(Discrepancy.case_id == case))).all()
        return set(evaluate(Examined(rows)).blocking)

    async def rows(self, model: type[Any], *where: Any) -> Sequence[Any]:
        async with AsyncSession(self.engine) as session:
            return (await session.scalars(select(model).where(*where))).all()

    async def signals(self, via: str = "copilot") -> Sequence[SignalEvent]:
        return await self.rows(SignalEvent, SignalEvent.via == via)


async def make_rig(engine: AsyncEngine, **more: Any) -> Rig:
    """A deputy over a seeded database; redaction of the surfaces is as they declare it, no limit is near."""
    provider = more.pop("provider", None) or ScriptedProvider()
    settings = Settings(
        **{
            "AI_ENABLED": True,
            "AI_SECRET_KEY": "a key for tests, long enough",
            "AI_MAX_ACTIONS_PER_MINUTE": 10_000,
            "AI_MAX_ACTIONS_PER_SESSION": 10_000,
            "AI_RATE_LIMIT_MAX": 10_000,
            "AI_MAX_STEPS_PER_RUN": 60,
            "AI_DAILY_SPEND_USD": "none",
            "AI_GLOBAL_DAILY_SPEND_USD": "none",
            **more.pop("settings", {}),
        }
    )
    deputy = make_deputy(
        engine, settings, providers={"scripted": provider}, detectors=more.pop("detectors", [NobodyFound()]), **more
    )
    return Rig(engine, provider, deputy)


SURFACE_NAMES = tuple(surface.name for surface in SURFACES)
