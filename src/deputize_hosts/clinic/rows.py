"""The root of the clinic's tables, with what tables of every host share."""

from sqlalchemy import MetaData
from sqlalchemy.orm import DeclarativeBase

from deputize_hosts.kit.rows import NAMING, TYPES, Keyed, Stamped, UtcDateTime, utc_now

__all__ = ["Base", "Keyed", "Stamped", "UtcDateTime", "utc_now"]


class Base(DeclarativeBase):
    """Root of the clinic's mapped classes."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = TYPES
