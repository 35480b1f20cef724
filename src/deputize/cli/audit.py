"""`deputize audit`: verify a database or an export, sign checkpoints, and make an export."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from deputize.app import Deputize
from deputize.cli.loading import deputy_of, fail
from deputize.core.chain import Verdict
from deputize.core.checkpoint import BadNote, TrustedLog, parse_vkey, read_notes
from deputize.core.clock import SystemClock
from deputize.core.pack import DamagedPack, Pack, open_pack, verify_pack
from deputize.store import audit_read
from deputize.store.checkpoints import ForkRefused
from deputize.store.export import write_pack

program = typer.Typer(no_args_is_help=True, help="The audit chain: verify, sign and export it.")
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
            return {
                name: await audit_read.verify_database(
                    conn, name, [*notes, *_own_notes(deputy, name)], [*trusted, *_own_log(deputy, name)]
                )
                for name in names
            }
    finally:
        await deputy.wiring.db.close()
        await deputy.engine.dispose()


def _own_log(deputy: Deputize, tenant: str) -> list[TrustedLog]:
    """The deployment's own log of that tenant, where it has a key."""
    files = deputy.wiring.checkpoints
    return [files.trusted(tenant)] if files else []


def _own_notes(deputy: Deputize, tenant: str) -> list[str]:
    files = deputy.wiring.checkpoints
    try:
        return files.notes(tenant) if files else []
    except (BadNote, OSError) as fault:
        raise fail(f"{tenant}: the kept checkpoints cannot be read ({fault})") from None


@program.command()
def checkpoint(
    app: App = None, tenant: Annotated[str | None, typer.Option(help="Only this tenant's chain.")] = None
) -> None:
    """Sign the chains as they stand; a chain that is not what was signed before is refused, with status 1."""
    deputy = deputy_of(app)
    if deputy.wiring.checkpoints is None:
        raise fail("set AI_CHECKPOINT_KEY_FILE: there is no key to sign with")
    if not asyncio.run(_sign(deputy, tenant)):
        raise typer.Exit(1)


async def _sign(deputy: Deputize, tenant: str | None) -> bool:
    files, well = deputy.wiring.checkpoints, True
    assert files is not None
    try:
        async with deputy.wiring.db.read() as conn:
            for name in [tenant] if tenant is not None else await audit_read.tenants(conn):
                try:
                    note = await files.write(conn, name)
                except (ForkRefused, BadNote) as fault:
                    well = False
                    typer.echo(f"{name}: not signed: {fault}", err=True)
                    continue
                latest = files.latest(name)
                said = "signed" if note else "nothing new; signed"
                typer.echo(f"{name}: {said} through {latest.size if latest else 0}  {files.trusted(name).vkey()}")
    finally:
        await deputy.wiring.db.close()
        await deputy.engine.dispose()
    return well


@program.command()
def export(
    tenant: Annotated[str, typer.Argument(help="Whose chain.")],
    path: Annotated[Path, typer.Argument(help="The pack to write.")],
    app: App = None,
    checkpoints: Notes = None,
) -> None:
    """Write a tenant's chain as a pack that verifies without the database."""
    deputy, notes = deputy_of(app), _notes(checkpoints)
    files = deputy.wiring.checkpoints

    async def run() -> None:
        try:
            async with deputy.wiring.db.read() as conn:
                if files is not None:
                    await files.write(conn, tenant)
                every = [*notes, *_own_notes(deputy, tenant)]
                await write_pack(conn, tenant, path, SystemClock().now(), notes=every)
        finally:
            await deputy.wiring.db.close()
            await deputy.engine.dispose()

    try:
        asyncio.run(run())
    except (ForkRefused, BadNote) as fault:
        raise fail(f"{tenant}: not exported: {fault}") from None
    typer.echo(f"{path}: {verify_pack(open_pack(path), _own_log(deputy, tenant))}")


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
