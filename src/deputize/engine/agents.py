"""What administrators see and set of automations: policy, history, switches, passes, a trigger (AUTO-3, AUTO-7)."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from deputize.core.actor import Actor
from deputize.core.automation import Automation, Policy
from deputize.core.chain import Draft
from deputize.core.clock import iso
from deputize.core.errors import Disabled, Invalid, NotFound
from deputize.engine import access, passes, worker
from deputize.engine.cancelling import stop
from deputize.engine.views import call_dto, run_dto
from deputize.engine.wiring import Wiring
from deputize.policy.automation import faults_of
from deputize.store import agents, calls, conversations, runs, settings
from deputize.store.session import Tx

WIRE = {
    "enabled": "enabled",
    "mode": "mode",
    "allowed": "allowedFields",
    "daily_cap": "dailyCap",
    "threshold": "flagThreshold",
    "working_hours": "workingHours",
    "time_zone": "timeZone",
    "concurrency": "concurrency",
    "version": "version",
}
OPERATOR = "operator"
"""Who flips the deployment's switches from the command line, in the chain."""


def named(w: Wiring, name: str) -> Automation[Any, Any]:
    """The declared automation. Raises NotFound."""
    found = w.registry.automations.get(name)
    if found is None:
        raise NotFound()
    return found


def policy_dto(policy: Policy) -> dict[str, Any]:
    """A policy on the wire."""
    values = asdict(policy)
    return {WIRE[name]: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


async def overview(w: Wiring, actor: Actor, name: str) -> dict[str, Any]:
    """Policy, switches, counts and history of one automation. Raises Forbidden, NotFound."""
    access.require_any(w, actor, "supervise", "configure")
    automation = named(w, name)
    async with w.db.write(actor.tenant, "agent-policy") as tx:
        policy = await passes.policy_of(w, tx, automation, by=actor.id)
        switches = await settings.switch_rows(tx.conn, actor.tenant)
        history = await agents.history(tx.conn, actor.tenant, name)
    on = switches.get("*", True) and switches.get(name, True)
    return {
        "name": name,
        "on": automation.on,
        "declaredFields": sorted(automation.allowed),
        "grades": list(automation.grades),
        **policy_dto(policy),
        "switchedOn": on,
        "running": on and policy.enabled,
        "history": [_change_dto(row) for row in history],
    }


def _change_dto(row: Mapping[str, Any]) -> dict[str, Any]:
    before, after = row["before"] or {}, row["after"]
    return {
        "version": row["version"],
        "changedBy": row["changed_by"],
        "changedAt": iso(row["changed_at"]),
        "changes": {
            WIRE[name]: {"before": before.get(name), "after": value}
            for name, value in after.items()
            if name in WIRE and name != "version" and before.get(name) != value
        },
    }


async def configure(w: Wiring, actor: Actor, name: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Change policy fields; provider, address and keys are none (AUTO-3). Raises Forbidden, NotFound, Invalid."""
    access.require(w, actor, "configure")
    automation = named(w, name)
    async with w.db.write(actor.tenant, "agent-config") as tx:
        await settings.exclude(tx)
        before = await passes.policy_of(w, tx, automation, by=actor.id)
        after = replace(before, **changes)
        faults = faults_of(after, automation.allowed, automation.grades)
        if faults:
            raise Invalid(faults=[{"field": field, "rule": rule} for field, rule in faults])
        await _change(w, tx, actor, automation, before, after)
    if before.enabled and not after.enabled:
        await _halt(w, actor.tenant, name, actor.id)
    return await overview(w, actor, name)


async def _change(
    w: Wiring, tx: Tx, actor: Actor, automation: Automation[Any, Any], before: Policy, after: Policy
) -> None:
    """One new version with its history and its entry; nothing where nothing differs."""
    if before == after:
        return
    raised = await agents.change(tx, actor.tenant, automation.name, before, after, w.clock.now(), by=actor.id)
    old, new = policy_dto(before), policy_dto(raised)
    payload = {
        "agent": automation.name,
        "version": raised.version,
        "before": {name: old[name] for name in new if old[name] != new[name]},
        "after": {name: new[name] for name in new if old[name] != new[name]},
    }
    tx.note(Draft("agent_configured", actor.id, payload))


async def switch(w: Wiring, actor: Actor, name: str, on: bool) -> dict[str, Any]:
    """One automation of the tenant on or off: its policy's `enabled`, one version higher."""
    return await configure(w, actor, name, {"enabled": on})


async def switch_all(w: Wiring, actor: Actor, on: bool) -> dict[str, Any]:
    """The tenant's kill switch: automations and the copilot, starts and decisions (AUTO-7). Raises Forbidden."""
    access.require(w, actor, "configure")
    await flip(w, actor.tenant, "*", on, by=actor.id)
    return {"enabled": on}


async def flip(w: Wiring, tenant: str, name: str, on: bool, *, by: str) -> None:
    """Set a switch of the tenant (`*`: of the deployment) and stop what it stops, in every process.

    It waits for whoever has read the former state to commit; nothing that reads it commits after it. The
    deployment's flips stand in the chain of tenant `*`.
    """
    async with w.db.write(tenant, "switch") as tx:
        await settings.flip(tx, tenant, name, on, by, w.clock.now())
        tx.note(Draft("switch_flipped", by, {"tenant": tenant, "name": name, "on": on}))
    if not on:
        await _halt(w, None if tenant == "*" else tenant, None if name == "*" else name, by)


async def _halt(w: Wiring, tenant: str | None, name: str | None, by: str) -> None:
    """Abort what is under way, and expire the cards that wait (RUN-9); a decided write is never cut."""
    async with w.db.read() as conn:
        found = await agents.unfinished(conn, tenant, name)
    for of, run_id in found:
        await stop(w, of, run_id, by=by, code="AI_DISABLED")


async def trigger(w: Wiring, actor: Actor, name: str, subject: str | None) -> dict[str, Any]:
    """A pass now, under the same actor, policy and ledgers (AUTO-8). Raises Forbidden, NotFound, Disabled."""
    access.require(w, actor, "configure")
    automation = named(w, name)
    async with w.db.write(actor.tenant, "agent-trigger") as tx:
        if not w.enabled or not await settings.switched_on(tx.conn, actor.tenant, name):
            raise Disabled()
        tx.note(Draft("agent_triggered", actor.id, {"agent": name, "subject": subject}))
    return {"outcome": await worker.trigger(w, automation, actor.tenant, subject)}


async def page_of_runs(w: Wiring, actor: Actor, page: int, size: int, name: str | None = None) -> dict[str, Any]:
    """The passes of the tenant's automations, newest first. Raises Forbidden."""
    access.require(w, actor, "supervise")
    async with w.db.read() as conn:
        rows, total = await runs.page_of(
            conn, actor.tenant, f"agent:{name}" if name else None, (page - 1) * size, size, mode=passes.AUTONOMOUS
        )
    return {"items": [_run_dto(row) for row in rows], "total": total, "page": page, "pageSize": size}


def _run_dto(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**run_dto(row), "subject": row["subject"], "attempt": row["context"].get("attempt", 1)}


async def one_run(w: Wiring, actor: Actor, run_id: str) -> dict[str, Any]:
    """One pass with what was asked, answered and done; every view is an entry (AUD-2). Raises Forbidden, NotFound."""
    access.require(w, actor, "supervise")
    async with w.db.write(actor.tenant, "agent-run-view") as tx:
        row = await runs.row(tx.conn, actor.tenant, run_id)
        if row is None or row["mode"] != passes.AUTONOMOUS:
            raise NotFound()
        said = await conversations.of_run(tx.conn, actor.tenant, run_id)
        made = await calls.of_run(tx.conn, actor.tenant, run_id)
        tx.note(Draft("transcript_viewed", actor.id, {"owner": row["actor_id"], "run": run_id}, run=run_id))
    messages = [
        {"id": one["id"], "role": one["role"], "content": one["clear"], "createdAt": iso(one["created_at"])}
        for one in said
    ]
    shown = [call_dto(w, call, actor).model_dump(by_alias=True, mode="json") for call in made]
    return {**_run_dto(row), "messages": messages, "toolCalls": shown}
