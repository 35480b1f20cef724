"""API-3: every error that a caller may meet has a code and a status of its own."""

from collections.abc import Iterator

import pytest

from deputize.core import errors
from deputize.core.errors import ConfigurationError, DeputizeError, problem

API_3 = {
    "UNAUTHENTICATED": 401,
    "FORBIDDEN": 403,
    "NOT_FOUND": 404,
    "TOO_LARGE": 413,
    "VALIDATION_ERROR": 422,
    "AI_UNAVAILABLE": 503,
    "AI_BUDGET_EXCEEDED": 429,
    "AI_RATE_LIMITED": 429,
    "AI_APPROVAL_PENDING": 409,
    "AI_APPROVAL_RESOLVED": 409,
    "AI_APPROVAL_STALE": 409,
    "AI_MESSAGE_DUPLICATE": 409,
    "AI_RUN_NOT_ACTIVE": 409,
    "AI_SESSION_FULL": 409,
    "AI_APPROVAL_EXPIRED": 410,
    "AI_INJECTION_BLOCKED": 400,
    "AI_CONFIRMATION_MISMATCH": 422,
    "AI_DISABLED": 403,
}


def tree(kind: type[DeputizeError]) -> Iterator[type[DeputizeError]]:
    """The class and all below it that the module itself declares."""
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from tree(child)


LEAVES = [kind for kind in tree(DeputizeError) if kind is not DeputizeError]


@pytest.mark.parametrize(("code", "status"), API_3.items())
def test_api_3_each_code_of_the_contract_has_its_status(code: str, status: int) -> None:
    assert {kind.status for kind in LEAVES if kind.code == code} == {status}


def test_api_3_no_other_code_reaches_a_caller_but_for_our_own_faults() -> None:
    assert {kind.code for kind in LEAVES} - set(API_3) == {"CONFIGURATION_ERROR", "INTERNAL_ERROR"}


@pytest.mark.parametrize("kind", [kind for kind in LEAVES if kind is not ConfigurationError])
def test_each_error_says_something_to_a_person_by_itself(kind: type[DeputizeError]) -> None:
    error = kind()
    assert str(error) == error.message == kind.default
    assert error.message.endswith(".")
    assert error.details == {}


def test_sse_2_the_body_holds_code_message_and_details() -> None:
    error = errors.MessageDuplicate("Seen.", run="r1")
    assert problem(error) == {"error": {"code": "AI_MESSAGE_DUPLICATE", "message": "Seen.", "details": {"run": "r1"}}}


def test_tool_2_a_configuration_error_names_every_fault_at_once() -> None:
    error = ConfigurationError(["no permission: a", "no target: b"])
    assert error.faults == ("no permission: a", "no target: b")
    assert str(error).split("\n")[1:] == ["  - no permission: a", "  - no target: b"]
