"""Reading a run's events: replayed from the record, then live; several readers, any number of times (SSE-1)."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from deputize.core.actor import Actor
from deputize.core.errors import NotFound
from deputize.core.event import STREAM_ENDS, TERMINAL_EVENTS, Ping, RunEvent, Token
from deputize.core.run import TERMINAL, RunStatus
from deputize.engine import access
from deputize.engine.hub import Channelled
from deputize.engine.mailbox import Mailbox
from deputize.engine.wiring import Wiring
from deputize.store import attachments, calls, runs

_EVENT: TypeAdapter[Any] = TypeAdapter(RunEvent)
PAUSE = "tool_approval_required"
LEFT: Any = object()
"""Put into a reader's queue to wake it when it has gone."""
TICK: Any = object()
"""Put into a reader's queue by its timer."""
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


@dataclass(slots=True)
class Follow:
    """How far a reader has come: the newest durable id, and the text of each message.

    `shown` are the characters that were given as the text so far, while the same pieces waited in the queue.
    """

    last: int
    texts: dict[str, str] = field(default_factory=dict)
    shown: dict[str, int] = field(default_factory=dict)

    def fresh(self, got: Channelled) -> Shown | None:
        """What was published here, as far as the reader has not seen it yet; None where it has seen all of it."""
        if got.seq is None:
            event = self.rest(got.event) if isinstance(got.event, Token) else got.event
            return Shown(event, None) if event is not None else None
        if got.seq <= self.last:
            return None
        self.last = got.seq
        return Shown(got.event, got.seq)

    def rest(self, token: Token) -> Token | None:
        """What of the piece has not been shown yet."""
        known = self.shown.get(token.message, 0)
        if token.at >= known:
            return token
        fresh = token.text[known - token.at :]
        return Token(message=token.message, at=known, text=fresh) if fresh else None


class Reader:
    """Everything after durable id `after`, and the text so far as one token for each message.

    An `after` that the run has not reached is not of this run: then all of it is shown. Ends with the run's
    terminal event; a pause ends it too unless `through_pauses`. `leave` lets it end at the next turn. Queries are
    made by tasks of their own, so that a reader which is cut cuts none. Raises NotFound.
    """

    __slots__ = ("_follow", "_over", "_timer", "_told", "actor", "after", "queue", "run_id", "through_pauses", "w")

    def __init__(self, w: Wiring, actor: Actor, run_id: str, *, after: int = 0, through_pauses: bool = False) -> None:
        self.w, self.actor, self.run_id = w, actor, run_id
        self.after, self.through_pauses = after, through_pauses
        self.queue: Mailbox[Any] = w.hub.subscribe(run_id)
        self._follow: Follow | None = None
        self._over = False
        self._told = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def leave(self) -> None:
        """The reader has gone; it counts as detached from now on."""
        self._over = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.w.hub.unsubscribe(self.run_id, self.queue)
        self.queue.put(LEFT)

    def driven_here(self) -> bool:
        """Whether this process drives the run now."""
        return self.run_id in self.w.hub.tasks

    async def __aiter__(self) -> AsyncIterator[Shown]:
        try:
            while batch := await self.next():
                for shown in batch:
                    yield shown
        finally:
            self.leave()

    async def next(self) -> list[Shown]:
        """What has come since the last call, at least one thing; empty once the reader is at its end."""
        shown: list[Shown] = []
        while not shown and not self._over:
            shown = await self._begin() if self._follow is None else await self._live(self._follow)
        return shown

    async def _begin(self) -> list[Shown]:
        """What the record has, then a timer for what does not come by itself."""
        follow = Follow(self.after)
        row, missed = await self.w.hub.finished(self._catch_up(follow))
        self._follow = follow
        paused = row["status"] == RunStatus.AWAITING_APPROVAL.value
        for at, shown in enumerate(missed):
            if self._ends(shown) and (paused or shown.event.type in TERMINAL_EVENTS):
                self._over = True
                return missed[: at + 1]
        self._over = self._over or self._seen(row, follow.last)
        if not self._over:
            self._told = asyncio.get_running_loop().time()
            self._wind()
        return missed

    def _wind(self) -> None:
        """One timer wakes the queue, so that waiting costs nothing for each token."""
        self._timer = asyncio.get_running_loop().call_later(_patience(self.w, self.run_id), self.queue.put, TICK)

    async def _live(self, follow: "Follow") -> list[Shown]:
        """Events as they are published here, or as another process writes them; keep-alives in between."""
        shown: list[Shown] = []
        for got in await self.queue.take():
            if got is LEFT:
                self._over = True
            elif got is TICK:
                shown += await self.w.hub.finished(_written(self.w, self.actor.tenant, self.run_id, follow))
                if not self._over:
                    self._wind()
                    shown += self._alive(bool(shown))
            elif (fresh := follow.fresh(got)) is not None:
                shown.append(fresh)
        for at, one in enumerate(shown):
            if self._ends(one):
                self._over = True
                return shown[: at + 1]
        if shown:
            self._told = asyncio.get_running_loop().time()
        return shown

    def _alive(self, told: bool) -> list[Shown]:
        """A keep-alive where nothing was told for long."""
        silent = asyncio.get_running_loop().time() - self._told
        return [Shown(Ping(), None)] if not told and silent >= self.w.limits.keepalive else []

    async def _catch_up(self, follow: "Follow") -> tuple[dict[str, Any], list[Shown]]:
        """The run, then the text so far and the durable events that were missed; of several pauses only the newest.

        A run that another process drives is told at once that it is read here (RUN-9).
        """
        w, tenant = self.w, self.actor.tenant
        async with w.db.read() as conn:
            row = await access.visible_run(w, conn, self.actor, self.run_id)
            if self.after > int(row["last_event"]):
                self.after = follow.last = 0
            fresh = row["last_event"] == 0 and self.run_id in w.hub.tasks
            texts = [] if fresh else await runs.texts(conn, tenant, self.run_id)
            behind = int(row["last_event"]) > self.after
            missed = await runs.events_after(conn, tenant, self.run_id, self.after) if behind else []
        topic = w.hub.topics.get(self.run_id)
        shown = [
            Shown(Token(message=message_id, at=0, text=text), None)
            for message_id, text in texts
            if topic is None or topic.message_id != message_id or not topic.text
        ]
        if topic is not None and topic.text:
            shown.append(Shown(Token(message=topic.message_id, at=0, text=topic.text), None))
            follow.shown[topic.message_id] = len(topic.text)
        follow.texts.update(texts)
        pauses = [seq for seq, kind, _ in missed if kind == PAUSE]
        for seq, kind, data in missed:
            follow.last = seq
            if kind != PAUSE or seq == pauses[-1]:
                shown.append(Shown(decoded(kind, data), seq))
        await _mark(w, row)
        return row, shown

    def _seen(self, row: dict[str, Any], last: int) -> bool:
        """Nothing more will come: the run was over (or paused) and the reader has seen its last event."""
        status = RunStatus(row["status"])
        paused = status is RunStatus.AWAITING_APPROVAL and not self.through_pauses
        return (status in TERMINAL or paused) and last >= int(row["last_event"])

    def _ends(self, shown: Shown) -> bool:
        return shown.event.type in (TERMINAL_EVENTS if self.through_pauses else STREAM_ENDS)


async def _mark(w: Wiring, row: dict[str, Any]) -> None:
    if row["status"] == RunStatus.RUNNING.value and row["id"] not in w.hub.tasks:
        async with w.db.write(row["tenant"], "readers") as tx:
            await attachments.mark(tx.conn, [row["id"]], w.limits.disconnect_grace + 1)


def _patience(w: Wiring, run_id: str) -> float:
    """Seconds until the record is looked at: rarely where the run is driven here."""
    return w.limits.keepalive if run_id in w.hub.tasks else min(POLL, w.limits.keepalive)


async def _written(w: Wiring, tenant: str, run_id: str, follow: "Follow") -> list[Shown]:
    """What another process has written since: text by its growth, events by their ids."""
    here = run_id in w.hub.tasks
    async with w.db.read() as conn:
        texts = [] if here else await runs.texts(conn, tenant, run_id)
        missed = await runs.events_after(conn, tenant, run_id, follow.last)
    shown = []
    for message_id, text in texts:
        known = follow.texts.get(message_id, "")
        if len(text) > len(known):
            shown.append(Shown(Token(message=message_id, at=len(known), text=text[len(known) :]), None))
            follow.texts[message_id] = text
    for seq, kind, data in missed:
        follow.last = seq
        shown.append(Shown(decoded(kind, data), seq))
    return shown


async def check(w: Wiring, actor: Actor, run_id: str) -> None:
    """Raise NotFound unless the actor may read the run's events."""
    async with w.db.read() as conn:
        await access.visible_run(w, conn, actor, run_id)


async def position(w: Wiring, actor: Actor, call_id: str) -> int:
    """The durable id under which the call was last put up for decision; 0 where it never was.

    What follows it is the decision's stream, also when the same decision is sent again after its answer was lost.
    """
    async with w.db.read() as conn:
        call = await calls.get(conn, actor.tenant, call_id)
        told = await runs.events_after(conn, actor.tenant, call.run_id, 0) if call else []
    asked = [seq for seq, kind, data in told if kind == PAUSE and decoded(kind, data).call.id == call_id]
    return asked[-1] if asked else 0


async def may_read(w: Wiring, actor: Actor, run_id: str) -> bool:
    """Whether the actor sees the whole run; a second person who decides one of its calls need not (APPR-3)."""
    try:
        await check(w, actor, run_id)
    except NotFound:
        return False
    return True


async def within(w: Wiring, actor: Actor, call_id: str, conversation_id: str) -> bool:
    """Whether the call, if the actor sees it, was made in that conversation."""
    async with w.db.read() as conn:
        try:
            call, _ = await access.visible_call(w, conn, actor, call_id)
        except NotFound:
            return False
        row = await runs.row(conn, actor.tenant, call.run_id)
    return row is not None and row["conversation_id"] == conversation_id
