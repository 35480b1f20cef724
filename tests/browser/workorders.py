"""The work-order desk as people meet it: an API process and a worker process over one database, and a real browser."""

import asyncio
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

from playwright.sync_api import Page

from deputize.store import migrate
from deputize_hosts.workorders.db import make_engine
from deputize_hosts.workorders.main import prepare
from deputize_hosts.workorders.seed.people import PASSWORD

DEPUTY = "deputize_hosts.workorders.main:deputy"
FOREIGN = re.compile(r"(?:AI|AGENT|COPILOT|WORKORDERS|OPENAI|ANTHROPIC|DEPUTIZE|DATABASE)_")
STARTS_WITHIN = 240.0
"""Seconds in which the processes must have started."""


async def _database(url: str) -> None:
    await prepare(url)
    engine = make_engine(url)
    await migrate.upgrade(engine)
    await engine.dispose()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The address of a desk with fresh demonstration data, served and worked on by processes of their own."""
    database = f"sqlite+aiosqlite:///{folder / 'desk.sqlite'}"
    with ThreadPoolExecutor(1) as aside:  # the browser's own loop occupies this thread
        aside.submit(lambda: asyncio.run(_database(database))).result()
    ours = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
    env = {
        **ours,
        "AI_ENABLED": "true",
        "AI_SECRET_KEY": "a vault key of the browser tests",
        "WORKORDERS_SECRET_KEY": "cookies",
        "DATABASE_URL": database,
        "AI_RATE_LIMIT_MAX": "1000",
        "AGENT_POLL_INTERVAL_MS": "100",
        "AGENT_RECONCILE_AFTER_MS": "86400000",
        "AGENT_SWEEP_INTERVAL_MS": "500",
    }
    port = _free_port()
    python = [sys.executable, "-m"]
    api = [*python, "uvicorn", "deputize_hosts.workorders.main:app", "--port", str(port), "--log-level", "warning"]
    work = [str(Path(sys.executable).parent / "deputize"), "worker", "--app", DEPUTY]
    processes = [subprocess.Popen(command, env=env, cwd=folder) for command in (api, work)]
    try:
        url = f"http://127.0.0.1:{port}"
        _answers(url, processes)
        yield url
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=30)


def ended_within(process: "subprocess.Popen[bytes]", seconds: float) -> bool:
    """Whether the process has ended or does so in this time."""
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _answers(url: str, processes: list["subprocess.Popen[bytes]"]) -> None:
    """Return once the desk answers. Raises where a process ended or it takes too long."""
    ends = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < ends:
        if any(ended_within(process, 0.1) for process in processes):
            raise RuntimeError("a process of the desk ended")
        try:
            with urllib.request.urlopen(f"{url}/sign-in", timeout=5):
                return
        except (URLError, TimeoutError, ConnectionError):
            continue
    raise RuntimeError("the desk did not answer")


def sign_in(page: Page, url: str, email: str) -> None:
    """Through the form."""
    page.goto(f"{url}/sign-in")
    page.locator("input[name=email]").fill(email)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("main form button").click()
    page.wait_for_url("**/app/orders")
