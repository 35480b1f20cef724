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

from deputize_hosts.kit.csrf import COOKIE, HEADER
from deputize_hosts.kit.errors import language_of
from deputize_hosts.kit.pages import page
from deputize_hosts.workorders.auth.service import Member
from deputize_hosts.workorders.clock import to_local
from deputize_hosts.workorders.pages.words import WORDS

TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True, slots=True)
class CopilotTag:
    """Where the copilot and its admin interface are mounted; None in `app.state.copilot` draws nothing."""

    base: str
    surface: str
    admin: str


def short_day(language: str, on: date) -> str:
    """`4 Mar 2026`, `4 mar 2026`."""
    month = WORDS.say(language, f"month.{on.month}")[:3]
    return f"{on.day} {month} {on.year}"


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
        return f"{short_day(language, local.date())}, {local:%H:%M}"

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
        when=when,
        day=lambda on: short_day(language, on),
        **values,
    )
