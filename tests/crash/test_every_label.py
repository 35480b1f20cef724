"""Killed at every labelled point of a run: nothing is lost, nothing doubled, the record is sound (RUN-7, RUN-8)."""

import asyncio
import json
import random
import signal
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize.core.run import TERMINAL
from deputize.store import audit_read, ledger
from deputize.store import runs as run_rows
from deputize.store.tables import approvals, ledger_scopes, outbox, runs
from deputize.testing.clock import FrozenClock
from tests.conftest import Fresh
from tests.engine.desk import Task

LETTER = " send-effect#"
ROOT = Path(__file__).parent.parent.parent


@dataclass
class Killed:
    """One database whose process was killed at `point`, and what arrived outside."""

    engine: AsyncEngine
    post: Path
    keyed: bool
    point: str | None

    @property
    def job(self) -> list[Any]:
        return [self.engine.url.render_as_string(hide_password=False), str(self.post), self.keyed, self.point]


async def run(killed: list[Killed]) -> list[Any]:
    """All lives, one after the other, forked from one process that has imported everything."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.crash.crashing",
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate(json.dumps([one.job for one in killed]).encode())
    return [json.loads(line) for line in said.decode().split("\n") if line]


async def points(fresh: Fresh, folder: Path, keyed: bool) -> list[str]:
    """Every labelled point of an undisturbed life, in order."""
    whole = Killed(await fresh(), folder / "whole", keyed, None)
    (seen,) = await run([whole])
    assert seen, "the undisturbed life reaches its end"
    await sound(whole)
    return list(seen)


async def sound(one: Killed) -> None:
    """Nothing lost, nothing doubled: one task, one mail, one result for each call, a chain and books that agree."""
    arrived = one.post.read_text().split() if one.post.exists() else []
    async with AsyncSession(one.engine) as session:
        tasks = list(await session.scalars(select(Task)))
        assert [task.title for task in tasks] == ["call"], one.point
    async with one.engine.begin() as conn:
        await ledger.expire_open(conn, FrozenClock().advance(3600))
        letters = (await conn.execute(select(outbox.c.status, outbox.c.key))).all()
        assert [(row.status, f"north:{row.key}") for row in letters] == [("done", *set(arrived))], one.point
        assert one.keyed or len(arrived) == 1, one.point
        found = (await conn.execute(select(runs.c.id, runs.c.status))).all()
        assert {row.status for row in found} <= {state.value for state in TERMINAL}, one.point
        assert [row.status for row in found].count("complete") == 1, one.point
        for row in found:
            record = await run_rows.load(conn, "north", row.id)
            assert record is not None
            assert all(not call.open for call in record.calls), one.point
            events = await run_rows.events_after(conn, "north", row.id, 0)
            assert [seq for seq, _, _ in events] == list(range(1, len(events) + 1)), one.point
            ends = Counter(kind for _, kind, _ in events if kind in ("message_done", "error", "budget_exceeded"))
            assert ends.total() == 1, one.point
        pending = await conn.scalar(select(func.count()).select_from(approvals).where(approvals.c.status == "pending"))
        assert pending == 0, one.point
        held = select(func.sum(ledger_scopes.c.held_tokens), func.sum(ledger_scopes.c.held_micro))
        assert tuple((await conn.execute(held)).one()) == (0, 0), one.point
        assert (await audit_read.verify_database(conn, "north")).ok, one.point


async def survive(fresh: Fresh, folder: Path, keyed: bool, chosen: list[str]) -> None:
    killed = [Killed(await fresh(), folder / f"post{n}", keyed, point) for n, point in enumerate(chosen)]
    for one, (first, second) in zip(killed, await run(killed), strict=True):
        assert first == -signal.SIGKILL, f"{one.point} was not reached"
        assert second == 0, f"after {one.point} the end was not reached"
        await sound(one)


@pytest.mark.parametrize(("keyed", "moment"), [(True, "before"), (False, "after")])
@pytest.mark.timeout(600)
async def test_killed_at_every_label(fresh: Fresh, tmp_path: Path, keyed: bool, moment: str) -> None:
    """RUN-7, RUN-8, APPR-5, C22, D20: before a commit of each label with a keyed channel, after one with an unkeyed.

    Of a label that is passed several times the first is taken before, the last after; a letter is both.
    """
    seen = await points(fresh, tmp_path, keyed)
    of_label = {point.partition("#")[0]: point for point in (seen if moment == "after" else reversed(seen))}
    await survive(fresh, tmp_path, keyed, [p for p in of_label.values() if p.startswith(moment) or LETTER in p])


@pytest.mark.long
@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.timeout(3600)
async def test_killed_at_random(fresh: Fresh, tmp_path: Path, keyed: bool) -> None:
    """125 random points for each database and kind of channel: 500 in all."""
    seen = await points(fresh, tmp_path, keyed)
    dice = random.Random(7)
    for batch in range(5):
        folder = tmp_path / str(batch)
        folder.mkdir()
        await survive(fresh, folder, keyed, [dice.choice(seen) for _ in range(25)])
