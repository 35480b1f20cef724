"""Signing in: one answer for every mistake, lockout after failures, and no secret ever leaves (SEC-10)."""

import asyncio
import dataclasses
import re
from collections.abc import AsyncIterator
from datetime import datetime, timedelta

import pytest
from fastapi import FastAPI
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.workorders.auth.models import Credential
from deputize_hosts.workorders.auth.service import LOCKOUT, MAX_FAILURES, Member, challenge, check, settle
from deputize_hosts.workorders.host import create_host_app
from deputize_hosts.workorders.seed.people import PASSWORD
from deputize_hosts.workorders.users.models import User
from deputize_hosts.workorders.users.service import Person as Listed
from tests.databases import SqliteFiles
from tests.hosts.workorders.browser import Person, text_of
from tests.hosts.workorders.people import NOW, USER


class Watch:
    """A clock that the test moves."""

    now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """One database is enough; counting is one statement of it."""
    return sqlite_files


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def app(engine: AsyncEngine, watch: Watch) -> FastAPI:
    return create_host_app(engine, "a secret of the tests", clock=watch)


@pytest.fixture
async def person(app: FastAPI) -> AsyncIterator[Person]:
    someone = Person(app)
    async with someone.client:
        yield someone


async def credential(engine: AsyncEngine) -> Credential:
    async with AsyncSession(engine) as session:
        query = select(Credential).join(User, User.id == Credential.user_id).where(User.email == USER)
        return (await session.scalars(query)).one()


async def attempt(engine: AsyncEngine, password: str, now: datetime) -> Member | None:
    async with AsyncSession(engine) as session:
        asked = await challenge(session, USER, now)
    right = await check(asked, password)
    async with AsyncSession(engine) as session, session.begin():
        return await settle(session, asked, right, now)


async def test_wrong_unknown_and_locked_answer_alike(person: Person) -> None:
    answers = [await person.sign_in("nobody@northgate.example", "wrong")]
    answers += [await person.sign_in(USER, "wrong") for _ in range(MAX_FAILURES)]
    answers.append(await person.sign_in(USER))
    assert {answer.status_code for answer in answers} == {422}
    assert len({re.sub(r'value="[^"]*"', "", text_of(answer)) for answer in answers}) == 1


async def test_lockout_ends_and_success_forgets_failures(person: Person, engine: AsyncEngine, watch: Watch) -> None:
    for _ in range(MAX_FAILURES):
        await person.sign_in(USER, "wrong")
    assert (await credential(engine)).locked_until == NOW + LOCKOUT
    watch.now = NOW + LOCKOUT - timedelta(seconds=1)
    assert (await person.sign_in(USER)).url.path == "/sign-in"
    watch.now = NOW + LOCKOUT
    assert (await person.sign_in(USER)).url.path == "/app/orders"
    kept = await credential(engine)
    assert (kept.failed_logins, kept.locked_until) == (0, None)


async def test_failures_must_be_in_a_row(person: Person, engine: AsyncEngine) -> None:
    for _ in range(MAX_FAILURES - 1):
        await person.sign_in(USER, "wrong")
    assert (await credential(engine)).failed_logins == MAX_FAILURES - 1
    assert (await person.sign_in(USER)).url.path == "/app/orders"
    assert (await credential(engine)).failed_logins == 0


async def test_failures_that_arrive_together_are_all_counted(engine: AsyncEngine) -> None:
    assert await asyncio.gather(*(attempt(engine, "wrong", NOW) for _ in range(MAX_FAILURES))) == [None] * MAX_FAILURES
    assert (await credential(engine)).locked_until is not None


async def test_a_right_password_that_was_checked_before_the_lock_comes_too_late(engine: AsyncEngine) -> None:
    async with AsyncSession(engine) as session:
        asked = await challenge(session, USER, NOW)
    right = await check(asked, PASSWORD)
    for _ in range(MAX_FAILURES):
        await attempt(engine, "wrong", NOW)
    async with AsyncSession(engine) as session, session.begin():
        assert right
        assert await settle(session, asked, right, NOW) is None
    assert (await credential(engine)).locked_until is not None


async def test_the_cookie_is_signed_http_only_and_lax_and_dies_with_the_epoch(
    person: Person, engine: AsyncEngine
) -> None:
    await person.get("/sign-in")
    person.client.follow_redirects = False
    answer = await person.send("/sign-in", email=USER, password=PASSWORD)
    cookie = next(c for c in answer.headers.get_list("set-cookie") if c.startswith("workorders="))
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert (await person.get("/app/orders")).status_code == 200
    async with AsyncSession(engine) as session, session.begin():
        user = (await session.scalars(select(User).where(User.email == USER))).one()
        user.epoch += 1
    assert (await person.get("/app/orders")).status_code == 303


async def test_sec_10_what_services_give_has_no_place_for_secrets() -> None:
    secrets = {"password_hash", "password", "failed_logins", "locked_until", "hash"}
    for kind in (Member, Listed):
        assert not secrets & {field.name for field in dataclasses.fields(kind)}
    assert not secrets & set(User.__table__.columns.keys())


async def test_a_challenge_does_not_print_what_it_holds(engine: AsyncEngine) -> None:
    async with AsyncSession(engine) as session:
        asked = await challenge(session, USER, NOW)
    assert asked.password_hash
    assert asked.password_hash not in repr(asked)
