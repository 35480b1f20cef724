"""Failures in our own words (PROV-3, PROV-5, BUD-2)."""

import httpx2
import pytest

from deputize.providers.endpoint import EndpointRefused, ResponseTooLarge
from deputize.providers.failures import in_stream, of_exception, of_status, retry_after
from deputize.providers.lines import Malformed


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Mon, 02 Mar 2026 09:00:30 GMT", "date": "Mon, 02 Mar 2026 09:00:00 GMT"}, 30.0),
        ({"retry-after": "Mon, 02 Mar 2026 08:00:00 GMT", "date": "Mon, 02 Mar 2026 09:00:00 GMT"}, 0.0),
        ({"retry-after": "Mon, 02 Mar 2026 09:00:30 GMT"}, None),
        ({"retry-after": "Mon, 02 Mar 2026 09:00:30 GMT", "date": "Mon, 02 Mar 2026 09:00:00"}, None),
    ],
)
def test_prov_5_the_wait_that_was_asked_for(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


@pytest.mark.parametrize(
    ("error", "transient", "sent"),
    [
        (EndpointRefused("x"), False, False),
        (httpx2.ConnectError("x"), True, False),
        (httpx2.ConnectTimeout("x"), True, False),
        (httpx2.PoolTimeout("x"), True, False),
        (httpx2.ReadTimeout("x"), True, True),
        (httpx2.WriteTimeout("x"), True, True),
        (httpx2.WriteError("x"), True, True),
        (httpx2.RemoteProtocolError("x"), True, True),
        (httpx2.StreamClosed(), True, True),
        (ResponseTooLarge("x"), False, True),
        (Malformed("x"), True, True),
        (OSError("x"), True, True),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_bud_2_what_was_sent_and_what_may_be_tried_again(
    error: Exception, transient: bool, sent: bool, wrapped: bool
) -> None:
    if wrapped:
        outer = RuntimeError("the SDK's own")
        outer.__cause__ = error
        error = outer
    failed = of_exception(error)
    assert failed is not None
    assert (failed.transient, failed.sent) == (transient, sent)


def test_our_own_defects_are_not_dressed_up_as_the_vendors() -> None:
    assert of_exception(KeyError("x")) is None


def test_a_loop_of_causes_ends() -> None:
    first, second = RuntimeError(), RuntimeError()
    first.__cause__, second.__cause__ = second, first
    assert of_exception(first) is None


@pytest.mark.parametrize("status", [*range(300, 600), 999])
def test_every_status_has_words_and_a_verdict(status: int) -> None:
    failed = of_status(status, {}, {"error": {"message": "canary", "code": "canary"}})
    assert failed.sent
    assert "canary" not in failed.reason
    assert failed.transient is (status in {408, 409, 425, 429} or status >= 500)


@pytest.mark.parametrize(
    ("body", "transient"),
    [
        ({"type": "overloaded_error"}, True),
        ({"error": {"type": "server_error"}}, True),
        ({"code": 502, "message": "canary"}, True),
        ({"code": 429}, True),
        ({"code": 400}, False),
        ({"code": True}, False),
        ({"code": "context_length_exceeded", "type": "server_error"}, False),
        ("canary", False),
        ({}, False),
        (["canary"], False),
    ],
)
def test_errors_inside_the_stream(body: object, transient: bool) -> None:
    failed = in_stream(body)
    assert failed.transient is transient
    assert failed.sent
    assert "canary" not in failed.reason
