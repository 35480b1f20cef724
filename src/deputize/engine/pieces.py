"""The one writer of streamed text: every tenth of a second it writes down what all runs of this process have said.

So a reader in another process follows an answer as it grows, and a crash loses a tenth of a second of it (SSE-1).
"""

import asyncio

from deputize.engine.failures import log_failure
from deputize.engine.wiring import Wiring
from deputize.store import conversations

EVERY = 0.1
"""Seconds between two looks."""


async def write_pieces(w: Wiring) -> int:
    """Write the texts that have grown since the last look, all in one transaction; how many there were."""
    grown = [
        topic
        for run_id, topic in w.hub.topics.items()
        if run_id in w.hub.streams and topic.message_id and len(topic.text) > topic.written
    ]
    if not grown:
        return 0
    pieces = [(topic.message_id, topic.text) for topic in grown]
    for topic in grown:
        topic.written = len(topic.text)
    async with w.db.write("*", "pieces") as tx:
        await conversations.write_pieces(tx, pieces)
    return len(pieces)


async def keep_writing(w: Wiring) -> None:
    """Write until cancelled; what fails is tried again with the next piece."""
    while True:
        await asyncio.sleep(EVERY)
        try:
            await write_pieces(w)
        except Exception as error:
            log_failure("writing streamed text", error)
