"""The desk served by a process of its own on a database and a model that are given in the environment."""

import os
import sys

from fastapi import FastAPI, Header
from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, create_async_engine

from deputize import Actor, Deputize, Settings, Surface, Toolset, Unauthenticated
from deputize.cli.serving import listen, server
from deputize.store.migrate import upgrade
from tests.engine.desk import EVA, PEOPLE, PERSON, SUE, TASK, Base, DeskError, Person, add_task, find_people, refusal

PREFIX = "/api/v1/ai"
ACTORS = {one.id: one for one in (EVA, SUE)}


async def prepare(engine: AsyncEngine) -> None:
    """Our tables, the desk's and its people, once for the template."""
    await upgrade(engine)
    async with engine.begin() as conn:
        await conn.run_sync(Base.metadata.create_all)
    async with AsyncSession(engine) as session, session.begin():
        session.add_all(Person(id=i, tenant=t, name=n, email=e) for i, t, n, e in PEOPLE)


async def current(x_user: str = Header(default="")) -> Actor:
    if x_user not in ACTORS:
        raise Unauthenticated()
    return ACTORS[x_user]


async def reload(session: AsyncSession, tenant: str, user_id: str) -> Actor | None:
    return ACTORS.get(user_id)


def session_of(conn: AsyncConnection, actor: Actor) -> AsyncSession:
    return AsyncSession(bind=conn, join_transaction_mode="create_savepoint", expire_on_commit=False)


def build() -> FastAPI:
    """The application over `DATABASE_URL`; the model and the rest as `AI_*` say."""
    deputy = Deputize(
        Settings(),
        engine=create_async_engine(make_url(os.environ["DATABASE_URL"])),
        session=session_of,
        actor=current,
        reload=reload,
        entities=[PERSON, TASK],
        toolsets=[Toolset("desk", [find_people, add_task])],
        surfaces=[Surface("desk", prompt="You help at a desk.", tools=["desk.*"], disconnect="detach")],
        refusals={DeskError: refusal},
    )
    app = FastAPI()
    app.include_router(deputy.router, prefix=PREFIX)
    return app


def main() -> None:
    """Listen on a free port, say which, serve."""
    taken = listen("127.0.0.1", 0)
    sys.stdout.write(f"{taken.getsockname()[1]}\n")
    sys.stdout.flush()
    server(build()).run(sockets=[taken])


if __name__ == "__main__":
    main()
