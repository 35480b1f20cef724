"""What a statement written by hand may be while a handler is watched: a read, a counted write, or refused."""

import re
from typing import Literal

from deputize.core.effect import Escape, UnseenChanges

_QUIET = re.compile(
    r"""--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$""",
    re.DOTALL,
)
_WORDS = re.compile(r"[a-z_][a-z0-9_$]*", re.IGNORECASE)
_READS = frozenset({"select", "values", "show", "table", "explain", "set", "lock"})
_WRITES = frozenset({"insert", "update", "delete", "merge", "replace", "call", "do", "execute"})
_OUTSIDE = frozenset({"notify", "pg_notify", "dblink", "dblink_exec", "lo_export"})

Kind = Literal["read", "write"]


def words(sql: str) -> list[str]:
    """The words of a statement in lower case, without comments and strings."""
    return [word.lower() for word in _WORDS.findall(_QUIET.sub(" ", sql))]


def kind_of(sql: str) -> Kind:
    """Whether the statement can change rows.

    Raises UnseenChanges for what changes anything else (tables, transactions, settings of the connection)
    and Escape for what leaves the database.
    """
    bare = _QUIET.sub(" ", sql).strip().strip(";").strip()
    if ";" in bare:
        raise UnseenChanges("A statement of the tool holds several statements.")
    said = [word.lower() for word in _WORDS.findall(bare)]
    if not said:
        return "read"
    if _OUTSIDE.intersection(said):
        raise Escape("The tool reached for another session of the database.")
    first = said[0]
    if first in _WRITES or (first in {"with", "explain"} and _WRITES.intersection(said)):
        return "write"
    if first == "select" and "into" in said and "insert" not in said:
        raise UnseenChanges("The tool makes a table.")
    if first in _READS or first == "with":
        return "read"
    if first == "pragma" and "=" not in bare:
        return "read"
    raise UnseenChanges("The tool runs a statement whose changes cannot be shown.")
