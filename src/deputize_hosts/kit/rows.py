"""What tables of every host share: names of constraints, aware UTC times, ids and stamps."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import DateTime, Dialect, Uuid
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}
"""How constraints and indexes are called, so that migrations can name them."""


class UtcDateTime(TypeDecorator[datetime]):
    """A moment: aware on the way in and out, UTC at rest, on SQLite too. Naive values are refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn into UTC. Raises ValueError for a naive time."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time needs its offset")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """SQLite gives the time back without its zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def utc_now() -> datetime:
    """The moment a row is saved."""
    return datetime.now(UTC)


TYPES: dict[Any, Any] = {datetime: UtcDateTime, UUID: Uuid()}
"""Column types by annotation, for a host's own base class."""


class Keyed:
    """Adds the primary key."""

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4, sort_order=-1)


class Stamped:
    """Adds when the row was made and last changed."""

    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    updated_at: Mapped[datetime] = mapped_column(default=utc_now, onupdate=utc_now)
