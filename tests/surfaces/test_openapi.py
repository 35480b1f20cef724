"""The interface as a document: a person reads its changes, and no call that fits it is ever a 500 (API-1, API-3)."""

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.testing.clock import FrozenClock
from scripts.generate_openapi import document, main, rendered
from tests.engine.desk import EVA
from tests.house.sources import ROOT
from tests.surfaces.catalogue import amiss
from tests.surfaces.furnished import RIGHTS, Desk, furnished
from tests.surfaces.serving import PREFIX

ROLES: dict[str, tuple[str, ...]] = {
    "everything": RIGHTS,
    "chat": ("chat",),
    "auditor": ("supervise", "history.read_all"),
    "administrator": ("configure",),
    "nothing": (),
}
"""What a person may hold; with `elsewhere` and `nobody` beside them each kind of caller is tried."""
WHO = [*ROLES, "elsewhere", "nobody"]


@dataclass(frozen=True)
class Drawn:
    """One request made from the document."""

    method: str
    path: str
    query: Any
    body: str | None
    headers: dict[str, str]


def test_the_interface_is_the_one_that_was_read() -> None:
    """API-1: `make docs` writes a change down, so that a person reads it before it is agreed to."""
    assert main(["--check"]) == 0, "run scripts/generate_openapi.py and read the difference"
    assert json.loads((ROOT / "docs" / "reference" / "openapi.json").read_text(encoding="utf-8")) == document()


def test_the_document_tells_of_our_errors_and_of_no_other() -> None:
    """SSE-2: no route promises the framework's own 422."""
    assert "HTTPValidationError" not in rendered()
    for path, operations in document()["paths"].items():
        for method, operation in operations.items():
            shown = operation["responses"]["default"]["content"]["application/json"]["schema"]
            assert shown == {"$ref": "#/components/schemas/Problem"}, f"{method} {path}"


def drawn(each: int, seeded: bool, mode: GenerationMode) -> list[Drawn]:
    """`each` requests of every operation, that fit the document or, as `mode` says, do not."""
    found: list[Drawn] = []
    for result in schemathesis.openapi.from_dict(document()).get_all_operations():
        with suppress(Unsatisfiable):  # an operation that takes nothing has no request that does not fit
            assert isinstance(result, Ok), "the document itself is not valid"
            found += _of_one(result.ok().as_strategy(generation_mode=mode), each, seeded)
    return found


def _of_one(strategy: st.SearchStrategy[Any], each: int, seeded: bool) -> list[Drawn]:
    found: list[Drawn] = []

    @settings(
        max_examples=each,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        derandomize=seeded,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(case: Any) -> None:
        bare = case.method in ("GET", "DELETE")
        body = None if bare else json.dumps(case.body if isinstance(case.body, (dict, list, str, int)) else {})
        headers = {name: str(value) for name, value in (case.headers or {}).items()}
        found.append(Drawn(case.method, case.path, case.query or None, body, {**headers, **_ids(case)}))

    draw()
    return found


def _ids(case: Any) -> dict[str, str]:
    """The drawn path parameters, carried along until real ones are known."""
    return {f"path:{name}": str(value) for name, value in (case.path_parameters or {}).items()}


async def asked(desk: Desk, one: Drawn, who: str, real: bool) -> str:
    """What is wrong with the answer; with `real` the ids in the path are those of the desk."""
    path, known = one.path, {**desk.ids, "name": "greeting", "seq": "1"}
    for name in [part.split("}")[0] for part in path.split("{")[1:]]:
        path = path.replace("{" + name + "}", known[name] if real else one.headers[f"path:{name}"].replace("/", "-"))
    headers = {name: value for name, value in one.headers.items() if not name.startswith("path:")}
    try:
        request = desk.site.client.build_request(
            one.method,
            PREFIX + path,
            params=one.query,
            content=one.body,
            headers={**headers, **desk.site.as_(who)},
        )
    except (ValueError, TypeError):
        return ""  # the client cannot send such a header or address
    answer = await desk.site.client.send(request, stream=True)
    try:
        wrong = await amiss(answer)
    finally:
        await answer.aclose()
    return f"{who}: {one.method} {path[:80]} {one.query} {str(one.body)[:200]}: {wrong}" if wrong else ""


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock, tmp_path: Path) -> AsyncIterator[Desk]:
    async with furnished(database, clock, tmp_path, AI_RATE_LIMIT_MAX=10_000) as made:
        yield made


async def walked(desk: Desk, requests: list[Drawn]) -> list[str]:
    """Each request by callers in turn, every other one with ids that exist."""
    wrong = []
    for number, one in enumerate(requests):
        role = WHO[number // 2 % len(WHO)] if number % 2 else "everything"
        if role in ROLES:
            desk.grant(EVA, *ROLES[role])
        who = {"elsewhere": "sue", "nobody": "nobody"}.get(role, "eva")
        wrong.append(await asked(desk, one, who, real=number % 3 != 0))
    return [one for one in wrong if one]


@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize("databases", [pytest.param("postgresql", marks=pytest.mark.postgresql)], indirect=True)
async def test_nothing_that_the_document_allows_or_forbids_is_a_500(desk: Desk, mode: GenerationMode) -> None:
    """API-3: signed in as each role; every answer is a success or the catalogue's error in its shape."""
    assert await walked(desk, drawn(3, True, mode)) == []


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("mode", list(GenerationMode))
async def test_thousands_of_calls_and_no_500(desk: Desk, mode: GenerationMode) -> None:
    """API-3: the same with 60 drawn calls of each operation, on both databases, other ones each time."""
    assert await walked(desk, drawn(60, False, mode)) == []
