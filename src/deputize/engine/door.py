"""The one door that every call goes through: each question in its order, the first no is the answer (TOOL-4)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Protocol

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

from deputize.core.actor import Actor
from deputize.core.errors import Cancelled, DetectionFailed, UnknownToken
from deputize.core.run import CLIENT, Outcome, Run, ToolCall
from deputize.core.tool import Allow, Args, Context, Refuse, Tool
from deputize.engine import actors, veil
from deputize.engine.failures import log_failure
from deputize.engine.outgoing import hide_refusal
from deputize.engine.wiring import Wiring
from deputize.policy import arguments as rules
from deputize.policy.declared import schema_of
from deputize.policy.gate import No, asks_authority, asks_detection, asks_rates, asks_write_cap
from deputize.policy.pinning import NotRead, NotSeen, Pinned, Seen, pin, targets_of
from deputize.policy.plan import earlier, staged_writes
from deputize.policy.provenance import unproven
from deputize.store import calls, conversations, settings, sightings


@dataclass(frozen=True, slots=True)
class Shut:
    """The call goes no further: what became of it, why, and which question said so."""

    outcome: Outcome
    code: str
    door: str
    message: str = ""
    alternatives: Mapping[str, Any] = field(default_factory=dict)
    arguments: Mapping[str, Any] | None = None
    key: str | None = None
    told: tuple[str, Mapping[str, Any]] | None = None
    """Message and alternatives as the model is told them, where they are the host's words."""
    hidden: veil.Veil | None = None
    """What learnt from those words and is to be kept."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """Answered from the record: an identical call was already executed (RUN-5)."""

    by: ToolCall
    arguments: Mapping[str, Any]
    key: str


@dataclass(frozen=True, slots=True)
class Passed:
    """Every question was answered with yes."""

    actor: Actor
    tool: Tool
    args: Args
    arguments: Mapping[str, Any]
    key: str
    pinned: Pinned
    unproven: tuple[str, ...]
    veil: veil.Veil


class Asked(Protocol):
    """What locks and guard need to know of a call."""

    @property
    def actor(self) -> Actor:
        """On whose authority."""

    @property
    def tool(self) -> Tool:
        """What is called."""

    @property
    def args(self) -> Args:
        """With which arguments."""

    @property
    def pinned(self) -> Pinned:
        """On which records."""


def shut(no: No) -> Shut:
    """A rule's no as the door's answer."""
    return Shut(no.outcome, no.code, no.door, no.message)


async def authority(
    w: Wiring, conn: AsyncConnection, run: Run, name: str, *, switched_on: bool | None = None
) -> tuple[Actor, Tool] | Shut:
    """The questions that need no arguments; the actor is loaded afresh (TOOL-3)."""
    actor = await actors.fresh(w, conn, run.tenant, run.actor_id)
    if actor is None:
        return Shut(Outcome.REFUSED, "unknown_actor", "permissions", "The person is no longer known here.")
    tool = w.registry.tools.get(name)
    no = asks_authority(
        tool,
        w.registry.toolset_of.get(name, ""),
        w.registry.surfaces[run.surface],
        actor,
        w.limits,
        switched_on=await settings.switched_on(conn, run.tenant) if switched_on is None else switched_on,
    )
    if no is not None:
        return shut(no)
    assert tool is not None  # `known` was asked first
    return actor, tool


def read_arguments(tool: Tool, raw: str, hidden: veil.Veil) -> tuple[Args, dict[str, Any]] | Shut:
    """Parse, restore tokens, validate; faults name fields and rules, never values (RUN-3, RED-7)."""
    value = rules.parse(raw, tool.args)
    if isinstance(value, rules.Bad):
        return _bad(value)
    try:
        value = hidden.restore(value, tool)
    except UnknownToken:
        return Shut(
            Outcome.INVALID,
            "unknown_placeholder",
            "arguments",
            "A placeholder that was never issued here cannot be used as a value.",
        )
    return check_arguments(tool, value)


def check_arguments(tool: Tool, value: Mapping[str, Any]) -> tuple[Args, dict[str, Any]] | Shut:
    """Validate plain arguments that are already in clear."""
    args = rules.validate(value, tool.args)
    if isinstance(args, rules.Bad):
        return _bad(args)
    return args, args.model_dump(mode="json", exclude_unset=True)


def _bad(bad: rules.Bad) -> Shut:
    faults = [{"field": name, "rule": rule} for name, rule in bad.faults]
    return Shut(
        Outcome.INVALID, bad.code, "arguments", "The arguments do not fit the tool's schema.", {"faults": faults}
    )


async def pinned(w: Wiring, conn: AsyncConnection, run: Run, tool: Tool, arguments: Mapping[str, Any]) -> Pinned | Shut:
    """Only what this conversation has seen, at a version that this run, or one it retries, has read (TOOL-5, -6).

    Where a client makes each call as a run of its own, what its conversation has read counts.
    """
    named = [(entity, ident) for entity, ident, _ in targets_of(tool.args, arguments)]
    if not named:
        return Pinned((), {})
    rows = await sightings.seen(conn, run.tenant, run.conversation_id, named)
    lineage = [*dict.fromkeys(call.run_id for call in run.inherited), run.id]
    if run.provider == CLIENT:
        lineage = sorted({row["run_id"] for row in rows})
    read = sorted((row for row in rows if row["run_id"] in lineage), key=lambda row: lineage.index(row["run_id"]))
    seen = Seen(
        ids={(row["what"], row["value"]) for row in rows},
        versions={(row["what"], row["value"]): row["version"] for row in read if row["version"] is not None},
    )
    versioned = {kind for kind, entity in w.registry.entities.items() if entity.version} if tool.staged else set()
    found = pin(tool.args, arguments, seen, versioned)
    match found:
        case NotSeen(entity, path):
            return Shut(
                Outcome.BLOCKED,
                "AI_INJECTION_BLOCKED",
                "pinning",
                f"No result of this conversation has shown that {entity}; search for it first.",
                {"field": path, "entity": entity},
            )
        case NotRead(entity, path):
            return Shut(
                Outcome.BLOCKED,
                "need_read_first",
                "version",
                f"Read the {entity} in this request before changing it.",
                {"field": path, "entity": entity},
            )
        case Pinned():
            return found


async def guarded(
    w: Wiring, session: AsyncSession, actor: Actor, tool: Tool, args: Args, pinned_to: Pinned, key: str
) -> Shut | None:
    """The host's own predicate; a guard that raises or answers nothing keeps the door shut (TOOL-8)."""
    if tool.guard is None:
        return None
    ctx = Context(session=session, actor=actor, now=w.clock.now(), key=key, versions=pinned_to.versions)
    try:
        answer = await tool.guard(ctx, args)
    except Exception as error:
        log_failure(f"the guard of {tool.name}", error)
        return Shut(Outcome.REFUSED, "guard_failed", "guard", "It could not be checked whether this is allowed.")
    match answer:
        case Allow():
            return None
        case Refuse(code, message, alternatives):
            return Shut(Outcome.REFUSED, code, "guard", message, alternatives)
    return Shut(Outcome.REFUSED, "guard_failed", "guard", "It could not be checked whether this is allowed.")


async def _guard(
    w: Wiring, conn: AsyncConnection, actor: Actor, tool: Tool, args: Args, pinned_to: Pinned, key: str
) -> Shut | None:
    if tool.guard is None:
        return None
    session = w.db.host(conn, actor)
    try:
        return await guarded(w, session, actor, tool, args, pinned_to, key)
    finally:
        await session.close()


async def proven(
    w: Wiring, conn: AsyncConnection, run: Run, tool: Tool, arguments: Mapping[str, Any]
) -> tuple[str, ...]:
    """Paths of destinations that nobody trusted named; they are not refused but must be typed (TOOL-7)."""
    from_nobody = unproven(tool.args, arguments, (), ())
    if not from_nobody:
        return ()
    said = await conversations.user_words(conn, run.tenant, run.conversation_id)
    trusted = await sightings.trusted_values(conn, run.tenant, run.conversation_id)
    return unproven(tool.args, arguments, said, trusted)


async def ask(w: Wiring, conn: AsyncConnection, run: Run, call: ToolCall) -> Passed | Shut | Repeated:
    """All questions in order, on a connection that only reads; staging asks the guard again under locks."""
    standing = await settings.standing(conn, run.tenant, run.id)
    if standing.cancelled:
        raise Cancelled()
    allowed = await authority(w, conn, run, call.tool, switched_on=standing.on)
    if isinstance(allowed, Shut):
        return allowed
    actor, tool = allowed
    surface = w.registry.surfaces[run.surface]
    hidden = await veil.lift(w, conn, run.tenant, run.conversation_id, surface, standing.chosen, run.id)
    withheld = asks_detection(tool, prose=schema_of(tool).prose, withheld=hidden.withhold_prose)
    if withheld is not None:
        return shut(withheld)
    read = read_arguments(tool, call.raw, hidden)
    if isinstance(read, Shut):
        return read
    args, plain = read
    key = rules.call_key(tool.name, plain)
    pinned_to = await pinned(w, conn, run, tool, plain)
    if isinstance(pinned_to, Shut):
        return _with(pinned_to, plain, key)
    places = await proven(w, conn, run, tool, plain)
    no = await _guard(w, conn, actor, tool, args, pinned_to, call.id)
    if no is not None:
        return await veiled(w, hidden, _with(no, plain, key))
    since = w.clock.now() - timedelta(minutes=1)
    minute, whole = await calls.actions_since(conn, run.tenant, run.actor_id, run.conversation_id, since)
    full = asks_rates(minute, whole, w.limits)
    if full is not None:
        return _with(shut(full), plain, key)
    before = earlier(run, call, key)
    if before is not None:
        return Repeated(before, plain, key)
    if tool.staged:
        capped = asks_write_cap(staged_writes(run), w.limits)
        if capped is not None:
            return _with(shut(capped), plain, key)
    return Passed(actor, tool, args, plain, key, pinned_to, places, hidden)


def _with(no: Shut, arguments: Mapping[str, Any], key: str) -> Shut:
    return replace(no, arguments=arguments, key=key)


async def veiled(w: Wiring, hidden: veil.Veil, no: Shut) -> Shut:
    """The same no with the words of a guard hidden from the model (RED-2); unread words are withheld (RED-6)."""
    if no.door != "guard":
        return no
    try:
        told = await hide_refusal(w, hidden, Refuse(no.code, no.message, no.alternatives))
    except DetectionFailed as error:
        return Shut(Outcome.FAILED, "detection_failed", "redaction", error.message, {}, no.arguments, no.key)
    return replace(no, told=told, hidden=hidden)
