"""Tables of the audit chain: a head for each tenant, its entries, and the keys of people named in them."""

from sqlalchemy import BigInteger, Column, Index, LargeBinary, String, Table, Text, text

from deputize.store.tables.base import PREFIX, ident, key, metadata, moment
from deputize.store.tables.chain_guards import guard

audit_heads = Table(
    f"{PREFIX}audit_heads",
    metadata,
    Column("tenant", String(200), primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("hash", String(64), nullable=False),
)

audit_entries = Table(
    f"{PREFIX}audit_entries",
    metadata,
    Column("tenant", String(200), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("header", Text, nullable=False),
    Column("hash", String(64), nullable=False),
    Column("payload", Text),
    Column("salt", LargeBinary),
    Column("kind", String(64), nullable=False),
    Column("at", BigInteger, nullable=False),
    ident("run_id", null=True, index=True),
    ident("actor_id", null=True),
    Index("ix_deputize_audit_entries_at", "tenant", "at"),
)
"""`header` and `payload` are the exact canonical bytes; the other columns only serve look-ups."""

subject_keys = Table(
    f"{PREFIX}subject_keys",
    metadata,
    key(),
    ident("tenant"),
    ident("subject"),
    Column("wrapped", LargeBinary),
    moment("created_at"),
    moment("destroyed_at", null=True),
    Index(
        "uq_deputize_subject_keys_live",
        "tenant",
        "subject",
        unique=True,
        sqlite_where=text("wrapped IS NOT NULL"),
        postgresql_where=text("wrapped IS NOT NULL"),
    ),
)
"""One live key for each person, wrapped by the deployment's secret; erasing the person empties `wrapped`."""

guard(audit_entries, audit_heads)
