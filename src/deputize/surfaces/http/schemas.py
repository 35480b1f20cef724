"""Bodies that the routes take; unknown fields are refused."""

from typing import Any

from pydantic import Field

from deputize.surfaces.web.schemas import Body, ContextIn, TypedIn


class SessionIn(Body):
    surface: str = Field(min_length=1, max_length=80)
    context: ContextIn | None = None


class MessageIn(Body):
    content: str = Field(min_length=1, max_length=4000)
    context: ContextIn | None = None


class ConfirmationIn(Body):
    """The clinic's own form of a decision."""

    decision: str = Field(pattern="^(confirm|reject)$")
    digest: str | None = Field(default=None, max_length=64)
    reason: str | None = Field(default=None, max_length=500)
    typed: TypedIn | None = None


class EditIn(Body):
    digest: str = Field(max_length=64)
    arguments: dict[str, Any]


class Nothing(Body):
    """An empty body: the deed is in the path."""


class SettingsIn(Body):
    """Only the given fields change; null clears a limit."""

    provider: str | None = Field(default=None, max_length=40)
    model: str | None = Field(default=None, max_length=120)
    redaction_enabled: bool = True
    monthly_token_limit: int | None = Field(default=None, ge=0)
    monthly_cost_limit_cents: int | None = Field(default=None, ge=0)
