"""`deputize worker` and `deputize agents`: background work, and the deployment's kill switches (AUTO-1, AUTO-7)."""

import asyncio
from typing import Annotated

import typer

from deputize.app import Deputize
from deputize.cli.loading import deputy_of, fail
from deputize.engine import agents
from deputize.engine.worker import LANES
from deputize.surfaces import worker

App = Annotated[str | None, typer.Option("--app", help="module:deputy; DEPUTIZE_APP otherwise", show_default=False)]
Name = Annotated[str | None, typer.Argument(help="One automation; everything, the copilot too, without it.")]

program = typer.Typer(no_args_is_help=True, help="Switch automations, or everything, off and on.")


def run(deputy: Deputize, lanes: int, host: str, port: int | None) -> None:
    """Work until told to stop. Ends with status 2 where the copilot is switched off at boot (AUTO-7)."""
    if not deputy.wiring.enabled:
        raise fail("AI_ENABLED is false: no worker starts")

    async def working() -> None:
        try:
            await worker.serve(deputy.wiring, lanes=lanes, host=host, port=port)
        finally:
            await deputy.close()
            await deputy.engine.dispose()

    asyncio.run(working())


def command(
    app: App = None,
    lanes: Annotated[int, typer.Option(help="Things done at once.", min=1, max=64)] = LANES,
    health_host: Annotated[str, typer.Option(help="Address of the health port.")] = "127.0.0.1",
    health_port: Annotated[int | None, typer.Option(help="Port that answers probes.", min=1, max=65535)] = None,
) -> None:
    """Deliver effects and run automations; any number of these may run."""
    run(deputy_of(app), lanes, health_host, health_port)


@program.command()
def disable(name: Name = None, app: App = None) -> None:
    """Stop one automation, or everything, in the whole deployment; what is under way is aborted."""
    _flip(app, name, False)


@program.command()
def enable(name: Name = None, app: App = None) -> None:
    """Let one automation, or everything, run again."""
    _flip(app, name, True)


def _flip(app: str | None, name: str | None, on: bool) -> None:
    deputy = deputy_of(app)
    known = deputy.wiring.registry.automations
    if name is not None and name not in known:
        raise fail(f"there is no automation {name!r}; known: {', '.join(sorted(known)) or 'none'}")

    async def flip() -> None:
        await agents.flip(deputy.wiring, "*", name or "*", on, by=agents.OPERATOR)
        await deputy.close()
        await deputy.engine.dispose()

    asyncio.run(flip())
    typer.echo(f"{name or 'everything'} is {'on' if on else 'off'}")
