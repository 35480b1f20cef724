"""Rendering a page for a person: the layout's values, the copilot's tag, and dates in words."""

import json
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Request
from fastapi.responses import HTMLResponse

from deputize_hosts.casedesk.auth.service import Member
from deputize_hosts.casedesk.conflicts.fields import called
from deputize_hosts.casedesk.pages.words import WORDS
from deputize_hosts.kit.csrf import COOKIE, HEADER
from deputize_hosts.kit.errors import language_of
from deputize_hosts.kit.pages import page

TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"


def words_of(member: Member, key: str, **values: object) -> str:
    """A word in the person's language."""
    return WORDS.say(language_of(member), key, **values)


def show(
    request: Request,
    member: Member,
    template: str,
    surface: str | None,
    *,
    entities: Sequence[tuple[str, UUID]] = (),
    status: int = 200,
    **values: Any,
) -> HTMLResponse:
    """A page of the application. `surface` is the copilot's place on it; None draws no copilot.

    `entities` are what the copilot is told that the page shows.
    """
    language = language_of(member)
    zone = ZoneInfo(member.time_zone)
    told = {"screen": surface or "", "entities": [{"kind": kind, "id": str(own)} for kind, own in entities]}

    def when(moment: datetime) -> str:
        local = moment.astimezone(zone)
        month = WORDS.say(language, f"month.{local.month}")
        return f"{local.day} {month} {local.year}, {local:%H:%M}"

    return page(
        request,
        template,
        language,
        status,
        me=member,
        surface=surface,
        told=json.dumps(told),
        copilot=request.app.state.copilot if surface else None,
        csrf_cookie=COOKIE,
        csrf_header=HEADER,
        when=when,
        called=partial(called, locale=language),
        **values,
    )
