"""The mailbox of a reader: in order, woken once, and whole after a taker was cancelled."""

import asyncio

from deputize.engine.mailbox import Mailbox


async def test_what_was_put_is_taken_in_order() -> None:
    box: Mailbox[int] = Mailbox()
    for number in range(3):
        box.put(number)
    assert await box.take() == [0, 1, 2]


async def test_a_waiting_taker_is_woken_and_gets_all_that_came_meanwhile() -> None:
    box: Mailbox[int] = Mailbox()
    taking = asyncio.create_task(box.take())
    await asyncio.sleep(0)
    box.put(1)
    box.put(2)
    assert await taking == [1, 2]


async def test_a_cancelled_taker_takes_nothing_along() -> None:
    box: Mailbox[int] = Mailbox()
    taking = asyncio.create_task(box.take())
    await asyncio.sleep(0)
    taking.cancel()
    await asyncio.gather(taking, return_exceptions=True)
    box.put(1)
    assert await box.take() == [1]
