"""When an automation may run and how far it may go (AUTO-2, AUTO-3, AUTO-6)."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from deputize.core.automation import Policy
from deputize.core.effect import RowImage
from deputize.policy.automation import (
    BACKOFF_LONGEST,
    Hours,
    Wait,
    backoff,
    day_of,
    declared_faults,
    faults_of,
    flagged,
    may_start,
    opens_at,
    overstepped,
    parse_hours,
    read_answer,
)

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
SPRING = datetime(2026, 3, 29, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("mon-fri 08:00-18:00", {0, 1, 2, 3, 4}),
        ("MON,wed-thu  08:00-18:00", {0, 2, 3}),
        ("sat-mon 08:00-18:00", {5, 6, 0}),
        ("sun 08:00-18:00", {6}),
    ],
)
def test_hours_are_read(text: str, days: set[int]) -> None:
    """AUTO-3: `mon-fri 08:00-18:00`, lists and spans over the week's end."""
    assert parse_hours(text) == Hours(frozenset(days), time(8), time(18))
    assert parse_hours(" * ") is None


@pytest.mark.parametrize(
    "text",
    ["", "always", "mon-fri", "mon-fri 8-18", "mon-xyz 08:00-18:00", "xyz 08:00-18:00", "mon 08:00-08:00",
     "mon 25:00-26:00", "mon 08:60-09:00"],
)  # fmt: skip
def test_what_is_no_hours_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_hours(text)


@pytest.mark.parametrize(
    ("hours", "zone", "now", "opens"),
    [
        ("*", "UTC", MONDAY, None),
        ("mon-fri 08:00-18:00", "UTC", MONDAY, None),
        ("mon-fri 08:00-18:00", "UTC", MONDAY.replace(hour=18), datetime(2026, 3, 3, 8, tzinfo=UTC)),
        ("mon-fri 08:00-18:00", "UTC", MONDAY.replace(hour=7, minute=59), MONDAY.replace(hour=8)),
        ("mon-fri 08:00-18:00", "UTC", MONDAY.replace(day=6, hour=18), datetime(2026, 3, 9, 8, tzinfo=UTC)),
        ("mon-fri 08:00-18:00", "America/New_York", MONDAY, MONDAY.replace(hour=13)),
        ("mon 22:00-06:00", "UTC", MONDAY.replace(day=3, hour=5), None),
        ("mon 22:00-06:00", "UTC", MONDAY.replace(day=3, hour=6), datetime(2026, 3, 9, 22, tzinfo=UTC)),
        ("mon 22:00-06:00", "UTC", MONDAY.replace(hour=5), MONDAY.replace(hour=22)),
        ("mon 08:00-09:00", "UTC", MONDAY, datetime(2026, 3, 9, 8, tzinfo=UTC)),
        # On 29 March the clocks of Madrid go from 02:00 to 03:00.
        (
            "sun 08:00-18:00",
            "Europe/Madrid",
            datetime(2026, 3, 29, 5, tzinfo=UTC),
            datetime(2026, 3, 29, 6, tzinfo=UTC),
        ),
    ],
)
def test_outside_them_events_wait_until_they_begin(
    hours: str, zone: str, now: datetime, opens: datetime | None
) -> None:
    """AUTO-3: in the tenant's zone, over midnight, over a change of the clocks."""
    assert opens_at(hours, zone, now) == opens


@given(
    st.sampled_from(["mon-fri 08:00-18:00", "sat,sun 23:30-00:30", "wed 00:00-23:59", "fri-mon 22:00-02:00"]),
    st.sampled_from(["UTC", "Europe/Madrid", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"]),
    st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31)).map(lambda t: t.replace(tzinfo=UTC)),
)
def test_when_they_begin_they_have_begun(hours: str, zone: str, now: datetime) -> None:
    """Whatever the moment: the time to look again is later, at most eight days off, and within the hours."""
    opens = opens_at(hours, zone, now)
    if opens is not None:
        assert now < opens <= now + timedelta(days=8)
        assert opens_at(hours, zone, opens) is None


def test_a_day_is_the_tenants() -> None:
    """BUD-1, AUTO-3: from midnight to midnight there, 23 hours where the clocks change."""
    assert day_of("Europe/Madrid", MONDAY) == (
        datetime(2026, 3, 1, 23, tzinfo=UTC),
        datetime(2026, 3, 2, 23, tzinfo=UTC),
    )
    first, last = day_of("Europe/Madrid", datetime(2026, 3, 29, 12, tzinfo=UTC))
    assert last - first == timedelta(hours=23)
    with pytest.raises(ValueError):
        day_of("Mars/North", MONDAY)


@pytest.mark.parametrize(
    ("policy", "passes", "busy", "reason", "until"),
    [
        (Policy(), 10**6, 1, None, None),
        (Policy(enabled=False), 0, 0, "switched_off", MONDAY),
        (Policy(working_hours="tue 08:00-09:00"), 0, 0, "outside_working_hours", datetime(2026, 3, 3, 8, tzinfo=UTC)),
        (Policy(daily_cap=2), 1, 0, None, None),
        (Policy(daily_cap=2), 2, 0, "daily_cap", datetime(2026, 3, 3, tzinfo=UTC)),
        (Policy(daily_cap=0), 0, 0, "daily_cap", datetime(2026, 3, 3, tzinfo=UTC)),
        (Policy(concurrency=2), 0, 2, "concurrency", MONDAY),
    ],
)
def test_may_start(policy: Policy, passes: int, busy: int, reason: str | None, until: datetime | None) -> None:
    """AUTO-3: switch, hours, cap, concurrency, in this order."""
    expected = None if reason is None or until is None else Wait(reason, until)
    assert may_start(policy, MONDAY, passes, busy) == expected


def test_faults_of_a_policy_are_named_at_once() -> None:
    """AUTO-3: allowed fields are a subset of the declared ones."""
    wrong = Policy(
        allowed=("status",), daily_cap=-1, threshold="huge", working_hours="x", time_zone="Mars/North", concurrency=0
    )
    named = [field for field, _ in faults_of(wrong, {"priority"}, ("low", "high"))]
    assert named == ["allowedFields", "dailyCap", "flagThreshold", "concurrency", "workingHours", "timeZone"]
    assert faults_of(Policy(allowed=("priority",), threshold="high", daily_cap=3), {"priority"}, ("low", "high")) == []
    assert [rule for _, rule in faults_of(Policy(allowed=("x",), threshold="y"), (), ())] == [
        "only of nothing",
        "one of nothing, or null",
    ]


def test_the_threshold_flags_from_there_on() -> None:
    grades = ("low", "medium", "high")
    assert [flagged(Policy(threshold="medium"), grades, one) for one in grades] == [False, True, True]
    assert not flagged(Policy(), grades, "high")
    assert not flagged(Policy(threshold="medium"), grades, "unheard of")


@pytest.mark.parametrize("text", ['{"a": 1}', ' {"a": 1}\n', '```json\n{"a": 1}\n```', '```\n{"a": 1}```'])
def test_the_answer_is_one_object(text: str) -> None:
    assert read_answer(text) == {"a": 1}


@pytest.mark.parametrize("text", ["", "a", "[1]", '{"a": NaN}', '{"a": 1} and more', 'Here: {"a": 1}', "```json\n{"])
def test_nothing_is_repaired(text: str) -> None:
    """AUTO-2: an invalid answer is a failed attempt."""
    with pytest.raises(ValueError):
        read_answer(text)


def row(op: Any = "update", table: str = "orders", key: str = "1", **after: Any) -> RowImage:
    before = {"id": key, "priority": "low", "status": "open", "version": 1, "seen": None}
    return RowImage(
        op=op,
        table=table,
        key={"id": key},
        before=None if op == "insert" else before,
        after=None if op == "delete" else {**before, **after},
        assigned=frozenset({"seen"}),
    )


@pytest.mark.parametrize(
    ("rows", "beyond"),
    [
        ([row(priority="high", version=2, seen="now")], None),
        ([row("insert", "advice"), row("update", "advice", "7", priority="x")], None),
        ([], None),
        ([row(status="done")], "orders.status"),
        ([row(key="2", priority="high")], "orders"),
        ([row("insert", key="1")], "orders"),
        ([row("delete")], "orders"),
        ([row("delete", "advice")], "advice"),
        ([row(priority="high"), row("insert", "users")], "users"),
    ],
)
def test_what_goes_beyond_is_named(rows: list[RowImage], beyond: str | None) -> None:
    """AUTO-6: the declared fields of the event's subject, and the tables it keeps; nothing is deleted."""
    free = {"version"}
    bounds: dict[str, Any] = {"table": "orders", "subject": "1", "fields": {"priority"}, "keeps": {"advice"}}
    assert overstepped(rows, **bounds, free=free) == beyond


def test_the_subjects_own_table_cannot_be_kept() -> None:
    """AUTO-6: naming it among the kept tables opens nothing."""
    rows = [row(key="2", priority="high")]
    assert overstepped(rows, table="orders", subject="1", fields={"priority"}, keeps={"orders"}) == "orders"


@given(st.integers(1, 10_000), st.floats(0, 1))
def test_backoff_grows_and_is_bounded(attempts: int, dice: float) -> None:
    """AUTO-1: spread by half to one and a half."""
    seconds = backoff(attempts, dice)
    assert 1.0 <= seconds <= BACKOFF_LONGEST * 1.5
    assert backoff(attempts + 1, dice) >= seconds


class Open(BaseModel):
    summary: str


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    summary: str


def declared(**more: Any) -> Any:
    given = {"name": "a", "on": "x.made", "capability": "c", "entity": "order", "answer": Closed, "time_zone": "UTC"}
    given |= {"graded": None, "flag": None}
    return type("Declared", (), {**given, **more})


def test_declarations_are_checked_at_start_up() -> None:
    """TOOL-2: all faults at once."""
    assert declared_faults([declared()], {"order"}) == []
    wrong = declared(
        name="b", on="x.made", entity="none", capability="", answer=Open, graded="grade", flag="up", time_zone="Mars/N"
    )
    faults = declared_faults([declared(), declared(name="a", on="y"), wrong], {"order"})
    assert [fault for fault in faults if "twice" in fault] == ["automation a: the name is declared twice"]
    assert "event x.made: two automations wait for it" in faults
    assert sum(fault.startswith("automation b:") for fault in faults) == 6
