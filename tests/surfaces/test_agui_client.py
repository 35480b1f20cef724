"""The protocol's own JavaScript client, which checks every stream by its own rules, talks to the desk (API-5)."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA, Task
from tests.surfaces.serving import PREFIX, Served

WEB = Path(__file__).parent.parent.parent / "web"


async def client(site: Served) -> Any:
    """What the client holds at its end. Its own failure is ours."""
    node = shutil.which("node")
    assert node, "node is needed, as for building the element"
    made = await asyncio.create_subprocess_exec(
        node, "dev/agui-client.mjs", f"{site.url}{PREFIX}/agui/desk", "eva", cwd=WEB,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await made.communicate()
    assert made.returncode == 0, err.decode()
    return json.loads(out)


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
async def test_the_protocols_own_client(site: Served) -> None:
    """API-5: it asks, meets the interrupt, resumes, and holds the same conversation as one that only looks."""
    site.desk.provider.then(
        calls(("find_people", {"query": "Ana"})),
        calls(("add_task", {"person": ANA, "title": "call"})),
        says("Done so."),
    )
    held = await client(site)
    assert len(held["asked"]) == 1
    assert [task.title for task in await site.desk.rows(Task)] == ["call"]
    assert held["kinds"].count("RUN_FINISHED") == 2
    assert "RUN_ERROR" not in held["kinds"]
    roles = ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert [one["role"] for one in held["messages"]] == roles
    assert [one["role"] for one in held["elsewhere"]] == roles
    assert held["messages"][-1]["content"] == held["elsewhere"][-1]["content"] == "Done so."
