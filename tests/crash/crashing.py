"""Processes that take a run with reads, two approved writes and a mail to its end, killed at one labelled point."""

import asyncio
import json
import os
import signal
import sys
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import make_url, select, update
from sqlalchemy.ext.asyncio import create_async_engine

from deputize import Receipt
from deputize.core.approval import Decision
from deputize.core.channel import NotSent
from deputize.core.conversation import ConversationStatus
from deputize.core.message import ToolResult
from deputize.core.provider import ModelRequest, ProviderEvent
from deputize.core.run import TERMINAL, RunStatus
from deputize.engine import approvals, conversations, letters, runs, sweeper, worker
from deputize.store import runs as run_rows
from deputize.store.dialect import db_now
from deputize.store.tables import outbox
from deputize.store.tables import runs as rows
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import ScriptedProvider, calls, says
from tests.engine.desk import EVA, Desk, make_desk

AGE = "age"
"""The test's own transaction, by which time passes; nobody dies in it."""
STUCK = 3
"""Exit code of a process that did not reach the end."""


@dataclass
class Points:
    """The labelled points as they are passed; the one named `kill` (`before label#2`) is the last."""

    kill: str | None = None
    seen: list[str] = field(default_factory=list)
    count: Counter[str] = field(default_factory=Counter)

    def at(self, moment: str, label: str) -> None:
        if label == AGE:
            return
        self.count[moment, label] += 1  # type: ignore[index]  # pairs are as good as words
        name = f"{moment} {label}#{self.count[moment, label]}"  # type: ignore[index]  # as above
        self.seen.append(name)
        if name == self.kill:
            os.kill(os.getpid(), signal.SIGKILL)


class Outside:
    """The mail server: a file that outlives the process. It is busy at first, and then its first answer is lost."""

    def __init__(self, path: Path, points: Points) -> None:
        self.path, self.points = path, points

    @property
    def arrived(self) -> list[str]:
        """The keys of the letters that came in, once for each time."""
        return self.path.read_text().split() if self.path.exists() else []

    async def send(self, payload: Mapping[str, Any], key: str) -> Receipt:
        busy = self.path.with_suffix(".busy")
        if not busy.exists():
            busy.touch()
            raise NotSent("busy")
        first = not self.arrived
        with self.path.open("a") as file:
            file.write(f"{key}\n")
        self.points.at("after", "arrival")
        if first:
            raise TimeoutError("the answer was lost")
        return Receipt(key)


class Brain(ScriptedProvider):
    """Goes by what the record says: look the person up, add the task, send the letter, say so."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
        for event in plan(request):
            yield event


def plan(request: ModelRequest) -> list[ProviderEvent]:
    results = [block for message in request.messages for block in message.blocks if isinstance(block, ToolResult)]
    told = [(one.name, json.loads(one.content)) for one in results]
    done = {name for name, body in told if body["outcome"] == "ok"}
    looked = [body["result"]["people"] for name, body in told if name == "find_people" and body["outcome"] == "ok"]
    found = looked[-1][0] if looked else None
    if found is None or (told and told[-1][1].get("code") == "need_read_first"):
        return calls(("find_people", {"query": "Ana"}))
    if "add_task" not in done:
        return calls(("add_task", {"person": found["id"], "title": "call"}))
    if "send_letter" not in done:
        return calls(("send_letter", {"person": found["id"], "to": found["email"], "body": "Dear you"}))
    return says("Done.")


async def scenario(desk: Desk, outside: Outside) -> bool:
    """From wherever the record stands to the end; True once the run is complete and the letter is out."""
    w = desk.w
    page = await conversations.page_of(w, EVA, 1, 10)
    active = [one["id"] for one in page["items"] if one["status"] == ConversationStatus.ACTIVE.value]
    conversation = active[0] if active else await desk.open(EVA)
    for _ in range(12):
        async with w.db.read() as conn:
            made = await run_rows.of_conversation(conn, "north", conversation)
        if not made:
            run_id = await runs.start(w, EVA, conversation, "a task and a letter for Ana", None, "m1")
        else:
            run_id = made[-1]["id"]
            status = RunStatus(made[-1]["status"])
            if status is RunStatus.COMPLETE:
                return await delivered(desk, outside)
            if status in TERMINAL:
                run_id = await runs.retry(w, EVA, run_id)
            else:
                for card in await approvals.waiting(w, EVA):
                    assert card.approval is not None
                    await approvals.decide(w, EVA, card.id, Decision(True, card.approval.digest))
        driver = w.hub.tasks.get(run_id)
        if driver is not None:
            await driver
    return False


async def delivered(desk: Desk, outside: Outside) -> bool:
    """The letter goes out; where nobody knows whether it has, a person looks into the post and settles it (APPR-5)."""
    for _ in range(8):
        async with desk.w.db.read() as conn:
            waiting = (await conn.execute(select(outbox.c.id, outbox.c.status).where(outbox.c.status != "done"))).all()
        if not waiting:
            return True
        for row in waiting:
            if row.status == "unknown":
                await letters.settle(desk.w, EVA, row.id, "sent" if outside.arrived else "not_sent")
        async with desk.w.db.write("*", AGE) as tx:
            await tx.conn.execute(update(outbox).values(not_before=db_now()))
        await worker.drain(desk.w)
    return False


async def age(desk: Desk) -> None:
    """What dead processes held is free, as if their leases had been waited for."""
    async with desk.w.db.write("*", AGE) as tx:
        await tx.conn.execute(update(rows).where(rows.c.status == "running").values(lease_until=db_now()))
        await tx.conn.execute(update(outbox).where(outbox.c.status == "running").values(lease_until=db_now()))
    while await sweeper.sweep(desk.w):
        pass


async def child(address: str, post: Path, keyed: bool, kill: str | None, recover: bool) -> list[str] | None:
    """One process's life; the points that it passed, None where it got stuck."""
    points = Points(kill)
    outside = Outside(post, points)
    engine = create_async_engine(make_url(address))
    clock = FrozenClock()
    clock.advance(60 if recover else 0)
    settings = {"AGENT_MAX_ATTEMPTS": 9}
    desk = await make_desk(
        engine, clock, send=outside.send, keyed=keyed, seed=not recover, provider=Brain(), settings=settings
    )
    if recover:
        await age(desk)
    desk.w.db.before_commit = lambda label: points.at("before", label)
    desk.w.db.after_commit = lambda label: points.at("after", label)
    done = await scenario(desk, outside)
    await desk.deputy.close()
    await engine.dispose()
    return points.seen if done else None


def forked(*args: Any) -> int:
    """The child in a process of its own; its exit code, negative where a signal ended it."""
    pid = os.fork()
    if not pid:
        try:
            seen = asyncio.run(child(*args))
            os._exit(STUCK if seen is None else 0)
        except BaseException:
            traceback.print_exc()
        os._exit(STUCK)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main(jobs: list[list[Any]]) -> None:
    """For each `[address, post, keyed, kill]`: a process that is killed there, then one that recovers.

    Without a kill the points that a whole life passes are written instead.
    """
    for address, post, keyed, kill in jobs:
        if kill is None:
            said: Any = asyncio.run(child(address, Path(post), keyed, None, False))
        else:
            said = [
                forked(address, Path(post), keyed, kill, False),
                forked(address, Path(post), keyed, None, True),
            ]
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(json.loads(sys.stdin.read()))
