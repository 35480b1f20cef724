"""Message starts by person and by address (BUD-7)."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.errors import RateLimited
from deputize.engine import cancelling, rates, runs
from deputize.store.tables import runs as rows
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, EVA, SUE, VIC, Desk, Task, make_desk

HOME, OFFICE = "203.0.113.7", "198.51.100.20"


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock) -> AsyncIterator[Desk]:
    """Three starts a minute."""
    made = await make_desk(database, clock, settings={"AI_RATE_LIMIT_MAX": 3})
    yield made
    await made.deputy.close()


async def start(desk: Desk, who: object, conversation: str, peer: str | None) -> None:
    desk.provider.then(says("Hello."))
    await desk.read(who, await runs.start(desk.w, who, conversation, "hi", None, None, peer))  # type: ignore[arg-type]


async def test_an_address_is_limited_whoever_writes_from_it(desk: Desk) -> None:
    """BUD-7: three starts from one address, over people and tenants; a minute later again."""
    eva, vic, sue = [await desk.open(who) for who in (EVA, VIC, SUE)]
    await start(desk, EVA, eva, OFFICE)
    await start(desk, VIC, vic, OFFICE)
    await start(desk, SUE, sue, OFFICE)
    with pytest.raises(RateLimited):
        await start(desk, VIC, vic, OFFICE)
    desk.provider.turns.clear()
    await start(desk, VIC, vic, HOME)
    desk.clock.advance(61)
    await start(desk, VIC, vic, OFFICE)


async def test_a_person_is_limited_wherever_they_write_from(desk: Desk) -> None:
    """BUD-7: moving on to another address gives nobody more starts; a place that says nothing is not counted."""
    conversation = await desk.open(EVA)
    for peer in (OFFICE, HOME, None):
        await start(desk, EVA, conversation, peer)
    with pytest.raises(RateLimited):
        await start(desk, EVA, conversation, "192.0.2.9")


@pytest.mark.parametrize("end", [True, False, None])
async def test_who_may_start_nothing_more_may_still_decide_and_cancel(desk: Desk, end: bool | None) -> None:
    """BUD-7: a person who has written too often can always say yes, no or stop, however often."""
    conversation = await desk.open(EVA)
    for _ in range(2):
        await start(desk, EVA, conversation, OFFICE)
    task = {"person": ANA, "title": "t"}
    desk.provider.then(calls(("find_people", {})), calls(("add_task", task)), says("So."))
    told = await desk.read(EVA, await runs.start(desk.w, EVA, conversation, "please", None, None, OFFICE))
    for _ in range(10):
        if end is not None:
            await desk.decide(EVA, told.card, end)
    if end is None:
        await cancelling.cancel(desk.w, EVA, told.run_id)
    await desk.read(EVA, told.run_id, told.last)
    with pytest.raises(RateLimited):
        await runs.start(desk.w, EVA, conversation, "again", None, None, OFFICE)
    assert len(await desk.rows(Task)) == (end is True)


async def test_the_address_itself_is_kept_nowhere(desk: Desk) -> None:
    """BUD-7: only a keyed hash stands in the run; another deployment's differs."""
    await start(desk, EVA, await desk.open(EVA), OFFICE)
    async with desk.w.db.read() as conn:
        kept = (await conn.execute(select(rows.c.address))).scalar_one()
    assert kept == rates.address_key(desk.w, OFFICE) != rates.address_key(desk.w, HOME)
    assert OFFICE not in kept
    assert rates.address_key(replace(desk.w, secret_key="of another house"), OFFICE) != kept


@pytest.mark.parametrize(
    ("peer", "same"),
    [("2001:db8:1:2::7", "2001:db8:1:2:ffff::1"), ("::ffff:198.51.100.20", OFFICE)],
)
async def test_one_place_has_many_addresses(desk: Desk, peer: str, same: str) -> None:
    """BUD-7: a network of IPv6 counts as one, and so does IPv4 in the other notation."""
    assert rates.address_key(desk.w, peer) == rates.address_key(desk.w, same)


@pytest.mark.parametrize("peer", [None, "", "127.0.0.1", "::1", "testclient", "unix:", "0.0.0.0"])
async def test_this_machine_is_no_address(desk: Desk, peer: str | None) -> None:
    """BUD-7: behind a proxy that is not trusted everybody would share it."""
    assert rates.address_key(desk.w, peer) is None
