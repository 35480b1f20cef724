"""Tables of the ledger: what each scope has spent and holds in a period, and each reservation."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, Table, text

from deputize.store.tables.base import PREFIX, ident, key, metadata, moment

ledger_scopes = Table(
    f"{PREFIX}ledger_scopes",
    metadata,
    Column("scope", String(16), primary_key=True),
    Column("scope_id", String(200), primary_key=True),
    Column("period", String(8), primary_key=True),
    Column("starts", String(10), primary_key=True),
    ident("tenant", null=True),
    Column("spent_micro", BigInteger, nullable=False, server_default="0"),
    Column("spent_tokens", BigInteger, nullable=False, server_default="0"),
    Column("held_micro", BigInteger, nullable=False, server_default="0"),
    Column("held_tokens", BigInteger, nullable=False, server_default="0"),
    Column("warned", Boolean, nullable=False, server_default=text("false")),
)
"""`starts` is the local date on which the period began, in the tenant's zone (global: UTC)."""

reservations = Table(
    f"{PREFIX}reservations",
    metadata,
    key(),
    ident("tenant"),
    ident("run_id", null=True, index=True),
    Column("scopes", String(1000), nullable=False),
    Column("micro", BigInteger, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("status", String(16), nullable=False),
    Column("settled_micro", BigInteger),
    Column("settled_tokens", BigInteger),
    Column("input_tokens", BigInteger),
    Column("output_tokens", BigInteger),
    Column("estimated", Boolean, nullable=False, server_default=text("false")),
    Column("provider", String(40), nullable=False, server_default=""),
    Column("model", String(120), nullable=False, server_default=""),
    Column("sent", Integer, nullable=False, server_default="0"),
    moment("created_at"),
    moment("expires_at"),
    moment("settled_at", null=True),
    Index("ix_deputize_reservations_open", "status", "expires_at"),
)
