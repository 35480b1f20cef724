"""Table of the outbox: effects that leave the house and events for automations, until each is done."""

from sqlalchemy import JSON, BigInteger, Column, Index, Integer, String, Table, Text, UniqueConstraint

from deputize.store.tables.base import PREFIX, ident, key, metadata, moment

outbox = Table(
    f"{PREFIX}outbox",
    metadata,
    key(),
    ident("tenant"),
    Column("kind", String(8), nullable=False),
    Column("type", String(120), nullable=False),
    ident("subject", null=True),
    Column("key", String(400), nullable=False),
    Column("payload", JSON),
    Column("status", String(12), nullable=False, server_default="pending"),
    Column("attempts", Integer, nullable=False, server_default="0"),
    moment("not_before"),
    ident("lease_owner", null=True),
    moment("lease_until", null=True),
    Column("epoch", BigInteger, nullable=False, server_default="0"),
    Column("error", Text),
    Column("receipt", Text),
    ident("run_id", null=True),
    ident("call_id", null=True),
    ident("actor_id", null=True),
    moment("created_at"),
    moment("done_at", null=True),
    UniqueConstraint("tenant", "kind", "type", "key"),
    Index("ix_deputize_outbox_due", "status", "kind", "not_before"),
    Index("ix_deputize_outbox_tenant", "tenant", "status", "created_at"),
)
"""`kind` is `effect` (`type` is the channel) or `event` (`type` is the event's); `status` is pending, running,
done, failed or unknown. An event's key is its subject. A delivered effect's payload is erased in time (AUD-5)."""
