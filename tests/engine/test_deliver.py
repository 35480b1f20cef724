"""Effects: sent once; tried again where that is safe; left to a person where it is not (APPR-5)."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.channel import NotSent
from deputize.engine import deliver, worker
from deputize.testing.clock import FrozenClock
from tests.engine.depot import Depot, make_depot


@pytest.fixture
async def depot(database: AsyncEngine, clock: FrozenClock) -> AsyncIterator[Depot]:
    made = await make_depot(database, clock)
    yield made
    await made.deputy.close()


async def status(depot: Depot) -> tuple[str, int, str | None]:
    (row,) = await depot.letters()
    return row["status"], row["attempts"], row["error"]


async def test_sent_once_with_its_receipt_and_its_entry(depot: Depot) -> None:
    """APPR-5: after the commit, with a key that no other tenant shares."""
    await depot.queue("k")
    assert await worker.drain(depot.w) == 1
    assert depot.outside.arrived == [("north:k", "k@out.example")]
    assert await status(depot) == ("done", 0, None)
    assert (await depot.letters())[0]["receipt"] == "r-1"
    assert await depot.kinds() == ["effect_delivered"]
    assert "out.example" not in str(await depot.chain())


@pytest.mark.parametrize("channel", ["email", "hook"])
async def test_not_sent_is_tried_again_whatever_the_channel(depot: Depot, channel: str) -> None:
    """APPR-5: nothing left for certain."""
    depot.outside.before = [NotSent("later")]
    await depot.queue("k", channel)
    assert await worker.drain(depot.w) == 1
    assert await status(depot) == ("pending", 1, "NotSent")
    assert await worker.drain(depot.w) == 0, "the backoff is waited out"
    await depot.hurry()
    assert await worker.drain(depot.w) == 1
    assert (await status(depot))[0] == "done"
    assert len(depot.outside.arrived) == 1


async def test_a_lost_answer_without_a_key_is_for_a_person(depot: Depot) -> None:
    """APPR-5: never retried blindly."""
    depot.outside.after = [TimeoutError("the answer was lost")]
    await depot.queue("k")
    await worker.drain(depot.w)
    await depot.hurry()
    assert await worker.drain(depot.w) == 0
    assert await status(depot) == ("unknown", 0, "TimeoutError")
    assert len(depot.outside.arrived) == 1
    assert await depot.kinds() == ["effect_unknown"]


async def test_a_lost_answer_with_a_key_is_tried_again_under_the_same_key(depot: Depot) -> None:
    """APPR-5: the other side drops what it knows."""
    depot.outside.after = [TimeoutError("the answer was lost")]
    await depot.queue("k", "hook")
    await worker.drain(depot.w)
    await depot.hurry()
    await worker.drain(depot.w)
    assert (await status(depot))[0] == "done"
    assert {key for key, _ in depot.outside.arrived} == {"north:k"}


@pytest.mark.parametrize(("channel", "ends"), [("email", "unknown"), ("hook", "done")])
async def test_a_worker_that_died_after_its_claim(depot: Depot, channel: str, ends: str) -> None:
    """RUN-8, APPR-5: keyed again with the same key, unkeyed for a person; nobody knows how far it came."""
    await depot.queue("k", channel)
    await depot.take()
    assert await worker.drain(depot.w) == 0, "the lease stands"
    await depot.hurry()
    assert await worker.drain(depot.w) == 1
    assert (await status(depot))[0] == ends
    assert len(depot.outside.arrived) == (ends == "done")


async def test_after_its_attempts_it_is_buried(depot: Depot) -> None:
    """AUTO-1: where an administrator sees it."""
    depot.outside.before = [NotSent("no")] * 5
    await depot.queue("bad")
    for _ in range(3):
        await worker.drain(depot.w)
        await depot.hurry()
    assert await worker.drain(depot.w) == 0
    assert await status(depot) == ("failed", 3, "NotSent")
    assert await depot.kinds() == ["effect_failed"]


async def test_one_that_kills_its_workers_is_buried_too(depot: Depot) -> None:
    """AUTO-1: a poisoned row alone reaches the dead letters."""
    await depot.queue("poison", "hook")
    for _ in range(3):
        await depot.take()
        await depot.hurry()
    await depot.queue("innocent", "hook")
    await worker.drain(depot.w)
    assert {row["key"]: row["status"] for row in await depot.letters()} == {"poison": "failed", "innocent": "done"}
    assert [key for key, _ in depot.outside.arrived] == ["north:innocent"]


async def test_a_worker_that_slept_past_its_claim_sends_nothing(depot: Depot) -> None:
    """A zombie: somebody else may have it by now, so it neither sends nor writes."""
    await depot.queue("k")
    object.__setattr__(depot.w, "limits", replace(depot.w.limits, lease=-1.0))
    assert await deliver.deliver_one(depot.w)
    assert depot.outside.arrived == []
    assert (await status(depot))[0] == "running"


async def test_values_never_stand_in_a_failure(depot: Depot, caplog: pytest.LogCaptureFixture) -> None:
    """RED-8: class names only."""
    depot.outside.before = [ValueError("secret@inside.example")]
    await depot.queue("k")
    await worker.drain(depot.w)
    assert "secret" not in str(await depot.letters())
    assert "secret" not in caplog.text
