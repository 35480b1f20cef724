"""Alembic's entry: runs our revisions on the connection that `store.migrate` hands over."""

from alembic import context

from deputize.store.migrations.names import VERSION_TABLE
from deputize.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
