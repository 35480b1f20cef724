"""The page of reports: billing, collections, debts and the use of the agenda, with charts."""

from datetime import date
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.clock import today
from deputize_hosts.clinic.errors import ClinicError
from deputize_hosts.clinic.money import shown_money
from deputize_hosts.clinic.pages.access import Now, Signed, reading
from deputize_hosts.clinic.pages.forms import day_read, ok
from deputize_hosts.clinic.pages.render import language_of, show
from deputize_hosts.clinic.payments import figures
from deputize_hosts.clinic.recalls.reading import months_later
from deputize_hosts.clinic.reports import service
from deputize_hosts.clinic.reports.bars import Bar, bars

router = APIRouter(prefix="/reports")


@router.get("")
async def reports_page(request: Request, member: Signed, now: Now, first: str = "", last: str = "") -> Response:
    """The last six months if no days are given; each part only for whoever may see it."""
    on = today(member, now)
    message = ""
    try:
        since = day_read(member, "first", first) or months_later(on.replace(day=1), -5)
        until = day_read(member, "last", last) or on
        service.check_period(member, since, until)
    except ClinicError as error:
        since, until, message = months_later(on.replace(day=1), -5), on, error.message
    async with reading(request) as session:
        parts = await _parts(session, member, since, until, on)
    return show(
        request,
        member,
        "reports.html",
        "reports",
        status=422 if message else 200,
        first=since,
        last=until,
        message=message,
        **parts,
    )


async def _parts(session: AsyncSession, member: Member, first: date, last: date, on: date) -> dict[str, Any]:
    language = language_of(member)
    found: dict[str, Any] = {"billed": None, "scheduled": None, "collected": None}
    if member.may(service.BILLING):
        billed = await service.billing(session, member, first, last)
        found["billed"] = billed
        found["months"] = bars(
            [
                Bar(f"{ok(member, f'month.{month}')[:3]} {year % 100:02d}", total, shown_money(total, language))
                for (year, month), total in billed.months.items()
            ]
        )
        found["billed_by"] = _money_bars(member, billed.professionals)
        found["top"] = await service.top_patients(session, member, first, last)
    if member.may(service.SCHEDULING):
        scheduled = await service.scheduling(session, member, first, last)
        found["scheduled"] = scheduled
        found["statuses"] = _count_bars(member, scheduled.statuses, "status.")
        found["treatments"] = _count_bars(member, scheduled.treatments, "treatment.")
        found["professionals"] = _count_bars(member, scheduled.professionals, "")
    if member.may(figures.READ):
        found["collected"] = await figures.summary(session, member, first, last)
        methods = await figures.by_method(session, member, first, last)
        found["methods"] = _money_bars(
            member, {ok(member, f"method.{one.value}"): amount for one, (_, amount) in methods.items()}
        )
        found["ageing"] = await figures.ageing(session, member, on)
        found["collected_by"] = _money_bars(member, await figures.by_professional(session, member, first, last))
    return found


def _money_bars(member: Member, amounts: Any) -> Any:
    language = language_of(member)
    return bars(
        [
            Bar(name or ok(member, "reports.nobody"), total, shown_money(total, language))
            for name, total in amounts.items()
        ]
    )


def _count_bars(member: Member, counts: Any, prefix: str) -> Any:
    return bars([Bar(ok(member, prefix + name) if prefix else name, n, str(n)) for name, n in counts.items()])
