"""Tables of conversations, runs, messages, events, and the ids that a conversation has seen."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Index, Integer, String, Table, Text, UniqueConstraint, text

from deputize.store.tables.base import PREFIX, ident, key, metadata, moment

conversations = Table(
    f"{PREFIX}conversations",
    metadata,
    key(),
    ident("tenant"),
    ident("actor_id"),
    Column("surface", String(80), nullable=False),
    Column("status", String(16), nullable=False),
    Column("title", String(200), nullable=False, server_default=""),
    Column("context", JSON, nullable=False),
    Column("messages", Integer, nullable=False, server_default="0"),
    Column("input_tokens", BigInteger, nullable=False, server_default="0"),
    Column("output_tokens", BigInteger, nullable=False, server_default="0"),
    Column("cost_micro", BigInteger, nullable=False, server_default="0"),
    moment("created_at"),
    moment("updated_at"),
    Index(
        "uq_deputize_conversations_active",
        "tenant",
        "actor_id",
        "surface",
        unique=True,
        sqlite_where=text("status = 'active'"),
        postgresql_where=text("status = 'active'"),
    ),
    Index("ix_deputize_conversations_actor", "tenant", "actor_id", "updated_at"),
)

runs = Table(
    f"{PREFIX}runs",
    metadata,
    key(),
    ident("tenant"),
    ident("conversation_id", null=True),
    ident("actor_id"),
    Column("surface", String(80), nullable=False),
    Column("mode", String(16), nullable=False, server_default="copilot"),
    Column("agent", String(80)),
    ident("subject", null=True),
    Column("status", String(24), nullable=False),
    Column("error_code", String(64)),
    Column("provider", String(40), nullable=False, server_default=""),
    Column("model", String(120), nullable=False, server_default=""),
    ident("retry_of", null=True),
    Column("idempotency_key", String(200)),
    Column("cancel_requested", Boolean, nullable=False, server_default=text("false")),
    ident("lease_owner", null=True),
    moment("lease_until", null=True),
    Column("epoch", Integer, nullable=False, server_default="0"),
    moment("attached_until", null=True),
    Column("address", String(64)),
    Column("last_event", Integer, nullable=False, server_default="0"),
    Column("context", JSON, nullable=False),
    Column("input_tokens", BigInteger, nullable=False, server_default="0"),
    Column("output_tokens", BigInteger, nullable=False, server_default="0"),
    Column("cost_micro", BigInteger, nullable=False, server_default="0"),
    moment("created_at"),
    moment("finished_at", null=True),
    moment("purged_at", null=True),
    UniqueConstraint("tenant", "actor_id", "conversation_id", "idempotency_key"),
    Index("ix_deputize_runs_conversation", "conversation_id", "created_at"),
    Index("ix_deputize_runs_actor", "tenant", "actor_id", "status"),
    Index("ix_deputize_runs_lease", "status", "lease_until"),
    Index("ix_deputize_runs_address", "address", "created_at"),
    Index("ix_deputize_runs_finished", "tenant", "finished_at"),
)
"""`address` is a keyed hash of where a message came from, for the rate of starts; it goes within a day (BUD-7).

`purged_at` is when the run's contents went (AUD-5).
"""

messages = Table(
    f"{PREFIX}messages",
    metadata,
    key(),
    ident("tenant"),
    ident("conversation_id", null=True),
    ident("run_id"),
    Column("step", Integer, nullable=False),
    Column("role", String(16), nullable=False),
    Column("clear", Text, nullable=False),
    Column("sent", Text, nullable=False),
    Column("notice", String(24)),
    Column("reasoned", Boolean, nullable=False, server_default=text("false")),
    Column("reason", String(16)),
    Column("extra", JSON),
    Column("input_tokens", BigInteger, nullable=False, server_default="0"),
    Column("output_tokens", BigInteger, nullable=False, server_default="0"),
    Column("cost_micro", BigInteger, nullable=False, server_default="0"),
    Column("estimated", Boolean, nullable=False, server_default=text("false")),
    ident("reservation_id", null=True),
    moment("created_at", index=True),
    UniqueConstraint("run_id", "step"),
    Index("ix_deputize_messages_conversation", "conversation_id", "created_at"),
)

run_events = Table(
    f"{PREFIX}run_events",
    metadata,
    Column("run_id", String(36), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    ident("tenant"),
    Column("type", String(40), nullable=False),
    Column("data", Text, nullable=False),
    moment("created_at", index=True),
)

sightings = Table(
    f"{PREFIX}sightings",
    metadata,
    Column("conversation_id", String(36), primary_key=True),
    Column("run_id", String(36), primary_key=True),
    Column("what", String(80), primary_key=True),
    Column("value", String(400), primary_key=True),
    ident("tenant"),
    Column("version", String(80)),
    Column("trusted", Boolean, nullable=False, server_default=text("false")),
)
"""Ids that a result returned or the screen seeded (`what` is the entity kind), and destinations (`@email`)."""
