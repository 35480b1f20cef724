"""Bodies that more than one face takes, and how a failure looks; unknown fields are refused."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from deputize.core.approval import Decision, Typed
from deputize.core.conversation import EntityRef, Screen


class Body(BaseModel):
    """Base of all bodies: camelCase, strict about names."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)


class Fault(BaseModel):
    """Every failure: a code of the catalogue, words for a person, and facts that programs act on."""

    code: str
    message: str
    details: dict[str, Any]


class Problem(BaseModel):
    """The body of every answer that is no success (SSE-2)."""

    error: Fault


FAILURES: dict[int | str, dict[str, Any]] = {"default": {"model": Problem, "description": "A failure"}}
"""For the OpenAPI document of a router: our shape in the place of the framework's own."""
STREAMED: dict[int | str, dict[str, Any]] = {
    200: {"description": "The run's events", "content": {"text/event-stream": {"schema": {"type": "string"}}}}
}
"""For the OpenAPI document of a route that answers with a stream."""


class EntityRefIn(Body):
    kind: str = Field(min_length=1, max_length=64)
    id: str = Field(min_length=1, max_length=200)


class ContextIn(Body):
    """The page's words about itself; only kinds and ids of records are looked at."""

    screen: str = Field(default="", max_length=200)
    entities: list[EntityRefIn] = Field(default_factory=list, max_length=20)

    def screen_of(self) -> Screen:
        """The same in core words."""
        return Screen(self.screen, tuple(EntityRef(one.kind, one.id) for one in self.entities))


class TypedIn(Body):
    confirm: str | None = Field(default=None, max_length=1000)
    destinations: dict[str, str] = Field(default_factory=dict, max_length=20)


class DecideIn(Body):
    approve: bool
    digest: str | None = Field(default=None, max_length=64)
    reason: str | None = Field(default=None, max_length=500)
    typed: TypedIn | None = None

    def decision(self, via: str) -> Decision:
        """The same in core words."""
        typed = Typed(self.typed.confirm, self.typed.destinations) if self.typed else Typed()
        return Decision(self.approve, self.digest, self.reason, typed, via)
