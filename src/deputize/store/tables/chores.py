"""Table of the marks by which processes share chores that are due once in a while."""

from sqlalchemy import Column, String, Table

from deputize.store.tables.base import PREFIX, ident, metadata, moment

chores = Table(
    f"{PREFIX}chores",
    metadata,
    Column("name", String(80), primary_key=True),
    moment("begun_at"),
    ident("by_process"),
)
"""One row for each chore: when it was last taken up, and by which process."""
