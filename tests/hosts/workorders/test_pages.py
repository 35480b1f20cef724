"""The desk without any copilot (AI_ENABLED=false): its pages, in both languages, with their rules."""

from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize import Settings
from deputize.testing.clock import FrozenClock
from deputize_hosts.workorders.main import build
from deputize_hosts.workorders.settings import HostSettings
from tests.databases import SqliteFiles
from tests.hosts.workorders.browser import Person, hidden, links, text_of
from tests.hosts.workorders.people import ADMIN, FOREIGN, NOW, OTHER, USER, VIEWER, order_titled


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """Pages ask nothing of the database that the services' tests have not asked of both."""
    return sqlite_files


@pytest.fixture
async def app(engine: AsyncEngine) -> AsyncIterator[FastAPI]:
    built = build(HostSettings(secret="cookies"), Settings(enabled=False), engine=engine, clock=FrozenClock(NOW))
    yield built.app
    await built.deputy.close()


@pytest.fixture
async def person(app: FastAPI) -> AsyncIterator[Person]:
    someone = Person(app)
    async with someone.client:
        yield someone


@pytest.fixture
async def user(person: Person) -> Person:
    assert (await person.sign_in(USER)).status_code == 200
    return person


async def path_of(engine: AsyncEngine, title: str) -> str:
    async with AsyncSession(engine) as session:
        return f"/app/orders/{(await order_titled(session, title)).id}"


async def test_without_a_sign_in_every_page_leads_to_it_and_back(person: Person) -> None:
    answer = await person.get("/app/orders?status=every")
    assert answer.url.path == "/sign-in"
    answer = await person.send("/sign-in", email=USER, password="desk-demo-2026", next="/app/orders?status=every")
    assert str(answer.url).endswith("/app/orders?status=every")
    assert (await person.get("/api/v1/users")).status_code == 403


async def test_data_without_a_sign_in_is_401_as_data(person: Person) -> None:
    answer = await person.get("/api/v1/users")
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "UNAUTHENTICATED")


async def test_an_order_is_reported_edited_moved_and_deleted(user: Person) -> None:
    made = await user.send(
        "/app/orders/new",
        title="Gutter <b>leaks</b>",
        description="Over the\ndoor",
        priority="high",
        due_on="2026-03-09",
    )
    assert "Order 1041 created." in text_of(made)
    assert "&lt;b&gt;leaks" in made.text
    assert "9 Mar 2026" in text_of(made)
    here = made.url.path
    form = await user.get(f"{here}/edit")
    assert hidden(form, "version") == "1"
    edited = await user.send(f"{here}/edit", version="1", title="Gutter leaks", priority="urgent")
    assert "Urgent" in text_of(edited)
    assert "9 Mar 2026" not in text_of(edited)
    started = await user.send(f"{here}/status", version="2", status="in_progress")
    assert "In progress" in text_of(started)
    again = await user.send(f"{here}/status", version=hidden(started, "version"), status="in_progress")
    assert hidden(again, "version") == "3"
    gone = await user.send(f"{here}/delete", version="3")
    assert "Order 1041 deleted." in text_of(gone)
    assert (await user.get(here)).status_code == 404


async def test_a_stale_form_is_409_and_keeps_what_was_typed(user: Person) -> None:
    made = await user.send("/app/orders/new", title="Gutter leaks", priority="low")
    here = made.url.path
    await user.send(f"{here}/edit", version="1", title="Gutter leaks badly", priority="low")
    late = await user.send(f"{here}/edit", version="1", title="My own words", priority="low")
    assert late.status_code == 409
    assert 'value="My own words"' in late.text
    assert hidden(late, "version") == "1"
    assert "changed by somebody else" in text_of(late)
    for path, fields in ((f"{here}/status", {"status": "done"}), (f"{here}/delete", {})):
        assert (await user.send(path, version="1", **fields)).status_code == 409
    assert "Gutter leaks badly" in text_of(await user.get(here))


async def test_an_illegal_move_names_the_legal_ones(user: Person) -> None:
    here = (await user.send("/app/orders/new", title="A", priority="low")).url.path
    refused = await user.send(f"{here}/status", version="1", status="done")
    assert refused.status_code == 409
    assert "Allowed: in progress, cancelled." in text_of(refused)
    assert (await user.send(f"{here}/status", version="1", status="nonsense")).status_code == 422


@pytest.mark.parametrize(
    "fields",
    [{"title": ""}, {"title": "x" * 121}, {"priority": "huge"}, {"due_on": "soon"}, {"description": "x" * 4001}],
    ids=lambda fields: next(iter(fields)),
)
async def test_a_wrong_form_is_422_and_keeps_the_rest(user: Person, fields: dict[str, str]) -> None:
    answer = await user.send("/app/orders/new", **{"title": "Gutter", "priority": "low", **fields})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


async def test_others_orders_are_not_found(app: FastAPI, user: Person, engine: AsyncEngine) -> None:
    theirs = await path_of(engine, "Car park barrier")
    assert (await user.get(theirs)).status_code == 404
    assert (await user.get(f"{theirs}/edit")).status_code == 404
    assert (await user.send(f"{theirs}/status", version="1", status="cancelled")).status_code == 404
    assert (await user.get(await path_of(engine, "Inundación"))).status_code == 404
    assert "Car park barrier" not in (await user.get("/app/orders?status=every&q=barrier")).text
    owner = Person(app)
    await owner.sign_in(OTHER)
    assert (await owner.get(theirs)).status_code == 200
    await owner.client.aclose()


@pytest.mark.parametrize("path", ["/app/orders/all", "/app/attention", "/app/admin/users", "/app/admin/agents"])
async def test_admin_pages_are_for_admins(app: FastAPI, user: Person, path: str) -> None:
    assert (await user.get(path)).status_code == 403
    assert path not in links(await user.get("/app/orders"), "/app/")
    admin = Person(app)
    await admin.sign_in(ADMIN)
    assert (await admin.get(path)).status_code == 200
    await admin.client.aclose()


async def test_a_viewer_is_offered_no_change(app: FastAPI, engine: AsyncEngine) -> None:
    viewer = Person(app)
    await viewer.sign_in(VIEWER)
    own = await path_of(engine, "Printer room")
    page = await viewer.get(own)
    assert page.status_code == 200
    assert not links(page, f"{own}/edit")
    for action in ("edit", "status", "delete"):
        assert f'action="{own}/{action}' not in page.text
    assert (await viewer.send("/app/orders/new", title="x", priority="low")).status_code == 403
    assert (await viewer.send(f"{own}/delete", version="1")).status_code == 403
    await viewer.client.aclose()


@pytest.mark.parametrize("path", ["/app/orders/new", "/language", "/sign-out"])
async def test_a_form_without_its_token_is_refused(user: Person, path: str) -> None:
    for token in ("", "x" * 40):
        answer = await user.client.post(path, data={"csrf": token, "title": "x"})
        assert answer.status_code == 403


async def test_the_admin_switches_the_assistant_off_by_a_strict_body(app: FastAPI, user: Person) -> None:
    admin = Person(app)
    await admin.sign_in(ADMIN)
    people = {one["email"]: one for one in (await admin.get("/api/v1/users")).json()["items"]}
    path = f"/api/v1/users/{people[USER]['id']}"
    token = {"X-CSRF-Token": admin.client.cookies["csrf"]}
    for body in (
        {},
        {"aiEnabled": "false"},
        {"aiEnabled": 0},
        {"aiEnabled": False, "role": "admin"},
        {"ai_enabled": False},
    ):
        answer = await admin.client.patch(path, json=body, headers=token)
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "VALIDATION_ERROR"), body
    assert (await admin.client.patch(path, json={"aiEnabled": False})).status_code == 403
    done = await admin.client.patch(path, json={"aiEnabled": False}, headers=token)
    assert (done.status_code, done.json()["aiEnabled"], done.json()["role"]) == (200, False, "user")
    own = {"X-CSRF-Token": user.client.cookies["csrf"]}
    assert (await user.client.patch(path, json={"aiEnabled": True}, headers=own)).status_code == 403
    foreign = Person(app)
    await foreign.sign_in("coordinacion@puertosur.example")
    theirs = {"X-CSRF-Token": foreign.client.cookies["csrf"]}
    assert (await foreign.client.patch(path, json={"aiEnabled": True}, headers=theirs)).status_code == 404
    for one in (admin, foreign):
        await one.client.aclose()


async def test_sec_10_no_page_and_no_data_show_a_secret(app: FastAPI, engine: AsyncEngine) -> None:
    async with AsyncSession(engine) as session:
        hashes = list(await session.scalars(text("SELECT password_hash FROM credentials")))
    admin = Person(app)
    await admin.sign_in(ADMIN)
    for path in ("/app/admin/users", "/api/v1/users", "/app/orders/new", "/app/orders/all"):
        shown = (await admin.get(path)).text
        assert not any(one in shown for one in hashes)
        assert not any(word in shown for word in ("argon2", "failed_logins", "locked_until", "password"))
    await admin.client.aclose()


async def test_with_ai_off_nothing_of_the_copilot_is_drawn_and_no_event_is_written(
    user: Person, engine: AsyncEngine
) -> None:
    await user.send("/app/orders/new", title="Gutter", priority="low")
    for path in ("/app/orders", "/app/orders/new", "/app/copilot"):
        assert "deputize" not in (await user.get(path)).text
    assert "/app/copilot" not in links(await user.get("/app/orders"), "/app/")
    answer = await user.get("/api/v1/ai/sessions")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "AI_DISABLED")
    async with AsyncSession(engine) as session:
        assert await session.scalar(text("SELECT count(*) FROM deputize_outbox")) == 0


async def test_spanish_in_full(app: FastAPI) -> None:
    person = Person(app)
    await person.sign_in(FOREIGN)
    listed = await person.get("/app/orders")
    assert 'lang="es"' in listed.text
    assert "Mis órdenes" in text_of(listed)
    answer = await person.send("/language", language="en", next="/app/orders")
    assert "My orders" in text_of(answer)
    await person.client.aclose()


async def test_unknown_pages_are_404(user: Person) -> None:
    for path in ("/app/nothing", "/app/orders/not-an-id"):
        assert (await user.get(path)).status_code == 404
    assert (await user.get("/")).url.path == "/app/orders"
