"""The case desk with the copilot on its seven surfaces: the mount, the actor, and how a demonstration is prepared."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession

from deputize import Actor, Deputize, DeputizeError, Forbidden, Refuse, Settings, Unauthenticated
from deputize_hosts.casedesk.auth.service import Member, find_member, load_member
from deputize_hosts.casedesk.cases import tools as cases
from deputize_hosts.casedesk.conflicts import tools as conflicts
from deputize_hosts.casedesk.db import make_engine
from deputize_hosts.casedesk.entities import ENTITIES
from deputize_hosts.casedesk.errors import CaseDeskError
from deputize_hosts.casedesk.feedback import tools as feedback
from deputize_hosts.casedesk.gate.service import ORDINARY
from deputize_hosts.casedesk.host import create_host_app
from deputize_hosts.casedesk.knowledge import tools as knowledge
from deputize_hosts.casedesk.memory import tools as memory
from deputize_hosts.casedesk.migrations.upgrade import upgrade
from deputize_hosts.casedesk.onboarding import tools as onboarding
from deputize_hosts.casedesk.pack.service import CasePack
from deputize_hosts.casedesk.pages.access import NotSignedIn, current_member
from deputize_hosts.casedesk.portal import tools as portal
from deputize_hosts.casedesk.rows import utc_now
from deputize_hosts.casedesk.seed.firms import FIRMS, PASSWORD
from deputize_hosts.casedesk.seed.plant import plant
from deputize_hosts.casedesk.settings import DEFAULT_DATABASE, HostSettings
from deputize_hosts.casedesk.surfaces import SURFACES
from deputize_hosts.kit.demo import Demo, SignIn
from deputize_hosts.kit.loopback import OffLoopback
from deputize_hosts.kit.pages import CsrfFailed, check_csrf

BASE = "/api/v1/ai"
TOOLSETS = (
    cases.TOOLS,
    conflicts.TOOLS,
    memory.TOOLS,
    feedback.TOOLS,
    knowledge.TOOLS,
    onboarding.TOOLS,
    portal.TOOLS,
)


def actor_of(member: Member) -> Actor:
    """The member as whoever acts for them sees them: the host's own grants, nothing added."""
    return Actor(
        id=member.id,
        tenant=member.tenant,
        label=member.name,
        role=member.role,
        grants=member.grants,
        locale=member.locale,
        time_zone=member.time_zone,
        ai_enabled=member.ai_enabled,
    )


async def current_actor(request: Request) -> Actor:
    """The signed-in person, after the CSRF check of writing requests. Raises Unauthenticated, Forbidden."""
    try:
        member = await current_member(request)
        check_csrf(request)
    except NotSignedIn:
        raise Unauthenticated() from None
    except (CsrfFailed, OffLoopback):
        raise Forbidden() from None
    return actor_of(member)


async def reload_actor(session: AsyncSession, tenant: str, user_id: str) -> Actor | None:
    """Who that person is now; None once the firm no longer knows them."""
    member = await load_member(session, tenant, user_id)
    return actor_of(member) if member else None


async def find_actor(session: AsyncSession, email: str) -> Actor | None:
    """The person by the address that they sign in with, for the terminal."""
    member = await find_member(session, email)
    return actor_of(member) if member else None


def as_refusal(error: CaseDeskError) -> Refuse:
    """The host's refusal with what would be legal."""
    return Refuse(error.code, error.message, error.alternatives)


def host_session(connection: AsyncConnection, actor: Actor) -> AsyncSession:
    """The host's own kind of session, inside the transaction that the deputy holds."""
    return AsyncSession(bind=connection, join_transaction_mode="create_savepoint", expire_on_commit=False)


def make_deputy(engine: AsyncEngine, settings: Settings, **replaced: Any) -> Deputize:
    """The desk's deputy. `replaced` are providers, clock, detectors, audit mode. Raises ConfigurationError."""
    return Deputize(
        settings,
        engine=engine,
        session=host_session,
        actor=current_actor,
        reload=reload_actor,
        find=find_actor,
        entities=ENTITIES,
        toolsets=TOOLSETS,
        surfaces=SURFACES,
        refusals={CaseDeskError: as_refusal},
        public_words=sorted(ORDINARY),
        **replaced,
    )


@dataclass(frozen=True, slots=True)
class Built:
    """An application and the deputy that is mounted on it."""

    app: FastAPI
    deputy: Deputize


def build(
    host: HostSettings | None = None,
    settings: Settings | None = None,
    *,
    engine: AsyncEngine | None = None,
    clock: Callable[[], datetime] = utc_now,
    **replaced: Any,
) -> Built:
    """Everything wired; from the environment where nothing is given. Raises ConfigurationError."""
    host = host or HostSettings.from_environment()
    own = engine or make_engine(host.database_url)
    deputy = make_deputy(own, settings or Settings(), **replaced)

    async def leave(member: Member) -> None:
        await deputy.end_actor(actor_of(member))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await own.dispose()

    async def export(member: Member, pack: CasePack, path: Path) -> str | None:
        try:
            await deputy.export_case(
                member.tenant,
                path,
                fields={"subject": pack.ids},
                actor=actor_of(member),
                title=pack.title,
                records=pack.records,
            )
        except DeputizeError as error:
            return "unsigned" if error.code == "AI_UNAVAILABLE" else "refused"
        return None

    base = BASE if deputy.settings.enabled else None
    app = create_host_app(
        own,
        host.secret,
        copilot=base,
        export=export if base else None,
        on_sign_out=[leave] if base else [],
        clock=clock,
        lifespan=lifespan,
    )
    app.include_router(deputy.router, prefix=BASE)
    app.include_router(deputy.ops_router, prefix="/ops")
    return Built(app, deputy)


def create_app() -> FastAPI:
    """The application from the environment: `DATABASE_URL`, `CASEDESK_SECRET_KEY`, `AI_*`."""
    return build().app


async def prepare(database_url: str) -> None:
    """Migrate the case desk's own tables and plant the demonstration data; safe to repeat."""
    engine = make_engine(database_url)
    try:
        await upgrade(engine)
        async with AsyncSession(engine) as session, session.begin():
            await plant(session, utc_now())
    finally:
        await engine.dispose()


def demo() -> Demo:
    """What `deputize demo casedesk` starts."""
    return Demo(
        name="Case desk",
        app=f"{__name__}:app",
        deputy=f"{__name__}:deputy",
        prepare=prepare,
        default_database=DEFAULT_DATABASE,
        sign_ins=tuple(
            SignIn(one.email, PASSWORD, f"{one.name} · {one.role.value} · {firm.name}")
            for firm in FIRMS
            for one in firm.people
        ),
        start="/dashboard",
    )


_built: list[Built] = []


def __getattr__(name: str) -> FastAPI | Deputize:
    """`app` and `deputy`, built from the environment when first asked for."""
    if name not in {"app", "deputy"}:
        raise AttributeError(name)
    if not _built:
        _built.append(build())
    return _built[0].app if name == "app" else _built[0].deputy
