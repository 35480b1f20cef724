"""The root of the case desk's tables, with what tables of every host share."""

from sqlalchemy import MetaData
from sqlalchemy.orm import DeclarativeBase

from deputize_hosts.kit.rows import NAMING, TYPES, Keyed, Stamped, UtcDateTime, utc_now

__all__ = ["Base", "Keyed", "Stamped", "UtcDateTime", "utc_now"]


class Base(DeclarativeBase):
    """Root of the case desk's mapped classes."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = TYPES
