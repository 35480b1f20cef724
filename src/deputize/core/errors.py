"""The tree of errors: each leaf has a code and an HTTP status.

Source: contract API-3. Messages and details never hold prompt content or personal values.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar


class DeputizeError(Exception):
    """Root of every error that a caller may meet; `code` and `status` are fixed for each leaf."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    status: ClassVar[int] = 500
    default: ClassVar[str] = "Something went wrong on our side."

    def __init__(self, message: str = "", /, **details: Any) -> None:
        self.message = message or self.default
        self.details: dict[str, Any] = details
        super().__init__(self.message)


class Unauthenticated(DeputizeError):
    code, status, default = "UNAUTHENTICATED", 401, "Sign in to use the copilot."


class Forbidden(DeputizeError):
    code, status, default = "FORBIDDEN", 403, "You may not do this."


class Disabled(DeputizeError):
    code, status, default = "AI_DISABLED", 403, "The copilot is switched off."


class NotFound(DeputizeError):
    code, status, default = "NOT_FOUND", 404, "There is no such thing, or it is not yours."


class TooLarge(DeputizeError):
    code, status, default = "TOO_LARGE", 413, "The request is too large."


class Invalid(DeputizeError):
    code, status, default = "VALIDATION_ERROR", 422, "The request is not valid."


class ConfirmationMismatch(DeputizeError):
    code, status = "AI_CONFIRMATION_MISMATCH", 422
    default = "What was typed is not what the card asks for; the approval stays open."


class Unavailable(DeputizeError):
    code, status, default = "AI_UNAVAILABLE", 503, "The model cannot be reached; try again later."


class BudgetExceeded(DeputizeError):
    code, status, default = "AI_BUDGET_EXCEEDED", 429, "The budget for this period is used up."


class RateLimited(DeputizeError):
    code, status, default = "AI_RATE_LIMITED", 429, "Too many messages; wait a moment."


class ApprovalPending(DeputizeError):
    code, status = "AI_APPROVAL_PENDING", 409
    default = "A change is waiting for your decision; decide it or withdraw it first."


class ApprovalResolved(DeputizeError):
    code, status, default = "AI_APPROVAL_RESOLVED", 409, "This change has already been decided."


class ApprovalStale(DeputizeError):
    code, status = "AI_APPROVAL_STALE", 409
    default = "What you saw is no longer what would happen; look at the new card."


class MessageDuplicate(DeputizeError):
    code, status, default = "AI_MESSAGE_DUPLICATE", 409, "This message has already been received."


class RunNotActive(DeputizeError):
    code, status, default = "AI_RUN_NOT_ACTIVE", 409, "This run has already ended."


class SessionFull(DeputizeError):
    code, status, default = "AI_SESSION_FULL", 409, "This conversation is full; start a new one."


class ApprovalExpired(DeputizeError):
    code, status, default = "AI_APPROVAL_EXPIRED", 410, "The time to decide is over; ask again."


class InjectionBlocked(DeputizeError):
    code, status, default = "AI_INJECTION_BLOCKED", 400, "The call names something that was never shown."


class ConfigurationError(DeputizeError):
    """Start-up refused; `faults` names every fault at once (TOOL-2, OPS-2)."""

    code, status, default = "CONFIGURATION_ERROR", 500, "The configuration is not valid."

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(("The configuration is not valid:", *(f"  - {f}" for f in self.faults))))


class IllegalMove(DeputizeError):
    """A run was asked for a move that its table of states does not hold (RUN-6)."""


class Cancelled(DeputizeError):
    """The run was told to stop; nothing more of it is dispatched (RUN-9)."""

    code, status, default = "AI_RUN_NOT_ACTIVE", 409, "This run was stopped."


class DetectionFailed(DeputizeError):
    """A detector raised or timed out, so the text may not be sent (RED-6)."""

    code, status, default = "AI_UNAVAILABLE", 503, "The text could not be checked for personal data and was not sent."


class UnknownToken(DeputizeError):
    """Token-shaped text that this conversation's vault never issued (RED-7)."""

    code, status, default = "VALIDATION_ERROR", 422, "A placeholder that was never issued was used as a value."


def problem(error: DeputizeError) -> Mapping[str, Any]:
    """The JSON body of an error: `{error: {code, message, details}}` (SSE-2)."""
    return {"error": {"code": error.code, "message": error.message, "details": error.details}}
