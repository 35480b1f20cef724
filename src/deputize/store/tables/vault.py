"""Tables of the vaults: one secret and the sealed values of each conversation."""

from sqlalchemy import Boolean, Column, Index, LargeBinary, String, Table, text

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
    Column("lookup", String(64), primary_key=True),
    ident("tenant"),
    Column("token", String(60), nullable=False),
    Column("alias", Boolean, nullable=False, server_default=text("false")),
    Column("sealed", LargeBinary, nullable=False),
    Index(
        "uq_deputize_vault_entries_token",
        "conversation_id",
        "token",
        unique=True,
        sqlite_where=text("NOT alias"),
        postgresql_where=text("NOT alias"),
    ),
)
"""`lookup` is a keyed hash of the canonical value, so that two processes agree on one token for it."""
