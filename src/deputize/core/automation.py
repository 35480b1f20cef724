"""Background work declared by the host: an event, one bounded pass, a proposal, maybe a bounded apply."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel

from deputize.core.tool import Context

Facts = TypeVar("Facts")
Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing to do, and why; no model is called."""

    reason: str


class Automation(ABC, Generic[Facts, Answer]):
    """One kind of automated pass (AUTO-2); subclass it with the facts it reads and the answer it wants.

    `on` is the outbox event's type, `capability` the system actor's one capability, `allowed` the fields
    that an automatic apply may touch.
    """

    name: ClassVar[str]
    on: ClassVar[str]
    capability: ClassVar[str]
    allowed: ClassVar[frozenset[str]] = frozenset()
    answer: ClassVar[type[BaseModel]]
    prompt: ClassVar[str] = ""

    @abstractmethod
    async def facts(self, ctx: Context, subject: str) -> Facts | Skip:
        """Load what the model is told about the subject, or say why there is nothing to do."""

    @abstractmethod
    async def propose(self, ctx: Context, facts: Facts, answer: Answer) -> Any:
        """Keep the proposal (a suggestion row)."""

    @abstractmethod
    async def apply(self, ctx: Context, facts: Facts, answer: Answer) -> None:
        """Apply the allowed fields; called only in auto-apply mode, through the door."""
