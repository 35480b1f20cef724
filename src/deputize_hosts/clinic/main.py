"""The clinic with the copilot on it: the mount, the actor, and how a demonstration is prepared."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastapi import FastAPI, Request
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession

from deputize import Actor, Deputize, Forbidden, Refuse, Settings, Surface, Unauthenticated
from deputize_hosts.clinic.agenda import tools as agenda
from deputize_hosts.clinic.auth.service import Member, find_member, load_member
from deputize_hosts.clinic.billing import tools as billing
from deputize_hosts.clinic.budget import tools as budget
from deputize_hosts.clinic.catalog import tools as catalog
from deputize_hosts.clinic.db import make_engine
from deputize_hosts.clinic.entities import ENTITIES
from deputize_hosts.clinic.errors import ClinicError
from deputize_hosts.clinic.host import create_host_app
from deputize_hosts.clinic.mailing import deliver_from, email_channel
from deputize_hosts.clinic.migrations.upgrade import upgrade
from deputize_hosts.clinic.pages.access import NotSignedIn, current_member
from deputize_hosts.clinic.pages.render import CopilotTag
from deputize_hosts.clinic.patient_timeline import tools as patient_timeline
from deputize_hosts.clinic.patients import tools as patients
from deputize_hosts.clinic.payments import tools as payments
from deputize_hosts.clinic.prompt import PROMPT, SUGGESTIONS
from deputize_hosts.clinic.public_words import public_names, public_words
from deputize_hosts.clinic.recalls import tools as recalls
from deputize_hosts.clinic.reports import tools as reports
from deputize_hosts.clinic.rows import utc_now
from deputize_hosts.clinic.schedules import tools as schedules
from deputize_hosts.clinic.seed.clinics import PASSWORD, PRACTICES
from deputize_hosts.clinic.seed.plant import plant
from deputize_hosts.clinic.settings import DEFAULT_DATABASE, HostSettings
from deputize_hosts.kit.demo import Demo, SignIn
from deputize_hosts.kit.loopback import OffLoopback
from deputize_hosts.kit.mail import Deliver
from deputize_hosts.kit.pages import CsrfFailed, check_csrf

BASE = "/api/v1/copilot"
SURFACE = "clinic"
TOOLSETS = (
    patients.TOOLS,
    agenda.TOOLS,
    schedules.TOOLS,
    recalls.TOOLS,
    budget.TOOLS,
    billing.TOOLS,
    payments.TOOLS,
    catalog.TOOLS,
    patient_timeline.TOOLS,
    reports.TOOLS,
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
    """The signed-in member, after the CSRF check of writing requests. Raises Unauthenticated, Forbidden."""
    try:
        member = await current_member(request)
        check_csrf(request)
    except NotSignedIn:
        raise Unauthenticated() from None
    except (CsrfFailed, OffLoopback):
        raise Forbidden() from None
    return actor_of(member)


async def reload_actor(session: AsyncSession, tenant: str, user_id: str) -> Actor | None:
    """Who that person is now; None once the clinic no longer knows them."""
    member = await load_member(session, tenant, user_id)
    return actor_of(member) if member else None


async def find_actor(session: AsyncSession, email: str) -> Actor | None:
    """Who signs in with that e-mail; for an operator's terminal."""
    member = await find_member(session, email)
    return actor_of(member) if member else None


def as_refusal(error: ClinicError) -> Refuse:
    """The host's refusal with what would be legal."""
    return Refuse(error.code, error.message, error.alternatives)


def host_session(connection: AsyncConnection, actor: Actor) -> AsyncSession:
    """The host's own kind of session, inside the transaction that the deputy holds."""
    return AsyncSession(bind=connection, join_transaction_mode="create_savepoint", expire_on_commit=False)


def make_deputy(engine: AsyncEngine, settings: Settings, mail: Deliver, **replaced: Any) -> Deputize:
    """The clinic's deputy. `replaced` are providers, clock, detectors for tests. Raises ConfigurationError."""
    return Deputize(
        settings,
        engine=engine,
        session=host_session,
        actor=current_actor,
        reload=reload_actor,
        entities=ENTITIES,
        toolsets=TOOLSETS,
        surfaces=[
            Surface(
                SURFACE,
                prompt=PROMPT,
                tools=[f"{toolset.name}.*" for toolset in TOOLSETS],
                redaction="mandatory",
                disconnect="abort",
                title={"es": "Asistente de la clínica", "en": "Clinic assistant"},
                suggestions=SUGGESTIONS,
                max_messages=500,
            )
        ],
        refusals={ClinicError: as_refusal},
        find=find_actor,
        public_words=public_words(),
        public_names=public_names,
        channels=[email_channel(mail)],
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
    mail: Deliver | None = None,
    **replaced: Any,
) -> Built:
    """Everything wired; from the environment where nothing is given. Raises ConfigurationError."""
    host = host or HostSettings.from_environment()
    own = engine or make_engine(host.database_url)
    deputy = make_deputy(own, settings or Settings(), mail or deliver_from(host.mail_folder), **replaced)

    async def leave(member: Member) -> None:
        await deputy.end_actor(actor_of(member))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await own.dispose()

    tag = CopilotTag(BASE, SURFACE) if deputy.settings.enabled else None
    app = create_host_app(
        own,
        host.secret,
        copilot=tag,
        on_sign_out=[leave] if tag else [],
        clock=clock,
        mail_folder=host.mail_folder,
        lifespan=lifespan,
    )
    app.include_router(deputy.router, prefix=BASE)
    app.include_router(deputy.admin_router, prefix=BASE)
    app.include_router(deputy.ops_router, prefix="/ops")
    return Built(app, deputy)


def create_app() -> FastAPI:
    """The application from the environment: `DATABASE_URL`, `CLINIC_SECRET_KEY`, `AI_*`."""
    return build().app


async def prepare(database_url: str) -> None:
    """Migrate the clinic's own tables and plant the demonstration data; safe to repeat."""
    engine = make_engine(database_url)
    try:
        await upgrade(engine)
        async with AsyncSession(engine) as session, session.begin():
            await plant(session, utc_now())
    finally:
        await engine.dispose()


def demo() -> Demo:
    """What `deputize demo clinic` starts."""
    return Demo(
        name="Clínica",
        app=f"{__name__}:app",
        deputy=f"{__name__}:deputy",
        prepare=prepare,
        default_database=DEFAULT_DATABASE,
        sign_ins=tuple(
            SignIn(one.email, PASSWORD, f"{one.name} · {one.role.value} · {practice.name}")
            for practice in PRACTICES
            for one in practice.staff
        ),
        start="/agenda",
    )


_built: list[Built] = []


def __getattr__(name: str) -> FastAPI | Deputize:
    """`app` and `deputy`, built from the environment when first asked for."""
    if name not in {"app", "deputy"}:
        raise AttributeError(name)
    if not _built:
        _built.append(build())
    return _built[0].app if name == "app" else _built[0].deputy
