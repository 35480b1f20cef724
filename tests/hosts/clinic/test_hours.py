"""How a day's hours resolve, and what is left free: the pure part, with properties."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deputize_hosts.clinic.errors import InvalidValue
from deputize_hosts.clinic.schedules.hour_text import ranges_read, ranges_text
from deputize_hosts.clinic.schedules.hours import Closing, Gap, Plan, Range, intersect, merge, resolve, subtract

MONDAY = date(2026, 3, 2)
CLINIC = Plan({0: ((540, 840), (960, 1200))})

ranges = st.lists(st.tuples(st.integers(0, 48), st.integers(0, 48)), max_size=6)


def minutes(pieces: list[Range] | tuple[Range, ...]) -> set[int]:
    """The points that ranges cover; the plain model that the functions are held against."""
    return {minute for start, end in pieces for minute in range(start, end)}


@given(ranges)
def test_merge_covers_the_same_and_is_sorted_without_touching(some: list[Range]) -> None:
    merged = merge(some)
    assert minutes(merged) == minutes(some)
    assert all(before[1] < after[0] for before, after in pairwise(merged))


@given(ranges, ranges)
def test_intersect_and_subtract_are_those_of_sets(one: list[Range], two: list[Range]) -> None:
    assert minutes(intersect(one, two)) == minutes(one) & minutes(two)
    assert minutes(subtract(one, two)) == minutes(one) - minutes(two)


def test_the_clinics_week() -> None:
    assert resolve(MONDAY, CLINIC).ranges == ((540, 840), (960, 1200))
    assert resolve(MONDAY + timedelta(days=1), CLINIC).ranges == ()


def test_a_clinic_exception_stands_over_its_week() -> None:
    clinic = Plan(CLINIC.weekly, (Closing(MONDAY, MONDAY, ((600, 720),), "Formación"),))
    day = resolve(MONDAY, clinic)
    assert (day.ranges, day.source, day.reason) == (((600, 720),), "override", "Formación")


def test_a_professional_without_a_week_has_the_clinics() -> None:
    assert resolve(MONDAY, CLINIC, Plan()).ranges == CLINIC.weekly[0]


def test_a_professional_with_a_week_is_off_on_the_days_it_lacks() -> None:
    assert resolve(MONDAY, CLINIC, Plan({1: ((540, 840),)})).ranges == ()


def test_a_professionals_hours_lie_within_the_clinics() -> None:
    assert resolve(MONDAY, CLINIC, Plan({0: ((480, 1020),)})).ranges == ((540, 840), (960, 1020))


def test_a_professionals_exception_stands_over_their_week_but_not_over_the_clinics() -> None:
    away = Plan({0: ((540, 840),)}, (Closing(MONDAY, MONDAY, (), "Congreso"),))
    assert resolve(MONDAY, CLINIC, away).ranges == ()
    assert resolve(MONDAY, CLINIC, away).reason == "Congreso"
    extra = Plan({0: ((540, 840),)}, (Closing(MONDAY, MONDAY, ((900, 1100),)),))
    assert resolve(MONDAY, CLINIC, extra).ranges == ((960, 1100),)
    closed = Plan(CLINIC.weekly, (Closing(MONDAY, MONDAY + timedelta(days=3), (), "Fiesta"),))
    assert resolve(MONDAY, closed, extra).ranges == ()


@given(st.integers(0, 40), st.integers(1, 40), st.integers(-20, 90), st.integers(1, 50))
def test_the_nearest_place_in_a_gap_fits_and_none_is_nearer(start: int, length: int, wanted: int, need: int) -> None:
    zero = datetime(2026, 3, 2, tzinfo=UTC)

    def at(minute: int) -> datetime:
        return zero + timedelta(minutes=minute)

    found = Gap(UUID(int=0), at(start), at(start + length)).nearest(at(wanted), need)
    fitting = [m for m in range(start, start + length - need + 1)]
    if not fitting:
        assert found is None
        return
    assert found is not None
    assert found[0] in {at(m) for m in fitting}
    assert found[1] - found[0] == timedelta(minutes=need)
    assert abs(found[0] - at(wanted)) == min(abs(at(m) - at(wanted)) for m in fitting)


class Someone:
    """Anybody with a language."""

    locale = "en"


@given(ranges)
def test_hours_read_back_as_they_were_written(some: list[Range]) -> None:
    hours = merge([(a * 30, b * 30) for a, b in some])
    assert tuple(ranges_read(Someone(), ranges_text(hours))) == hours


@pytest.mark.parametrize("text", ["9", "09:00", "9-14", "09:00-14:75", "nine to two"])
def test_unreadable_hours_are_refused(text: str) -> None:
    with pytest.raises(InvalidValue):
        ranges_read(Someone(), text)
