"""`deputize audit`: verify a database or an export, sign checkpoints, and make an export."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from deputize.cli.loading import deputy_of, fail, with_deputy
from deputize.core.chain import Finding, Verdict
from deputize.core.checkpoint import BadNote, TrustedLog, parse_vkey, read_notes
from deputize.core.errors import NotFound
from deputize.core.pack import DamagedPack, Pack, open_pack, verify_pack
from deputize.engine import audit_export, auditing
from deputize.engine.agents import OPERATOR
from deputize.engine.audit_export import Asked
from deputize.engine.wiring import Wiring
from deputize.store import audit_read
from deputize.store.checkpoints import ForkRefused

program = typer.Typer(no_args_is_help=True, help="The audit chain: verify, sign, export, erase and prune it.")
App = Annotated[str | None, typer.Option("--app", help="module:deputy; DEPUTIZE_APP otherwise", show_default=False)]
Trust = Annotated[list[str] | None, typer.Option("--trust", help="A verifier key of a checkpoint log to believe.")]
Notes = Annotated[list[Path] | None, typer.Option("--checkpoints", help="A file of checkpoints kept elsewhere.")]
DAYS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]
Since = Annotated[datetime | None, typer.Option(formats=DAYS, help="From this day on (UTC).")]
Until = Annotated[datetime | None, typer.Option(formats=DAYS, help="Before this day (UTC).")]


def utc(moment: datetime | None) -> datetime | None:
    """What was typed, taken as UTC."""
    return None if moment is None else moment.replace(tzinfo=UTC)


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
        verdicts = with_deputy(deputy_of(app), lambda w: _database(w, tenant, trusted, notes))
    for name, verdict in verdicts.items():
        typer.echo(f"{name}: {verdict}")
    if not verdicts:
        typer.echo("no tenant has a chain yet")
    if not all(verdict.ok for verdict in verdicts.values()):
        raise typer.Exit(1)


async def _database(
    w: Wiring, tenant: str | None, trusted: Sequence[TrustedLog], notes: Sequence[str]
) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    try:
        vouched = w.checkpoints.vouched() if w.checkpoints else {}
    except BadNote as fault:
        vouched, found["the deployment's log"] = {}, Verdict(Finding.UNVERIFIABLE, 0, damage=str(fault))
    for name in await _tenants(w, tenant, vouched):
        verdict = await auditing.verdict_of(w, name, trusted=trusted, notes=notes)
        signed = vouched.get(name, 0)
        if verdict.ok and verdict.anchored < signed:
            damage = f"the deployment's log tells of a checkpoint over {signed} entries that is not kept"
            verdict = replace(verdict, finding=Finding.UNVERIFIABLE, damage=damage)
        found[name] = verdict
    return found


async def _tenants(w: Wiring, tenant: str | None, more: Iterable[str] = ()) -> list[str]:
    """All that have a chain or had one by the deployment's log, or the one asked for, which must be among them."""
    async with w.db.read() as conn:
        every = sorted({*await audit_read.tenants(conn), *more})
    if tenant is not None and tenant not in every:
        raise NotFound("This tenant has no chain.", tenant=tenant)
    return every if tenant is None else [tenant]


@program.command()
def checkpoint(
    app: App = None, tenant: Annotated[str | None, typer.Option(help="Only this tenant's chain.")] = None
) -> None:
    """Sign the chains as they stand; a chain that is not what was signed before is refused, with status 1."""
    deputy = deputy_of(app)
    if deputy.wiring.checkpoints is None:
        raise fail("set AI_CHECKPOINT_KEY_FILE: there is no key to sign with")
    if not with_deputy(deputy, lambda w: _sign(w, tenant)):
        raise typer.Exit(1)


async def _sign(w: Wiring, tenant: str | None) -> bool:
    files, well = auditing.files_of(w), True
    for name in await _tenants(w, tenant):
        try:
            async with w.db.read() as conn:
                note = await files.write(conn, name)
            latest = files.latest(name)
        except (ForkRefused, BadNote) as fault:
            well = False
            typer.echo(f"{name}: not signed: {fault}", err=True)
            continue
        said = "signed" if note else "nothing new; signed"
        typer.echo(f"{name}: {said} through {latest.size if latest else 0}  {files.trusted(name).vkey()}")
    return well


@program.command()
def export(
    tenant: Annotated[str, typer.Argument(help="Whose chain.")],
    path: Annotated[Path, typer.Argument(help="The pack to write.")],
    app: App = None,
    since: Since = None,
    until: Until = None,
    run: Annotated[list[str] | None, typer.Option(help="Only this run; may be given again.")] = None,
    transcript: Annotated[bool, typer.Option(help="With what was said, as far as it is kept.")] = False,
    checkpoints: Notes = None,
) -> None:
    """Write a tenant's chain, or a part of it, as a pack that verifies without the database; it is an entry too."""
    asked = Asked(utc(since), utc(until), tuple(run or ()), transcript)
    notes = _notes(checkpoints)

    async def write(w: Wiring) -> Verdict:
        await _tenants(w, tenant)
        await audit_export.pack(w, tenant, asked, path, by=OPERATOR, notes=notes)
        return verify_pack(open_pack(path), [w.checkpoints.trusted(tenant)] if w.checkpoints else [])

    verdict = with_deputy(deputy_of(app), write)
    typer.echo(f"{path}: {verdict}")
    if not verdict.ok:
        raise typer.Exit(1)


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
