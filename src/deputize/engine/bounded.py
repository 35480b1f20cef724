"""What a pass writes: through the same watched door as a tool, and undone where it goes beyond its policy (AUTO-6)."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from deputize.core.clock import new_id
from deputize.core.effect import HandlerFailed, Observed, Refused
from deputize.core.run import Outcome
from deputize.core.tool import Args, Context, Result, Tool
from deputize.engine.failures import log_failure
from deputize.engine.passes import Pass
from deputize.engine.preview import observe
from deputize.engine.wiring import Wiring
from deputize.policy.automation import overstepped
from deputize.store import calls, outbox
from deputize.store import targets as target_rows
from deputize.store.session import Tx

Body = Callable[[Context], Awaitable[Any]]


class Subject(Args):
    """What a pass's own calls are recorded with."""

    subject: str


class Kept(Result):
    """What `propose` gave back, if it is plain data."""

    kept: Any = None


@dataclass(frozen=True, slots=True)
class Deed:
    """One call of a pass with its outcome; `result` is plain data."""

    tool: str
    outcome: Outcome
    code: str | None = None
    result: Any = None
    version: str | None = None
    rows: tuple[str, ...] = ()


async def perform(w: Wiring, tx: Tx, p: Pass, verb: str, body: Body, fields: Collection[str]) -> Deed:
    """Run `body` under watch with the subject locked at its present version.

    Of the subject only `fields` may change, beside the tables that the automation `keeps`; anything else, an
    effect that would leave included, is undone and `refused`. Clashes with other transactions pass unchanged.
    """
    entity = w.registry.entities[p.automation.entity]
    name = f"{p.automation.name}_{verb}"
    there, version = await target_rows.lock(tx.conn, p.tenant, entity, p.subject)
    if not there:
        return Deed(name, Outcome.REFUSED, "not_found")
    versions = {entity.kind: version} if version is not None else {}
    savepoint = await tx.conn.begin_nested()
    try:
        observed = await _watched(w, tx, p, _tool(name, body, p.run_id), versions)
    except Refused as refusal:
        await savepoint.rollback()
        return Deed(name, Outcome.REFUSED, refusal.refuse.code[:64], version=version)
    except HandlerFailed as failure:
        await savepoint.rollback()
        log_failure(f"automation {name}", failure.__cause__ or failure)
        return Deed(name, Outcome.FAILED, failure.reason, version=version)
    beyond = _beyond(w, p, observed, fields)
    if beyond is not None:
        await savepoint.rollback()
        return Deed(name, Outcome.BLOCKED, "outside_policy", {"beyond": beyond}, version)
    await savepoint.commit()
    await _keep(w, tx, p, observed)
    rows = tuple(f"{row.op} {row.table}:{row.id}" for row in observed.rows)[:200]
    return Deed(name, Outcome.OK, None, observed.result["kept"], version, rows)


async def _watched(w: Wiring, tx: Tx, p: Pass, tool: Tool, versions: Mapping[str, str]) -> Observed:
    args = Subject(subject=p.subject)
    return await observe(w, tx, p.actor, tool, args, now=w.clock.now(), key=p.mine.id, versions=versions)


def _tool(name: str, body: Body, run_id: str) -> Tool:
    async def handler(ctx: Context, args: Subject) -> Kept:
        value = await body(replace(ctx, run=run_id))
        return Kept(kept=value if isinstance(value, dict | list | str | int | float | bool | BaseModel) else None)

    return Tool(
        name=name,
        description="",
        permissions=(),
        effect="write",
        egress=False,
        args=Subject,
        result=Kept,
        handler=handler,
        title={},
        say={},
    )


def _beyond(w: Wiring, p: Pass, observed: Observed, fields: Collection[str]) -> str | None:
    if observed.outgoing:
        return f"channel {observed.outgoing[0].channel}"
    entity = w.registry.entities[p.automation.entity]
    free = {*entity.volatile, *([entity.version] if entity.version else [])}
    return overstepped(
        observed.rows,
        table=target_rows.table_of(entity).fullname,
        subject=p.subject,
        fields=fields,
        keeps=p.automation.keeps,
        free=free if fields else (),
    )


async def _keep(w: Wiring, tx: Tx, p: Pass, observed: Observed) -> None:
    """What the services left to be done commits with the pass."""
    now = w.clock.now()
    await outbox.put(tx.conn, p.tenant, (), observed.events, now, run_id=p.run_id, actor_id=p.actor.id)
    for draft in observed.notes:
        tx.note(draft)
    for hook in observed.hooks:
        tx.on_commit(hook)


async def record(w: Wiring, tx: Tx, p: Pass, deeds: Collection[Deed]) -> None:
    """The calls of the pass, as the run's record has them (AUTO-2)."""
    now = w.clock.now()
    rows = [
        {
            "id": new_id(now),
            "conversation_id": None,
            "run_id": p.run_id,
            "actor_id": p.actor.id,
            "step": 1,
            "position": position,
            "tool": deed.tool[:128],
            "kind": "write",
            "provider_id": "",
            "raw": "",
            "arguments": {"subject": p.subject},
            "outcome": deed.outcome.value,
            "code": deed.code,
            "result": deed.result,
            "executed_version": deed.version,
            "created_at": now,
            "finished_at": now,
        }
        for position, deed in enumerate(deeds)
    ]
    await calls.insert_calls(tx, p.tenant, rows)
