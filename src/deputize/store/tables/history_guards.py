"""Triggers by which the database refuses to change or delete rows of a history."""

from sqlalchemy import DDL, Table, event

FUNCTION = "deputize_history_guard"


def append_only(table: Table) -> None:
    """Attach the triggers to the table's creation, for `create_all` and migrations alike."""
    for dialect, statements in (("sqlite", _sqlite(table.name)), ("postgresql", _postgresql(table.name))):
        for statement in statements:
            event.listen(table, "after_create", _ddl(statement, dialect))
    event.listen(table, "after_drop", _ddl(f"DROP FUNCTION IF EXISTS {FUNCTION}()", "postgresql"))


def _ddl(statement: str, dialect: str) -> DDL:
    ddl = DDL(statement.replace("%", "%%"))  # type: ignore[no-untyped-call]  # the library leaves it untyped
    return ddl.execute_if(dialect=dialect)


def _sqlite(table: str) -> tuple[str, ...]:
    stop = "BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END"
    return (
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} {stop}",
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} {stop}",
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "  # noqa: S608 the name is ours
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id "
        f"OR (tenant = NEW.tenant AND name = NEW.name AND version = NEW.version)) {stop}",
    )


def _postgresql(table: str) -> tuple[str, ...]:
    return (
        f"CREATE OR REPLACE FUNCTION {FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $guard$ BEGIN "
        "RAISE EXCEPTION 'the history is append-only' USING ERRCODE = 'restrict_violation'; END $guard$",
        f"CREATE TRIGGER {table}_guard BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {FUNCTION}()",
        f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {FUNCTION}()",
    )
