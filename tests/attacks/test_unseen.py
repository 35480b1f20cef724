"""Ways to change more than the card shows: each is shown after all, or the tool is refused (APPR-1)."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import bindparam, column, delete, event, func, insert, select, table, text, update
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession
from sqlalchemy.orm import with_loader_criteria

from deputize.core.effect import Escape, HandlerFailed, UnseenChanges
from deputize.engine.wiring import Wiring
from deputize.store.deeds import queue
from deputize.store.statements import kind_of
from tests.conftest import Fresh
from tests.engine.shop import (
    ANA,
    Anything,
    Customer,
    Done,
    Line,
    Order,
    Reminder,
    Serial,
    Slot,
    brief,
    dry,
    made,
    opened,
    wiring,
)

HELD = {
    "sqlite": (
        "CREATE TABLE ledger (id INTEGER PRIMARY KEY, said TEXT, at TEXT)",
        "CREATE TRIGGER slots_ledger AFTER DELETE ON slots BEGIN "
        "INSERT INTO ledger (said, at) VALUES ('slot ' || OLD.id, CURRENT_TIMESTAMP); END",
        "CREATE VIRTUAL TABLE words USING fts5(body)",
        "CREATE TRIGGER lines_words AFTER UPDATE ON lines BEGIN INSERT INTO words (body) VALUES (NEW.sku); END",
        "CREATE TABLE codes (code TEXT PRIMARY KEY, slot INTEGER UNIQUE) WITHOUT ROWID",
        "INSERT INTO codes VALUES ('a', 1), ('b', 2)",
        "CREATE TRIGGER serials_count AFTER INSERT ON serials BEGIN "
        "UPDATE lines SET amount = amount + 1 WHERE id = NEW.line_id; END",
        "CREATE TRIGGER serials_discount AFTER DELETE ON serials BEGIN "
        "UPDATE lines SET amount = amount - 1 WHERE id = OLD.line_id; END",
    ),
    "postgresql": (
        "CREATE TABLE ledger (id serial PRIMARY KEY, said text, at timestamptz)",
        "CREATE FUNCTION slots_ledger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "INSERT INTO ledger (said, at) VALUES ('slot ' || OLD.id, now()); RETURN NULL; END $$",
        "CREATE TRIGGER slots_ledger AFTER DELETE ON slots FOR EACH ROW EXECUTE FUNCTION slots_ledger()",
        "CREATE FUNCTION serials_count() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF TG_OP = 'INSERT' THEN UPDATE lines SET amount = amount + 1 WHERE id = NEW.line_id; "
        "ELSE UPDATE lines SET amount = amount - 1 WHERE id = OLD.line_id; END IF; RETURN NULL; END $$",
        "CREATE TRIGGER serials_count AFTER INSERT OR DELETE ON serials FOR EACH ROW EXECUTE FUNCTION serials_count()",
        "CREATE FUNCTION bump() RETURNS int LANGUAGE sql AS 'UPDATE orders SET status = ''bumped'' RETURNING id'",
        "CREATE FUNCTION prune() RETURNS int LANGUAGE sql AS 'DELETE FROM reminders RETURNING id'",
    ),
}


async def held(engine: AsyncEngine) -> None:
    await opened(engine)
    async with engine.begin() as conn:
        for statement in HELD[engine.dialect.name]:
            await conn.exec_driver_sql(statement)


@pytest.fixture
async def engine(fresh: Fresh) -> AsyncEngine:
    return await fresh("held", held)


@pytest.fixture
async def w(engine: AsyncEngine) -> AsyncIterator[Wiring]:
    made_for = wiring(engine)
    yield made_for
    await made_for.db.close()


only = pytest.mark.parametrize
sqlite_only = only("databases", ["sqlite"], indirect=True)
postgresql_only = only("databases", [pytest.param("postgresql", marks=pytest.mark.postgresql)], indirect=True)


async def test_a_table_that_nobody_has_mapped_is_read_from_the_database(w: Wiring) -> None:
    async def drop(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(delete(Slot).where(Slot.id == 1))
        return Done()

    seen = await dry(w, made(drop))
    assert sorted(brief(seen)) == [("delete", "slots", "1"), ("insert", "ledger", "new")]
    ledger = next(row for row in seen.rows if row.table == "ledger")
    assert ledger.after is not None
    assert ledger.after["said"] == "slot 1"
    assert "at" in ledger.assigned


async def test_totals_that_triggers_keep_in_the_row_pointed_to_are_shown(w: Wiring) -> None:
    async def count(ctx: Any, args: Anything) -> Done:
        ctx.session.add(Serial(line_id=2))
        await ctx.session.execute(delete(Serial).where(Serial.id == 1))
        return Done()

    seen = await dry(w, made(count, hidden={"words": "the search index"}))
    lines = [row for row in seen.rows if row.table == "lines"]
    amounts = {row.id: ((row.before or {})["amount"], (row.after or {})["amount"]) for row in lines}
    assert amounts == {"1": (2, 1), "2": (1, 2)}


async def test_a_statement_over_many_parameters_shows_each_of_its_rows(w: Wiring) -> None:
    async def change(ctx: Any, args: Anything) -> Done:
        conn = await ctx.session.connection()
        lines: Any = Line.__table__
        statement = update(lines).where(lines.c.sku == bindparam("which")).values(amount=bindparam("count"))
        await conn.execute(statement, [{"which": "pen", "count": 8}, {"which": "ink", "count": 9}])
        return Done()

    seen = await dry(w, made(change, hidden={"words": "the search index"}))
    assert [(row.id, (row.after or {})["amount"]) for row in seen.rows if row.table == "lines"] == [("1", 8), ("2", 9)]


async def test_a_condition_that_the_host_adds_narrows_what_is_looked_at(w: Wiring, engine: AsyncEngine) -> None:
    async def rename(ctx: Any, args: Anything) -> Done:
        only_north = with_loader_criteria(Customer, lambda model: model.tenant == "north")
        await ctx.session.execute(update(Customer).values(name="all").options(only_north))
        return Done()

    assert brief(await dry(w, made(rename))) == [("update", "customers", str(ANA))]


async def test_a_session_of_the_handlers_own_on_the_same_connection_is_watched_too(w: Wiring) -> None:
    async def own(ctx: Any, args: Anything) -> Done:
        conn = await ctx.session.connection()
        async with AsyncSession(bind=conn, join_transaction_mode="create_savepoint") as session:
            session.add(Reminder(order_id=1))
            queue(session, "email", {"to": "a@example.org"}, key="k")
            await session.commit()
        return Done()

    seen = await dry(w, made(own))
    assert brief(seen) == [("insert", "reminders", "new")]
    assert [item.key for item in seen.outgoing] == ["k"]


async def test_light_table_objects_without_keys_are_seen_or_refused(w: Wiring) -> None:
    async def light(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(update(table("orders", column("status"))).values(status="x"))
        return Done()

    with pytest.raises(UnseenChanges):
        await dry(w, made(light))


async def test_swallowing_the_refusal_of_a_statement_does_not_help(w: Wiring, engine: AsyncEngine) -> None:
    async def sly(ctx: Any, args: Anything) -> Done:
        ctx.session.add(Reminder(order_id=1))
        await ctx.session.flush()
        for statement in ("COMMIT", "TRUNCATE reminders", "DROP TABLE reminders"):
            try:
                await ctx.session.execute(text(statement))
            except UnseenChanges:
                continue
        return Done()

    with pytest.raises(HandlerFailed):
        await dry(w, made(sly))
    async with engine.connect() as conn:
        assert (await conn.execute(select(func.count()).select_from(Reminder))).scalar_one() == 2


@sqlite_only
async def test_a_virtual_table_tells_nothing_and_must_be_declared(w: Wiring) -> None:
    async def change(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(update(Line).where(Line.id == 1).values(sku="cap"))
        return Done()

    with pytest.raises(UnseenChanges) as caught:
        await dry(w, made(change))
    assert caught.value.tables == ("words",)
    assert brief(await dry(w, made(change, hidden={"words": "the search index"}))) == [("update", "lines", "1")]


@sqlite_only
async def test_a_replacement_shows_the_rows_that_it_pushes_out(w: Wiring, engine: AsyncEngine) -> None:
    async def replaces(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(text("REPLACE INTO codes VALUES ('c', 1)"))
        return Done()

    with pytest.raises(UnseenChanges) as caught:
        await dry(w, made(replaces))
    assert caught.value.tables == ("codes",)


@postgresql_only
@pytest.mark.parametrize(
    "statement",
    [
        "WITH gone AS (DELETE FROM reminders RETURNING id) SELECT count(*) FROM gone",
        "SELECT bump()",
        "SELECT prune()",
        "TRUNCATE reminders",
        "DO $$ BEGIN DELETE FROM reminders; END $$",
        "COPY reminders TO STDOUT",
        "SELECT 1 INTO elsewhere",
    ],
)
async def test_writes_in_disguise_are_refused(w: Wiring, statement: str) -> None:
    async def sly(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(text(statement))
        return Done()

    with pytest.raises(HandlerFailed) as caught:
        await dry(w, made(sly))
    assert isinstance(caught.value, UnseenChanges)


@postgresql_only
async def test_a_write_inside_a_select_of_the_expression_language_is_refused(w: Wiring) -> None:
    async def sly(ctx: Any, args: Anything) -> Done:
        gone = delete(Reminder).returning(Reminder.id).cte("gone")
        await ctx.session.execute(select(func.count()).select_from(gone))
        return Done()

    async def slyer(ctx: Any, args: Anything) -> Done:
        gone = delete(Reminder).returning(Reminder.id).cte("gone")
        await ctx.session.execute(update(Order).where(Order.id == 1).values(status="x").add_cte(gone))
        return Done()

    async def slyest(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(select(func.bump()))
        return Done()

    for handler in (sly, slyer, slyest):
        with pytest.raises(UnseenChanges):
            await dry(w, made(handler))


@postgresql_only
@pytest.mark.parametrize("statement", ["NOTIFY x", "SELECT pg_notify('x', 'y')"])
async def test_telling_other_sessions_is_an_escape(w: Wiring, statement: str) -> None:
    async def tells(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(text(statement))
        return Done()

    async def tells_by_function(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(select(func.pg_notify("x", "y")))
        return Done()

    for handler in (tells, tells_by_function):
        with pytest.raises(Escape):
            await dry(w, made(handler))


@postgresql_only
async def test_the_row_is_locked_before_its_image_is_taken(w: Wiring, engine: AsyncEngine) -> None:
    """Nobody can change the row between the image and the write."""

    async def change(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(update(Order).where(Order.id == 1).values(status="x"))
        return Done()

    said: list[str] = []
    event.listen(engine.sync_engine, "before_cursor_execute", lambda *a: said.append(a[2]))
    await dry(w, made(change))
    images = [statement for statement in said if "FROM orders" in statement and "FOR" in statement]
    assert images
    assert "FOR NO KEY UPDATE" in images[0]
    assert said.index(images[0]) < next(n for n, statement in enumerate(said) if statement.startswith("UPDATE"))


async def test_an_insert_with_a_literal_key_is_shown_with_it(w: Wiring) -> None:
    async def add(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(insert(Reminder), [{"id": 70, "order_id": 1}, {"id": 71, "order_id": None}])
        return Done()

    assert brief(await dry(w, made(add))) == [("insert", "reminders", "70"), ("insert", "reminders", "71")]


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("SELECT 1", "read"),
        ("  select 'DELETE; COMMIT' ", "read"),
        ("WITH a AS (SELECT 1) SELECT * FROM a;", "read"),
        ("/* x */ INSERT INTO t VALUES (';')", "write"),
        ("-- SELECT\nDELETE FROM t", "write"),
        ("WITH a AS (UPDATE t SET x = 1 RETURNING x) SELECT * FROM a", "write"),
        ("EXPLAIN ANALYZE DELETE FROM t", "write"),
        ("SELECT $$ DROP $$", "read"),
        ("PRAGMA table_info(t)", "read"),
        ("", "read"),
        ("-- nothing", "read"),
        ("SET LOCAL app.tenant = 'north'", "read"),
    ],
)
def test_statements_by_hand_are_told_apart(sql: str, kind: str) -> None:
    assert kind_of(sql) == kind


@pytest.mark.parametrize(
    "sql",
    [
        "COMMIT",
        "END",
        "ROLLBACK TO x",
        "SAVEPOINT x",
        "RELEASE x",
        "PRAGMA foreign_keys = OFF",
        "ATTACH 'x' AS y",
        "SELECT 1; DELETE FROM t",
        "ALTER TABLE t ADD x int",
        "GRANT ALL ON t TO u",
        "PREPARE x AS DELETE FROM t",
    ],
)
def test_what_cannot_be_counted_is_refused(sql: str) -> None:
    with pytest.raises(UnseenChanges):
        kind_of(sql)
