"""The clock that adopters' tests use."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from deputize.core.clock import Clock
from deputize.testing.clock import FrozenClock


def test_it_stands_still_until_it_is_moved(clock: FrozenClock) -> None:
    known: Clock = clock
    before = known.now()
    assert known.now() == before
    assert clock.advance(90) == known.now() == before + timedelta(seconds=90)


def test_it_speaks_utc_and_refuses_a_naive_start() -> None:
    madrid = timezone(timedelta(hours=1))
    assert FrozenClock(datetime(2026, 1, 1, 1, tzinfo=madrid)).now() == datetime(2026, 1, 1, tzinfo=UTC)
    with pytest.raises(ValueError, match="aware"):
        FrozenClock(datetime(2026, 1, 1))


def test_it_does_not_run_backwards(clock: FrozenClock) -> None:
    with pytest.raises(ValueError, match="backwards"):
        clock.advance(-1)
