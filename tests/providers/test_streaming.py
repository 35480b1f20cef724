"""One streamed answer driven: failures mapped, our own defects not, everything closed when left (PROV-3, E7)."""

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Any

import httpx2
import pytest

from deputize.core.provider import ProviderFailed, TextDelta
from deputize.providers.completions import ChatAssembly
from deputize.providers.streaming import drive
from tests.providers.asked import read_all
from tests.providers.vendor import completion, events

HELLO = events({"choices": [{"index": 0, "delta": {"content": "Hel"}}]})


class Body:
    """A response that gives these chunks, then raises; remembers what was closed."""

    def __init__(self, *chunks: bytes, then: Exception | None = None, kind: str = "text/event-stream") -> None:
        self.headers: Mapping[str, str] = {"content-type": kind}
        self.chunks_closed = self.closed = False
        self.given = 0
        self._chunks = chunks
        self._then = then

    async def iter_bytes(self) -> AsyncIterator[bytes]:
        try:
            for chunk in self._chunks:
                self.given += 1
                yield chunk
            if self._then is not None:
                raise self._then
        finally:
            self.chunks_closed = True

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Any]:
        try:
            yield self
        finally:
            self.closed = True


def driven(body: Body) -> Any:
    return drive(body.opened(), ChatAssembly("here", {}), 60.0)


async def test_e_7_leaving_closes_body_and_response_at_once() -> None:
    body = Body(HELLO, HELLO)
    async with aclosing(driven(body)) as stream:
        assert await anext(stream) == TextDelta("Hel")
        assert not body.closed
    assert (body.given, body.chunks_closed, body.closed) == (1, True, True)


@pytest.mark.parametrize("error", [httpx2.ReadError("canary"), OSError("canary"), httpx2.StreamClosed()])
async def test_prov_5_what_breaks_before_the_stop_reason_is_a_failure(error: Exception) -> None:
    body = Body(HELLO, then=error)
    stream = driven(body)
    assert await anext(stream) == TextDelta("Hel")
    with pytest.raises(ProviderFailed) as caught:
        await anext(stream)
    assert "canary" not in repr(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None
    assert body.closed


async def test_what_breaks_after_the_stop_reason_breaks_nothing() -> None:
    read = await read_all(driven(Body(completion().removesuffix(b"data: [DONE]\n\n"), then=httpx2.ReadError("x"))))
    assert (read.text, read.reason) == ("Hello.", "stop")


async def test_what_comes_behind_the_end_is_read_away_and_not_believed() -> None:
    body = Body(completion(), HELLO, b"nonsense", then=httpx2.ReadError("x"))
    read = await read_all(driven(body))
    assert (read.text, read.reason, body.given) == ("Hello.", "stop", 3)


async def test_our_own_defects_are_not_dressed_up_as_the_vendors() -> None:
    with pytest.raises(ZeroDivisionError):
        await read_all(driven(Body(HELLO, then=ZeroDivisionError())))


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b"null"])
async def test_prov_3_a_body_that_is_no_object_is_a_failure(raw: bytes) -> None:
    with pytest.raises(ProviderFailed) as caught:
        await read_all(driven(Body(raw, kind="application/json")))
    assert caught.value.transient
