"""Under a cookie every route that changes something wants the CSRF header: over all routes of all hosts (API-4)."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from fastapi import FastAPI

from deputize import Settings
from deputize_hosts.casedesk import main as casedesk
from deputize_hosts.casedesk.settings import HostSettings as CasedeskSettings
from deputize_hosts.clinic import main as clinic
from deputize_hosts.clinic.settings import HostSettings as ClinicSettings
from deputize_hosts.workorders import main as workorders
from deputize_hosts.workorders.settings import HostSettings as WorkordersSettings
from tests.attacks.houses import PLANS, Plan
from tests.conftest import Fresh
from tests.hosts.casedesk.browser import Person as Officer
from tests.hosts.clinic.browser import Person as Receptionist
from tests.hosts.workorders.browser import Person as Dispatcher

AI = Settings(enabled=True, secret_key="a vault key of the tests, long enough")
HOSTS: dict[str, tuple[Any, Any, Any]] = {
    "clinic": (clinic, ClinicSettings, Receptionist),
    "workorders": (workorders, WorkordersSettings, Dispatcher),
    "casedesk": (casedesk, CasedeskSettings, Officer),
}
IDENT = "0198a000-0000-7000-8000-00000000dead"


@pytest.fixture
async def person(fresh: Fresh, plan: Plan) -> AsyncIterator[Any]:
    """Whoever may do everything at that host, signed in at a browser."""
    host, settings, browser = HOSTS[plan.name]
    built = host.build(settings(secret="cookies"), AI, engine=await fresh(f"attacked-{plan.name}", plan.prepare))
    made = browser(built.app)
    made.app = built.app
    await made.sign_in(plan.boss)
    yield made
    await made.client.aclose()
    await built.deputy.close()


def changing(app: FastAPI) -> Iterator[tuple[str, str]]:
    """(method, address) of every documented route below `/api/` that is not only read."""
    for path, item in app.openapi()["paths"].items():
        for method in set(item) & {"post", "put", "patch", "delete"}:
            if path.startswith("/api/"):
                yield method.upper(), "/".join(IDENT if part.startswith("{") else part for part in path.split("/"))


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
@pytest.mark.parametrize("sent", [None, "", "made-up"])
async def test_no_route_changes_anything_on_the_word_of_a_cookie(person: Any, plan: Plan, sent: str | None) -> None:
    header = {} if sent is None else {"X-CSRF-Token": sent}
    routes = list(changing(person.app))
    assert len(routes) >= 8
    wrong = {}
    for method, address in routes:
        answer = await person.client.request(method, address, json={}, headers=header)
        if answer.status_code != 403 or answer.json()["error"]["code"] != "FORBIDDEN":
            wrong[f"{method} {address}"] = (answer.status_code, answer.text[:80])
    assert wrong == {}


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
async def test_the_browsers_own_token_is_enough(person: Any, plan: Plan) -> None:
    """Otherwise the refusals above would say nothing: with the token no route says that it is missing."""
    token = {"X-CSRF-Token": person.client.cookies.get("csrf") or ""}
    wrong = {}
    for method, address in changing(person.app):
        answer = await person.client.request(method, address, json={"nonsense": True}, headers=token)
        if answer.status_code not in (200, 201, 404, 409, 422):
            wrong[f"{method} {address}"] = (answer.status_code, answer.text[:80])
    assert wrong == {}
