"""The one writer on both databases: linked, gapless, guarded, readable, erasable (AUD-1, AUD-3, AUD-5)."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from deputize.core.chain import Draft, NotCanonical
from deputize.store import audit, audit_read, subjects
from deputize.store.dialect import sqlite
from deputize.store.subjects import NoSecret
from deputize.store.tables import audit_entries, audit_heads, subject_keys

NOW = datetime(2026, 5, 4, 10, 0, 0, 123456, tzinfo=UTC)
SECRET = b"s" * 32
READ = Draft("tool_executed", "ana", {"tool": "search_patients", "count": 2}, run="run-1")


def drafts(count: int, actor: str = "ana") -> list[Draft]:
    return [Draft("tool_executed", actor, {"n": n}, run=f"run-{n % 2}") for n in range(count)]


async def append(database: AsyncEngine, tenant: str, entries: list[Draft], now: datetime = NOW) -> None:
    async with database.begin() as conn:
        await audit.append(conn, tenant, entries, now, secret=SECRET)


async def test_entries_are_linked_and_verify(database: AsyncEngine) -> None:
    """AUD-1: over several transactions, tenant by tenant."""
    for size in (1, 5, 2):
        await append(database, "t", drafts(size))
        await append(database, "other", drafts(1))
    async with database.connect() as conn:
        assert str(await audit_read.verify_database(conn, "t")) == "verified through 8"
        assert str(await audit_read.verify_database(conn, "other")) == "verified through 3"
        assert str(await audit_read.verify_database(conn, "nobody")) == "verified through 0"
        assert await audit_read.tenants(conn) == ["other", "t"]


async def test_an_entry_and_its_deed_commit_together_or_not_at_all(database: AsyncEngine) -> None:
    """AUD-3: a rolled-back transaction leaves neither entry nor gap."""
    await append(database, "t", drafts(1))
    async with database.connect() as conn:
        await audit.append(conn, "t", drafts(3), NOW)
        await conn.rollback()
    await append(database, "t", drafts(1))
    async with database.connect() as conn:
        assert str(await audit_read.verify_database(conn, "t")) == "verified through 2"


async def test_a_payload_without_canonical_form_writes_nothing(database: AsyncEngine) -> None:
    """AUD-1: floats and the like are refused before the chain is touched."""
    async with database.begin() as conn:
        with pytest.raises(NotCanonical):
            await audit.append(conn, "t", [READ, Draft("x", "ana", {"amount": 1.5})], NOW)
        assert await audit.append(conn, "t", [], NOW) == 0
        assert await audit_read.head(conn, "t") is None


async def test_lists_are_filtered_and_paged(database: AsyncEngine) -> None:
    """The audit screen: newest first, by kind, run, actor and time."""
    await append(database, "t", drafts(5))
    await append(database, "t", [Draft("switch_flipped", "root", {"on": False})], NOW + timedelta(hours=1))
    await append(database, "other", drafts(9))
    async with database.connect() as conn:
        page, total = await audit_read.entries(conn, "t", page=2, page_size=2)
        assert ([entry.seq for entry in page], total) == ([4, 3], 6)
        for filters, numbers in (
            ({"kind": "switch_flipped"}, [6]),
            ({"run": "run-1"}, [4, 2]),
            ({"actor": "root"}, [6]),
            ({"since": NOW + timedelta(minutes=1)}, [6]),
            ({"until": NOW + timedelta(minutes=1)}, [5, 4, 3, 2, 1]),
            ({"kind": "nothing"}, []),
        ):
            page, total = await audit_read.entries(conn, "t", **filters)
            assert ([entry.seq for entry in page], total) == (numbers, len(numbers))
        one = await audit_read.entry(conn, "t", 6)
        assert one is not None
        assert (one.at, one.kind, one.actor, one.run, one.payload) == (
            NOW + timedelta(hours=1),
            "switch_flipped",
            "root",
            None,
            {"on": False},
        )
        assert await audit_read.entry(conn, "t", 7) is None


PERSONAL = Draft(
    "tool_executed",
    "ana",
    {"tool": "book"},
    personal={"name": ("patient:7", "Zoë Núñez"), "other": ("patient:8", "Al")},
)


async def test_personal_values_stand_encrypted_and_erasure_leaves_the_chain_whole(database: AsyncEngine) -> None:
    """AUD-5: one person's key destroyed, the other's values still readable, every entry still verifies."""
    await append(database, "t", [PERSONAL, PERSONAL])
    await append(database, "other", [PERSONAL])
    async with database.begin() as conn:
        stored = (await conn.execute(select(audit_entries.c.payload))).scalars().all()
        assert not any("Zoë" in payload or "Núñez" in payload for payload in stored if payload)
        page, _ = await audit_read.entries(conn, "t", secret=SECRET)
        assert [entry.personal for entry in page] == [{"name": "Zoë Núñez", "other": "Al"}] * 2
        assert await audit.erase_subject(conn, "t", "patient:7", NOW, by="dpo") == 1
        page, _ = await audit_read.entries(conn, "t", kind="tool_executed", secret=SECRET)
        assert [entry.personal for entry in page] == [{"name": None, "other": "Al"}] * 2
        theirs, _ = await audit_read.entries(conn, "other", secret=SECRET)
        assert theirs[0].personal["name"] == "Zoë Núñez", "another tenant's record is another person's"
        assert str(await audit_read.verify_database(conn, "t")) == "verified through 3"
        said = await audit_read.entry(conn, "t", 3)
        assert said is not None
        assert (said.kind, said.actor, said.payload) == ("subject_erased", "dpo", {"subject": "patient:7", "keys": 1})
        assert (await conn.execute(select(func.count()).where(subject_keys.c.wrapped.is_(None)))).scalar_one() == 1


async def test_a_person_who_returns_after_erasure_gets_a_new_key(database: AsyncEngine) -> None:
    """AUD-5: what was erased stays unreadable."""
    await append(database, "t", [PERSONAL])
    async with database.begin() as conn:
        await audit.erase_subject(conn, "t", "patient:7", NOW, by="dpo")
    await append(database, "t", [PERSONAL])
    async with database.connect() as conn:
        page, _ = await audit_read.entries(conn, "t", kind="tool_executed", secret=SECRET)
        assert [entry.personal["name"] for entry in page] == ["Zoë Núñez", None]


async def test_personal_values_need_the_deployments_secret(database: AsyncEngine) -> None:
    """AUD-5: no secret, no entry; another secret reads nothing; without one the list still stands."""
    async with database.begin() as conn:
        with pytest.raises(NoSecret):
            await audit.append(conn, "t", [PERSONAL], NOW)
    await append(database, "t", [PERSONAL])
    async with database.connect() as conn:
        page, _ = await audit_read.entries(conn, "t", secret=b"another secret")
        assert page[0].personal == {"name": None, "other": None}
        page, _ = await audit_read.entries(conn, "t")
        assert page[0].personal == {}


async def test_sealed_values_cannot_be_moved(database: AsyncEngine) -> None:
    """AUD-5: a value is bound to tenant, subject and field."""
    await append(database, "t", [PERSONAL])
    async with database.connect() as conn:
        page, _ = await audit_read.entries(conn, "t")
        payload = dict(page[0].payload or {})
        payload["name"], payload["other"] = payload["other"], payload["name"]
        assert await subjects.reveal(conn, "t", [payload], SECRET) == [{"name": None, "other": None}]


async def test_old_payloads_are_blanked_under_an_entry(database: AsyncEngine) -> None:
    """AUD-5: after the time for keeping, payload and salt go; the chain still verifies; erasure entries stay."""
    await append(database, "t", drafts(4))
    await append(database, "t", drafts(2), NOW + timedelta(days=1))
    async with database.begin() as conn:
        erase = audit.erase_payloads
        until = NOW + timedelta(hours=1)
        assert await erase(conn, "t", until, NOW, by="system", reason="five years", limit=3) == 3
        assert await erase(conn, "t", until, NOW, by="system", reason="five years") == 1
        assert await erase(conn, "t", until, NOW, by="system", reason="five years") == 0
        rows = (await conn.execute(select(audit_entries).order_by(audit_entries.c.seq))).all()
        assert [row.payload is None for row in rows] == [True] * 4 + [False] * 4
        assert [row.salt is None for row in rows] == [True] * 4 + [False] * 4
        assert json.loads(rows[6].payload) == {"ranges": [[1, 3]], "reason": "five years"}
        verdict = await audit_read.verify_database(conn, "t")
        assert (str(verdict), verdict.erased) == ("verified through 8", 4)
        one = await audit_read.entry(conn, "t", 1, secret=SECRET)
        assert one is not None
        assert one.payload is None


FORBIDDEN = [
    "UPDATE deputize_audit_entries SET payload = '{}' WHERE seq = 2",
    "UPDATE deputize_audit_entries SET payload = NULL WHERE seq = 2",
    "UPDATE deputize_audit_entries SET salt = NULL WHERE seq = 2",
    "UPDATE deputize_audit_entries SET payload = NULL, salt = NULL, kind = 'x' WHERE seq = 2",
    "UPDATE deputize_audit_entries SET payload = NULL, salt = NULL WHERE kind = 'payload_erased'",
    "UPDATE deputize_audit_entries SET payload = '{}', salt = NULL WHERE seq = 1",
    "UPDATE deputize_audit_entries SET header = 'x'",
    "UPDATE deputize_audit_entries SET hash = 'x'",
    "UPDATE deputize_audit_entries SET seq = seq + 100",
    "UPDATE deputize_audit_entries SET tenant = 'x'",
    "UPDATE deputize_audit_entries SET actor_id = 'x'",
    "DELETE FROM deputize_audit_entries WHERE seq = 3",
    "DELETE FROM deputize_audit_entries",
    "DELETE FROM deputize_audit_heads",
    "UPDATE deputize_audit_heads SET seq = 1",
    "UPDATE deputize_audit_heads SET hash = 'x'",
    "UPDATE deputize_audit_heads SET tenant = 'x'",
]
ON_SQLITE = [
    "INSERT OR REPLACE INTO deputize_audit_entries SELECT * FROM deputize_audit_entries WHERE seq = 2",
    "INSERT OR REPLACE INTO deputize_audit_entries SELECT * FROM deputize_audit_entries ORDER BY seq DESC LIMIT 1",
    "REPLACE INTO deputize_audit_heads VALUES ('t', 0, 'x')",
    "REPLACE INTO deputize_audit_heads VALUES ('t', 99, 'x')",
    "UPDATE OR REPLACE deputize_audit_entries SET seq = 1 WHERE seq = 2",
    "INSERT INTO deputize_audit_entries (tenant, seq, header, hash, kind, at) VALUES ('t', 99, 'x', 'x', 'x', 1)",
]
ON_POSTGRESQL = [
    "TRUNCATE deputize_audit_entries",
    "TRUNCATE deputize_audit_heads",
    "INSERT INTO deputize_audit_entries (tenant, seq, header, hash, kind, at) VALUES ('t', 2, 'x', 'x', 'x', 1) "
    "ON CONFLICT (tenant, seq) DO UPDATE SET hash = 'x'",
]


async def test_the_database_refuses_to_change_the_chain(database: AsyncEngine) -> None:
    """AUD-1: by plain SQL, with recursive triggers off as well, nothing but a whole blank is let through."""
    await append(database, "t", drafts(3))
    async with database.begin() as conn:
        await audit.erase_payloads(conn, "t", NOW + timedelta(days=1), NOW, by="system", reason="r", limit=1)
    sqlite = database.dialect.name == "sqlite"
    for statement in FORBIDDEN + (ON_SQLITE if sqlite else ON_POSTGRESQL):
        async with database.connect() as conn:
            if sqlite:
                await conn.exec_driver_sql("ROLLBACK")
                await conn.exec_driver_sql("PRAGMA recursive_triggers = OFF")
                await conn.exec_driver_sql("BEGIN IMMEDIATE")
            with pytest.raises(DBAPIError, match=r"append-only|contiguous|begins at its first"):
                await conn.execute(text(statement))
            await conn.rollback()
    async with database.connect() as conn:
        assert str(await audit_read.verify_database(conn, "t")) == "verified through 4"


ISOLATION = {"sqlite": ["SERIALIZABLE"], "postgresql": ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"]}


async def besiege(database: AsyncEngine, level: str, writers: int, each: int, size: int = 2) -> int:
    """That many writers at once, each with a connection of its own; how many entries they wrote."""

    async def writer(name: str) -> None:
        done = 0
        while done < each:
            try:
                async with database.connect() as conn:
                    if database.dialect.name == "postgresql":
                        await conn.execution_options(isolation_level=level)
                    await snapshot(conn)
                    await audit.append(conn, "t", drafts(size, name), NOW)
                    await conn.commit()
                done += 1
            except DBAPIError as fault:
                if "serialize" not in str(fault) and "locked" not in str(fault):
                    raise

    await asyncio.gather(*(writer(f"w{n}") for n in range(writers)))
    return writers * each * size


async def whole(database: AsyncEngine, written: int) -> None:
    """One chain without fork or gap, and its head at its end."""
    async with database.connect() as conn:
        assert str(await audit_read.verify_database(conn, "t")) == f"verified through {written}"
        assert (await conn.execute(select(audit_heads.c.seq))).scalar_one() == written


async def test_no_fork_and_no_gap_at_any_isolation_level(database: AsyncEngine) -> None:
    """AUD-1: writers at once; a serialisation failure is repeated, never a fork."""
    written = 0
    for level in ISOLATION[database.dialect.name]:
        written += await besiege(database, level, 8, 8)
    await whole(database, written)


@pytest.mark.long
async def test_no_fork_in_ten_thousand_appends(database: AsyncEngine) -> None:
    """AUD-1: sixteen connections, ten thousand appends of one entry, at every isolation level."""
    many, written = sqlite(create_async_engine(database.url, pool_size=16)), 0
    for level in ISOLATION[database.dialect.name]:
        written += await besiege(many, level, 16, 625, 1)
        await whole(database, written)
    await many.dispose()


async def test_a_chain_is_verified_while_writers_go_on(database: AsyncEngine) -> None:
    """AUD-4: entries that arrive after the head was read are no damage."""
    await append(database, "t", drafts(3))

    async with database.connect() as reading:
        if database.dialect.name == "sqlite":
            await reading.exec_driver_sql("ROLLBACK")
            await reading.exec_driver_sql("BEGIN DEFERRED")
        late: list[asyncio.Task[None]] = []

        def arrive(_done: int, _all: int) -> None:
            late.append(asyncio.ensure_future(append(database, "t", drafts(2))))

        verdict = await audit_read.verify_database(reading, "t", progress=arrive)
        await asyncio.gather(*late)
        assert str(verdict) == "verified through 3"
    async with database.connect() as conn:
        assert str(await audit_read.verify_database(conn, "t")) == "verified through 5"


async def snapshot(conn: AsyncConnection) -> None:
    """Fix the transaction's view of the database before the append, as a business transaction would."""
    await conn.execute(select(func.count()).select_from(audit_heads))
