"""Tables of the vaults: one secret and the sealed values of each conversation."""

from sqlalchemy import Column, LargeBinary, String, Table, UniqueConstraint

from deputize.store.tables.base import PREFIX, ident, key, metadata, moment

vaults = Table(
    f"{PREFIX}vaults",
    metadata,
    key("conversation_id"),
    ident("tenant"),
    Column("secret", LargeBinary, nullable=False),
    moment("created_at"),
)

vault_entries = Table(
    f"{PREFIX}vault_entries",
    metadata,
    Column("conversation_id", String(36), primary_key=True),
    Column("token", String(60), primary_key=True),
    ident("tenant"),
    Column("lookup", String(64), nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    UniqueConstraint("conversation_id", "lookup"),
)
"""`lookup` is a keyed hash of kind and canonical value, so that two processes agree on one token."""
