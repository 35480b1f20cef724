"""The composition root: settings and the host's pieces become one deputy, with a router and a lifespan."""

import asyncio
import gc
import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize.config import Settings
from deputize.core.actor import Actor
from deputize.core.automation import Automation
from deputize.core.channel import Channel
from deputize.core.clock import Clock, SystemClock
from deputize.core.entity import Entity
from deputize.core.errors import ConfigurationError, NotFound
from deputize.core.provider import Provider
from deputize.core.tool import Refuse
from deputize.core.toolset import Surface, Toolset
from deputize.core.usage import Price
from deputize.engine import attachment, ending_actor
from deputize.engine.case_export import CaseFile, export_case
from deputize.engine.detection import Detection
from deputize.engine.directory import Directories
from deputize.engine.heartbeat import keep_beating
from deputize.engine.hub import Hub
from deputize.engine.pieces import keep_writing
from deputize.engine.registry import build
from deputize.engine.sweeper import keep_sweeping
from deputize.engine.watching import keep_watching
from deputize.engine.wiring import PublicNames, Reload, Wiring
from deputize.engine.worker import work
from deputize.policy.automation import declared_faults
from deputize.policy.registration import faults_of, idle_denials
from deputize.providers import prices, registry
from deputize.redaction.entities import EntityDetector
from deputize.redaction.rampart import Rampart
from deputize.store import deeds, keyfile
from deputize.store.checkpoints import CheckpointFiles
from deputize.store.probe import probe
from deputize.store.session import AuditMode, Database, HostSession
from deputize.surfaces.http.admin import build_admin_router
from deputize.surfaces.http.audit import build_audit
from deputize.surfaces.http.ops import build_ops_router
from deputize.surfaces.http.router import build_router

Find = Callable[[AsyncSession, str], Awaitable[Actor | None]]
"""`(session, name)`: the person by what they type at sign-in; for the terminal only."""


class Deputize:
    """The deputy of one host application. Raises ConfigurationError naming every fault.

    `actor` is a FastAPI dependency over the host's own login; `reload(session, tenant, user_id)` tells who
    that person is now. `providers`, `clock` and `detectors` replace the built ones in tests. With `audit`
    `best_effort` (ADR-0116, not the default) entries follow their commit. `public_words` and `public_names`
    (those of one tenant: staff, rooms) stay readable to the model (RED-5). With `worker` the
    lifespan runs a worker in this process too; otherwise `deputize worker` is a process of its own.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        engine: AsyncEngine,
        session: HostSession,
        actor: Callable[..., Actor | Awaitable[Actor]],
        reload: Reload,
        entities: Sequence[Entity],
        toolsets: Sequence[Toolset],
        surfaces: Sequence[Surface],
        channels: Sequence[Channel] = (),
        automations: Sequence[Automation[Any, Any]] = (),
        refusals: Mapping[type[Exception], Callable[[Any], Refuse]] | None = None,
        permissions: str = "copilot",
        on_event: Callable[[str, Mapping[str, Any]], Awaitable[None]] | None = None,
        providers: Mapping[str, Provider] | None = None,
        clock: Clock | None = None,
        detectors: Sequence[EntityDetector] | None = None,
        public_words: Sequence[str] = (),
        public_names: PublicNames | None = None,
        find: Find | None = None,
        audit: AuditMode = "strict",
        worker: bool = False,
    ) -> None:
        self.settings = settings
        self.find = find
        by_kind = {entity.kind: entity for entity in entities}
        faults = faults_of(toolsets, by_kind, surfaces, {channel.name for channel in channels})
        faults += declared_faults(automations, by_kind)
        faults += idle_denials(settings.limits().blocked_tools, toolsets)
        if faults:
            raise ConfigurationError(faults)
        ticking = clock or SystemClock()
        self.engine = engine
        secret = settings.secret_key.get_secret_value() or secrets.token_urlsafe(32)
        database = Database(engine, session, ticking, secret.encode(), audit)
        deeds.settle(engine, deeds.House(clock=ticking, enabled=settings.enabled, secret=secret.encode()))
        self.wiring = Wiring(
            db=database,
            clock=ticking,
            registry=build(toolsets, entities, surfaces, channels, automations, refusals or {}),
            reload=reload,
            secret_key=secret,
            prefix=permissions,
            detection=_detection(settings) if detectors is None else Detection.of(detectors),
            public_words=tuple(public_words),
            public_names=public_names,
            on_event=on_event,
            **_chosen(settings, ticking, providers, entities),
        )
        self.worker = worker
        self._actor = actor

    @cached_property
    def router(self) -> APIRouter:
        """Conversations, runs, cards and settings, with the lifespan and the static files; built when it is mounted."""
        return build_router(self.wiring, self._actor, self.lifespan)

    @cached_property
    def admin_router(self) -> APIRouter:
        """Agents, events, effects and the chain, for those who supervise or configure."""
        made: APIRouter = build_admin_router(self.wiring, self._actor)
        build_audit(made, self.wiring, Annotated[Actor, Depends(self._actor)])
        return made

    @cached_property
    def agui_router(self) -> APIRouter:
        """`POST /agui/{surface}` for clients that speak AG-UI; needs extra `[agui]` (API-5)."""
        from deputize.surfaces.agui.router import build_agui_router  # noqa: PLC0415 - an extra, imported when used

        return build_agui_router(self.wiring, self._actor)

    def mcp_router(self, *, decide_at: str) -> APIRouter:
        """`POST /mcp/{surface}` for clients of the Model Context Protocol; needs extra `[mcp]` (API-5).

        `decide_at` is the address of the host's page on which waiting cards are decided, absolute or from the root.
        """
        from deputize.surfaces.mcp.router import build_mcp_router  # noqa: PLC0415 - an extra, imported when used

        return build_mcp_router(self.wiring, self._actor, decide_at)

    @cached_property
    def ops_router(self) -> APIRouter:
        """Health, readiness and metrics, to be mounted where only the operator reaches (OPS-3)."""
        return build_ops_router(self.wiring)

    @asynccontextmanager
    async def lifespan(self, _app: Any = None) -> AsyncIterator[None]:
        """Chores while the application is up; at the end, runs of this process are stopped in order."""
        if not self.wiring.enabled:
            yield
            return
        gc.freeze()
        stop = asyncio.Event()
        chores = [
            asyncio.create_task(keep_beating(self.wiring)),
            asyncio.create_task(keep_sweeping(self.wiring, self.settings.agent_sweep_interval_ms / 1000)),
            asyncio.create_task(keep_watching(self.wiring)),
            asyncio.create_task(keep_writing(self.wiring)),
            asyncio.create_task(self.wiring.detection.start()),
        ]
        working = asyncio.create_task(work(self.wiring, stop, chores=False)) if self.worker else None
        try:
            yield
        finally:
            stop.set()
            for chore in chores:
                chore.cancel()
            await asyncio.gather(*chores, return_exceptions=True)
            if working is not None:
                await working
            await self.close()
            gc.unfreeze()

    async def close(self) -> None:
        """Let what is being driven stop, close providers and our read-only pool."""
        await attachment.shut_down(self.wiring)
        for provider in self.wiring.providers.values():
            await provider.close()
        await self.wiring.db.close()

    async def probe(self) -> list[str]:
        """What is wrong with the host's database for our purposes: a savepoint that cannot be rolled back."""
        return await probe(self.wiring.db)

    async def end_actor(self, actor: Actor) -> int:
        """At logout, lock or deletion: the actor's runs are aborted and their cards expire (RUN-9)."""
        return await ending_actor.end_actor(self.wiring, actor)

    async def export_case(
        self,
        tenant: str,
        path: Path,
        *,
        fields: Mapping[str, Sequence[str]],
        actor: Actor,
        runs: Collection[str] = (),
        title: str = "",
        records: Mapping[str, Sequence[Mapping[str, str]]] | None = None,
    ) -> int:
        """Write the pack of one case for a regulator; the number of chain entries in it (AUD-6).

        `fields` maps a payload field of entries (`subject` is what `note` was told) to the host's ids that belong
        to the case, the case's own first; `runs` adds to the runs that were about one of them. `records` are the
        host's own tables, title to rows of caption to text. The export is itself an entry. Raises Forbidden
        without `supervise`, NotFound for another tenant, Invalid, and Unavailable without a checkpoint key.
        """
        if tenant != actor.tenant:
            raise NotFound()
        case = CaseFile(title or "Case", fields, frozenset(runs), records or {})
        return await export_case(self.wiring, actor, case, path)


def _checkpoints(settings: Settings) -> CheckpointFiles | None:
    """The deployment's checkpoints; None without a key, and while the copilot is off also with one that is unfit."""
    path = settings.checkpoint_key_file
    if path is None:
        return None
    try:
        return keyfile.files_beside(path)
    except ValueError as fault:
        if settings.enabled:
            raise ConfigurationError([f"AI_CHECKPOINT_KEY_FILE: {fault}"]) from None
        return None


def _providers(settings: Settings) -> dict[str, Provider]:
    """The chosen provider, and every other that has a key, so that tenants may choose among them."""
    made: dict[str, Provider] = {}
    if not settings.enabled:
        return made
    for name in registry.NAMES:
        key = settings.key_of(name)
        if registry.faults_of(name, api_key=key):
            continue
        made[name] = registry.create(
            name,
            base_url=settings.base_url if name == settings.provider else None,
            api_key=key,
            default_model=(settings.model or "") if name == settings.provider else "",
            allow_private=settings.allow_private_endpoint,
        )
    return made


def _chosen(
    settings: Settings, clock: Clock, given: Mapping[str, Provider] | None, entities: Sequence[Entity]
) -> dict[str, Any]:
    """The parts of the wiring that follow from the settings."""
    made = dict(given) if given is not None else _providers(settings)
    return {
        "limits": settings.limits(),
        "providers": made,
        "default_provider": settings.provider if settings.provider in made else next(iter(made), "offline"),
        "default_model": settings.model,
        "prices": _prices(settings, clock),
        "process": f"{os.getpid()}-{secrets.token_hex(4)}",
        "hub": Hub(),
        "directories": Directories(tuple(e for e in entities if e.personal), settings.directory_mb),
        "enabled": settings.enabled,
        "checkpoints": _checkpoints(settings),
    }


def _detection(settings: Settings) -> Detection:
    """The entity model where extra `[ner]` is installed; without it tools that return prose are withheld (RED-6)."""
    wanted = settings.enabled and settings.entity_model == "auto"
    return Detection(load=Rampart if wanted else None)


def _prices(settings: Settings, clock: Clock) -> Callable[[str, str], Price]:
    configured, override = settings.configured_price(), settings.price_overrides

    def price(provider: str, model: str) -> Price:
        own = settings.base_url if provider == settings.provider else None
        return prices.price_of(
            provider,
            model,
            configured=configured,
            override=override,
            now=clock.now(),
            base_url=own,
            context_tokens=settings.max_context_tokens,
        )

    return price
