"""What the words of the core say by themselves: caps, refusals, escapes, automations that have missed nothing."""

from datetime import UTC, datetime
from typing import Any

import pytest

from deputize.core.automation import Automation
from deputize.core.budget import Cap, fits, warn_from
from deputize.core.effect import Refused, UnseenChanges
from deputize.core.tool import Refuse


@pytest.mark.parametrize("cap", [{"micro": -1}, {"tokens": -1}])
def test_bud_1_a_cap_is_never_negative(cap: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="negative"):
        Cap(**cap)


@pytest.mark.parametrize(
    ("cap", "taken", "more", "fit"), [(None, 9, 9, True), (0, 0, 0, False), (10, 5, 5, True), (10, 5, 6, False)]
)
def test_bud_1_null_is_no_cap_and_nought_is_nothing(cap: int | None, taken: int, more: int, fit: bool) -> None:
    assert fits(cap, taken, more) is fit


def test_a_cap_of_one_kind_leaves_the_other_open() -> None:
    assert Cap(micro=5).tokens is None


def test_bud_5_people_are_warned_from_four_fifths() -> None:
    assert [warn_from(cap) for cap in (None, 0, 10, 11)] == [None, None, 8, 9]


def test_a_refusal_holds_the_hosts_words() -> None:
    refused = Refused(Refuse("taken", "Taken.", {"free": ["10:00"]}))
    assert (refused.message, refused.refuse.code, refused.status) == ("Taken.", "taken", 409)


def test_unseen_changes_name_their_tables() -> None:
    assert UnseenChanges(tables=("people",)).details == {"tables": ["people"]}


async def test_auto_1_an_automation_has_missed_nothing_unless_it_says_so() -> None:
    nothing: Any = None
    assert await Automation.missed(nothing, nothing, datetime(2026, 1, 1, tzinfo=UTC)) == ()
