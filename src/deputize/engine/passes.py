"""One automation pass as the record has it: begun with its claim, and ended with its event in one transaction."""

import random
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from deputize.core.actor import Actor
from deputize.core.automation import Automation, Policy
from deputize.core.chain import Draft
from deputize.core.clock import new_id
from deputize.core.run import RunStatus
from deputize.engine.ending import end
from deputize.engine.wiring import Wiring
from deputize.policy.automation import Wait, backoff, day_of, may_start
from deputize.policy.plan import End
from deputize.store import agents, attachments, leases, outbox, runs, settings
from deputize.store.outbox import EVENT, Claimed
from deputize.store.session import Tx

AUTONOMOUS = "autonomous"


@dataclass(frozen=True, slots=True)
class Pass:
    """A claimed event, the run in which it is handled, and on whose one capability."""

    automation: Automation[Any, Any]
    mine: Claimed
    policy: Policy
    run_id: str
    actor: Actor

    @property
    def subject(self) -> str:
        """The id of the record that the event is about."""
        return self.mine.subject or self.mine.key

    @property
    def tenant(self) -> str:
        """Whose event it is."""
        return self.mine.tenant


def actor_of(automation: Automation[Any, Any], tenant: str, policy: Policy) -> Actor:
    """The system actor of an automation: one capability, no role, no grants (AUTO-5)."""
    return Actor(
        id=f"agent:{automation.name}",
        tenant=tenant,
        kind="system",
        label=automation.name,
        time_zone=policy.time_zone,
        capability=automation.capability,
    )


def first_policy(w: Wiring, automation: Automation[Any, Any]) -> Policy:
    """What a policy is when it is made: the operator's settings, every declared field allowed (AUTO-3)."""
    return Policy(
        mode=w.limits.agent_mode,
        allowed=tuple(sorted(automation.allowed)),
        working_hours=w.limits.agent_hours,
        time_zone=automation.time_zone,
        concurrency=w.limits.agent_concurrency,
    )


async def policy_of(w: Wiring, tx: Tx, automation: Automation[Any, Any], *, by: str) -> Policy:
    """The tenant's policy under lock; made at first use, with its entry."""
    tenant, name = tx.tenant, automation.name

    async def start() -> Policy:
        plain = first_policy(w, automation)
        session = w.db.host(tx.conn, actor_of(automation, tenant, plain))
        try:
            return replace(plain, time_zone=await automation.zone(session, tenant))
        finally:
            await session.close()

    policy, made = await agents.ensure(tx, tenant, name, start, w.clock.now(), by=by)
    if made:
        tx.note(Draft("agent_created", by, {"agent": name, "version": policy.version, "mode": policy.mode}))
    return policy


async def begin(
    w: Wiring, automation: Automation[Any, Any], tenant: str, subject: str | None = None
) -> Pass | Wait | None:
    """Claim the tenant's next event, or that of `subject`, where switch, policy, hours, cap and concurrency allow it.

    All is asked and written in one transaction under the policy's lock, so that workers count each other.
    """
    now = w.clock.now()
    async with w.db.write(tenant, "event-claim") as tx:
        await settings.hold(tx.conn)
        if not await settings.switched_on(tx.conn, tenant, automation.name):
            return Wait("switched_off", now)
        policy = await policy_of(w, tx, automation, by="system")
        today = day_of(policy.time_zone, now)[0]
        made = await agents.passes_since(tx.conn, tenant, automation.name, today) if policy.daily_cap is not None else 0
        busy = await outbox.under_way(tx.conn, tenant, automation.on)
        wait = may_start(policy, now, made, busy)
        if wait is not None:
            return wait
        lease = w.limits.lease
        mine = await outbox.claim(tx.conn, EVENT, [automation.on], w.process, lease, tenant=tenant, subject=subject)
        if mine is None:
            return None
        begun = Pass(automation, mine, policy, new_id(now), actor_of(automation, tenant, policy))
        if mine.attempts >= w.limits.agent_attempts:
            await outbox.bury(tx, tenant, mine, outbox.LOST, now)
            note(tx, begun, "automation_failed", code=outbox.LOST, buried=True)
            return None
        await _open(w, tx, begun, now)
    return begun


async def _open(w: Wiring, tx: Tx, p: Pass, now: datetime) -> None:
    await leases.begin(
        tx,
        p.tenant,
        w.process,
        w.limits.lease,
        id=p.run_id,
        actor_id=p.actor.id,
        surface="",
        mode=AUTONOMOUS,
        agent=p.automation.name,
        subject=p.subject,
        context={"event": p.mine.id, "attempt": p.mine.attempts + 1, "policy": p.policy.version},
        created_at=now,
    )


async def fence(w: Wiring, tx: Tx, p: Pass) -> None:
    """First statements of every write transaction of a pass: nobody flips a switch, and the event is still ours."""
    await settings.hold(tx.conn)
    await outbox.fence(tx, p.tenant, p.mine, w.process, w.limits.lease)


async def standing(tx: Tx, p: Pass) -> Policy | None:
    """The policy as it is now; None where it or a switch no longer lets the pass go on (AUTO-7).

    A switch that stopped this very pass counts also once it is on again: what it cut short is no failed attempt.
    """
    if await attachments.why_asked(tx.conn, p.tenant, p.run_id) is not None:
        return None
    policy = await agents.policy(tx.conn, p.tenant, p.automation.name)
    if policy is None or not policy.enabled:
        return None
    return policy if await settings.switched_on(tx.conn, p.tenant, p.automation.name) else None


async def done(w: Wiring, tx: Tx, p: Pass, code: str | None = None) -> None:
    """The event is handled, and the run complete."""
    await outbox.finish(tx, p.tenant, p.mine, w.clock.now())
    await _end(w, tx, p, RunStatus.COMPLETE, code)


async def skip(w: Wiring, tx: Tx, p: Pass, reason: str) -> None:
    """Nothing to do: recorded, and no model was asked for it (AUTO-4)."""
    await done(w, tx, p, f"{agents.SKIPPED}{reason}"[:64])
    note(tx, p, "automation_skipped", reason=reason[:64])


async def postpone(w: Wiring, tx: Tx, p: Pass, status: RunStatus, code: str, seconds: float = 0.0) -> None:
    """The event waits; that is no attempt (AUTO-3)."""
    await outbox.again(tx, p.tenant, p.mine, code, max(seconds, 0.0), counted=False)
    await _end(w, tx, p, status, code)


async def fail(w: Wiring, tx: Tx, p: Pass, code: str) -> None:
    """A failed attempt: tried again later, or buried where an administrator sees it."""
    attempts = p.mine.attempts + 1
    buried = attempts >= w.limits.agent_attempts
    if buried:
        await outbox.bury(tx, p.tenant, p.mine, code, w.clock.now())
    else:
        wait = backoff(attempts, random.random())  # noqa: S311 - spreads retries, guards nothing
        await outbox.again(tx, p.tenant, p.mine, code, wait)
    await _end(w, tx, p, RunStatus.ERROR, code)
    note(tx, p, "automation_failed", code=code, attempt=attempts, buried=buried)


async def _end(w: Wiring, tx: Tx, p: Pass, status: RunStatus, code: str | None) -> None:
    run = await runs.load(tx.conn, p.tenant, p.run_id, lock=True)
    assert run is not None
    await end(w, tx, run, End(status, code), by=p.actor.id)


def note(tx: Tx, p: Pass, kind: str, **more: Any) -> None:
    """The chain entry of a pass: which automation, event and subject, under which version of the policy."""
    payload = {
        "agent": p.automation.name,
        "event": p.mine.id,
        "subject": f"{p.automation.entity}:{p.subject}",
        "policy": p.policy.version,
        **more,
    }
    tx.note(Draft(kind, p.actor.id, payload, run=p.run_id))
