"""Effects that leave the house after their commit: sent once, tried again, or left to a person (APPR-5)."""

import asyncio
import random
import time
from typing import Any

from deputize.core.chain import Draft
from deputize.core.channel import Channel, NotSent, Receipt
from deputize.engine.failures import log_failure
from deputize.engine.wiring import Wiring
from deputize.policy.automation import backoff
from deputize.store import outbox
from deputize.store.outbox import EFFECT, Claimed, LeaseLost
from deputize.store.session import Tx

SYSTEM = "system"
"""Who delivers, in the chain: nobody in particular; for whom stands in the payload."""
SEND_SECONDS = 60.0
"""A channel that has not answered by then is taken as one whose answer was lost."""
RECEIPT_CHARS = 400


def key_for_outside(tenant: str, key: str) -> str:
    """The idempotency key that the other side sees: two tenants may use the same one."""
    return f"{tenant}:{key}"


async def deliver_one(w: Wiring) -> bool:
    """Claim one due effect and see it through; False where none is due."""
    async with w.db.write("*", "effect-claim") as tx:
        mine = await outbox.claim(tx.conn, EFFECT, list(w.registry.channels), w.process, w.limits.lease)
    if mine is None:
        return False
    began = time.monotonic()
    channel = w.registry.channels[mine.type]
    w.hub.held.add(mine.id)
    try:
        if mine.lost and not channel.keyed:
            await _doubt(w, mine, outbox.LOST)
        elif mine.attempts >= w.limits.agent_attempts:
            await _bury(w, mine, outbox.LOST)
        else:
            await _send(w, channel, mine, began)
    except LeaseLost:
        pass  # another worker has it; what happened to it is that one's to say
    finally:
        w.hub.held.discard(mine.id)
    return True


async def _send(w: Wiring, channel: Channel, mine: Claimed, began: float) -> None:
    """Nothing of ours is open while the other side answers; a worker that slept past its lease sends nothing."""
    if time.monotonic() - began > w.limits.lease / 2:
        raise LeaseLost("the claim is too old to send under")
    try:
        with w.db.leaving("send-effect"):
            async with asyncio.timeout(SEND_SECONDS):
                receipt = await channel.send(mine.payload, key_for_outside(mine.tenant, mine.key))
    except NotSent as error:
        log_failure(f"channel {channel.name}", error)
        await _again(w, mine, error)
    except Exception as error:
        log_failure(f"channel {channel.name}", error)
        if channel.keyed:
            await _again(w, mine, error)
        else:
            await _doubt(w, mine, type(error).__qualname__)
    else:
        await _done(w, mine, receipt)


async def _done(w: Wiring, mine: Claimed, receipt: Receipt | None) -> None:
    reference = (receipt.reference if receipt is not None else "")[:RECEIPT_CHARS]
    async with w.db.write(mine.tenant, "effect-done") as tx:
        await outbox.finish(tx, mine.tenant, mine, w.clock.now(), reference)
        note(tx, mine, "effect_delivered", attempts=mine.attempts + 1)


async def _again(w: Wiring, mine: Claimed, error: Exception) -> None:
    if mine.attempts + 1 >= w.limits.agent_attempts:
        await _bury(w, mine, type(error).__qualname__)
        return
    wait = backoff(mine.attempts + 1, random.random())  # noqa: S311 - spreads retries, guards nothing
    async with w.db.write(mine.tenant, "effect-again") as tx:
        await outbox.again(tx, mine.tenant, mine, type(error).__qualname__, wait)


async def _bury(w: Wiring, mine: Claimed, error: str) -> None:
    async with w.db.write(mine.tenant, "effect-failed") as tx:
        await outbox.bury(tx, mine.tenant, mine, error, w.clock.now())
        note(tx, mine, "effect_failed", error=error)


async def _doubt(w: Wiring, mine: Claimed, error: str) -> None:
    """Its answer was lost and the other side does not know our key: a person finds out, nobody tries again."""
    async with w.db.write(mine.tenant, "effect-unknown") as tx:
        await outbox.doubt(tx, mine.tenant, mine, error, w.clock.now())
        note(tx, mine, "effect_unknown", error=error)


def note(tx: Tx, mine: Claimed, kind: str, **more: Any) -> None:
    """The chain entry of an effect: which one, whose, and of which call; never what it says."""
    payload = {"effect": mine.id, "channel": mine.type, "call": mine.call_id, "owner": mine.actor_id, **more}
    tx.note(Draft(kind, SYSTEM, payload, run=mine.run_id))
