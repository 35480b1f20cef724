"""Background work declared by the host: an event, one bounded pass, a proposal, maybe a bounded apply."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncSession

from deputize.core.actor import Actor
from deputize.core.tool import Context

Facts = TypeVar("Facts")
Answer = TypeVar("Answer", bound=BaseModel)
Mode = Literal["suggest", "auto-apply"]


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing to do, and why; no model is called. `reason` is a fixed word, never a value."""

    reason: str


@dataclass(frozen=True, slots=True)
class Policy:
    """What a tenant lets one automation do (AUTO-3); `version` grows with every recorded change.

    `allowed` are the fields that auto-apply may touch, `daily_cap` the passes a local day (None: no cap),
    `threshold` the lowest suggested value that is flagged anyway, `working_hours` `*` or such as
    `mon-fri 08:00-18:00` in `time_zone` (IANA), `concurrency` the passes at once over all workers.
    """

    enabled: bool = True
    mode: Mode = "suggest"
    allowed: tuple[str, ...] = ()
    daily_cap: int | None = None
    threshold: str | None = None
    working_hours: str = "*"
    time_zone: str = "UTC"
    concurrency: int = 2
    version: int = 1


class Automation(ABC, Generic[Facts, Answer]):
    """One kind of automated pass (AUTO-2); subclass it with the facts it reads and the answer it wants.

    `on` is the outbox event's type, `capability` the system actor's one capability, `allowed` the fields
    (columns of the subject's row) that an automatic apply may touch, `entity` the kind of the subject.
    `keeps` names the tables in which `propose` and `apply` may insert and change rows beside that; whatever
    else they change is refused and undone. `grades` is the order of the values that `threshold` compares,
    lowest first, `graded` the answer's field that holds one and `flag` the boolean field that it raises.
    `time_zone` is where a new policy's working hours are counted. Every `ctx.actor` is the system actor.

    Facts that are a `Result` are redacted by their marks; other facts are free text throughout (RED-4).
    """

    name: ClassVar[str]
    on: ClassVar[str]
    capability: ClassVar[str]
    allowed: ClassVar[frozenset[str]] = frozenset()
    answer: ClassVar[type[BaseModel]]
    prompt: ClassVar[str] = ""
    entity: ClassVar[str]
    keeps: ClassVar[frozenset[str]] = frozenset()
    grades: ClassVar[tuple[str, ...]] = ()
    graded: ClassVar[str | None] = None
    flag: ClassVar[str | None] = None
    time_zone: ClassVar[str] = "UTC"

    @abstractmethod
    async def owner(self, ctx: Context, subject: str) -> Actor | None:
        """The person whose record the subject is; for one who opted out no model is called (AUTO-4).

        Asked before the facts are read and again before anything is written. None where nobody owns it.
        """

    @abstractmethod
    async def facts(self, ctx: Context, subject: str) -> Facts | Skip:
        """Load what the model is told about the subject, or say why there is nothing to do."""

    @abstractmethod
    async def propose(self, ctx: Context, facts: Facts, answer: Answer) -> Any:
        """Keep the proposal (a suggestion row). Its result, plain data, stands in the run's record."""

    @abstractmethod
    async def apply(self, ctx: Context, facts: Facts, answer: Answer) -> None:
        """Apply the allowed fields; called only in auto-apply mode, through the door.

        `ctx.version(entity)` is the subject's version now, under lock. A host error that `refusals` maps is
        a conflict: it is tried once more, then logged and dropped (AUTO-6).
        """

    async def zone(self, session: AsyncSession, tenant: str) -> str:
        """The tenant's IANA zone, in which a new policy counts hours and days (AUTO-3); `time_zone` by default."""
        return self.time_zone

    async def missed(self, session: AsyncSession, before: datetime) -> Sequence[tuple[str, str]]:
        """`(tenant, subject)` of records older than `before` that have no event and no result yet, over all
        tenants: what a reconcile pass enqueues (AUTO-1). Nothing by default.
        """
        return ()
