"""`deputize runs`: the newest runs of a tenant, or of all of them, one a line."""

from typing import Annotated, Any

import typer

from deputize.cli.loading import deputy_of, with_deputy
from deputize.core.clock import iso
from deputize.engine.wiring import Wiring
from deputize.store import runs

App = Annotated[str | None, typer.Option("--app", help="module:deputy; DEPUTIZE_APP otherwise", show_default=False)]


def command(
    app: App = None,
    tenant: Annotated[str | None, typer.Option(help="Only this tenant's.")] = None,
    limit: Annotated[int, typer.Option("-n", help="How many.", min=1, max=1000)] = 20,
) -> None:
    """List the newest runs: start, id, who, how it stands, cost in US dollars; never their words."""
    found = with_deputy(deputy_of(app), lambda w: _newest(w, tenant, limit))
    for row in found:
        typer.echo(line(row))
    if not found:
        typer.echo("no runs yet")


def line(row: dict[str, Any]) -> str:
    """One run as text: start (UTC), id, tenant, who, status with its error code, dollars."""
    status = row["status"] + (f" ({row['error_code']})" if row["error_code"] else "")
    dollars = f"${row['cost_micro'] / 1_000_000:.4f}"
    return "  ".join((iso(row["created_at"])[:19] + "Z", row["id"], row["tenant"], row["actor_id"], status, dollars))


async def _newest(w: Wiring, tenant: str | None, limit: int) -> list[dict[str, Any]]:
    async with w.db.read() as conn:
        return await runs.newest(conn, tenant, limit)
