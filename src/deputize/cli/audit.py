"""`deputize audit`: verify a database or an export, and make an export."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from deputize.app import Deputize
from deputize.cli.loading import deputy_of, fail
from deputize.core.chain import Verdict
from deputize.core.checkpoint import TrustedLog, parse_vkey, read_notes
from deputize.core.clock import SystemClock
from deputize.core.pack import DamagedPack, Pack, open_pack, verify_pack
from deputize.store import audit_read
from deputize.store.export import write_pack

program = typer.Typer(no_args_is_help=True, help="The audit chain: verify and export it.")
App = Annotated[str | None, typer.Option("--app", help="module:deputy; DEPUTIZE_APP otherwise", show_default=False)]
Trust = Annotated[list[str] | None, typer.Option("--trust", help="A verifier key of a checkpoint log to believe.")]
Notes = Annotated[list[Path] | None, typer.Option("--checkpoints", help="A file of checkpoints kept elsewhere.")]


def _trusted(keys: list[str] | None) -> list[TrustedLog]:
    try:
        return [parse_vkey(key) for key in keys or ()]
    except ValueError as error:
        raise fail(f"--trust: {error}") from None


def _notes(files: list[Path] | None) -> list[str]:
    try:
        return [note for path in files or () for note in read_notes(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError) as error:
        raise fail(f"--checkpoints: {error}") from None


@program.command()
def verify(
    pack: Annotated[Path | None, typer.Argument(help="An export; the database otherwise.")] = None,
    app: App = None,
    tenant: Annotated[str | None, typer.Option(help="Only this tenant of the database.")] = None,
    trust: Trust = None,
    checkpoints: Notes = None,
) -> None:
    """Verify the chain; what is wrong is named with its entry, and the status is 1."""
    trusted, notes = _trusted(trust), _notes(checkpoints)
    if pack is not None:
        try:
            verdicts = {pack.name: verify_pack(open_pack(pack), trusted, notes)}
        except DamagedPack as error:
            raise fail(f"{pack.name}: {error}") from None
    else:
        verdicts = asyncio.run(_database(deputy_of(app), tenant, trusted, notes))
    for name, verdict in verdicts.items():
        typer.echo(f"{name}: {verdict}")
    if not verdicts:
        typer.echo("no tenant has a chain yet")
    if not all(verdict.ok for verdict in verdicts.values()):
        raise typer.Exit(1)


async def _database(
    deputy: Deputize, tenant: str | None, trusted: list[TrustedLog], notes: list[str]
) -> dict[str, Verdict]:
    try:
        async with deputy.wiring.db.read() as conn:
            names = [tenant] if tenant is not None else await audit_read.tenants(conn)
            return {name: await audit_read.verify_database(conn, name, notes, trusted) for name in names}
    finally:
        await deputy.wiring.db.close()
        await deputy.engine.dispose()


@program.command()
def export(
    tenant: Annotated[str, typer.Argument(help="Whose chain.")],
    path: Annotated[Path, typer.Argument(help="The pack to write.")],
    app: App = None,
    checkpoints: Notes = None,
) -> None:
    """Write a tenant's chain as a pack that verifies without the database."""
    deputy, notes = deputy_of(app), _notes(checkpoints)

    async def run() -> None:
        try:
            async with deputy.wiring.db.read() as conn:
                await write_pack(conn, tenant, path, SystemClock().now(), notes=notes)
        finally:
            await deputy.wiring.db.close()
            await deputy.engine.dispose()

    asyncio.run(run())
    typer.echo(f"{path}: {verify_pack(open_pack(path))}")


def verified_packs(paths: list[Path]) -> dict[str, Pack]:
    """Packs by tenant, each verified; anything else ends with status 2."""
    packs: dict[str, Pack] = {}
    for path in paths:
        try:
            pack = open_pack(path)
        except DamagedPack as error:
            raise fail(f"{path}: {error}") from None
        verdict = verify_pack(pack)
        if not verdict.ok:
            raise fail(f"{path}: {verdict}")
        packs[pack.tenant] = pack
    return packs
