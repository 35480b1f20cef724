"""Who is on the page: the signed-in person, asked afresh at each request."""

from typing import Annotated

from fastapi import Depends, Request

from deputize_hosts.casedesk.auth.service import Member, load_member
from deputize_hosts.casedesk.errors import NotFound
from deputize_hosts.kit.access import Form, NotSignedIn, Now, engine_of, now_of, present, reading, required, writing

__all__ = [
    "Customer",
    "Form",
    "NotSignedIn",
    "Now",
    "Signed",
    "current_member",
    "engine_of",
    "member_or_none",
    "now_of",
    "reading",
    "writing",
]


async def member_or_none(request: Request) -> Member | None:
    """The signed-in member as they are now. Raises OffLoopback for a seeded one from elsewhere."""
    return await present(request, load_member)


async def current_member(request: Request) -> Member:
    """The signed-in person, staff or customer. Raises NotSignedIn, OffLoopback."""
    return await required(request, load_member)


async def current_officer(request: Request) -> Member:
    """Somebody of the desk; for customers the desk's pages are not there. Raises NotSignedIn, NotFound."""
    member = await current_member(request)
    if member.is_customer:
        raise NotFound(member)
    return member


async def current_customer(request: Request) -> Member:
    """Somebody of the portal. Raises NotSignedIn, NotFound."""
    member = await current_member(request)
    if not member.is_customer:
        raise NotFound(member)
    return member


Signed = Annotated[Member, Depends(current_officer)]
Customer = Annotated[Member, Depends(current_customer)]
