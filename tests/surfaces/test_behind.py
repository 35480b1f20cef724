"""Where a request came from: only the proxies that the operator names are believed (BUD-7)."""

from functools import partial
from pathlib import Path

import pytest
from fastapi import FastAPI, Request
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.actor import Actor
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import says
from tests.engine.desk import EVA
from tests.surfaces.proxy import nginx
from tests.surfaces.serving import Served, served

pytestmark = pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
CLAIM = {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}


def telling(app: FastAPI) -> None:
    """A route that tells what the application takes for the other side."""

    @app.get("/peer")
    async def peer(request: Request) -> str:
        return f"{request.client.host if request.client else ''} {request.url.scheme}"


async def seen(site: Served, headers: dict[str, str]) -> str:
    return str((await site.client.get("/peer", headers=headers)).json())


@pytest.mark.parametrize("proxies", [None, "10.0.0.1", "10.0.0.0/8, ::1"])
async def test_a_claim_has_no_effect_unless_its_sender_is_believed(
    database: AsyncEngine, clock: FrozenClock, proxies: str | None
) -> None:
    """Off by default: whoever connects is who they are."""
    async with served(database, clock, dress=telling, proxies=proxies) as site:
        assert await seen(site, CLAIM) == "127.0.0.1 http"


async def test_a_believed_proxy_tells_the_client_and_the_scheme(database: AsyncEngine, clock: FrozenClock) -> None:
    """Of a chain the last address that is not itself believed: what a client put before it is not."""
    async with served(database, clock, dress=telling, proxies="127.0.0.1,10.0.0.0/8") as site:
        assert await seen(site, CLAIM) == "203.0.113.7 https"
        chain = {"X-Forwarded-For": "198.51.100.1, 203.0.113.7, 10.1.2.3"}
        assert await seen(site, chain) == "203.0.113.7 http"
        assert await seen(site, {}) == "127.0.0.1 http"


async def test_the_documented_nginx_replaces_what_a_client_claims(
    database: AsyncEngine, clock: FrozenClock, tmp_path: Path
) -> None:
    """The application believes nginx, and nginx says whom it sees itself."""
    front = partial(nginx, folder=tmp_path)
    async with served(database, clock, dress=telling, front=front, proxies="127.0.0.1") as site:
        assert await seen(site, CLAIM) == "127.0.0.1 http"


@pytest.mark.parametrize(("proxies", "second"), [("127.0.0.1", 429), (None, 200)])
async def test_the_limit_of_an_address_counts_the_real_client(
    database: AsyncEngine, clock: FrozenClock, proxies: str | None, second: int
) -> None:
    """BUD-7: two people from one address share its limit, one from elsewhere does not; claims alone count nothing."""
    async with served(database, clock, settings={"AI_RATE_LIMIT_MAX": 1}, proxies=proxies) as site:
        for name in ("pia", "kim"):
            site.hire(Actor(name, "north", label=name, grants=EVA.grants))
        statuses = []
        for who, address in (("eva", "203.0.113.7"), ("pia", "203.0.113.7"), ("kim", "198.51.100.1")):
            site.desk.provider.then(says("Hello."))
            session = (await site.post("/sessions", {"surface": "desk"}, who)).json()["id"]
            answer = await site.post(
                f"/sessions/{session}/messages", {"content": "hi"}, who, **{"X-Forwarded-For": address}
            )
            statuses.append(answer.status_code)
        assert statuses == [200, second, 200]
