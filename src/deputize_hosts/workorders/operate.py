"""Commands for whoever runs the desk: `migrate` its tables, and `enrol` people (seeded ones work on loopback only)."""

import asyncio
import sys
from typing import Annotated
from uuid import uuid4
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.kit.passwords import hash_password
from deputize_hosts.workorders.auth.models import Credential
from deputize_hosts.workorders.db import make_engine
from deputize_hosts.workorders.migrations.upgrade import upgrade
from deputize_hosts.workorders.pages.words import WORDS
from deputize_hosts.workorders.settings import HostSettings
from deputize_hosts.workorders.users.models import Organisation, Role, User

SHORTEST = 12
"""Characters of a password."""
ADDRESS = 254

program = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Operate the work-order desk.",
)


@program.command()
def migrate() -> None:
    """Bring the desk's own tables in `DATABASE_URL` to the newest schema; safe to repeat."""

    async def run() -> None:
        engine = make_engine(HostSettings.from_environment().database_url)
        try:
            await upgrade(engine)
        finally:
            await engine.dispose()

    asyncio.run(run())
    typer.echo("the desk's tables are up to date")


@program.command()
def enrol(
    organisation: Annotated[str, typer.Option(help="Its name; made where there is none.")],
    email: Annotated[str, typer.Option(help="What the person signs in with.")],
    name: Annotated[str, typer.Option(help="The person's name.")],
    role: Annotated[Role, typer.Option(help="viewer, user or admin.")] = Role.USER,
    time_zone: Annotated[str, typer.Option(help="Of a new organisation.")] = "UTC",
    locale: Annotated[str, typer.Option(help="Of a new organisation: en or es.")] = "en",
) -> None:
    """Add a person. The password is asked for, or is the first line of standard input."""
    address = email.strip().lower()
    if "@" not in address or len(address) > ADDRESS:
        raise _refused("that is no e-mail address")
    try:
        ZoneInfo(time_zone)
    except (ZoneInfoNotFoundError, ValueError):
        raise _refused("that time zone is not known") from None
    if locale not in WORDS.languages:
        raise _refused(f"the languages are {', '.join(WORDS.languages)}")
    password = _password()
    try:
        asyncio.run(_add(organisation.strip(), address, name.strip(), role, time_zone, locale, password))
    except IntegrityError:
        raise _refused("that address is taken") from None
    typer.echo(f"{address} may sign in as {role.value} of {organisation.strip()}")


def _refused(text: str) -> typer.Exit:
    typer.echo(text, err=True)
    return typer.Exit(2)


def _password() -> str:
    """Never from the arguments, which every process of the machine can read."""
    if sys.stdin.isatty():
        said = str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    else:
        said = sys.stdin.readline().rstrip("\n")
    if len(said) < SHORTEST:
        raise _refused(f"a password has {SHORTEST} characters or more")
    return said


async def _add(
    organisation: str, address: str, name: str, role: Role, time_zone: str, locale: str, password: str
) -> None:
    engine = make_engine(HostSettings.from_environment().database_url)
    try:
        async with AsyncSession(engine) as session, session.begin():
            house = await session.scalar(select(Organisation).where(Organisation.name == organisation))
            if house is None:
                house = Organisation(id=uuid4(), name=organisation, time_zone=time_zone, locale=locale)
                session.add(house)
                await session.flush()
            person = User(id=uuid4(), organisation_id=house.id, email=address, name=name, role=role.value)
            session.add(person)
            await session.flush()
            session.add(Credential(user_id=person.id, password_hash=hash_password(password)))
    finally:
        await engine.dispose()


if __name__ == "__main__":
    program()
