"""A PostgreSQL server for one test run, from the installed programs or at `DATABASE_URL`."""

import asyncio
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, make_url

from tests.databases import PostgresServer
from tests.needs import missing

SOCKET_LIMIT = 60
"""Characters of the folder for temporary files; a socket's whole path may have 107."""

WATCH = '"$@" & server=$!; read -r _; kill -QUIT $server; wait $server; rm -rf "$HOME"'
"""Runs the server until our end of the pipe closes, so that a killed test run leaves no server and no folder behind."""

SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "max_wal_size": "256MB",
}


@dataclass(frozen=True, slots=True)
class Owner:
    """Whom the server runs as; None is ourselves."""

    user: int | None = None
    group: int | None = None
    extra: tuple[int, ...] | None = None


def programs() -> Path | None:
    """The folder of the installed server's programs, the newest if there are several."""
    found = shutil.which("pg_ctl")
    if found is not None:
        return Path(found).resolve().parent
    bases = (Path("/usr/lib/postgresql"), Path("/usr/local/pgsql"), Path("/opt/homebrew/opt"))
    paths = [path for base in bases if base.is_dir() for path in base.glob("**/bin/pg_ctl")]
    versions = sorted(paths, key=lambda path: [int(part) for part in path.parts if part.isdigit()])
    return versions[-1].parent if versions else None


def owner() -> Owner:
    """Ourselves, or where we are root `postgres` or `nobody`, since the server refuses root."""
    if os.geteuid() != 0:
        return Owner()
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return Owner(user.pw_uid, user.pw_gid, ())
    return missing("a user `postgres` or `nobody`, whom the PostgreSQL server could run as,")


@contextmanager
def server() -> Iterator[PostgresServer]:
    """The server at `DATABASE_URL`, or one of our own on a socket in a temporary folder, gone at the end."""
    given = os.environ.get("DATABASE_URL", "")
    if given.startswith("postgres"):
        databases = PostgresServer(make_url(given))
        try:
            yield databases
        finally:
            asyncio.run(databases.close())
        return
    where = programs()
    if where is None:
        missing("the PostgreSQL server")
    base = None if len(tempfile.gettempdir()) < SOCKET_LIMIT else "/tmp"
    folder = Path(tempfile.mkdtemp(prefix="deputize-pg-", dir=base))
    try:
        with _running(where, folder, owner()):
            yield PostgresServer(
                URL.create("postgresql", username="postgres", database="postgres", query={"host": str(folder)})
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _running(where: Path, folder: Path, who: Owner) -> Iterator[None]:
    if who.user is not None:
        os.chown(folder, who.user, -1 if who.group is None else who.group)
    environment = {**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8"}
    made = subprocess.run(
        [where / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"],
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        user=who.user,
        group=who.group,
        extra_groups=who.extra,
    )
    if made.returncode:
        raise RuntimeError(f"initdb failed: {made.stderr}")
    options = {**SETTINGS, "unix_socket_directories": str(folder)}
    words = [word for key, value in options.items() for word in ("-c", f"{key}={value}")]
    log = folder / "log"
    with log.open("wb") as output:
        watch = subprocess.Popen(
            ["/bin/sh", "-c", WATCH, "sh", str(where / "postgres"), "-D", str(folder / "data"), *words],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=folder,
            env=environment,
            user=who.user,
            group=who.group,
            extra_groups=who.extra,
        )
    try:
        _await_ready(where, folder, watch)
        yield
    finally:
        watch.communicate(timeout=30)


def _await_ready(where: Path, folder: Path, watch: "subprocess.Popen[bytes]") -> None:
    """Return once the server answers; raise with its log where it ends or does not answer in 30 s."""
    ask = [str(where / "pg_isready"), "-q", "-h", str(folder), "-U", "postgres", "-d", "postgres", "-t", "1"]
    for _ in range(600):
        if subprocess.run(ask, check=False).returncode == 0:
            return
        try:
            watch.wait(timeout=0.05)
        except subprocess.TimeoutExpired:
            continue
        break
    raise RuntimeError(f"the PostgreSQL server did not start: {(folder / 'log').read_text(errors='replace')}")
