"""A gate that lets a scripted model say one thing at a time."""

import asyncio


class Turnstile(asyncio.Event):
    """Each `let` lets one event of the script pass; `wait` is what the provider does before each."""

    def __init__(self) -> None:
        super().__init__()
        self._passes = asyncio.Semaphore(0)

    async def wait(self) -> bool:  # type: ignore[override]  # the provider only waits
        await self._passes.acquire()
        return True

    def let(self, count: int = 1) -> None:
        """Let so many more events pass."""
        for _ in range(count):
            self._passes.release()
