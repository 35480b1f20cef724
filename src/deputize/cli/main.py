"""The command line: one word for each thing an operator or a host developer does (OPS-4)."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from deputize.cli import (
    audit,
    chatting,
    checking,
    demo,
    doctoring,
    erasing,
    listing,
    retaining,
    scaffolding,
    serving,
    working,
)
from deputize.cli.loading import deputy_of, fail
from deputize.core.errors import ConfigurationError
from deputize.store import migrate

App = Annotated[str | None, typer.Option("--app", help="module:deputy; DEPUTIZE_APP otherwise", show_default=False)]
Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.", min=0, max=65535)]

program = typer.Typer(no_args_is_help=True, add_completion=False, help="A copilot without authority of its own.")
database = typer.Typer(no_args_is_help=True, help="Our tables inside the host's database.")
program.add_typer(database, name="db")
program.add_typer(audit.program, name="audit")
program.add_typer(working.program, name="agents")
audit.program.command("erase")(erasing.erase)
audit.program.command("prune")(erasing.prune)
program.command("worker")(working.command)
program.command("runs")(listing.command)
program.command("doctor")(doctoring.command)
program.command("retention")(retaining.command)
program.command("new-tool")(scaffolding.command)


@program.command("demo")
def demo_command(
    name: Annotated[str, typer.Argument(help="Which demonstration.")] = "clinic",
    host: Host = "127.0.0.1",
    port: Port = 8000,
    folder: Annotated[Path, typer.Option(help="Where the demo keeps its data.")] = Path("var"),
) -> None:
    """Start a demonstration with its own data on this machine."""
    demo.run(name, host, port, folder)


@program.command()
def serve(
    target: Annotated[str, typer.Argument(help="The host's ASGI application, module:app.")],
    host: Host = "127.0.0.1",
    port: Port = 8000,
    behind: Annotated[
        str | None,
        typer.Option("--behind", help="Addresses of proxies that are believed, by comma; * where only they can come."),
    ] = None,
) -> None:
    """Serve a host application."""
    serving.serve_app(target, host, port, behind)


@program.command()
def chat(
    person: Annotated[str, typer.Option("--as", help="Who talks: what they type at sign-in.")],
    app: App = None,
    surface: Annotated[str | None, typer.Option(help="Where; the first surface otherwise.")] = None,
    example: Annotated[str | None, typer.Option("--demo", help="In a demonstration, with its data.")] = None,
    folder: Annotated[Path, typer.Option(help="Where the demo keeps its data.")] = Path("var"),
) -> None:
    """Talk to the deputy in this terminal."""
    deputy = demo.prepared(example, folder)[1] if example else deputy_of(app)
    asyncio.run(chatting.chat(deputy, person, surface))


@program.command()
def check(
    app: App = None,
    person: Annotated[
        str | None, typer.Option("--as", help="Who the writes are tried as; somebody who may most otherwise.")
    ] = None,
    previews: Annotated[bool, typer.Option(help="Preview each write twice on example arguments, undone.")] = True,
    example: Annotated[str | None, typer.Option("--demo", help="In a demonstration, with its data.")] = None,
    folder: Annotated[Path, typer.Option(help="Where the demo keeps its data.")] = Path("var"),
) -> None:
    """Name every fault of the declarations, the settings and the database; preview each write twice."""
    deputy = demo.prepared(example, folder)[1] if example else deputy_of(app)
    checking.report(deputy, checking.check(deputy, previews=previews, person=person))


@database.command()
def upgrade(app: App = None) -> None:
    """Create or migrate our tables."""
    deputy = deputy_of(app)

    async def run() -> None:
        await migrate.upgrade(deputy.engine)
        await deputy.engine.dispose()

    asyncio.run(run())
    typer.echo("our tables are up to date")


@database.command()
def downgrade(
    to: Annotated[str, typer.Argument(help="`base` takes our tables away.")],
    app: App = None,
    drop_audit: Annotated[bool, typer.Option("--drop-audit", help="Take the audit chain away too.")] = False,
    export: Annotated[list[Path] | None, typer.Option(help="A verified export for each tenant.")] = None,
) -> None:
    """Take our tables back; the host's are never touched, the audit chain stays unless told otherwise."""
    deputy = deputy_of(app)
    packs = audit.verified_packs(export or []) if drop_audit else {}

    async def run() -> None:
        await migrate.downgrade(deputy.engine, to, drop_audit=drop_audit, exports=packs)
        await deputy.engine.dispose()

    try:
        asyncio.run(run())
    except migrate.AuditWouldBeLost as error:
        raise fail(str(error)) from None
    typer.echo(f"our tables are at {to}")


def main() -> None:
    """Run the command; a configuration that is not valid names every fault and ends with status 2."""
    try:
        program()
    except ConfigurationError as error:
        typer.echo(str(error), err=True)
        raise SystemExit(2) from None
