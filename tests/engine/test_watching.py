"""Readers on other processes: their mark keeps a run alive, its end ends the run where the surface says so (RUN-9)."""

import asyncio
from dataclasses import replace

from sqlalchemy import update

from deputize.core.run import RunStatus
from deputize.engine import attachment, watching
from deputize.engine import runs as deeds
from deputize.engine.hub import Hub
from deputize.engine.readers import Reader
from deputize.engine.wiring import Wiring
from deputize.store import attachments, runs
from deputize.store.dialect import db_now
from deputize.store.tables import runs as rows
from deputize.testing.scripted import says
from tests.engine.desk import EVA, Desk
from tests.engine.gates import Gate


def another(desk: Desk) -> Wiring:
    """A second process over the same database."""
    return replace(desk.w, process="another", hub=Hub())


async def driven(desk: Desk, gate: Gate) -> str:
    """A run whose model is speaking, and which nobody reads yet."""
    desk.provider.gate = gate
    desk.provider.then(says("Hello there."))
    run_id = await deeds.start(desk.w, EVA, await desk.open(EVA), "hello", None, None)
    await gate.reached.wait()
    return run_id


async def lapse(desk: Desk) -> None:
    """The readers' marks have run out, as if nobody had renewed them for long enough."""
    async with desk.w.db.write("*", "age") as tx:
        await tx.conn.execute(update(rows).where(rows.c.attached_until.is_not(None)).values(attached_until=db_now()))


async def test_a_reader_elsewhere_keeps_the_run_alive_and_its_going_ends_it(desk: Desk) -> None:
    """RUN-9: the last reader on any process has gone and none returned: abort, the stream closed, billed."""
    gate, other = Gate(), another(desk)
    run_id = await driven(desk, gate)
    task = desk.w.hub.tasks[run_id]
    reader = Reader(other, EVA, run_id)
    reading = asyncio.create_task(_read(reader))
    while not await _marked(desk, run_id):  # noqa: ASYNC110 - the other process's own task writes the mark
        await asyncio.sleep(0)
    await attachment._after_grace(_at_once(desk.w), "north", run_id)
    await watching.look(desk.w)
    assert not task.done(), "somebody reads it elsewhere"
    await lapse(desk)
    await watching.mark(other)
    assert await _marked(desk, run_id), "a reader renews its mark"
    await watching.look(desk.w)
    assert not task.done()
    reader.leave()
    await lapse(desk)
    await watching.mark(other)
    await watching.look(desk.w)
    await task
    async with desk.w.db.read() as conn:
        record = await runs.load(conn, "north", run_id)
    assert record is not None
    assert record.status is RunStatus.ABORTED
    assert desk.provider.closed_early == 1
    await reading


async def test_a_run_that_nobody_ever_read_elsewhere_is_not_ended(desk: Desk) -> None:
    """RUN-9: a run resumed by a JSON decision counts as attached; no mark was ever set."""
    gate = Gate()
    run_id = await driven(desk, gate)
    task = desk.w.hub.tasks[run_id]
    await watching.look(desk.w)
    gate.set()
    await task
    async with desk.w.db.read() as conn:
        record = await runs.load(conn, "north", run_id)
    assert record is not None
    assert record.status is RunStatus.COMPLETE


async def _read(reader: Reader) -> None:
    async for _ in reader:
        pass


async def _marked(desk: Desk, run_id: str) -> bool:
    async with desk.w.db.read() as conn:
        return await attachments.attached(conn, "north", run_id)


def _at_once(w: Wiring) -> Wiring:
    return replace(w, limits=replace(w.limits, disconnect_grace=0.0))
