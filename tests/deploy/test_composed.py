"""The deployment end to end: the compose file's own commands and settings, a real PostgreSQL and a real nginx.

There is no container engine where these tests run, so no image is built: the processes are started as they are
written, with this machine's addresses (OPS-1, SSE-1, AUTO-1).
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import URL

from deputize_hosts.workorders.main import ABOVE_ADMIN, BASE
from tests.databases import PostgresServer
from tests.deploy.composed import Here, free_port
from tests.hosts.workorders.visitor import Visitor, until
from tests.surfaces.proxy import program

pytestmark = pytest.mark.postgresql
GIVEN = {
    "DB_PASSWORD": "notused",
    "WORKORDERS_SECRET_KEY": "signs the cookies of this test",
    "AI_SECRET_KEY": "encrypts the vault of this test",
    "AGENT_POLL_INTERVAL_MS": "100",
}
FOREIGN = re.compile(r"(?:AI|AGENT|COPILOT|WORKORDERS|OPENAI|ANTHROPIC|DEPUTIZE|DATABASE)_")
PASSWORD = "twelve characters at least"
DISPATCHER = "dana@site.example"


@dataclass
class Deployed:
    """The running deployment; `url` is the proxy's."""

    here: Here
    processes: dict[str, "subprocess.Popen[bytes]"]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.here.proxy}"

    def environment(self, service: str) -> dict[str, str]:
        """The service's, and what every process of this machine needs; no entity model, as in all tests."""
        ours = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
        path = f"{Path(sys.executable).parent}{os.pathsep}{ours['PATH']}"
        return {**ours, **self.here.environment(service, GIVEN), "PATH": path, "AI_ENTITY_MODEL": "off"}

    def once(self, service: str) -> None:
        """A service that ends by itself."""
        subprocess.run(self.here.command(service), env=self.environment(service), cwd=self.here.folder, check=True)

    def start(self, stack: ExitStack, service: str) -> None:
        """A service that is told to end."""
        words = self.here.proxy_command(program()) if service == "proxy" else self.here.command(service)
        env = dict(os.environ) if service == "proxy" else self.environment(service)
        self.processes[service] = process = subprocess.Popen(words, env=env, cwd=self.here.folder)
        stack.callback(process.wait, timeout=30)
        stack.callback(process.terminate)

    def enrol(self, email: str, name: str, role: str) -> None:
        """As the documents say: with the password on standard input."""
        words = [sys.executable, "-m", "deputize_hosts.workorders.operate", "enrol", "--organisation", "Site"]
        words += ["--email", email, "--name", name, "--role", role, "--time-zone", "Europe/London"]
        subprocess.run(words, env=self.environment("api"), input=f"{PASSWORD}\n".encode(), check=True)


@pytest.fixture(scope="module")
def database(postgresql_server: PostgresServer) -> Iterator[URL]:
    """An empty database, as a new volume gives it."""
    # The loop of this thread may be an outer test's; a process of its own makes and drops the database.
    name = f"{postgresql_server.prefix}_composed"
    url = postgresql_server.url
    folder = str(url.query["host"]) if "host" in url.query else url.host
    psql = ["psql", "-q", "-h", str(folder), "-U", str(url.username), "-d", str(url.database), "-c"]
    subprocess.run([*psql, f'CREATE DATABASE "{name}"'], check=True)
    yield url.set(database=name)
    subprocess.run([*psql, f'DROP DATABASE "{name}" WITH (FORCE)'], check=True)


@pytest.fixture(scope="module")
def deployed(database: URL, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    """Prepared, served, worked on and behind nginx."""
    folder = tmp_path_factory.mktemp("deployed")
    made = Deployed(Here(database, folder, free_port(), free_port(), free_port()), {})
    with ExitStack() as stack:
        made.once("prepare")
        made.enrol(DISPATCHER, "Dana Whitfield", "admin")
        for service in ("api", "worker", "proxy"):
            made.start(stack, service)
        with Visitor(made.url) as anybody:
            until(lambda: anybody.answers() or None, "the site")
        yield made


def test_the_copilot_streams_and_approves_through_nginx(deployed: Deployed) -> None:
    """COP-2, COP-3, SSE-1: words in, a card out of the stream, one decision, the order changed."""
    with Visitor(deployed.url) as dana:
        assert dana.sign_in(DISPATCHER, PASSWORD).url.path == "/app/orders"
        dana.report("Boiler in block B cuts out")
        session = dana.post(f"{BASE}/sessions", {"surface": "desk"}).json()["id"]
        frames = dana.stream(session, "set order 1001 to urgent")
        assert frames[-1][0] == "tool_approval_required", frames
        card = frames[-1][1]["call"]
        decided = dana.post(
            f"{BASE}/tool-calls/{card['id']}/decide", {"approve": True, "digest": card["approval"]["digest"]}
        )
        assert decided.json()["outcome"] == "ok"
        shown = dana.client.get("/app/orders").text
        assert re.search(r"Boiler in block B cuts out.*?Urgent", shown, re.DOTALL)


def test_the_worker_s_suggestion_comes_and_is_accepted_through_nginx(deployed: Deployed) -> None:
    """AUTO-1, AGT-6: the order is written by one process, triaged by another, accepted in the first."""
    with Visitor(deployed.url) as dana:
        dana.sign_in(DISPATCHER, PASSWORD)
        page = dana.report("Gas leak in the boiler room", "It smells strongly by the door.")
        accept, run = dana.suggestion(page)
        assert "Accepted: priority set." in dana.send(accept, version="1").text
        entries = dana.client.get(f"{ABOVE_ADMIN}/admin/audit?run={run}").json()["items"]
        assert "automation_proposed" in {entry["kind"] for entry in entries}


def test_probes_see_what_the_public_does_not(deployed: Deployed) -> None:
    """OPS-3: the health checks of the compose file are answered inside; outside there is no such page."""
    here = deployed.here
    assert httpx2.get(f"http://127.0.0.1:{here.api}/ops/ready").json()["ok"]
    assert httpx2.get(f"http://127.0.0.1:{here.health}/").json()["ok"]
    for path in ("/ops/health", "/ops/ready", "/ops/metrics"):
        assert httpx2.get(deployed.url + path).status_code == 404


def test_the_api_believes_its_proxy_about_scheme_and_origin(deployed: Deployed) -> None:
    """A client's own claim about where it comes from is replaced by nginx; TLS in front makes cookies `Secure`."""
    claimed = {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}
    with Visitor(deployed.url) as dana:
        dana.client.headers.update(claimed)
        assert "Secure" not in str(dana.client.get("/sign-in").headers.get_list("set-cookie"))
    inside = httpx2.get(f"http://127.0.0.1:{deployed.here.api}/sign-in", headers=claimed)
    assert "Secure" in str(inside.headers.get_list("set-cookie"))
