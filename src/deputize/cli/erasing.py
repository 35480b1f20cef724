"""`deputize audit erase` and `prune`: one person's values, or the oldest part of a chain, for good (AUD-5)."""

from datetime import datetime
from typing import Annotated

import typer

from deputize.cli.audit import DAYS, App, utc
from deputize.cli.loading import deputy_of, with_deputy
from deputize.engine import erasure
from deputize.engine.agents import OPERATOR

Tenant = Annotated[str, typer.Argument(help="Whose chain.")]
Before = Annotated[datetime | None, typer.Option(formats=DAYS, help="Only what is older than this day (UTC).")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


def erase(
    tenant: Tenant,
    subject: Annotated[str, typer.Argument(help="Who, as the chain names them: patient:ID.")],
    app: App = None,
    yes: Yes = False,
) -> None:
    """Destroy the key of one person's values in the chain; its entries stay and verify. It is an entry too."""
    deputy = deputy_of(app)
    if not yes:
        typer.confirm(f"What the chain holds of {subject} can never be read again. Erase it?", abort=True)
    done = with_deputy(deputy, lambda w: erasure.erase(w, tenant, subject, by=OPERATOR))
    said = "erased" if done["keys"] else "was erased before"
    typer.echo(f"{tenant}: {subject} {said} ({done['erasedAt']})")


def prune(
    tenant: Tenant,
    app: App = None,
    before: Before = None,
    yes: Yes = False,
) -> None:
    """Delete entries older than five years, up to a signed checkpoint; needs the owner of the tables."""
    deputy = deputy_of(app)
    if not yes:
        typer.confirm("Entries will be deleted; keep an export of them first. Go on?", abort=True)
    done = with_deputy(deputy, lambda w: erasure.prune(w, tenant, by=OPERATOR, before=utc(before)))
    typer.echo(f"{tenant}: {done.deleted} entries deleted, through {done.through}; {done.left} are left")
