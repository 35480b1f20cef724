"""Tables of tenant settings, kill switches, and the policies of automations with their history."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Integer, String, Table, UniqueConstraint, text

from deputize.store.tables.base import PREFIX, ident, key, metadata, moment
from deputize.store.tables.history_guards import append_only

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
    Column("tenant", String(200), primary_key=True),
    Column("name", String(80), primary_key=True),
    Column("enabled", Boolean, nullable=False),
    Column("generation", Integer, nullable=False, server_default="1"),
    ident("updated_by", null=True),
    moment("updated_at"),
)
"""Tenant `*` is the whole deployment; name `*` is everything, any other name one automation."""

agents = Table(
    f"{PREFIX}agents",
    metadata,
    Column("tenant", String(200), primary_key=True),
    Column("name", String(80), primary_key=True),
    Column("enabled", Boolean, nullable=False),
    Column("mode", String(16), nullable=False),
    Column("allowed", JSON, nullable=False),
    Column("daily_cap", Integer),
    Column("threshold", String(80)),
    Column("working_hours", String(80), nullable=False),
    Column("time_zone", String(64), nullable=False),
    Column("concurrency", Integer, nullable=False),
    Column("version", Integer, nullable=False, server_default="1"),
    ident("updated_by", null=True),
    moment("updated_at"),
)
"""One policy for each automation of a tenant (AUTO-3)."""

agent_changes = Table(
    f"{PREFIX}agent_changes",
    metadata,
    key(),
    ident("tenant"),
    Column("name", String(80), nullable=False),
    Column("version", Integer, nullable=False),
    ident("changed_by"),
    Column("before", JSON),
    Column("after", JSON, nullable=False),
    moment("changed_at"),
    UniqueConstraint("tenant", "name", "version"),
)
"""Every version that a policy ever had; the database refuses to change or delete one."""

append_only(agent_changes)
