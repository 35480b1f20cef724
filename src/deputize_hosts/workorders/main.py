"""The work-order desk with the copilot and the triage agent on it: the mount, the actor, and the demonstration."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from fastapi import FastAPI, Request
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession
from sqlalchemy.orm import ORMExecuteState, with_loader_criteria

from deputize import Actor, Deputize, Forbidden, Refuse, Settings, Surface, Unauthenticated, note
from deputize_hosts.kit.demo import Demo, SignIn
from deputize_hosts.kit.loopback import OffLoopback
from deputize_hosts.kit.pages import CsrfFailed, check_csrf
from deputize_hosts.workorders.auth.service import Member, find_member, load_member
from deputize_hosts.workorders.caller import may
from deputize_hosts.workorders.db import make_engine
from deputize_hosts.workorders.entities import ENTITIES, ROLE_NAMES
from deputize_hosts.workorders.errors import DeskError
from deputize_hosts.workorders.host import START, create_host_app
from deputize_hosts.workorders.migrations.upgrade import upgrade
from deputize_hosts.workorders.orders import tools as orders
from deputize_hosts.workorders.orders.automation import Triage
from deputize_hosts.workorders.orders.models import WorkOrder
from deputize_hosts.workorders.orders.reading import ADMIN
from deputize_hosts.workorders.orders.status import PRIORITY_NAMES, STATUS_NAMES
from deputize_hosts.workorders.pages.access import NotSignedIn, current_member
from deputize_hosts.workorders.pages.render import CopilotTag
from deputize_hosts.workorders.prompt import PROMPT, SUGGESTIONS
from deputize_hosts.workorders.rows import utc_now
from deputize_hosts.workorders.seed.people import HOUSES, PASSWORD
from deputize_hosts.workorders.seed.plant import plant
from deputize_hosts.workorders.settings import DEFAULT_DATABASE, HostSettings
from deputize_hosts.workorders.users import tools as users
from deputize_hosts.workorders.users.service import Person

BASE = "/api/v1/ai"
ABOVE_ADMIN = "/api/v1"
"""The admin routes begin with `/admin`, so that they stand at `/api/v1/admin`."""
SURFACE = "desk"
TOOLSETS = (orders.TOOLS, users.TOOLS)


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
    """Who that person is now; None once the organisation no longer knows them."""
    member = await load_member(session, tenant, user_id)
    return actor_of(member) if member else None


async def find_actor(session: AsyncSession, email: str) -> Actor | None:
    """The person by the address that they sign in with, for the terminal."""
    member = await find_member(session, email)
    return actor_of(member) if member else None


def as_refusal(error: DeskError) -> Refuse:
    """The host's refusal with what would be legal."""
    return Refuse(error.code, error.message, error.alternatives)


def host_session(connection: AsyncConnection, actor: Actor) -> AsyncSession:
    """The host's own kind of session, inside the transaction that the deputy holds.

    For people who are not admins every query for orders is narrowed to their own, whoever asks it: what a page
    shows or a card names is then loaded under the same rule as in the services.
    """
    session = AsyncSession(bind=connection, join_transaction_mode="create_savepoint", expire_on_commit=False)
    if actor.kind == "human" and not may(actor, ADMIN):
        own = with_loader_criteria(WorkOrder, WorkOrder.owner_id == UUID(actor.id), include_aliases=True)

        def narrow(state: ORMExecuteState) -> None:
            if state.is_select:
                state.statement = state.statement.options(own)

        event.listen(session.sync_session, "do_orm_execute", narrow)
    return session


def make_deputy(engine: AsyncEngine, settings: Settings, **replaced: Any) -> Deputize:
    """The desk's deputy. `replaced` are providers, clock, detectors for tests. Raises ConfigurationError."""
    names = (*STATUS_NAMES.values(), *PRIORITY_NAMES.values(), *ROLE_NAMES.values())
    return Deputize(
        settings,
        engine=engine,
        session=host_session,
        actor=current_actor,
        reload=reload_actor,
        find=find_actor,
        entities=ENTITIES,
        toolsets=TOOLSETS,
        surfaces=[
            Surface(
                SURFACE,
                prompt=PROMPT,
                tools=[f"{toolset.name}.*" for toolset in TOOLSETS],
                disconnect="abort",
                title={"en": "Desk assistant", "es": "Asistente de órdenes"},
                suggestions=SUGGESTIONS,
                max_messages=50,
            )
        ],
        automations=[Triage()],
        refusals={DeskError: as_refusal},
        public_words=[word for name in names for word in name.values()],
        **replaced,
    )


class Ticks(Protocol):
    """A clock for tests: the same for the desk and for its deputy."""

    def now(self) -> datetime:
        """The present moment, aware."""
        ...


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
    clock: Ticks | None = None,
    **replaced: Any,
) -> Built:
    """Everything wired; from the environment where nothing is given. Raises ConfigurationError."""
    host = host or HostSettings.from_environment()
    own = engine or make_engine(host.database_url)
    deputy = make_deputy(own, settings or Settings(), clock=clock, **replaced)

    async def leave(member: Member) -> None:
        await deputy.end_actor(actor_of(member))

    async def opt_out(tenant: str, user_id: str) -> None:
        await deputy.end_actor(Actor(user_id, tenant))

    def record_switch(session: AsyncSession, by: Member, person: Person) -> None:
        note(session, actor_of(by), "ai_switch", subject=person.id, details={"aiEnabled": person.ai_enabled})

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await own.dispose()

    on = deputy.settings.enabled
    app = create_host_app(
        own,
        host.secret,
        copilot=CopilotTag(BASE, SURFACE, f"{ABOVE_ADMIN}/admin") if on else None,
        on_sign_out=[leave] if on else [],
        on_ai_switch=[record_switch] if on else [],
        on_opt_out=[opt_out] if on else [],
        clock=clock.now if clock else utc_now,
        lifespan=lifespan,
    )
    app.include_router(deputy.router, prefix=BASE)
    app.include_router(deputy.admin_router, prefix=ABOVE_ADMIN)
    app.include_router(deputy.ops_router, prefix="/ops")
    return Built(app, deputy)


def create_app() -> FastAPI:
    """The application from the environment: `DATABASE_URL`, `WORKORDERS_SECRET_KEY`, `AI_*`, `AGENT_*`."""
    return build().app


async def prepare(database_url: str) -> None:
    """Migrate the desk's own tables and plant the demonstration data; safe to repeat."""
    engine = make_engine(database_url)
    try:
        await upgrade(engine)
        async with AsyncSession(engine) as session, session.begin():
            await plant(session, utc_now())
    finally:
        await engine.dispose()


def demo() -> Demo:
    """What `deputize demo workorders` starts."""
    return Demo(
        name="Work Order Desk",
        app=f"{__name__}:app",
        deputy=f"{__name__}:deputy",
        prepare=prepare,
        default_database=DEFAULT_DATABASE,
        sign_ins=tuple(
            SignIn(one.email, PASSWORD, f"{one.name} · {one.role.value} · {house.name}")
            for house in HOUSES
            for one in house.people
        ),
        start=START,
    )


_built: list[Built] = []


def __getattr__(name: str) -> FastAPI | Deputize:
    """`app` and `deputy`, built from the environment when first asked for."""
    if name not in {"app", "deputy"}:
        raise AttributeError(name)
    if not _built:
        _built.append(build())
    return _built[0].app if name == "app" else _built[0].deputy
