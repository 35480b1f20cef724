"""A watched handler cannot reach outside its transaction, in the dry run or in the execution (APPR-1)."""

import asyncio
import contextlib
import logging
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from deputize.core.effect import Escape
from deputize.engine.escape import guarded
from deputize.engine.wiring import Wiring
from tests.conftest import Fresh
from tests.engine.shop import Anything, Done, Reminder, dry, made, opened, real, wiring


async def nothing() -> None:
    """Something to run."""


def connects() -> None:
    socket.create_connection(("127.0.0.1", 9))


async def connects_by_the_loop() -> None:
    await asyncio.open_connection("127.0.0.1", 9)


def sends_a_datagram() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.sendto(b"x", ("127.0.0.1", 9))


def resolves() -> None:
    socket.getaddrinfo("localhost", 80)


def listens() -> None:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))


def writes_a_file() -> None:
    Path(tempfile.gettempdir(), "escaped").write_text("x")


def opens_by_number() -> None:
    os.close(os.open(Path(tempfile.gettempdir(), "escaped"), os.O_WRONLY | os.O_CREAT))


def removes_a_file() -> None:
    Path(tempfile.gettempdir(), "not-there").unlink()


async def makes_a_task() -> None:
    await asyncio.create_task(nothing())


async def makes_a_group() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(nothing())


def starts_a_thread() -> None:
    threading.Thread(target=print).start()


async def asks_a_worker_thread() -> None:
    await asyncio.to_thread(print)


async def asks_the_executor() -> None:
    await asyncio.get_running_loop().run_in_executor(None, print)


def starts_a_process() -> None:
    subprocess.run([sys.executable, "-c", ""], check=True)


async def starts_a_process_by_the_loop() -> None:
    await asyncio.create_subprocess_exec(sys.executable)


def calls_the_shell() -> None:
    os.system("true")


def swallows_what_stopped_it() -> None:
    with contextlib.suppress(BaseException):
        connects()


Way = Callable[[], Awaitable[None] | None]
ESCAPES: list[tuple[Way, str]] = [
    (connects, "socket"),
    (connects_by_the_loop, "socket"),
    (sends_a_datagram, "socket"),
    (resolves, "socket"),
    (listens, "socket"),
    (writes_a_file, "file"),
    (opens_by_number, "file"),
    (removes_a_file, "file"),
    (makes_a_task, "task"),
    (makes_a_group, "task"),
    (starts_a_thread, "thread"),
    (asks_a_worker_thread, "thread"),
    (asks_the_executor, "thread"),
    (starts_a_process, "process"),
    (starts_a_process_by_the_loop, "process"),
    (calls_the_shell, "process"),
    (swallows_what_stopped_it, "socket"),
]


@pytest.fixture
async def engine(fresh: Fresh) -> AsyncEngine:
    return await fresh("shop", opened)


@pytest.fixture
async def w(engine: AsyncEngine) -> AsyncIterator[Wiring]:
    made_for = wiring(engine)
    yield made_for
    await made_for.db.close()


async def flee(escape: Way) -> None:
    """Run it watched, whether it waits or not."""
    with guarded():
        waiting = escape()
        if waiting is not None:
            await waiting


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@pytest.mark.parametrize(("escape", "what"), ESCAPES, ids=[escape.__name__ for escape, _ in ESCAPES])
async def test_each_way_out_is_refused_and_named(escape: Way, what: str) -> None:
    with pytest.raises(Escape) as caught:
        await flee(escape)
    assert what in str(caught.value)
    assert caught.value.reason == "escape"


@pytest.mark.parametrize("run", [dry, real], ids=["dry run", "execution"])
async def test_an_escape_undoes_the_write(w: Wiring, engine: AsyncEngine, run: Any) -> None:
    async def flees(ctx: Any, args: Anything) -> Done:
        ctx.session.add(Reminder(order_id=1))
        await ctx.session.flush()
        swallows_what_stopped_it()
        return Done()

    with pytest.raises(Escape):
        await run(w, made(flees))
    async with engine.connect() as conn:
        assert len((await conn.execute(select(Reminder.id))).all()) == 2


@pytest.mark.parametrize("run", [dry, real], ids=["dry run", "execution"])
async def test_another_connection_is_refused_be_it_waiting_in_the_pool_or_new(
    w: Wiring, engine: AsyncEngine, run: Any
) -> None:
    async def flees(ctx: Any, args: Anything) -> Done:
        async with engine.connect() as conn:
            await conn.execute(select(Reminder))
        return Done()

    async def flees_afar(ctx: Any, args: Anything) -> Done:
        other = create_async_engine(engine.url)
        async with other.connect():
            return Done()

    async with engine.connect(), engine.connect():
        """Two connections lie in the pool afterwards."""
    for handler in (flees, flees_afar):
        with pytest.raises(Escape) as caught:
            await run(w, made(handler))
        assert "connection" in str(caught.value) or "socket" in str(caught.value) or "thread" in str(caught.value)


async def test_others_of_the_same_process_are_left_alone(w: Wiring, engine: AsyncEngine, tmp_path: Path) -> None:
    inside, done = asyncio.Event(), asyncio.Event()

    async def waits(ctx: Any, args: Anything) -> Done:
        inside.set()
        await done.wait()
        return Done()

    async def neighbour() -> None:
        await inside.wait()
        (tmp_path / "mine").write_text("x")
        await asyncio.gather(nothing(), nothing())
        await asyncio.to_thread(nothing().close)
        with socket.socket() as door:
            door.bind(("127.0.0.1", 0))
        async with w.db.read() as conn:
            await conn.execute(select(Reminder.id))
        done.set()

    async with asyncio.TaskGroup() as group:
        group.create_task(neighbour())
        await dry(w, made(waits))
    assert (tmp_path / "mine").exists()


def reads_a_file() -> str:
    return Path(__file__).read_text()


async def test_reading_a_file_is_no_escape() -> None:
    with guarded():
        assert reads_a_file()
        await asyncio.sleep(0)


async def test_a_log_that_opens_its_file_at_the_first_line_is_no_escape(tmp_path: Path) -> None:
    handler = logging.FileHandler(tmp_path / "log", delay=True)
    log = logging.getLogger("tests.escapes")
    log.addHandler(handler)
    try:
        with guarded():
            log.warning("written by a handler")
    finally:
        log.removeHandler(handler)
        handler.close()
    assert "written" in (tmp_path / "log").read_text()
