"""`deputize demo workorders`: everything works in one process, the worker included (OPS-4, AUTO-1, OPS-3)."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deputize_hosts.workorders.main import ABOVE_ADMIN
from tests.hosts.workorders.people import ADMIN
from tests.hosts.workorders.visitor import Visitor

FOREIGN = re.compile(r"(?:AI|AGENT|COPILOT|WORKORDERS|OPENAI|ANTHROPIC|DEPUTIZE|DATABASE)_")


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """The address that the demo says, on data of its own."""
    ours = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
    env = {**ours, "AGENT_POLL_INTERVAL_MS": "100", "AI_ENTITY_MODEL": "off", "PYTHONUNBUFFERED": "1"}
    command = [str(Path(sys.executable).parent / "deputize"), "demo", "workorders", "--port", "0", "--folder", "data"]
    process = subprocess.Popen(command, env=env, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        said = next(line for line in process.stdout if "http://" in line)
        yield said.split(": ", 1)[1].removesuffix("/app/orders\n")
    finally:
        process.terminate()
        process.communicate(timeout=30)


def test_an_order_is_triaged_accepted_and_recorded_in_one_process(url: str) -> None:
    """No second command: the suggestion comes, is accepted, and run, entry, health and figures are there."""
    with Visitor(url) as admin:
        assert admin.sign_in(ADMIN).url.path == "/app/orders"
        page = admin.report("Gas leak in the boiler room", "It smells strongly by the door.")
        accept, run = admin.suggestion(page)
        assert "Accepted: priority set." in admin.send(accept, version="1").text
        entries = admin.client.get(f"{ABOVE_ADMIN}/admin/audit?run={run}").json()["items"]
        assert "automation_proposed" in {entry["kind"] for entry in entries}
        assert admin.client.get("/ops/health").json() == {"ok": True, "enabled": True}
        assert admin.client.get("/ops/ready").status_code == 200
        assert "deputize_runs_ended_total" in admin.client.get("/ops/metrics").text
