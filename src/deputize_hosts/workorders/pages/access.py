"""Who is on the page: the signed-in member, asked afresh at each request."""

from typing import Annotated

from fastapi import Depends, Request

from deputize_hosts.kit.access import Form, NotSignedIn, Now, engine_of, now_of, present, reading, required, writing
from deputize_hosts.workorders.auth.service import Member, load_member

__all__ = [
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
    """The signed-in member. Raises NotSignedIn, OffLoopback."""
    return await required(request, load_member)


Signed = Annotated[Member, Depends(current_member)]
