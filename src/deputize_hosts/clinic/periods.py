"""Periods of reports: this month unless days are given."""

from datetime import date, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.clock import today
from deputize_hosts.clinic.documents import clinic_of
from deputize_hosts.clinic.errors import InvalidValue

LONGEST = 1100
"""Days: three years and a bit."""


def period(actor: Caller, now: datetime, first: date | None, last: date | None) -> tuple[date, date]:
    """Both days, included; the month's first day and today where left out. Raises InvalidValue."""
    until = last or today(actor, now)
    since = first or until.replace(day=1)
    check_period(actor, since, until)
    return since, until


def check_period(actor: Caller, first: date, last: date) -> None:
    """The days are in order and not too far apart. Raises InvalidValue."""
    if last < first:
        raise InvalidValue(actor, "last", "es anterior al primer día", "is before the first day")
    if (last - first).days > LONGEST:
        raise InvalidValue(actor, "last", "como mucho tres años", "at most three years")


async def currency_of(session: AsyncSession, actor: Caller) -> str:
    """The currency of the caller's clinic."""
    return (await clinic_of(session, require(actor))).currency
