"""What a write *would* change, as the approver sees it (APPR-1); plain data, frozen with the approval."""

from dataclasses import dataclass, field
from typing import Any, Literal

Op = Literal["insert", "update", "delete"]


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One column before and after, as plain JSON values; `shown_*` are the words for people.

    `marks` may hold: `assigned` (made on saving), `model_text` (written by the model), `link` (a link,
    address or account inside model-written text), `untrusted` (found verbatim in text that outsiders
    wrote), `unproven` (a destination that nobody trusted named), `personal`, `invisible` (characters made
    visible), `context` (not changed, shown so that the record can be recognised).
    """

    name: str
    caption: str
    before: Any = None
    after: Any = None
    shown_before: str | None = None
    shown_after: str | None = None
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One row; `id` is None for a row whose key is assigned on saving, `label` its human name."""

    op: Op
    table: str
    kind: str
    caption: str
    id: str | None
    label: str | None
    fields: tuple[FieldChange, ...]
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Outgoing:
    """An effect that would be queued: the channel and its shown fields."""

    channel: str
    caption: str
    fields: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True)
class Friction:
    """What must be typed before a click counts (APPR-8): a phrase, and destinations by field name."""

    confirm: str | None = None
    destinations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Preview:
    """The card: title and wording are the server's; nothing in it is built from the model's words."""

    tool: str
    title: str
    effect: str
    changes: tuple[Change, ...] = ()
    outgoing: tuple[Outgoing, ...] = ()
    friction: Friction = field(default_factory=Friction)
    rows: int = 0
    """Rows changed in all, those that are declared hidden included."""
    hidden: tuple[str, ...] = ()
    """Reasons, for people, why some changed rows are not shown."""
