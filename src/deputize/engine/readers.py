"""Reading a run's events: replayed from the record, then live; several readers, any number of times (SSE-1)."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from deputize.core.actor import Actor
from deputize.core.errors import NotFound
from deputize.core.event import STREAM_ENDS, TERMINAL_EVENTS, Ping, RunEvent, Token
from deputize.core.run import TERMINAL, RunStatus
from deputize.engine import access
from deputize.engine.wiring import Wiring
from deputize.store import attachments, calls, runs

_EVENT: TypeAdapter[Any] = TypeAdapter(RunEvent)
LEFT: Any = object()
"""Put into a reader's queue to wake it when it has gone."""
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


class Reader:
    """Everything after durable id `after`, and the text so far as one token for each message.

    Ends with the run's terminal event; a pause ends it too unless `through_pauses`. `leave` lets it end at
    the next turn without cutting a query. Raises NotFound.
    """

    def __init__(self, w: Wiring, actor: Actor, run_id: str, *, after: int = 0, through_pauses: bool = False) -> None:
        self.w, self.actor, self.run_id = w, actor, run_id
        self.after, self.through_pauses = after, through_pauses
        self.queue = w.hub.subscribe(run_id)
        self.gone = False

    def leave(self) -> None:
        """The reader has gone; it counts as detached from now on."""
        self.gone = True
        self.w.hub.unsubscribe(self.run_id, self.queue)
        self.queue.put_nowait(LEFT)

    async def __aiter__(self) -> AsyncIterator[Shown]:
        w, tenant, last = self.w, self.actor.tenant, self.after
        try:
            async with w.db.read() as conn:
                row = await access.visible_run(w, conn, self.actor, self.run_id)
            await _mark(w, row)
            for shown in await _catch_up(w, tenant, self.run_id, self.after):
                last = last if shown.seq is None else shown.seq
                yield shown
                if self._ends(shown):
                    return
            if await _over(w, tenant, self.run_id, last, self.through_pauses):
                return
            async for shown in _live(w, tenant, self.run_id, self.queue, last):
                if self.gone:
                    return
                yield shown
                if self._ends(shown):
                    return
        finally:
            w.hub.unsubscribe(self.run_id, self.queue)

    def _ends(self, shown: Shown) -> bool:
        return shown.event.type in (TERMINAL_EVENTS if self.through_pauses else STREAM_ENDS)


async def _mark(w: Wiring, row: dict[str, Any]) -> None:
    """A run that another process drives is told at once that it is read here (RUN-9)."""
    if row["status"] == RunStatus.RUNNING.value and row["id"] not in w.hub.tasks:
        async with w.db.write(row["tenant"], "readers") as tx:
            await attachments.mark(tx.conn, [row["id"]], w.limits.disconnect_grace + 1)


async def _catch_up(w: Wiring, tenant: str, run_id: str, after: int) -> list[Shown]:
    """First the text so far, then the durable events that were missed; of several pauses only the newest."""
    async with w.db.read() as conn:
        texts = await runs.texts(conn, tenant, run_id)
        missed = await runs.events_after(conn, tenant, run_id, after)
    topic = w.hub.topics.get(run_id)
    shown = [
        Shown(Token(message=message_id, at=0, text=text), None)
        for message_id, text in texts
        if topic is None or topic.message_id != message_id or not topic.text
    ]
    if topic is not None and topic.text:
        shown.append(Shown(Token(message=topic.message_id, at=0, text=topic.text), None))
    pauses = [seq for seq, kind, _ in missed if kind == "tool_approval_required"]
    shown += [
        Shown(decoded(kind, data), seq)
        for seq, kind, data in missed
        if kind != "tool_approval_required" or seq == pauses[-1]
    ]
    return shown


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
        if got is LEFT:
            yield Shown(Ping(), None)
            return
        if got.seq is not None:
            if got.seq <= last:
                continue
            last = got.seq
        told = time.monotonic()
        yield Shown(got.event, got.seq)


async def check(w: Wiring, actor: Actor, run_id: str) -> None:
    """Raise NotFound unless the actor may read the run's events."""
    async with w.db.read() as conn:
        await access.visible_run(w, conn, actor, run_id)


async def position(w: Wiring, actor: Actor, call_id: str) -> int:
    """The newest durable id of the call's run before a decision, so that its stream shows what follows.

    Raises NotFound as the decision itself would.
    """
    async with w.db.read() as conn:
        call = await calls.get(conn, actor.tenant, call_id)
        row = await runs.row(conn, actor.tenant, call.run_id) if call else None
    return int(row["last_event"]) if row else 0


async def belongs(w: Wiring, actor: Actor, call_id: str, conversation_id: str) -> None:
    """Raise NotFound unless the call was made in that conversation."""
    async with w.db.read() as conn:
        call, _ = await access.visible_call(w, conn, actor, call_id)
        row = await runs.row(conn, actor.tenant, call.run_id)
    if row is None or row["conversation_id"] != conversation_id:
        raise NotFound()
