"""`deputize doctor`: settings, database, tables, provider's address and checkpoint key, each with its finding."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

import typer
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from deputize.app import Deputize
from deputize.cli.loading import deputy_of
from deputize.config import Settings
from deputize.core.checkpoint import BadNote
from deputize.core.errors import ConfigurationError
from deputize.engine.registry import count
from deputize.providers.endpoint import Resolve, system_resolve
from deputize.store import audit_read, revision

SIGNS = {"ok": "ok", "note": "--", "fault": "!!"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at; `fault` ends the command with status 1, `note` is worth knowing."""

    what: str
    how: Literal["ok", "note", "fault"]
    says: str


def command(
    app: str | None = typer.Option(None, "--app", help="module:deputy; DEPUTIZE_APP otherwise", show_default=False),
) -> None:
    """Look at everything that a deputy stands on, without asking a model anything."""
    try:
        deputy = deputy_of(app)
    except ConfigurationError as error:
        found = [Finding("settings", "fault", fault) for fault in error.faults]
    else:
        found = asyncio.run(examine(deputy))
    for one in found:
        typer.echo(f"{SIGNS[one.how]}  {one.what}: {one.says}")
    if any(one.how == "fault" for one in found):
        raise typer.Exit(1)


async def examine(deputy: Deputize, resolve: Resolve = system_resolve) -> list[Finding]:
    """Everything, in the order in which a fault hides the next ones."""
    tools, writes, surfaces = count(deputy.wiring.registry)
    on = "on" if deputy.settings.enabled else "off (AI_ENABLED=false): routes answer 403"
    found = [
        Finding("settings", "ok", f"valid; the copilot is {on}"),
        Finding("declarations", "ok", f"{tools} tools ({writes} staged) on {surfaces} surfaces"),
        *provider(deputy.settings, resolve),
    ]
    try:
        found += await database(deputy)
    finally:
        await deputy.close()
        await deputy.engine.dispose()
    return found


def provider(settings: Settings, resolve: Resolve) -> Iterator[Finding]:
    """The provider, and whether the host of its base URL has an address; nothing is sent there."""
    yield Finding("provider", "ok", f"{settings.provider}, model {settings.model or 'by default'}")
    if not settings.base_url:
        return
    parts = urlsplit(settings.base_url)
    host = parts.hostname or ""
    try:
        addresses = resolve(host, parts.port or (443 if parts.scheme == "https" else 80))
    except (OSError, UnicodeError):
        yield Finding("address", "fault", f"{host} has no address just now")
        return
    yield Finding("address", "ok", f"{host} has {len(addresses)} address(es); it was not contacted")


async def database(deputy: Deputize) -> list[Finding]:
    """Reachable, with the manners we need, our tables in place, chains signed."""
    name = deputy.engine.dialect.name
    try:
        async with deputy.wiring.db.read() as conn:
            await conn.execute(text("SELECT 1"))
    except (SQLAlchemyError, OSError) as error:
        return [Finding("database", "fault", f"{name} cannot be reached ({type(error).__name__})")]
    found = [Finding("database", "ok", f"{name} answers")]
    at, head = await revision.revision(deputy.engine), revision.HEAD
    if at != head:
        said = "are missing" if at is None else f"stand at {at}, this version needs {head}"
        return [*found, Finding("tables", "fault", f"ours {said}: run `deputize db upgrade`")]
    found.append(Finding("tables", "ok", f"at {at}"))
    found += [Finding("savepoints", "fault", fault) for fault in await deputy.probe()]
    return [*found, *await checkpoints(deputy)]


async def checkpoints(deputy: Deputize) -> list[Finding]:
    """The key's own file, and how far each chain is signed."""
    files, path = deputy.wiring.checkpoints, deputy.settings.checkpoint_key_file
    if files is None or path is None:
        return [Finding("checkpoints", "note", "no AI_CHECKPOINT_KEY_FILE: a rewritten chain would not be noticed")]
    found = []
    if path.stat().st_mode & 0o077:
        found.append(Finding("checkpoint key", "fault", "its file can be read by others than its owner (chmod 600)"))
    async with deputy.wiring.db.read() as conn:
        for tenant in await audit_read.tenants(conn):
            end = await audit_read.head(conn, tenant)
            try:
                latest = files.latest(tenant)
            except (BadNote, OSError) as fault:
                found.append(Finding("checkpoints", "fault", f"{tenant}: {fault}"))
                continue
            size, last = (latest.size if latest else 0), (end[0] if end else 0)
            if size > last:
                found.append(Finding("checkpoints", "fault", f"{tenant}: {size} entries were signed, {last} are there"))
            else:
                found.append(Finding("checkpoints", "ok", f"{tenant}: {size} of {last} entries signed"))
    return found or [Finding("checkpoints", "ok", "the key is there; no chain yet")]
