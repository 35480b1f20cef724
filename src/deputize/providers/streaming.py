"""Drives one streamed answer: bytes to events to the wire's assembly, with every failure mapped, and closed when left.

Source: contract PROV-3, PROV-5, RUN-3; stack.md (the SDK for transport, our own reading of the lines).
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from typing import Any, Protocol

import httpx2

from deputize.core.provider import ProviderEvent, ProviderFailed
from deputize.providers.failures import of_exception
from deputize.providers.lines import EventReader, parse_object

DRAIN = 0.25
"""Seconds to wait for the end of the body behind the last event, so that the connection can be used again."""


class Assembly(Protocol):
    """Puts the events of one wire together."""

    ended: bool
    """The wire said that nothing follows."""
    finished: bool
    """A stop reason has been seen: what came is whole, however the connection ends."""

    def take(self, event: Mapping[str, Any]) -> Iterable[ProviderEvent]:
        """Take one event. Raises ProviderFailed for an error inside the stream, Malformed."""
        ...

    def close(self) -> Iterable[ProviderEvent]:
        """The calls and Done, if a stop reason has been seen."""
        ...


async def drive(
    opened: AbstractAsyncContextManager[Any], assembly: Assembly, longest: float
) -> AsyncGenerator[ProviderEvent, None]:
    """The events of one call. Raises ProviderFailed. `longest` is the most that it may take, in seconds.

    A stream that ends without a stop reason just ends, without calls and without Done.
    """
    failure: ProviderFailed | None = None
    try:
        async with opened as response, aclosing(_batches(response, assembly, longest)) as batches:
            async for batch in batches:
                for event in batch:
                    yield event
    except ProviderFailed:
        raise
    except Exception as error:
        failure = of_exception(error)
        if failure is None:
            raise
    # outside the handler, so that no context ties the vendor's own words to ours
    if failure is not None and not (assembly.finished and failure.transient):
        raise failure
    for event in assembly.close():
        yield event


async def _batches(response: Any, assembly: Assembly, longest: float) -> AsyncGenerator[Iterable[ProviderEvent], None]:
    """What each chunk of the body completes."""
    async with aclosing(response.iter_bytes()) as chunks:
        if response.headers.get("content-type", "").lower().startswith("application/json"):
            # some endpoints do not stream although asked to
            yield assembly.take(parse_object(await _whole(chunks)))
            return
        clock = asyncio.get_running_loop().time
        until = clock() + longest
        reader = EventReader()
        async for chunk in chunks:
            yield _taken(reader.feed(chunk), assembly)
            if reader.done or assembly.ended:
                await _drain(chunks)
                return
            if clock() > until:
                raise ProviderFailed("the answer took longer than allowed", transient=True)
        yield _taken(reader.close(), assembly)


def _taken(events: Iterable[Mapping[str, Any]], assembly: Assembly) -> Iterable[ProviderEvent]:
    for event in events:
        yield from assembly.take(event)


async def _whole(chunks: AsyncIterator[bytes]) -> bytes:
    return b"".join([chunk async for chunk in chunks])


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    with suppress(httpx2.HTTPError, TimeoutError):
        async with asyncio.timeout(DRAIN):
            async for _ in chunks:
                pass
