"""The examples of the how-to run as they stand (OPS-5)."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import ScriptedProvider
from tests.attacks import bureau
from tests.engine.desk import ANA, EVA, VIC, Desk
from tests.testing import test_kit as kit

HOWTO = Path(__file__).parents[2] / "docs" / "howto" / "test-your-tools.md"
BLOCKS = re.findall(r"```python\n(.*?)```", HOWTO.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def databases(sqlite_files: Any) -> Any:
    return sqlite_files


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock, scripted: ScriptedProvider) -> AsyncIterator[Desk]:
    await bureau.planted(database)
    made = bureau.make_bureau(database, clock, scripted)
    kit.only(made, *kit.SOUND)
    yield made
    await made.deputy.close()


async def test_the_examples_run(desk: Desk) -> None:
    names = {name: getattr(kit, name) for name in ("SOUND", "THEIRS", "SCREEN", "FOREIGN", "MATRIX")}
    space: dict[str, Any] = {"deputy": desk.deputy, "scripted": desk.provider, "actor": EVA, "EVA": EVA, "VIC": VIC}
    space |= {"ANA": ANA, "THIEF": bureau.THIEF, "TOOLS": bureau.BUREAU_TOOLS, **names}
    lines = [f"    {line}" for block in BLOCKS for line in block.splitlines()]
    exec("\n".join(["async def examples():", *lines]), space)
    await space["examples"]()
    assert len(BLOCKS) == 4
