"""Pages for signing in and out, and for choosing the language."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from deputize_hosts.kit.language import COOKIE as LANGUAGE
from deputize_hosts.kit.loopback import refuse_off_loopback
from deputize_hosts.kit.pages import go, kit_of, local_path, page
from deputize_hosts.workorders.auth.service import Member, challenge, check, set_language, settle
from deputize_hosts.workorders.pages.access import Form, Now, member_or_none, reading, writing

router = APIRouter()
Maybe = Annotated[Member | None, Depends(member_or_none)]
START = "/app/orders"


def _form(request: Request, next_: str, email: str = "", error: str = "", status: int = 200) -> Response:
    language = kit_of(request).words.choose(request)
    return page(request, "sign_in.html", language, status, next=next_, email=email, error=error)


@router.get("/sign-in")
async def sign_in_page(request: Request, member: Maybe, next: str = START) -> Response:  # noqa: A002  the URL's word
    """The form, or straight on for somebody who is in already."""
    if member is not None:
        return go(request, local_path(next, START))
    return _form(request, local_path(next, START))


@router.post("/sign-in")
async def sign_in_form(request: Request, form: Form, now: Now) -> Response:
    """Check the password and set the signed cookie; what is wrong is not told apart."""
    target = local_path(form.get("next", ""), START)
    async with reading(request) as session:
        asked = await challenge(session, form.get("email", ""), now)
    right = await check(asked, form.get("password", ""))
    async with writing(request) as session:
        member = await settle(session, asked, right, now)
    kit = kit_of(request)
    if member is None:
        language = kit.words.choose(request)
        return _form(request, target, form.get("email", ""), kit.words.say(language, "sign_in.wrong"), 422)
    refuse_off_loopback(request, seeded=member.seeded)
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
    response = RedirectResponse("/sign-in", status_code=303)
    kit_of(request).cookie.clear(response)
    return response


@router.post("/language")
async def choose_language(request: Request, form: Form, member: Maybe) -> Response:
    """Remember the language in the browser, and for the person who is signed in."""
    kit = kit_of(request)
    response = RedirectResponse(local_path(form.get("next", ""), START), status_code=303)
    language = form.get("language", "")
    if language in kit.words.languages:
        response.set_cookie(LANGUAGE, language, max_age=365 * 86400, samesite="lax", path="/")
        if member is not None:
            async with writing(request) as session:
                await set_language(session, member.id, language)
    return response
