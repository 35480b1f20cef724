"""A tool: a typed, permissioned function over a host service (TOOL-1)."""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, get_type_hints

from pydantic import BaseModel, ConfigDict, PlainSerializer, WithJsonSchema
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from deputize.core.actor import Actor

Effect = Literal["read", "write", "destructive"]

LocalTime: TypeAlias = Annotated[
    datetime,
    PlainSerializer(lambda value: value.isoformat(), return_type=str),
    WithJsonSchema(
        {"type": "string", "format": "date-time", "description": "ISO 8601; without an offset it is local time"}
    ),
]
"""A moment as people say it; naive means the tenant's zone. The host's service turns it into UTC."""


class Args(BaseModel):
    """Base of all argument models: unknown fields, NaN and infinities are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Result(BaseModel):
    """Base of all result models; they become plain data inside the transaction."""

    model_config = ConfigDict(extra="forbid", from_attributes=True, allow_inf_nan=False)
    many: ClassVar[str | None] = None
    """Name of the list field that is capped first when the result is too long (RUN-12)."""


@dataclass(frozen=True, slots=True)
class Approve:
    """Who decides, how long a proposal lives (seconds; None is `AI_APPROVAL_TTL_MS`), typed or clicked.

    `by` is `actor` (the run's owner) or the permission that a second person must hold (four eyes).
    """

    by: str = "actor"
    ttl: float | None = None
    typed: bool = False


@dataclass(frozen=True, slots=True)
class Allow:
    """The guard has nothing against it."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """The guard, or a host error, says no: a code, words for the person, and what would be legal."""

    code: str
    message: str
    alternatives: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Context:
    """What a handler is given. It does not tell a dry run from the real one.

    `key` is the idempotency key of this call; `version(kind)` the version that this run read of the
    target of that entity kind (None if the entity has none). `run` is an automation pass's run; empty elsewhere.
    """

    session: AsyncSession
    actor: Actor
    now: datetime
    key: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    run: str = ""

    def version(self, entity: str) -> str | None:
        """The version of this call's target of that kind, as a result of this run carried it."""
        return self.versions.get(entity)


@dataclass(frozen=True, slots=True)
class SyncContext:
    """The same for a `def` handler: a plain Session in the same transaction."""

    session: Session
    actor: Actor
    now: datetime
    key: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    def version(self, entity: str) -> str | None:
        """The version of this call's target of that kind, as a result of this run carried it."""
        return self.versions.get(entity)


Guard = Callable[[Any, Any], Awaitable[Allow | Refuse]]
OwnPreview = Callable[[Any, Any], Awaitable[Sequence[Any]]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A declared tool; made by the `tool` decorator. `title` is what people see it called, by language."""

    name: str
    description: str
    permissions: tuple[str, ...]
    effect: Effect
    egress: bool
    args: type[Args]
    result: type[Result]
    handler: Callable[..., Any]
    title: Mapping[str, str]
    say: Mapping[str, tuple[str, ...]]
    guard: Guard | None = None
    approve: Approve = Approve()
    no_target: str | None = None
    preview: OwnPreview | None = None
    hidden: Mapping[str, str | Mapping[str, str]] = field(default_factory=dict)

    @property
    def staged(self) -> bool:
        """True where a person must approve first: writes, and everything that leaves (TOOL-13)."""
        return self.egress or self.effect != "read"

    @property
    def is_async(self) -> bool:
        """False for `def` handlers, which get a SyncContext."""
        return inspect.iscoroutinefunction(self.handler)


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _plain(handler: Callable[..., Any]) -> Any:
    """The function behind partial objects. Raises TypeError for what the one door could not call and await."""
    function: Any = handler
    while isinstance(function, partial):
        function = function.func
    if not inspect.isfunction(function):
        raise TypeError(f"tool {type(handler).__name__}: a handler is a function, or a partial of one")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"tool {function.__name__}: a handler returns its result at once, it does not yield")
    return function


def tool(
    *,
    permissions: Sequence[str],
    effect: Effect,
    egress: bool = False,
    title: Mapping[str, str] | None = None,
    say: Mapping[str, Sequence[str]] | None = None,
    guard: Guard | None = None,
    approve: Approve = Approve(),
    no_target: str | None = None,
    preview: OwnPreview | None = None,
    hidden: Mapping[str, str | Mapping[str, str]] | None = None,
    name: str | None = None,
) -> Callable[[Callable[..., Any]], Tool]:
    """Declare a tool over a handler `(ctx, args: Args) -> Result`; its docstring is what the model reads.

    `permissions` are all required; `say` are sentences a person would use, by language; `no_target` is the
    reason why a write names no object; `hidden` maps a table to the reason why its changes are not shown, a
    text or one for each language. Raises TypeError where the handler's types are missing.
    """

    def declare(handler: Callable[..., Any]) -> Tool:
        plain = _plain(handler)
        hints = get_type_hints(plain, include_extras=True)
        parameters = [one.name for one in inspect.signature(handler).parameters.values() if one.kind in _POSITIONAL]
        where = f"tool {plain.__name__}"
        if len(parameters) != 2:
            raise TypeError(f"{where}: the handler takes (ctx, args)")
        args, result = hints.get(parameters[1]), hints.get("return")
        if not (isinstance(args, type) and issubclass(args, Args)):
            raise TypeError(f"{where}: its second parameter must be annotated with a subclass of Args")
        if not (isinstance(result, type) and issubclass(result, Result)):
            raise TypeError(f"{where}: its return type must be a subclass of Result")
        own = name or plain.__name__
        return Tool(
            name=own,
            description=inspect.cleandoc(plain.__doc__ or ""),
            permissions=tuple(permissions),
            effect=effect,
            egress=egress,
            args=args,
            result=result,
            handler=handler,
            title=dict(title or {"en": own.replace("_", " ").capitalize()}),
            say={language: tuple(sentences) for language, sentences in (say or {}).items()},
            guard=guard,
            approve=approve,
            no_target=no_target,
            preview=preview,
            hidden=dict(hidden or {}),
        )

    return declare
