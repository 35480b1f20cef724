"""How a kind of row is named, hidden, trusted and versioned; declared once by the host."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Words = Callable[[Any, Mapping[str, Any], str], str]
"""`(plain value, row image, language) -> text` for people."""


@dataclass(frozen=True, slots=True)
class Entity:
    """One kind of record of the host.

    `model` is the mapped class, `tenant` its tenant column, `read` the permission to see one, `url` the
    host's page with `{id}`, `version` the optimistic version column, `changed` the column by which the
    directory learns of changes. `personal` maps columns to kinds of personal values, `trusted` names
    columns that no outsider can write, `volatile` columns that differ at every saving. `captions` and
    `title` are the words people see, by language; a caption under `column=value` words that value.
    `context` names columns that the card of an update or a deletion always shows, changed or not, so that
    the approver sees whose record it is. `words` maps a column to `(value, row, language) -> text` where
    its plain value is not what people read (`row` is the image by column: an amount beside its currency).
    """

    kind: str
    model: type[Any]
    tenant: str
    label: Callable[[Any], str]
    read: str
    url: str | None = None
    version: str | None = None
    changed: str | None = None
    personal: Mapping[str, str] = field(default_factory=dict)
    trusted: frozenset[str] = frozenset()
    volatile: frozenset[str] = frozenset()
    captions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    title: Mapping[str, str] = field(default_factory=dict)
    context: tuple[str, ...] = ()
    words: Mapping[str, Words] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "trusted", frozenset(self.trusted))
        object.__setattr__(self, "volatile", frozenset(self.volatile))
        object.__setattr__(self, "context", tuple(self.context))

    def caption(self, column: str, language: str) -> str:
        """What people call the column; its name with spaces where nothing is declared."""
        words = self.captions.get(column, {})
        return words.get(language) or words.get("en") or column.replace("_", " ")

    def named(self, language: str) -> str:
        """What people call such a record."""
        return self.title.get(language) or self.title.get("en") or self.kind.replace("_", " ")
