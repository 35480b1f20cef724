"""The worker: lanes that each take one event or effect at a time, heartbeats, chores, and an orderly stop (AUTO-1)."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from deputize.core.actor import Actor
from deputize.core.automation import Automation
from deputize.core.effect import Enqueued
from deputize.core.tool import Context
from deputize.engine import automation as pass_of
from deputize.engine import deliver, heartbeat, passes, sweeper, watching
from deputize.engine.failures import log_failure
from deputize.engine.passes import Pass
from deputize.engine.wiring import Wiring
from deputize.store import outbox

LANES = 4
"""Things that one worker process does at once."""
STOP_SECONDS = 10.0
"""What is under way gets this long to end by itself when the worker is told to stop."""


@dataclass(slots=True)
class Health:
    """What a probe is told: whether the worker turns, and what it has done since its start."""

    lanes: int = LANES
    started: float = field(default_factory=time.monotonic)
    turned: float = field(default_factory=time.monotonic)
    busy: int = 0
    done: int = 0
    failures: int = 0
    stopping: bool = False

    def report(self, poll: float) -> dict[str, Any]:
        """`ok` is False where no lane has turned for three polls and none is at work, or where it is stopping."""
        idle = time.monotonic() - self.turned
        alive = self.busy > 0 or idle < 3 * poll + 5
        return {
            "ok": alive and not self.stopping,
            "busy": self.busy,
            "lanes": self.lanes,
            "done": self.done,
            "failures": self.failures,
            "upSeconds": round(time.monotonic() - self.started),
            "idleSeconds": round(idle),
        }


async def _event_one(w: Wiring, automation: Automation[Any, Any], tenant: str) -> bool:
    """Claim one due event of the tenant and see it through; False where there is none that may be handled now."""
    begun = await passes.begin(w, automation, tenant)
    if not isinstance(begun, Pass):
        return False
    await _handle(w, begun)
    return True


async def _handle(w: Wiring, begun: Pass) -> str:
    w.hub.held.add(begun.mine.id)
    w.hub.passes.add(begun.run_id)
    try:
        return await pass_of.run(w, begun)
    finally:
        w.hub.held.discard(begun.mine.id)
        w.hub.passes.discard(begun.run_id)


async def once(w: Wiring) -> bool:
    """One effect, or else one event; False where there is nothing to do now."""
    agenda = w.hub.agenda
    automations = {automation.on: automation for automation in w.registry.automations.values()}
    asked = False
    while not asked:
        asked = await agenda.look(w.db, list(w.registry.channels), list(automations))
        for item in list(agenda.items):
            if item.kind == outbox.EFFECT:
                worked = await deliver.deliver_one(w)
            else:
                worked = await _event_one(w, automations[item.type], item.tenant)
            if worked:
                return True
            agenda.used_up(item)
    return False


async def drain(w: Wiring) -> int:
    """Do all that is due now, one after the other; how many there were."""
    count = 0
    while await once(w):
        count += 1
    return count


async def trigger(w: Wiring, automation: Automation[Any, Any], tenant: str, subject: str | None) -> str:
    """A person asks for a pass now: same actor, policy and ledgers as any other (AUTO-8); what came of it.

    With a subject its event is written first, if it has none yet. Without one the next due event is taken.
    """
    if subject is not None:
        async with w.db.write(tenant, "enqueue") as tx:
            await outbox.put(tx.conn, tenant, (), [Enqueued(automation.on, subject)], w.clock.now())
            await outbox.hurry(tx, tenant, automation.on, subject)
    begun = await passes.begin(w, automation, tenant, subject=subject)
    if begun is None:
        return "nothing to do"
    return await _handle(w, begun) if isinstance(begun, Pass) else f"waiting: {begun.reason}"


async def reconcile(w: Wiring) -> int:
    """Write the events that were missed, but none for an owner who opted out (AUTO-1, AUTO-4); how many are named."""
    before = w.clock.now() - timedelta(seconds=w.limits.agent_reconcile)
    named = 0
    for automation in w.registry.automations.values():
        nobody = Actor("system", "*", kind="system", capability=automation.capability)
        async with w.db.read() as conn:
            session = w.db.host(conn, nobody)
            try:
                found = await automation.missed(session, before)
            finally:
                await session.close()
        for tenant, subject in found:
            named += await _enqueue_missed(w, automation, tenant, subject)
    return named


async def _enqueue_missed(w: Wiring, automation: Automation[Any, Any], tenant: str, subject: str) -> bool:
    actor = passes.actor_of(automation, tenant, passes.first_policy(w, automation))
    async with w.db.read() as conn:
        session = w.db.host(conn, actor)
        try:
            owner = await automation.owner(Context(session=session, actor=actor, now=w.clock.now()), subject)
        finally:
            await session.close()
    if owner is not None and not owner.ai_enabled:
        return False
    async with w.db.write(tenant, "reconcile") as tx:
        await outbox.put(tx.conn, tenant, (), [Enqueued(automation.on, subject)], w.clock.now())
    return True


async def work(w: Wiring, stop: asyncio.Event, health: Health | None = None, *, chores: bool = True) -> None:
    """Work until `stop` is set; what is under way is finished first, within a limit.

    `chores` are what an application's own lifespan does too (beating, sweeping, watching): a process needs them once.
    """
    health = health or Health()
    lanes = [asyncio.create_task(_lane(w, stop, health), name=f"lane {n}") for n in range(health.lanes)]
    timers = [_timer(reconcile, w, w.limits.agent_reconcile)]
    if chores:
        timers.append(heartbeat.keep_beating(w))
        timers.append(sweeper.keep_sweeping(w, w.limits.agent_sweep))
        timers.append(watching.keep_watching(w))
    background = [asyncio.create_task(timer) for timer in timers]
    try:
        await stop.wait()
        health.stopping = True
        await asyncio.wait(lanes, timeout=STOP_SECONDS)
    finally:
        health.stopping = True
        for task in (*lanes, *background):
            task.cancel()
        await asyncio.gather(*lanes, *background, return_exceptions=True)


async def _lane(w: Wiring, stop: asyncio.Event, health: Health) -> None:
    """One thing after the other; a failure of ours is logged and the next turn tries again after a pause."""
    while not stop.is_set():
        health.busy += 1
        try:
            worked = await once(w)
            health.done += worked
        except Exception as error:
            log_failure("a turn of the worker", error)
            health.failures += 1
            worked = False
        finally:
            health.busy -= 1
        health.turned = time.monotonic()
        if not worked:
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), w.limits.agent_poll)


async def _timer(chore: Callable[[Wiring], Awaitable[Any]], w: Wiring, every: float) -> None:
    while True:
        await asyncio.sleep(every)
        try:
            await chore(w)
        except Exception as error:
            log_failure("a chore of the worker", error)
