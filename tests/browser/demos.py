"""The demonstrations as people meet them: each in a process of its own, on a free port, with data of its own."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deputize_hosts.casedesk.seed import firms
from deputize_hosts.clinic.seed import clinics
from deputize_hosts.workorders.seed import people

DEPUTIZE = Path(sys.executable).parent / "deputize"
FOREIGN = re.compile(r"(?:AI|AGENT|COPILOT|CLINIC|WORKORDERS|CASEDESK|OPENAI|ANTHROPIC|DEPUTIZE|DATABASE)_")


@dataclass(frozen=True)
class Host:
    """A demonstration: its name, the password of its people, where its copilot is mounted, and its surface."""

    name: str
    password: str
    base: str
    surface: str


CLINIC = Host("clinic", clinics.PASSWORD, "/api/v1/copilot", "clinic")
WORKORDERS = Host("workorders", people.PASSWORD, "/api/v1/ai", "desk")
CASEDESK = Host("casedesk", firms.PASSWORD, "/api/v1/ai", "case")


@dataclass
class Demo:
    """`deputize demo NAME` in a child process on a free port; `kill` is SIGKILL, `start` goes on with its data."""

    folder: Path
    host: Host = CLINIC
    port: int = 0
    process: "subprocess.Popen[str] | None" = field(default=None, repr=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Return once it listens and has said so. Raises where it ended instead."""
        ours = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
        command = [str(DEPUTIZE), "demo", self.host.name, "--port", str(self.port), "--folder", str(self.folder)]
        self.process = subprocess.Popen(
            command,
            env={**ours, "AI_RATE_LIMIT_MAX": "1000", "AI_MAX_ACTIONS_PER_MINUTE": "1000"},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                self.port = int(found[1])
            if "Ctrl-C" in line:
                return
        raise RuntimeError(f"the demo ended with {self.process.wait()}")

    def kill(self) -> None:
        """SIGKILL: no farewell, nothing flushed."""
        self._end(subprocess.Popen.kill)

    def stop(self) -> None:
        """As Ctrl-C would end it."""
        self._end(subprocess.Popen.terminate)

    def _end(self, how: Any) -> None:
        assert self.process is not None
        assert self.process.stdout is not None
        how(self.process)
        self.process.wait(timeout=30)
        self.process.stdout.close()


@contextmanager
def demo(folder: Path, host: Host = CLINIC) -> Iterator[Demo]:
    """A running demo on fresh data."""
    made = Demo(folder, host)
    made.start()
    yield made
    made.stop()
