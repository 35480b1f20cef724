"""Alembic's entry: works on the connection that the caller opened, with a version table of the case desk's own."""

from alembic import context

from deputize_hosts.casedesk.migrations.upgrade import VERSION_TABLE
from deputize_hosts.casedesk.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,
    include_name=context.config.attributes.get("include_name"),
)
with context.begin_transaction():
    context.run_migrations()
