"""Rendering a page for a member: the layout's values, the copilot's tag, and dates in words."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from fastapi import Request
from fastapi.responses import HTMLResponse

from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.clock import clock_text, to_local
from deputize_hosts.clinic.errors import ClinicError
from deputize_hosts.clinic.money import plain_money, shown_money, shown_percent
from deputize_hosts.clinic.pages.words import WORDS
from deputize_hosts.clinic.patient_timeline.titles import title
from deputize_hosts.clinic.recalls.entity import month_words
from deputize_hosts.kit.csrf import COOKIE, HEADER
from deputize_hosts.kit.pages import page

TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True, slots=True)
class CopilotTag:
    """Where the copilot is mounted and as which surface; None in `app.state.copilot` draws nothing."""

    base: str
    surface: str


def language_of(member: Member) -> str:
    """`es` or `en`."""
    return "en" if member.locale.lower().startswith("en") else "es"


def long_day(language: str, on: date) -> str:
    """`Miércoles, 4 de marzo de 2026`."""
    weekday, month = WORDS.say(language, f"weekday.{on.weekday()}"), WORDS.say(language, f"month.{on.month}")
    return (
        f"{weekday}, {on.day} de {month} de {on.year}" if language == "es" else f"{weekday}, {on.day} {month} {on.year}"
    )


def show(
    request: Request,
    member: Member,
    template: str,
    screen: str,
    *,
    entities: Sequence[tuple[str, UUID]] = (),
    status: int = 200,
    **values: Any,
) -> HTMLResponse:
    """A page of the application. `screen` and `entities` are what the copilot is told that the page shows."""
    language = language_of(member)
    told = {"screen": screen, "entities": [{"kind": kind, "id": str(own)} for kind, own in entities]}

    def when(moment: datetime) -> str:
        local = to_local(member, moment)
        return f"{long_day(language, local.date())}, {local:%H:%M}"

    return page(
        request,
        template,
        language,
        status,
        me=member,
        screen=screen,
        told=json.dumps(told),
        copilot=request.app.state.copilot,
        csrf_cookie=COOKIE,
        csrf_header=HEADER,
        clock=lambda moment: clock_text(member, moment),
        when=when,
        long_day=lambda on: long_day(language, on),
        short_day=lambda on: f"{on:%d/%m/%Y}",
        month_words=lambda on: month_words(on.isoformat(), None, language),
        money=lambda minor, currency="EUR": shown_money(minor, language, currency),
        plain=lambda minor: plain_money(minor, language),
        percent=lambda points: shown_percent(points, language),
        event_title=lambda what: title(what, language),
        **values,
    )


def told_error(error: ClinicError | None) -> dict[str, Any] | None:
    """An error as a form shows it: the message, and the free slots that its alternatives name."""
    if error is None:
        return None
    near = error.alternatives
    return {
        "message": error.message,
        "free": [_slot(slot) for slot in near.get("free", ())],
        "others": [_slot(slot) for slot in near.get("other_professionals", ())],
    }


def _slot(slot: dict[str, str]) -> dict[str, str]:
    start = datetime.fromisoformat(slot["start"])
    return {
        "day": start.date().isoformat(),
        "time": f"{start:%H:%M}",
        "end": f"{datetime.fromisoformat(slot['end']):%H:%M}",
        "professional_id": slot["professional_id"],
        "professional": slot["professional"],
    }
