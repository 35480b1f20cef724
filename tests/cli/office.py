"""A desk in a file of its own, on which commands are run as an operator types them."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy.ext.asyncio import create_async_engine
from typer.testing import CliRunner, Result

from deputize.app import Deputize
from deputize.cli.main import program
from deputize.core.chain import Draft
from deputize.store import keyfile, migrate
from deputize.testing.clock import FrozenClock
from tests.engine.desk import Desk, make_desk

T = TypeVar("T")
deputy: Deputize
"""What `--app tests.cli.office:deputy` finds; each command closes it, so each gets a fresh one."""


@dataclass
class Office:
    """The file, the key of its checkpoints, and a clock that all commands share."""

    folder: Path
    clock: FrozenClock = field(default_factory=FrozenClock)
    settings: dict[str, Any] = field(default_factory=dict)
    seeded: bool = False

    @property
    def key(self) -> Path:
        return self.folder / "keys" / "checkpoint.key"

    def sign(self) -> "Office":
        """From now on the deployment has a key."""
        keyfile.generate(self.key)
        self.settings["AI_CHECKPOINT_KEY_FILE"] = str(self.key)
        return self

    async def _desk(self) -> Desk:
        engine = create_async_engine(f"sqlite+aiosqlite:///{self.folder / 'office.db'}")
        made = await make_desk(engine, self.clock, seed=not self.seeded, settings=self.settings)
        self.seeded = True
        await engine.dispose()
        return made

    def type(self, *words: str, said: str = "") -> Result:
        """Run `deputize ...`; standard error is in `output` too."""
        global deputy
        deputy = asyncio.run(self._desk()).deputy
        return CliRunner().invoke(program, words, input=said, env={"DEPUTIZE_APP": "tests.cli.office:deputy"})

    def do(self, deed: Callable[[Desk], Awaitable[T]]) -> T:
        """Something that happens in the application meanwhile."""

        async def run() -> T:
            desk = await self._desk()
            try:
                return await deed(desk)
            finally:
                await desk.deputy.close()
                await desk.engine.dispose()

        return asyncio.run(run())

    def upgrade(self) -> "Office":
        """Our tables, and nothing in them."""
        self.do(lambda desk: migrate.upgrade(desk.engine))
        return self

    def note(self, count: int = 1, **draft: Any) -> None:
        """That many entries, a minute apart."""

        async def write(desk: Desk) -> None:
            for n in range(count):
                async with desk.w.db.write("north", "test") as tx:
                    tx.note(Draft("host_fact", "eva", {"n": n}, **draft))
                self.clock.advance(60)

        self.do(write)
