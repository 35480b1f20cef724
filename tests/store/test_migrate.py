"""Our schema comes and goes inside the host's database, and the record outlives it (OPS-1)."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.chain import Draft
from deputize.core.pack import Pack, open_pack, verify_pack
from deputize.store import audit, audit_read
from deputize.store.export import write_pack
from deputize.store.migrate import FOLDER, AuditWouldBeLost, downgrade, upgrade
from deputize.store.revision import HEAD, alembic_ignore, revision
from deputize.store.tables import metadata
from tests.attacks.tampering import has_guards
from tests.conftest import Fresh

NOW = datetime(2026, 5, 4, tzinfo=UTC)
KEPT = {"deputize_audit_entries", "deputize_audit_heads", "deputize_subject_keys"}


def test_the_revision_that_is_wanted_is_the_newest_script() -> None:
    assert ScriptDirectory(str(FOLDER)).get_current_head() == HEAD


async def hosts(engine: AsyncEngine) -> None:
    """A host's own database, with its own Alembic table."""
    async with engine.begin() as conn:
        for statement in (
            "CREATE TABLE patients (id INTEGER PRIMARY KEY, name TEXT)",
            "INSERT INTO patients VALUES (1, 'Ana')",
            "CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)",
            "INSERT INTO alembic_version VALUES ('host-7')",
        ):
            await conn.execute(text(statement))


async def tables(engine: AsyncEngine) -> set[str]:
    async with engine.connect() as conn:
        return set(await conn.run_sync(lambda sync: inspect(sync).get_table_names()))


def shape(conn: Connection) -> dict[str, list[tuple[str, str, bool]]]:
    found = inspect(conn)
    return {
        name: [(column["name"], str(column["type"]), bool(column["nullable"])) for column in found.get_columns(name)]
        for name in found.get_table_names()
        if name in metadata.tables
    }


async def test_upgrade_makes_what_the_models_say(fresh: Fresh) -> None:
    """OPS-1: migrated and created databases are alike, guards included; twice changes nothing."""
    migrated, created = await fresh("host", hosts), await fresh()
    await upgrade(migrated)
    await upgrade(migrated)
    assert await revision(migrated) == HEAD
    async with migrated.connect() as one, created.connect() as two:
        assert await one.run_sync(shape) == await two.run_sync(shape)
    assert await has_guards(migrated)
    async with migrated.connect() as conn:
        assert (await conn.execute(text("SELECT version_num FROM alembic_version"))).scalar_one() == "host-7"


async def test_downgrade_leaves_the_hosts_tables_and_the_record(fresh: Fresh) -> None:
    """OPS-1: base takes ours away, not theirs, and not the chain; upgrading again goes on with it."""
    engine = await fresh("host", hosts)
    await upgrade(engine)
    async with engine.begin() as conn:
        await audit.append(conn, "t", [Draft("x", "u", {})], NOW)
    await downgrade(engine)
    assert await tables(engine) == {"patients", "alembic_version", "deputize_version", *KEPT}
    assert await revision(engine) is None
    await upgrade(engine)
    async with engine.begin() as conn:
        await audit.append(conn, "t", [Draft("x", "u", {})], NOW)
        assert str(await audit_read.verify_database(conn, "t")) == "verified through 2"
    assert await has_guards(engine)


async def test_the_chain_is_dropped_only_behind_a_verified_export(fresh: Fresh, tmp_path: Path) -> None:
    """OPS-1: `drop_audit` demands, for each tenant, a pack that reaches the chain's end."""
    engine = await fresh("host", hosts)
    await upgrade(engine)
    async with engine.begin() as conn:
        await audit.append(conn, "t", [Draft("x", "u", {})], NOW)
        await audit.append(conn, "u", [Draft("x", "u", {})], NOW)
        await write_pack(conn, "t", tmp_path / "t.zip", NOW)
        await write_pack(conn, "u", tmp_path / "u.zip", NOW)
    packs: dict[str, Pack] = {name: open_pack(tmp_path / f"{name}.zip") for name in ("t", "u")}
    assert all(verify_pack(pack).ok for pack in packs.values())
    for given in (None, {}, {"t": packs["t"]}, {"t": packs["t"], "u": packs["t"]}):
        with pytest.raises(AuditWouldBeLost):
            await downgrade(engine, drop_audit=True, exports=given)
    async with engine.begin() as conn:
        await audit.append(conn, "u", [Draft("x", "u", {})], NOW)
    with pytest.raises(AuditWouldBeLost) as refused:
        await downgrade(engine, drop_audit=True, exports=packs)
    assert refused.value.tenants == ["u"], "an entry came after the export"
    async with engine.connect() as conn:
        await write_pack(conn, "u", tmp_path / "u.zip", NOW)
    packs["u"] = open_pack(tmp_path / "u.zip")
    await downgrade(engine, drop_audit=True, exports=packs)
    assert await tables(engine) == {"patients", "alembic_version", "deputize_version"}
    await upgrade(engine)
    assert await has_guards(engine)


def test_the_hosts_own_migrations_do_not_see_our_tables() -> None:
    """OPS-1: for `include_name`, so that the host's autogenerate would not drop them."""
    assert alembic_ignore("patients", "table", {})
    assert alembic_ignore(None, "schema", {})
    assert alembic_ignore("name", "column", {"table_name": "patients"})
    assert not alembic_ignore("deputize_runs", "table", {})
    assert not alembic_ignore("deputize_version", "table", {})
    assert not alembic_ignore("id", "column", {"table_name": "deputize_runs"})


def test_no_foreign_keys_to_anything() -> None:
    """OPS-1: our tables stand beside the host's, tied to none."""
    assert not [key for table in metadata.tables.values() for key in table.foreign_keys]
