"""What every deed needs, put together once by the composition root."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

from deputize.core.actor import Actor
from deputize.core.automation import Automation
from deputize.core.channel import Channel
from deputize.core.clock import Clock
from deputize.core.entity import Entity
from deputize.core.provider import Provider
from deputize.core.tool import Refuse, Tool
from deputize.core.toolset import Surface
from deputize.core.usage import Price
from deputize.engine.detection import Detection
from deputize.engine.directory import Directories
from deputize.engine.hub import Hub
from deputize.engine.meters import Meters
from deputize.policy.limits import Limits
from deputize.store.checkpoints import CheckpointFiles
from deputize.store.session import Database

Reload = Callable[[AsyncSession, str, str], Awaitable[Actor | None]]
"""`(session, tenant, user id)`, without a request; None means that the host no longer knows them."""

PublicNames = Callable[[AsyncConnection, str], Awaitable[Collection[str]]]
"""`(connection, tenant)`: what the tenant calls its staff, rooms and shelves, which is nobody's secret (RED-5)."""


@dataclass(frozen=True, slots=True)
class Registry:
    """All tools by name, each with the toolset it came from; surfaces, entities and channels by name."""

    tools: Mapping[str, Tool]
    toolset_of: Mapping[str, str]
    surfaces: Mapping[str, Surface]
    entities: Mapping[str, Entity]
    channels: Mapping[str, Channel]
    automations: Mapping[str, Automation[Any, Any]] = field(default_factory=dict)
    refusals: Mapping[type[Exception], Callable[[Any], Refuse]] = field(default_factory=dict)
    by_table: Mapping[str, Entity] = field(default_factory=dict)
    """Entities by the name of their table."""
    person_kinds: frozenset[str] = frozenset()
    """Entity kinds whose records are persons: their ids are personal (RED-4)."""
    owned_kinds: frozenset[str] = frozenset()
    """Entity kinds whose records belong to a person: their ids are personal too."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """The engine's collaborators.

    `process` names this process in leases, `prefix` is the first word of our permissions.
    """

    db: Database
    clock: Clock
    registry: Registry
    limits: Limits
    reload: Reload
    providers: Mapping[str, Provider]
    default_provider: str
    default_model: str | None
    prices: Callable[[str, str], Price]
    """`(provider, model)` → price; an unknown model costs the configured price, never nothing."""
    secret_key: str
    process: str
    prefix: str
    hub: Hub
    directories: Directories
    detection: Detection = field(default_factory=Detection)
    public_words: Collection[str] = ()
    public_names: PublicNames | None = None
    enabled: bool = True
    on_event: Callable[[str, Mapping[str, Any]], Awaitable[None]] | None = None
    checkpoints: CheckpointFiles | None = None
    """Where checkpoints of the chains are signed and kept; None where the deployment has no key (AUD-4)."""
    meters: Meters = field(default_factory=Meters)
