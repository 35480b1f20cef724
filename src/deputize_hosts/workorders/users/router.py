"""The admin's page of users, and the strict interface by which the assistant is switched off for one."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deputize_hosts.kit.pages import check_csrf
from deputize_hosts.workorders.pages.access import Signed, reading, writing
from deputize_hosts.workorders.pages.render import show
from deputize_hosts.workorders.users import service
from deputize_hosts.workorders.users.service import Person

router = APIRouter()
LARGEST = 1024
"""Bytes of a body that holds one boolean."""


class AiSwitch(BaseModel):
    """Exactly `{aiEnabled: true|false}`: nothing else, and nothing that only looks like a boolean."""

    model_config = ConfigDict(extra="forbid", strict=True)
    ai_enabled: bool = Field(alias="aiEnabled")


def person_dto(person: Person) -> dict[str, Any]:
    """A user as the interface shows one."""
    return {
        "id": str(person.id),
        "name": person.name,
        "email": person.email,
        "role": person.role,
        "aiEnabled": person.ai_enabled,
    }


@router.get("/app/admin/users")
async def users_page(request: Request, member: Signed, q: str = "") -> Response:
    """Everybody, with the switch."""
    async with reading(request) as session:
        found = await service.list_users(session, member, q)
    return show(request, member, "users.html", "users", found=found, q=q)


@router.get("/api/v1/users")
async def users(request: Request, member: Signed, q: str = "") -> Response:
    """The same as data."""
    async with reading(request) as session:
        found = await service.list_users(session, member, q)
    items = [person_dto(one) for one in found.items]
    return JSONResponse({"items": items, "total": found.total, "page": 1, "pageSize": max(len(items), 1)})


@router.patch("/api/v1/users/{user_id}")
async def switch(request: Request, member: Signed, user_id: UUID) -> Response:
    """Set `aiEnabled`. Whoever acts for that person is told to stop when it goes off."""
    check_csrf(request)
    body = await request.body()
    try:
        wanted = AiSwitch.model_validate_json(body if len(body) <= LARGEST else b"")
    except ValidationError:
        error = {"code": "VALIDATION_ERROR", "message": "The body is exactly {aiEnabled: boolean}.", "details": {}}
        return JSONResponse({"error": error}, status_code=422)
    async with writing(request) as session:
        person = await service.set_ai_enabled(session, member, user_id, wanted.ai_enabled)
        for told in request.app.state.on_ai_switch:
            told(session, member, person)
    if not person.ai_enabled:
        for leaving in request.app.state.on_opt_out:
            await leaving(member.tenant, str(person.id))
    return JSONResponse(person_dto(person))
