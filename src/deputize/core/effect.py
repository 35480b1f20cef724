"""What a handler did to the database and wants to send, found by watching it once (APPR-1)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from deputize.core.chain import Draft
from deputize.core.errors import DeputizeError
from deputize.core.preview import Change, Op
from deputize.core.tool import Refuse


@dataclass(frozen=True, slots=True)
class RowImage:
    """One row before and after, whole, as plain JSON values by column; None where the row does not exist.

    `assigned` names the columns that the write itself generates, `references` maps foreign key columns to
    the table that they point to.
    """

    op: Op
    table: str
    key: Mapping[str, Any]
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    assigned: frozenset[str] = frozenset()
    references: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The key as text; the parts of a composite one are joined by a colon."""
        return ":".join(str(value) for value in self.key.values())

    @property
    def new_key(self) -> bool:
        """The row's key is assigned on saving."""
        return self.before is None and any(name in self.assigned for name in self.key)


@dataclass(frozen=True, slots=True)
class Queued:
    """An effect that leaves the house after the commit; `key` makes it unique by tenant and channel."""

    channel: str
    payload: Mapping[str, Any]
    key: str


@dataclass(frozen=True, slots=True)
class Enqueued:
    """An event for an automation, unique by type and subject."""

    type: str
    subject: str


Hook = Callable[[], Any]
"""Something in this process that waits for the real commit."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One run of a handler: its result as plain data, what it changed, and what it left to be done.

    `rows` are the changed rows in the order in which they were first touched, those of hidden tables
    included. `own` are the changes told by the tool's own preview. `pre_images` and `effect` are the plain
    data for `digest_of`, with placeholders. `labels` maps (entity kind, id) to a human name.
    """

    result: Any
    rows: tuple[RowImage, ...] = ()
    outgoing: tuple[Queued, ...] = ()
    events: tuple[Enqueued, ...] = ()
    notes: tuple[Draft, ...] = ()
    hooks: tuple[Hook, ...] = ()
    own: tuple[Change, ...] = ()
    pre_images: Any = ()
    effect: Any = None
    labels: Mapping[tuple[str, str], str] = field(default_factory=dict)


class Refused(DeputizeError):
    """The host said no (a mapped domain error); `refuse` holds its code, words and legal alternatives."""

    status = 409

    def __init__(self, refuse: Refuse) -> None:
        self.refuse = refuse
        super().__init__(refuse.message)


class HandlerFailed(DeputizeError):
    """The handler raised something unmapped, or did what no handler may; the call is `failed`.

    `reason` is a fixed word for the record. The message never holds values; the cause is chained.
    """

    reason: ClassVar[str] = "handler_failed"
    default = "The tool failed."


class UnseenChanges(HandlerFailed):
    """The database counted changes that the preview cannot show; `tables` says where, as far as known."""

    reason = "unseen_changes"
    default = "The tool changes more than can be shown."

    def __init__(self, message: str = "", /, *, tables: tuple[str, ...] = ()) -> None:
        self.tables = tables
        super().__init__(message, tables=list(tables))


class Escape(HandlerFailed):
    """The handler reached outside its transaction: a connection, a socket, a file, a task, a thread."""

    reason = "escape"
    default = "The tool reached outside its transaction."
