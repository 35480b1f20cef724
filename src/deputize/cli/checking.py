"""`deputize check`: every fault named at once, before anybody signs in; each write is previewed twice (APPR-2)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import typer
from sqlalchemy.ext.asyncio import AsyncSession

from deputize.app import Deputize
from deputize.cli.loading import fail
from deputize.core.actor import Actor
from deputize.engine.registry import count
from deputize.engine.twice import Twice, preview_twice, somebody
from deputize.store import revision


@dataclass
class Checked:
    """What was found; `previews` are None where they were not asked for or our tables are missing."""

    faults: list[str] = field(default_factory=list)
    previews: Sequence[Twice] | None = None


def check(deputy: Deputize, *, previews: bool = True, person: str | None = None) -> Checked:
    """Faults of the deputy beyond those that its construction refuses: tables, the database's manners, previews.

    `person` is who the writes are tried as, by what they type at sign-in; somebody who may most otherwise.
    """
    return asyncio.run(examine(deputy, previews=previews, person=person))


async def examine(deputy: Deputize, *, previews: bool = True, person: str | None = None) -> Checked:
    """The same inside a running loop; everything is closed at the end."""
    found = Checked()
    try:
        tables = await revision.revision(deputy.engine) is not None
        if not tables:
            found.faults.append("our tables are missing: run `deputize db upgrade`")
        found.faults += await deputy.probe()
        if previews and tables:
            people = [await _called(deputy, person)] if person else await somebody(deputy.wiring)
            found.previews = await preview_twice(deputy.wiring, people)
            found.faults += [
                f"{one.tool}: two previews differ in {', '.join(one.differs)}; declare it volatile"
                for one in found.previews
                if one.differs
            ]
    finally:
        await deputy.wiring.db.close()
        await deputy.engine.dispose()
    return found


async def _called(deputy: Deputize, name: str) -> Actor:
    if deputy.find is None:
        raise fail("the host has given no `find`: leave --as out")
    async with AsyncSession(deputy.engine) as session:
        actor = await deputy.find(session, name)
    if actor is None:
        raise fail(f"nobody is called {name!r}")
    return actor


def report(deputy: Deputize, found: Checked) -> None:
    """Say what was found; faults end with status 1."""
    tools, writes, surfaces = count(deputy.wiring.registry)
    typer.echo(f"{tools} tools ({writes} staged) on {surfaces} surfaces; provider {deputy.settings.provider}")
    if found.previews is not None:
        skipped = [one for one in found.previews if one.skipped is not None]
        typer.echo(f"{len(found.previews) - len(skipped)} of {len(found.previews)} writes previewed twice, and undone")
        for one in skipped:
            typer.echo(f"  . {one.tool} was not previewed: {one.skipped}")
    for fault in found.faults:
        typer.echo(f"  - {fault}", err=True)
    if found.faults:
        raise typer.Exit(1)
    typer.echo("all is well")
