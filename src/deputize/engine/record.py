"""Writing what became of a call: its one result, its sightings, its chain entry and its event, together."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deputize.core.chain import Draft
from deputize.core.event import ToolResult
from deputize.core.run import Outcome, Run, ToolCall
from deputize.engine.announce import announce
from deputize.engine.emit import emit
from deputize.engine.wiring import Wiring
from deputize.policy.pinning import targets_of
from deputize.store import calls, sightings
from deputize.store.session import Tx

Sighting = tuple[str, str, str | None, bool]


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of a call: `result` for the screen in clear, `sent` the JSON text for the model."""

    outcome: Outcome
    sent: str
    code: str | None = None
    result: Any = None
    arguments: Mapping[str, Any] | None = None
    key: str | None = None
    truncated: bool = False
    from_record: bool = False
    latency_ms: int | None = None
    links: Sequence[Mapping[str, str]] = ()
    sightings: Sequence[Sighting] = ()
    executed_version: str | None = None
    entry: Mapping[str, Any] = field(default_factory=dict)


def envelope(outcome: Outcome, **parts: Any) -> str:
    """The JSON text that the model gets: outcome, then only what there is to say."""
    body = {"outcome": outcome.value, **{name: part for name, part in parts.items() if part not in (None, "", {}, [])}}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), default=str)


async def finish(w: Wiring, tx: Tx, run: Run, call: ToolCall, done: Finished, *, by: str, kind: str, via: str) -> bool:
    """Write the result unless the call already has one; True if it was written."""
    values: dict[str, Any] = {
        "code": done.code,
        "result": done.result,
        "sent": done.sent,
        "truncated": done.truncated,
        "from_record": done.from_record,
        "latency_ms": done.latency_ms,
        "links": [dict(link) for link in done.links] or None,
        "executed_version": done.executed_version,
        "finished_at": w.clock.now(),
    }
    if done.arguments is not None:
        values |= {"arguments": dict(done.arguments), "key": done.key}
    if not await calls.finish(tx, run.tenant, call.id, done.outcome, **values):
        return False
    await sightings.see(tx, run.tenant, run.conversation_id, run.id, done.sightings)
    tx.note(draft(w, run, call, kind, by, done, via))
    shown = ToolResult(
        call_id=call.id,
        outcome=done.outcome,
        result=done.result,
        truncated=done.truncated,
        code=done.code,
        links=[dict(link) for link in done.links],
    )
    await emit(w, tx, run.id, [shown])
    _tell(w, tx, run, call, done.outcome)
    return True


def _tell(w: Wiring, tx: Tx, run: Run, call: ToolCall, outcome: Outcome) -> None:
    """Counted and announced once it is committed; a name that nobody declared is not repeated."""
    tool = call.tool if call.tool in w.registry.tools else "unknown"
    tx.on_commit(lambda: w.meters.called(tool, outcome.value))
    details = {"session": run.conversation_id, "run": run.id, "surface": run.surface, "user": run.actor_id}
    announce(w, tx, "tool_invoked", {**details, "call": call.id, "tool": tool, "outcome": outcome.value})


def draft(w: Wiring, run: Run, call: ToolCall, kind: str, by: str, done: Finished, via: str) -> Draft:
    """The chain entry of a call: who, for whom, which call and tool, which records, what came of it (AUD-2)."""
    arguments = done.arguments if done.arguments is not None else call.arguments
    return Draft(
        kind=kind,
        actor=by,
        run=run.id,
        payload={
            "owner": run.actor_id,
            "surface": run.surface,
            "call": call.id,
            "tool": call.tool if call.tool in w.registry.tools else "unknown",
            "outcome": done.outcome.value,
            "code": done.code,
            "via": via,
            **summary(w, call.tool, arguments),
            **done.entry,
        },
    )


def summary(w: Wiring, name: str, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments in brief: the records they name and the fields they set, never their values."""
    tool = w.registry.tools.get(name)
    if tool is None or arguments is None:
        return {}
    targets = sorted({f"{entity}:{ident}" for entity, ident, _ in targets_of(tool.args, arguments)})
    return {"targets": targets, "fields": sorted(arguments)}
