"""Triggers by which the database itself refuses to change or delete what the chain holds (AUD-1)."""

from sqlalchemy import DDL, Table, event

FUNCTION = "deputize_audit_guard"
HEAD_FUNCTION = "deputize_audit_head_guard"

_KEPT = ("tenant", "seq", "header", "hash", "kind", "at", "run_id", "actor_id")
"""Columns that no update may touch; payload and salt may go to NULL, both together."""

_SPEAKING = "'payload_erased', 'prefix_pruned'"
"""Kinds whose payload is never blanked: they say what has gone."""


def guard(entries: Table, heads: Table) -> None:
    """Attach the triggers to the tables' creation, for `create_all` and migrations alike."""
    for dialect, statements in (("sqlite", sqlite_entries), ("postgresql", postgresql_entries)):
        for statement in statements(entries.name):
            event.listen(entries, "after_create", _ddl(statement, dialect))
    for dialect, statements in (("sqlite", sqlite_heads), ("postgresql", postgresql_heads)):
        for statement in statements(heads.name):
            event.listen(heads, "after_create", _ddl(statement, dialect))
    event.listen(entries, "after_drop", _ddl(f"DROP FUNCTION IF EXISTS {FUNCTION}()", "postgresql"))
    event.listen(heads, "after_drop", _ddl(f"DROP FUNCTION IF EXISTS {HEAD_FUNCTION}()", "postgresql"))


def _ddl(statement: str, dialect: str) -> DDL:
    ddl = DDL(statement.replace("%", "%%"))  # type: ignore[no-untyped-call]  # the library leaves it untyped
    return ddl.execute_if(dialect=dialect)


def sqlite_entries(table: str) -> tuple[str, ...]:
    """No delete, no update but erasure, and each entry one above the last.

    The last trigger also stops INSERT OR REPLACE, which bypasses delete triggers on connections that have
    not set `recursive_triggers`.
    """
    same = " AND ".join(f"NEW.{column} IS OLD.{column}" for column in _KEPT)
    erased = f"NEW.payload IS NULL AND NEW.salt IS NULL AND OLD.payload IS NOT NULL AND OLD.kind NOT IN ({_SPEAKING})"
    return (
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
        "BEGIN SELECT RAISE(ABORT, 'the audit chain is append-only'); END",
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} WHEN NOT ({same} AND {erased}) "
        "BEGIN SELECT RAISE(ABORT, 'the audit chain is append-only'); END",
        f"CREATE TRIGGER {table}_contiguous BEFORE INSERT ON {table} "  # noqa: S608 the name is ours
        f"WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM {table} WHERE tenant = NEW.tenant) "
        "BEGIN SELECT RAISE(ABORT, 'the audit chain is contiguous'); END",
    )


def sqlite_heads(table: str) -> tuple[str, ...]:
    """A head only moves up; INSERT OR REPLACE over it is refused as well."""
    return (
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
        "BEGIN SELECT RAISE(ABORT, 'the audit chain is append-only'); END",
        f"CREATE TRIGGER {table}_forward BEFORE UPDATE ON {table} "
        "WHEN NEW.tenant IS NOT OLD.tenant OR NEW.seq <= OLD.seq "
        "BEGIN SELECT RAISE(ABORT, 'the audit chain is append-only'); END",
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "  # noqa: S608 the name is ours
        f"WHEN NEW.seq <> 0 OR EXISTS (SELECT 1 FROM {table} WHERE tenant = NEW.tenant) "
        "BEGIN SELECT RAISE(ABORT, 'the audit chain begins at its first entry'); END",
    )


def postgresql_entries(table: str) -> tuple[str, ...]:
    """Row triggers against update and delete, and a statement trigger against TRUNCATE, which they miss."""
    same = " AND ".join(f"NEW.{column} IS NOT DISTINCT FROM OLD.{column}" for column in _KEPT)
    body = (
        f"CREATE OR REPLACE FUNCTION {FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $guard$ BEGIN "
        "IF TG_OP = 'UPDATE' THEN "
        f"IF {same} AND NEW.payload IS NULL AND NEW.salt IS NULL AND OLD.payload IS NOT NULL "
        f"AND OLD.kind NOT IN ({_SPEAKING}) THEN RETURN NEW; END IF; END IF; "
        "RAISE EXCEPTION 'the audit chain is append-only' USING ERRCODE = 'restrict_violation'; END $guard$"
    )
    return (
        body,
        f"CREATE TRIGGER {table}_guard BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {FUNCTION}()",
        f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {FUNCTION}()",
    )


def postgresql_heads(table: str) -> tuple[str, ...]:
    """A head only moves up."""
    body = (
        f"CREATE OR REPLACE FUNCTION {HEAD_FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $guard$ BEGIN "
        "IF TG_OP = 'UPDATE' THEN IF NEW.tenant = OLD.tenant AND NEW.seq > OLD.seq THEN RETURN NEW; END IF; END IF; "
        "RAISE EXCEPTION 'the audit chain is append-only' USING ERRCODE = 'restrict_violation'; END $guard$"
    )
    return (
        body,
        f"CREATE TRIGGER {table}_guard BEFORE UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {HEAD_FUNCTION}()",
        f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {HEAD_FUNCTION}()",
    )


def role_grants(role: str, entries: str = "deputize_audit_entries", heads: str = "deputize_audit_heads") -> list[str]:
    """PostgreSQL statements for an application role that owns nothing: read, append, erase payloads, move heads.

    `role` is a plain identifier. Raises ValueError otherwise.
    """
    if not role.isidentifier():
        raise ValueError("the role is not a plain identifier")
    return [
        f'REVOKE ALL ON {entries}, {heads} FROM "{role}"',
        f'GRANT SELECT, INSERT, UPDATE (payload, salt) ON {entries} TO "{role}"',
        f'GRANT SELECT, INSERT, UPDATE (seq, hash) ON {heads} TO "{role}"',
    ]
