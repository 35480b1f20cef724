"""Pages for signing in at the desk and at the portal, for signing out, and for choosing the language."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from deputize_hosts.casedesk.auth.service import Member, set_language, sign_in
from deputize_hosts.casedesk.pages.access import Form, member_or_none, reading, writing
from deputize_hosts.kit.language import COOKIE as LANGUAGE
from deputize_hosts.kit.loopback import refuse_off_loopback
from deputize_hosts.kit.pages import go, kit_of, local_path, page

router = APIRouter()
Maybe = Annotated[Member | None, Depends(member_or_none)]
DESK, PORTAL = "/dashboard", "/portal"


def _form(request: Request, *, portal: bool, next_: str, email: str = "", wrong: bool = False) -> Response:
    kit = kit_of(request)
    language = kit.words.choose(request)
    return page(
        request,
        "sign_in.html",
        language,
        422 if wrong else 200,
        portal=portal,
        next=next_,
        email=email,
        error=kit.words.say(language, "sign_in.wrong") if wrong else "",
    )


def _start(member: Member) -> str:
    return PORTAL if member.is_customer else DESK


@router.get("/sign-in")
async def sign_in_page(request: Request, member: Maybe, next: str = DESK) -> Response:  # noqa: A002  the URL's word
    """The desk's form, or straight on for somebody who is in already."""
    if member is not None:
        return go(request, _start(member) if member.is_customer else local_path(next, DESK))
    return _form(request, portal=False, next_=local_path(next, DESK))


@router.get("/portal/sign-in")
async def portal_sign_in_page(request: Request, member: Maybe, next: str = PORTAL) -> Response:  # noqa: A002  as above
    """The portal's form, or straight on for somebody who is in already."""
    if member is not None:
        return go(request, _start(member))
    return _form(request, portal=True, next_=local_path(next, PORTAL))


@router.post("/sign-in")
async def sign_in_form(request: Request, form: Form) -> Response:
    """Check the password of somebody of the desk."""
    return await _sign_in(request, form, portal=False)


@router.post("/portal/sign-in")
async def portal_sign_in_form(request: Request, form: Form) -> Response:
    """Check the password of a customer."""
    return await _sign_in(request, form, portal=True)


async def _sign_in(request: Request, form: dict[str, str], *, portal: bool) -> Response:
    start = PORTAL if portal else DESK
    target = local_path(form.get("next", ""), start)
    async with reading(request) as session:
        member = await sign_in(session, form.get("email", ""), form.get("password", ""), portal=portal)
    if member is None:
        return _form(request, portal=portal, next_=target, email=form.get("email", ""), wrong=True)
    refuse_off_loopback(request, seeded=member.seeded)
    kit = kit_of(request)
    response = RedirectResponse(target, status_code=303)
    ticket = kit.cookie.issue(response, request, member.id, member.tenant, member.epoch)
    kit.csrf.set(response, request, kit.csrf.issue(ticket.nonce))
    return response


@router.post("/sign-out")
async def sign_out(request: Request, form: Form, member: Maybe) -> Response:
    """Forget the sign-in, and tell whoever acts for this person that they have left."""
    if member is not None:
        for leaving in request.app.state.on_sign_out:
            await leaving(member)
    customer = member is not None and member.is_customer
    response = RedirectResponse("/portal/sign-in" if customer else "/sign-in", status_code=303)
    kit_of(request).cookie.clear(response)
    return response


@router.post("/language")
async def choose_language(request: Request, form: Form, member: Maybe) -> Response:
    """Remember the language in the browser, and for the person who is signed in."""
    kit = kit_of(request)
    response = RedirectResponse(local_path(form.get("next", ""), "/"), status_code=303)
    language = form.get("language", "")
    if language in kit.words.languages:
        response.set_cookie(LANGUAGE, language, max_age=365 * 86400, samesite="lax", path="/")
        if member is not None:
            async with writing(request) as session:
                await set_language(session, member.id, language)
    return response
