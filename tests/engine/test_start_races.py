"""A start that is overtaken: the switch, the end of the conversation, the same key at once (AUTO-7, RUN-10, RUN-11)."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from deputize.core.errors import ApprovalPending, BudgetExceeded, Disabled, MessageDuplicate, RunNotActive
from deputize.core.usage import Price
from deputize.engine import agents, conversations, runs
from deputize.engine.hub import Hub
from deputize.engine.wiring import Wiring
from deputize.store.session import Database
from deputize.store.tables import messages, reservations
from deputize.store.tables import runs as rows
from deputize.testing.scripted import says
from tests.engine.desk import EVA, Desk
from tests.engine.gates import Gate

Deed = Callable[[Wiring], Awaitable[Any]]


def overtaken(desk: Desk, deed: Deed) -> Wiring:
    """A wiring whose start is overtaken: after it has looked, and before it writes, another process does `deed`."""

    async def elsewhere() -> None:
        engine = create_async_engine(desk.engine.url)
        db = Database(engine, desk.w.db.host_session, desk.clock, desk.w.db.secret)
        await deed(replace(desk.w, db=db, hub=Hub(), process="another"))
        await db.close()
        await engine.dispose()

    done: list[bool] = []

    def prices(provider: str, model: str) -> Price:
        if not done:
            done.append(True)
            other = threading.Thread(target=asyncio.run, args=(elsewhere(),))
            other.start()
            other.join()
        return desk.w.prices(provider, model)

    return replace(desk.w, prices=prices)


async def nothing_began(desk: Desk) -> None:
    """No run, no message, no reservation, and the model was not asked."""
    async with desk.w.db.read() as conn:
        for table in (rows, messages, reservations):
            assert (await conn.execute(table.select())).all() == []
    assert desk.provider.requests == []


async def test_a_switch_flipped_while_a_message_starts(desk: Desk) -> None:
    """AUTO-7: read inside the commit; nothing begins after the switch."""
    conversation = await desk.open(EVA)
    w = overtaken(desk, lambda other: agents.flip(other, "*", "*", False, by="ops"))
    with pytest.raises(Disabled):
        await runs.start(w, EVA, conversation, "hello", None, None)
    await nothing_began(desk)


@pytest.mark.parametrize("how", ["ended", "replaced"])
async def test_a_conversation_that_ends_while_a_message_starts(desk: Desk, how: str) -> None:
    """RUN-9, RUN-10: no run lives in a conversation that has ended, or that another one has replaced."""
    conversation = await desk.open(EVA)

    def deed(other: Wiring) -> Awaitable[Any]:
        if how == "ended":
            return conversations.end(other, EVA, conversation)
        return conversations.open_(other, EVA, "desk", None)

    with pytest.raises(RunNotActive):
        await runs.start(overtaken(desk, deed), EVA, conversation, "hello", None, None)
    await nothing_began(desk)


async def test_two_starts_at_once_on_two_processes(desk: Desk) -> None:
    """BUD-7: one live run per user over all surfaces and processes; the other is 429 before its first byte."""
    one, two = await desk.open(EVA), await desk.open(EVA, "narrow")
    desk.provider.gate = gate = Gate()
    desk.provider.then(says("Hello."), says("Hello."))
    other = replace(desk.w, process="another", hub=Hub())
    begun = await asyncio.gather(
        runs.start(desk.w, EVA, one, "hello", None, None),
        runs.start(other, EVA, two, "hello", None, None),
        return_exceptions=True,
    )
    assert [type(said) for said in begun if not isinstance(said, str)] == [BudgetExceeded]
    gate.set()
    await asyncio.gather(*desk.w.hub.tasks.values(), *other.hub.tasks.values())


async def test_the_same_key_at_once(desk: Desk) -> None:
    """RUN-11: sent twice at once, one run; the other is told which, also with another body, also once it is over."""
    conversation = await desk.open(EVA)
    desk.provider.then(says("Hello."))
    other = replace(desk.w, process="another", hub=Hub())
    begun = await asyncio.gather(
        runs.start(desk.w, EVA, conversation, "hello", None, "k"),
        runs.start(other, EVA, conversation, "something else", None, "k"),
        return_exceptions=True,
    )
    (run_id,) = [said for said in begun if isinstance(said, str)]
    (refused,) = [said for said in begun if not isinstance(said, str)]
    assert isinstance(refused, MessageDuplicate | ApprovalPending)
    await asyncio.gather(*desk.w.hub.tasks.values(), *other.hub.tasks.values())
    with pytest.raises(MessageDuplicate) as again:
        await runs.start(other, EVA, conversation, "something else", None, "k")
    assert again.value.details == {"runId": run_id}
