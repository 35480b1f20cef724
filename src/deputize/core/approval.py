"""Frozen arguments, the effect shown, its digest, its expiry and one decision (APPR-2, APPR-3)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from deputize.core.preview import Preview


class ApprovalStatus(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    STALE = "stale"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Approval:
    """One proposal put before one person; a re-staged call gets a new one and keeps the old as `stale`.

    `digest` is the lower-case hex SHA-256 of RFC 8785 JSON over {tool, tool schema, arguments, whole
    pre-images, effect, tenant, actor}. `arguments` are validated, restored, plain data. `versions` maps an
    entity kind to the target's version at staging.
    """

    id: str
    call_id: str
    status: ApprovalStatus
    digest: str
    arguments: Mapping[str, Any]
    preview: Preview
    versions: Mapping[str, str]
    by: str
    created_at: datetime
    expires_at: datetime
    decided_by: str | None = None
    decided_at: datetime | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Typed:
    """What the person typed on the card: the phrase, and destinations by field name (APPR-8)."""

    confirm: str | None = None
    destinations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """One person's word on one card."""

    approve: bool
    digest: str | None
    reason: str | None = None
    typed: Typed = field(default_factory=Typed)
    via: str = "http"
