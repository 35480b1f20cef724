"""The clock, and ids that sort by the time at which they were made."""

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from deputize.core.clock import SystemClock, iso, new_id

MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))


def test_the_machines_clock_tells_an_aware_time_in_utc() -> None:
    before = datetime.now(UTC)
    now = SystemClock().now()
    assert now.utcoffset() == timedelta(0)
    assert before <= now <= datetime.now(UTC)


@given(MOMENTS)
def test_an_id_is_a_uuid_of_version_7_that_holds_its_millisecond(now: datetime) -> None:
    made = UUID(new_id(now))
    assert (made.version, made.variant) == (7, "specified in RFC 4122")
    assert made.int >> 80 == int(now.timestamp() * 1000)


@given(MOMENTS, st.integers(min_value=1, max_value=10**10))
def test_later_ids_sort_later_as_text(now: datetime, millis: int) -> None:
    assert new_id(now) < new_id(now + timedelta(milliseconds=millis))


def test_ids_of_one_moment_differ() -> None:
    now = datetime(2026, 3, 2, tzinfo=UTC)
    assert len({new_id(now) for _ in range(1000)}) == 1000


def test_times_are_written_in_utc_with_microseconds_whatever_their_zone() -> None:
    madrid = timezone(timedelta(hours=2))
    assert iso(datetime(2026, 7, 1, 12, 0, 0, 5, tzinfo=madrid)) == "2026-07-01T10:00:00.000005Z"


@given(MOMENTS)
def test_a_written_time_reads_back_exactly(now: datetime) -> None:
    assert datetime.fromisoformat(iso(now)) == now
