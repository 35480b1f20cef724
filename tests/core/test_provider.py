"""PROV-5, BUD-2: what a failed call says about itself."""

import pytest

from deputize.core.provider import ProviderFailed


def test_bud_2_a_failure_counts_as_sent_unless_it_says_otherwise() -> None:
    failure = ProviderFailed("HTTP 503", transient=True)
    assert (failure.reason, str(failure), failure.transient, failure.sent) == ("HTTP 503", "HTTP 503", True, True)
    assert failure.retry_after is None


@pytest.mark.parametrize("sent", [True, False])
def test_prov_5_a_failure_says_whether_and_when_to_try_again(sent: bool) -> None:
    failure = ProviderFailed("rate limit", transient=True, sent=sent, retry_after=1.5)
    assert (failure.sent, failure.retry_after) == (sent, 1.5)
