"""Tables of tenant settings and kill switches."""

from sqlalchemy import BigInteger, Boolean, Column, Integer, String, Table, text

from deputize.store.tables.base import PREFIX, ident, metadata, moment

tenant_settings = Table(
    f"{PREFIX}tenant_settings",
    metadata,
    Column("tenant", String(200), primary_key=True),
    Column("provider", String(40)),
    Column("model", String(120)),
    Column("redaction", Boolean, nullable=False, server_default=text("true")),
    Column("monthly_token_limit", BigInteger),
    Column("monthly_cost_limit_cents", BigInteger),
    Column("version", Integer, nullable=False, server_default="1"),
    ident("updated_by", null=True),
    moment("updated_at"),
)

switches = Table(
    f"{PREFIX}switches",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("enabled", Boolean, nullable=False),
    Column("generation", Integer, nullable=False, server_default="1"),
    ident("updated_by", null=True),
    moment("updated_at"),
)
"""`*` is the global switch; any other name is one automation's."""
