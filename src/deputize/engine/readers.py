"""Reading a run's events: replayed from the record, then live; several readers, any number of times (SSE-1)."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from deputize.core.actor import Actor
from deputize.core.event import STREAM_ENDS, TERMINAL_EVENTS, Ping, RunEvent, Token
from deputize.core.run import TERMINAL, RunStatus
from deputize.engine import access
from deputize.engine.wiring import Wiring
from deputize.store import runs

_EVENT: TypeAdapter[Any] = TypeAdapter(RunEvent)
POLL = 0.5
"""Seconds between looks at the record where another process drives the run."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One event as a reader gets it; `seq` is its durable id, None for text and keep-alives."""

    event: Any
    seq: int | None


def decoded(kind: str, data: str) -> Any:
    """A durable event from its record."""
    return _EVENT.validate_json('{"type":' + f'"{kind}",' + data[1:] if data != "{}" else f'{{"type":"{kind}"}}')


async def follow(
    w: Wiring, actor: Actor, run_id: str, *, after: int = 0, through_pauses: bool = False
) -> AsyncIterator[Shown]:
    """Everything after durable id `after`, and the text so far as one token for each message.

    Ends with the run's terminal event; a pause ends it too unless `through_pauses`. Raises NotFound.
    """
    async with w.db.read() as conn:
        await access.visible_run(w, conn, actor, run_id)
    queue = w.hub.subscribe(run_id)
    try:
        last = after
        async for shown in _catch_up(w, actor.tenant, run_id, after):
            if shown.seq is not None:
                last = shown.seq
            yield shown
            if _ends(shown, through_pauses):
                return
        if await _over(w, actor.tenant, run_id, last, through_pauses):
            return
        async for shown in _live(w, actor.tenant, run_id, queue, last):
            yield shown
            if _ends(shown, through_pauses):
                return
    finally:
        w.hub.unsubscribe(run_id, queue)


def _ends(shown: Shown, through_pauses: bool) -> bool:
    return shown.event.type in (TERMINAL_EVENTS if through_pauses else STREAM_ENDS)


async def _catch_up(w: Wiring, tenant: str, run_id: str, after: int) -> AsyncIterator[Shown]:
    """First the text so far, then the durable events that were missed."""
    async with w.db.read() as conn:
        texts = await runs.texts(conn, tenant, run_id)
        missed = await runs.events_after(conn, tenant, run_id, after)
    topic = w.hub.topics.get(run_id)
    for message_id, text in texts:
        if topic is None or topic.message_id != message_id:
            yield Shown(Token(message=message_id, at=0, text=text), None)
    if topic is not None and topic.text:
        yield Shown(Token(message=topic.message_id, at=0, text=topic.text), None)
    paused = [seq for seq, kind, _ in missed if kind == "tool_approval_required"]
    for seq, kind, data in missed:
        event = decoded(kind, data)
        if kind == "tool_approval_required" and seq != paused[-1]:
            continue
        yield Shown(event, seq)


async def _over(w: Wiring, tenant: str, run_id: str, last: int, through_pauses: bool) -> bool:
    """Nothing more will come: the run is over (or paused) and the reader has seen its last event."""
    async with w.db.read() as conn:
        row = await runs.row(conn, tenant, run_id)
    if row is None:
        return True
    status = RunStatus(row["status"])
    paused = status is RunStatus.AWAITING_APPROVAL and not through_pauses
    return (status in TERMINAL or paused) and last >= int(row["last_event"])


async def _live(w: Wiring, tenant: str, run_id: str, queue: "asyncio.Queue[Any]", last: int) -> AsyncIterator[Shown]:
    """Events as they are published here, or as another process writes them; keep-alives in between."""
    told = time.monotonic()
    while True:
        local = run_id in w.hub.tasks
        wait = w.limits.keepalive if local else min(POLL, w.limits.keepalive)
        try:
            got = await asyncio.wait_for(queue.get(), wait)
        except TimeoutError:
            async with w.db.read() as conn:
                missed = await runs.events_after(conn, tenant, run_id, last)
            for seq, kind, data in missed:
                last = seq
                told = time.monotonic()
                yield Shown(decoded(kind, data), seq)
            if time.monotonic() - told >= w.limits.keepalive:
                told = time.monotonic()
                yield Shown(Ping(), None)
            continue
        if got.seq is not None:
            if got.seq <= last:
                continue
            last = got.seq
        told = time.monotonic()
        yield Shown(got.event, got.seq)
