"""`deputize demo`: a host with its seed data, an embedded model, on loopback, ready to sign in."""

import asyncio
import os
import secrets
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import typer

from deputize.app import Deputize
from deputize.cli.loading import attribute, demo_of
from deputize.cli.serving import listen, serve_on
from deputize.core.clock import SystemClock
from deputize.store import keyfile, migrate

STALE = timedelta(days=7)


def secret_from(folder: Path) -> str:
    """The demo's vault key: from the environment, or generated once into a file only its owner may read."""
    given = os.environ.get("AI_SECRET_KEY")
    if given:
        return given
    path = folder / "secret.key"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(32))
    return path.read_text().strip()


def checkpoint_key(folder: Path) -> Path:
    """The demo's key for checkpoints, generated once. A real one stands on another volume than the database."""
    path = (folder / "keys" / "checkpoint.key").resolve()
    if not path.exists():
        keyfile.generate(path)
    return path


def aged(folder: Path, now: datetime) -> date | None:
    """The day on which the demonstration was made, where that is a week ago or more; its stories are of those days."""
    key = folder / "secret.key"
    made = datetime.fromtimestamp(key.stat().st_mtime, UTC) if key.exists() else now
    return made.date() if now - made >= STALE else None


def prepared(name: str, folder: Path) -> tuple[Any, Deputize]:
    """The demonstration and its deputy, migrated and seeded below `folder`; settings of the environment stand."""
    found = demo_of(name)
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("AI_ENABLED", "true")
    os.environ.setdefault("DATABASE_URL", f"sqlite+aiosqlite:///{(folder / (name + '.sqlite')).resolve()}")
    os.environ["AI_SECRET_KEY"] = secret_from(folder)
    os.environ.setdefault("AI_CHECKPOINT_KEY_FILE", str(checkpoint_key(folder)))
    asyncio.run(found.prepare(os.environ["DATABASE_URL"]))
    deputy: Deputize = attribute(found.deputy)
    asyncio.run(_upgrade(deputy))
    return found, deputy


def run(name: str, host: str, port: int, folder: Path) -> None:
    """Listen, migrate, seed, print the address and the sign-ins, serve; port 0 takes a free one.

    A worker runs in the same process, so that queued mail is delivered and automations do their passes.
    """
    taken = listen(host, port)
    found, deputy = prepared(name, folder)
    deputy.worker = True
    address = f"[{host}]" if ":" in host else host
    typer.echo(f"\n  {found.name}: http://{address}:{taken.getsockname()[1]}{found.start}\n")
    width = max(len(one.email) for one in found.sign_ins)
    for one in found.sign_ins:
        typer.echo(f"    {one.email:<{width}}  {one.password}  {one.who}")
    typer.echo(f"\n  Model: {deputy.settings.provider}. Data: {folder}. Stop with Ctrl-C.\n")
    if (since := aged(folder, SystemClock().now())) is not None:
        typer.echo(f"  The data were made on {since:%d %B %Y}, around that day; remove the folder to begin anew.\n")
    serve_on(found.app, taken)


async def _upgrade(deputy: Deputize) -> None:
    await migrate.upgrade(deputy.engine)
    await deputy.engine.dispose()
