"""Whether an error says that the database cannot be had now: gone, not yet up, locked, or every connection taken."""

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

_CLOSED = ("08", "53", "57P")
"""Classes of PostgreSQL's codes: connection, resources, operator (shut down, starting)."""
_SQLITE = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_FULL", "SQLITE_READONLY")


def is_outage(error: BaseException) -> bool:
    """True where waiting may help; False for a statement that is wrong, and for whatever is no database's error."""
    if isinstance(error, PoolTimeout | ConnectionError):
        return True
    code = str(getattr(error, "sqlstate", None) or "")
    if not isinstance(error, DBAPIError):
        return code.startswith(_CLOSED)
    if error.connection_invalidated or isinstance(error, InterfaceError):
        return True
    code = str(getattr(error.orig, "sqlstate", None) or "")
    name = str(getattr(error.orig, "sqlite_errorname", None) or "")
    return code.startswith(_CLOSED) or (isinstance(error, OperationalError) and name.startswith(_SQLITE))
