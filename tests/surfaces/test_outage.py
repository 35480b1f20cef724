"""A database that cannot be had: an answer in our shape before the first byte, and everything as before afterwards."""

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import says
from tests.surfaces.serving import served

ON_POSTGRESQL = pytest.param("postgresql", marks=pytest.mark.postgresql)


@pytest.mark.parametrize("databases", [ON_POSTGRESQL], indirect=True)
async def test_api_3_a_used_up_pool_is_503_and_nothing_is_lost(database: AsyncEngine, clock: FrozenClock) -> None:
    """API-3, SSE-2: reads and messages alike; the message goes through once there is a connection again."""
    small = create_async_engine(database.url, pool_size=1, max_overflow=0, pool_timeout=0.05)
    async with served(small, clock) as site:
        opened = await site.post("/sessions", {"surface": "desk"})
        messages = f"/sessions/{opened.json()['id']}/messages"
        async with small.connect():
            for answer in (
                await site.get("/sessions"),
                await site.get("/runs"),
                await site.post(messages, {"content": "hello"}),
            ):
                assert (answer.status_code, answer.json()["error"]["code"]) == (503, "AI_UNAVAILABLE")
                assert answer.headers["content-type"] == "application/json"
        site.desk.provider.then(says("Here."))
        kinds = [frame.event for frame in await site.stream("POST", messages, {"content": "hello"})]
        assert kinds[-1] == "message_done"
    await small.dispose()
