"""The registry of our tables, and the few column shapes that they share."""

from sqlalchemy import Column, MetaData, String

from deputize.store.dialect import Moment

PREFIX = "deputize_"
metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def key(name: str = "id") -> Column[str]:
    """A primary key made by us (UUIDv7 as text)."""
    return Column(name, String(36), primary_key=True)


def ident(name: str, *, null: bool = False, index: bool = False) -> Column[str]:
    """An id of ours or of the host, as text."""
    return Column(name, String(200), nullable=null, index=index)


def moment(name: str, *, null: bool = False, index: bool = False) -> Column[Moment]:
    """An aware UTC time."""
    return Column(name, Moment(), nullable=null, index=index)
