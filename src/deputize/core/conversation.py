"""A chat of one actor on one surface (`sessions` on the wire), and the screen it is about."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class ConversationStatus(StrEnum):
    ACTIVE = "active"
    ARCHIVED = "archived"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class EntityRef:
    """A record that the page shows, as the page names it; nothing else from the page is believed."""

    kind: str
    id: str


@dataclass(frozen=True, slots=True)
class Screen:
    """The page's context as sent by the page (RUN-13): its name and the records on it."""

    screen: str = ""
    entities: tuple[EntityRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """`context` is the screen as loaded on the server: {screen, entities: [{kind, id, label}]}."""

    id: str
    tenant: str
    actor_id: str
    surface: str
    status: ConversationStatus
    title: str
    created_at: datetime
    updated_at: datetime
    context: Mapping[str, Any] = field(default_factory=dict)
    messages: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micro: int = 0
