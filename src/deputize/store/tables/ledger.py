"""Tables of the ledger: what each scope has spent and holds in a period, and each reservation."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, Table, Text, text

from deputize.store.tables.base import PREFIX, ident, key, metadata, moment

ledger_scopes = Table(
    f"{PREFIX}ledger_scopes",
    metadata,
    Column("key", String(500), primary_key=True),
    ident("tenant"),
    Column("scope", String(16), nullable=False),
    Column("scope_id", String(200), nullable=False),
    Column("period", String(8), nullable=False),
    Column("starts", String(10), nullable=False),
    Column("spent_micro", BigInteger, nullable=False, server_default="0"),
    Column("spent_tokens", BigInteger, nullable=False, server_default="0"),
    Column("held_micro", BigInteger, nullable=False, server_default="0"),
    Column("held_tokens", BigInteger, nullable=False, server_default="0"),
    Column("warned", Boolean, nullable=False, server_default=text("false")),
    Index("ix_deputize_ledger_scopes_tenant", "tenant", "starts"),
)
"""`starts` is the local date on which the period began, in the tenant's zone (global: UTC).

`key` is made of the four columns after it, and gives the order in which rows are locked. The tenant of
global rows is empty.
"""

reservations = Table(
    f"{PREFIX}reservations",
    metadata,
    key(),
    ident("tenant"),
    ident("run_id", null=True, index=True),
    Column("scopes", Text, nullable=False),
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
    Index("ix_deputize_reservations_days", "tenant", "created_at"),
)
"""`status` is open, settled, released or expired; `scopes` the JSON list of [scope, id, period, starts]."""
