"""Taking the deputy away again from a clinic that has lived with it: nothing of the clinic changes (OPS-1, AUD-4)."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, inspect, text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize import Settings
from deputize.core.pack import open_pack, verify_pack
from deputize.store import audit_read, migrate
from deputize.store.export import write_pack
from deputize_hosts.clinic.main import build
from deputize_hosts.clinic.settings import HostSettings
from tests.conftest import Fresh
from tests.hosts.clinic.browser import Person, text_of
from tests.hosts.clinic.people import NOW, member
from tests.hosts.clinic.test_main import ask, whole

DESK = "receptionist@demo.clinic"
KEPT = {"deputize_audit_entries", "deputize_audit_heads", "deputize_subject_keys", "deputize_version"}


@pytest.fixture
async def engine(fresh: Fresh) -> AsyncEngine:
    return await fresh("clinic-with-copilot", whole)


def dump(connection: Connection) -> dict[str, Any]:
    """Every table of the clinic: columns, keys, indexes, and all rows in one order."""
    found = inspect(connection)
    tables = {}
    for name in sorted(found.get_table_names()):
        if name.startswith("deputize_"):
            continue
        columns = [(c["name"], str(c["type"]), c["nullable"], str(c["default"])) for c in found.get_columns(name)]
        keys = sorted(str(key) for key in (*found.get_foreign_keys(name), *found.get_unique_constraints(name)))
        indexes = sorted(str((one["name"], one["column_names"], one["unique"])) for one in found.get_indexes(name))
        rows = sorted(str(tuple(row)) for row in connection.execute(text(f'SELECT * FROM "{name}"')))
        tables[name] = (columns, found.get_pk_constraint(name), keys, indexes, rows)
    return tables


async def dumped(engine: AsyncEngine) -> dict[str, Any]:
    async with engine.connect() as connection:
        return await connection.run_sync(dump)


async def ours(engine: AsyncEngine) -> set[str]:
    async with engine.connect() as connection:
        names = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
    return {name for name in names if name.startswith("deputize_")}


async def live(engine: AsyncEngine) -> None:
    """A question, a change that is approved, one that is rejected, and one that still waits."""
    settings = Settings(enabled=True, secret_key="a vault key of the tests, long enough")
    built = build(HostSettings(secret="cookies"), settings, engine=engine)
    person = Person(built.app)
    await person.sign_in(DESK)
    for n, (words, approve) in enumerate(
        (
            ("pacientes que se llamen María", None),
            ("agenda revisión a María López mañana a las 10", True),
            ("agenda revisión a María López mañana a las 12", False),
            ("agenda revisión a María López mañana a las 17", None),
        )
    ):
        _, opened = await ask(person, "/sessions", {"surface": "clinic"})
        own = json.loads(opened)["id"]
        status, stream = await ask(
            person, f"/sessions/{own}/messages", {"content": words}, **{"Idempotency-Key": f"{n}"}
        )
        assert status == 200
        calls = [json.loads(line[5:])["call"] for line in stream.split("\n") if '"approval"' in line]
        assert bool(calls) == (n > 0), stream
        if calls and approve is not None:
            decision = {"approve": approve, "digest": calls[-1]["approval"]["digest"]}
            path = f"/tool-calls/{calls[-1]['id']}/decide"
            assert (await ask(person, path, decision, Accept="text/event-stream"))[0] == 200
    await built.deputy.close()
    await person.client.aclose()


async def alone(engine: AsyncEngine) -> None:
    """The clinic without the copilot boots, shows its pages, and books."""
    built = build(HostSettings(secret="cookies"), Settings(enabled=False), engine=engine)
    person = Person(built.app)
    await person.sign_in(DESK)
    agenda = await person.get("/agenda")
    assert agenda.status_code == 200
    assert "deputize-copilot" not in agenda.text
    found = await person.get("/patients?q=María López Herrera")
    assert "López Herrera, María" in text_of(found)
    for path in ("/recalls", "/budgets", "/invoices", "/payments", "/reports", "/settings", "/schedules"):
        assert (await person.get(path)).status_code == 200, path
    await built.deputy.close()
    await person.client.aclose()


async def test_downgrading_leaves_a_lived_in_clinic_as_it_was_and_the_chain_verifiable(engine: AsyncEngine) -> None:
    await live(engine)
    async with AsyncSession(engine) as session:
        tenant = (await member(session, DESK)).tenant
    before = await dumped(engine)
    assert any("appointments" in name for name in before)
    await migrate.downgrade(engine)
    assert await ours(engine) == KEPT
    assert await dumped(engine) == before
    async with engine.connect() as connection:
        verdict = str(await audit_read.verify_database(connection, tenant))
    assert verdict.startswith("verified through ")
    assert int(verdict.split()[-1]) > 5
    await alone(engine)
    await migrate.upgrade(engine)
    await live(engine)


async def test_the_chain_itself_goes_only_behind_a_verified_export(engine: AsyncEngine, tmp_path: Path) -> None:
    await live(engine)
    async with AsyncSession(engine) as session:
        tenant = (await member(session, DESK)).tenant
    before = await dumped(engine)
    with pytest.raises(migrate.AuditWouldBeLost) as refused:
        await migrate.downgrade(engine, drop_audit=True, exports={})
    assert refused.value.tenants == [tenant]
    assert "deputize_runs" in await ours(engine), "nothing was taken away"
    async with engine.begin() as connection:
        await write_pack(connection, tenant, tmp_path / "clinic.zip", NOW)
    pack = open_pack(tmp_path / "clinic.zip")
    assert verify_pack(pack).ok
    await migrate.downgrade(engine, drop_audit=True, exports={tenant: pack})
    assert await ours(engine) == {"deputize_version"}
    assert await dumped(engine) == before
    await alone(engine)
