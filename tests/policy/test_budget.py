"""Scopes, periods and the worst case, without a database (BUD-1, BUD-2, BUD-5)."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deputize.core.budget import Cap, Period, ScopeHold, ScopeState, fits, warn_from
from deputize.core.errors import Invalid
from deputize.core.usage import Price, Usage
from deputize.policy.budget import bounds, caps, holds, near, worst_case
from deputize.policy.limits import Limits

NOW = datetime(2026, 3, 31, 22, 30, tzinfo=UTC)
ZONES = st.sampled_from(
    ["UTC", "Europe/Madrid", "Asia/Kolkata", "America/Havana", "Pacific/Apia", "Australia/Lord_Howe", "Africa/Cairo"]
)


def test_a_persons_call_and_an_automations() -> None:
    """BUD-1: user or agent, then tenant, then everything, by day and by month."""
    person = holds(tenant="t", time_zone="Europe/Madrid", now=NOW, caps=caps(Limits()), user="u")
    assert [(h.scope, h.scope_id, h.period, h.starts, h.cap_micro) for h in person] == [
        ("user", "u", "day", "2026-04-01", 1_000_000),
        ("user", "u", "month", "2026-04-01", None),
        ("tenant", "t", "day", "2026-04-01", None),
        ("tenant", "t", "month", "2026-04-01", None),
        ("global", "*", "day", "2026-03-31", 5_000_000),
        ("global", "*", "month", "2026-03-01", None),
    ]
    agent = holds(tenant="t", time_zone="UTC", now=NOW, caps=caps(Limits()), agent="triage")
    assert [(h.scope, h.scope_id) for h in agent[:2]] == [("agent", "triage")] * 2


def test_settings_of_the_tenant_are_its_monthly_caps() -> None:
    """BUD-5: cents become micro-dollars; None clears, 0 is nothing at all."""
    assert caps(Limits(), monthly_token_limit=7, monthly_cost_limit_cents=25)["tenant", "month"] == Cap(250_000, 7)
    assert caps(Limits(), monthly_cost_limit_cents=0)["tenant", "month"] == Cap(0, None)
    assert caps(Limits())["tenant", "month"] == Cap()
    with pytest.raises(ValueError, match="negative"):
        Cap(micro=-1)


@pytest.mark.parametrize(
    ("period", "now", "zone", "starts", "resets"),
    [
        ("day", NOW, "UTC", "2026-03-31", "2026-04-01T00:00"),
        ("day", NOW, "Europe/Madrid", "2026-04-01", "2026-04-01T22:00"),
        ("month", NOW, "Europe/Madrid", "2026-04-01", "2026-04-30T22:00"),
        ("month", datetime(2026, 12, 31, 23, tzinfo=UTC), "UTC", "2026-12-01", "2027-01-01T00:00"),
        ("day", datetime(2026, 3, 29, 12, tzinfo=UTC), "Europe/Madrid", "2026-03-29", "2026-03-29T22:00"),
        ("day", datetime(2026, 10, 25, 12, tzinfo=UTC), "Europe/Madrid", "2026-10-25", "2026-10-25T23:00"),
        ("month", datetime(2028, 2, 29, 12, tzinfo=UTC), "Asia/Kolkata", "2028-02-01", "2028-02-29T18:30"),
    ],
)
def test_periods_roll_at_local_midnight(period: Period, now: datetime, zone: str, starts: str, resets: str) -> None:
    """BUD-1, over changes of the clocks, leap days and the end of the year."""
    began, ends = bounds(period, now, zone)
    assert began.isoformat() == starts
    assert ends.strftime("%Y-%m-%dT%H:%M") == resets
    assert ends.tzinfo is UTC


@given(st.datetimes(datetime(2000, 1, 1), datetime(2035, 1, 1)), ZONES, st.sampled_from(["day", "month"]))
def test_the_next_period_begins_exactly_where_this_one_ends(moment: datetime, zone: str, period: Period) -> None:
    """BUD-1: no moment lies between two periods, even where midnight does not exist."""
    now = moment.replace(tzinfo=UTC)
    starts, resets = bounds(period, now, zone)
    assert now < resets
    assert bounds(period, resets - timedelta(microseconds=1), zone)[0] == starts
    following = bounds(period, resets, zone)[0]
    assert following > starts
    assert following == resets.astimezone(ZoneInfo(zone)).date()


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "/etc/passwd"])
def test_an_unknown_zone_is_refused(zone: str) -> None:
    """Bad input: never silently UTC."""
    with pytest.raises(Invalid):
        bounds("day", NOW, zone)


def test_a_clock_that_jumps_opens_no_second_purse() -> None:
    """Bad input: after a jump forward and back the same day has the same row."""
    there = bounds("day", NOW + timedelta(days=400), "UTC")[0]
    assert there == date(2027, 5, 5)
    assert bounds("day", NOW, "UTC")[0] == date(2026, 3, 31)


PRICES = st.builds(Price, *[st.integers(0, 50_000_000)] * 4)


@given(PRICES, st.integers(0, 20_000), st.integers(0, 5_000), st.data())
def test_no_call_costs_more_than_its_worst_case(price: Price, sent: int, most: int, data: st.DataObject) -> None:
    """BUD-2: whatever class the vendor counts the prompt in, and however much of the output it uses."""
    estimate = worst_case(sent, most, price)
    read = data.draw(st.integers(0, sent))
    written = data.draw(st.integers(0, sent - read))
    used = Usage(sent - read - written, data.draw(st.integers(0, most)), read, written)
    assert price.cost(used) <= estimate.micro
    assert used.total <= estimate.tokens


def test_an_estimate_is_not_made_of_negative_figures() -> None:
    """Bad input."""
    for figures in ((-1, 0), (0, -1)):
        with pytest.raises(ValueError, match="negative"):
            worst_case(*figures, Price(1, 1))


def test_four_fifths() -> None:
    """BUD-5: of money or of tokens, of what was settled; a cap of 0 or none warns nobody."""
    hold = ScopeHold("tenant", "t", "month", "2026-03-01", cap_micro=1001, cap_tokens=None)
    assert warn_from(1001) == 801
    assert not near(ScopeState(hold, spent_micro=800, held_micro=10_000))
    assert near(ScopeState(hold, spent_micro=801))
    tokens = ScopeHold("tenant", "t", "month", "2026-03-01", cap_micro=0, cap_tokens=10)
    assert not near(ScopeState(tokens, spent_micro=5, spent_tokens=7))
    assert near(ScopeState(tokens, spent_tokens=8))
    assert warn_from(0) is None
    assert warn_from(None) is None


def test_what_fits() -> None:
    """BUD-1: up to the cap and no further; under a cap of 0 not even what is free."""
    assert fits(None, 10**18, 10**18)
    assert fits(10, 4, 6)
    assert not fits(10, 5, 6)
    assert not fits(0, 0, 0)
    assert fits(10, 10, 0)
    assert not fits(10, 11, 0)
