"""A PostgreSQL cluster of one test's own, which it may stop as if its machine had failed, and start again."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL

from tests.needs import missing
from tests.postgresql import owner, programs

SETTINGS = {"listen_addresses": "", "fsync": "off", "shared_buffers": "32MB", "max_connections": "60"}
"""What was committed is with the operating system, which does not fail here."""


@dataclass(frozen=True)
class Cluster:
    """Its programs and its folder, which holds data, socket and log."""

    where: Path
    folder: Path

    @property
    def url(self) -> URL:
        """The address of its first database."""
        return URL.create(
            "postgresql+asyncpg", username="postgres", database="postgres", query={"host": str(self.folder)}
        )

    def start(self) -> None:
        """Start, or recover after a stop; returns once it answers."""
        words = {**SETTINGS, "unix_socket_directories": str(self.folder)}
        options = " ".join(f"-c {name}='{value}'" for name, value in words.items())
        self._control("start", "-w", "-t", "120", "-l", str(self.folder / "log"), "-o", options)

    def stop(self) -> None:
        """At once: nobody is asked, nothing is written down that was not."""
        self._control("stop", "-m", "immediate", "-w", "-t", "60")

    def _control(self, *words: str) -> None:
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-s", *words)

    def run(self, program: str, *words: str) -> None:
        """One of the server's programs, as the user that the server runs as."""
        who = owner()
        subprocess.run(
            [self.where / program, *words],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd=self.folder,
            env={**os.environ, "HOME": str(self.folder), "LC_ALL": "C.UTF-8"},
            user=who.user,
            group=who.group,
            extra_groups=who.extra,
        )


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A running cluster in a temporary folder, gone afterwards."""
    where = programs()
    if where is None:
        missing("the PostgreSQL server")
    folder = Path(tempfile.mkdtemp(prefix="deputize-pg-", dir="/tmp"))
    who, made = owner(), Cluster(where, folder)
    if who.user is not None:
        os.chown(folder, who.user, -1 if who.group is None else who.group)
    try:
        made.run("initdb", "-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        made.start()
        try:
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
