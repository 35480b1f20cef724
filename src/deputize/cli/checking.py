"""`deputize check`: every fault named at once, before anybody signs in."""

import asyncio

import typer

from deputize.app import Deputize
from deputize.engine.registry import count
from deputize.store import migrate


def check(deputy: Deputize) -> list[str]:
    """Faults of the deputy beyond those that its construction refuses: its tables, its database's manners."""
    return asyncio.run(_check(deputy))


async def _check(deputy: Deputize) -> list[str]:
    faults = []
    try:
        if await migrate.revision(deputy.engine) is None:
            faults.append("our tables are missing: run `deputize db upgrade`")
        faults += await deputy.probe()
    finally:
        await deputy.engine.dispose()
    return faults


def report(deputy: Deputize, faults: list[str]) -> None:
    """Say what was found; faults end with status 1."""
    tools, writes, surfaces = count(deputy.wiring.registry)
    typer.echo(f"{tools} tools ({writes} staged) on {surfaces} surfaces; provider {deputy.settings.provider}")
    for fault in faults:
        typer.echo(f"  - {fault}", err=True)
    if faults:
        raise typer.Exit(1)
    typer.echo("all is well")
