"""Tables of the audit chain: one head for each tenant, and its entries."""

from sqlalchemy import BigInteger, Column, Index, LargeBinary, String, Table, Text

from deputize.store.tables.base import PREFIX, ident, metadata

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
