"""`deputize retention`: let go what is too old to be kept, or say what that would be (AUD-5)."""

from collections.abc import Mapping
from typing import Annotated

import typer

from deputize.cli.loading import deputy_of, with_deputy
from deputize.engine import retention
from deputize.engine.wiring import Wiring

App = Annotated[str | None, typer.Option("--app", help="module:deputy; DEPUTIZE_APP otherwise", show_default=False)]
WORDS = {
    "transcripts": "runs whose contents go",
    "conversations_expired": "conversations that expire",
    "payloads": "delivered effects whose payload goes",
    "runs": "runs deleted",
    "conversations": "conversations deleted",
    "entries": "chain entries whose payload is erased",
}


def command(
    app: App = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
) -> None:
    """Contents 90 days, runs and conversations a year, payloads of chain entries five years; also done every day."""
    with_deputy(deputy_of(app), lambda w: _run(w, dry_run))


async def _run(w: Wiring, dry: bool) -> None:
    if dry:
        for tenant, counts in (await retention.due(w)).items():
            _say(tenant, counts)
        return
    went: dict[str, dict[str, int]] = {}

    def progress(tenant: str, kind: str, so_far: int) -> None:
        went.setdefault(tenant, {})[kind] = so_far
        typer.echo(f"{tenant}: {WORDS[kind]}: {so_far}", err=True)

    await retention.run(w, progress)
    for tenant, counts in went.items():
        _say(tenant, counts)
    if not went:
        typer.echo("nothing is due")


def _say(tenant: str, counts: Mapping[str, int]) -> None:
    for kind, count in counts.items():
        typer.echo(f"{tenant}  {WORDS[kind]}: {count}")
