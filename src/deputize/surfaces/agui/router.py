"""`POST /agui/{surface}`: one request of the protocol is a message, the answer to a card, or a look (API-5)."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from deputize.core.actor import Actor
from deputize.core.conversation import Conversation
from deputize.core.errors import ApprovalPending, Disabled, Invalid, MessageDuplicate, NotFound
from deputize.core.run import TERMINAL
from deputize.engine import approvals, cancelling, readers, runs, threads
from deputize.engine.wiring import Wiring
from deputize.surfaces.agui.bodies import ResumeIn, RunIn
from deputize.surfaces.agui.rendering import Rendering
from deputize.surfaces.agui.snapshot import known_in, messages_of
from deputize.surfaces.web.errors import GovernedRoute
from deputize.surfaces.web.schemas import FAILURES, STREAMED
from deputize.surfaces.web.streams import HEADERS, streaming


class HistoryRoute(GovernedRoute):
    """Clients send their whole history along; it is read past, so there may be more of it than of a body of ours."""

    max_body = 4 * 1024 * 1024


def build_agui_router(w: Wiring, actor: Callable[..., Any]) -> APIRouter:
    """The face over the engine; its clients name a surface by address and a thread by a name of their own."""
    router = APIRouter(route_class=HistoryRoute, tags=["agui"], responses=FAILURES)
    Who = Annotated[Actor, Depends(actor)]

    @router.post("/agui/{surface}", response_class=Response, responses=STREAMED)
    async def run(request: Request, actor: Who, surface: str, body: RunIn) -> Response:
        if not w.enabled:
            raise Disabled()
        if body.resume:
            return await _resumed(w, actor, surface, body, body.resume)
        if not body.messages:
            return await _looked(w, actor, surface, body.thread_id)
        return await _said(w, actor, surface, body, request.client.host if request.client else None)

    return router


async def _said(w: Wiring, actor: Actor, surface: str, body: RunIn, peer: str | None) -> Response:
    """A message; one that was received before attaches to its run (RUN-11)."""
    text, ident = body.said()
    shown = body.shown()
    conversation = await threads.find_or_open(w, actor, surface, body.thread_id, shown)
    key = f"agui:{ident}" if ident else None
    try:
        run_id = await runs.start(w, actor, conversation.id, text, shown, key, peer)
    except MessageDuplicate as former:
        return await _attached(w, actor, conversation, body.thread_id, str(former.details["runId"]))
    return streaming(w, actor, run_id, Rendering(body.thread_id, run_id))


async def _looked(w: Wiring, actor: Actor, surface: str, thread: str) -> Response:
    """No message: the conversation as it stands, and what is going on in it."""
    conversation = await threads.find(w, actor, surface, thread)
    if conversation is None:
        return _at_rest(Rendering(thread, thread, snapshot=()))
    return await _attached(w, actor, conversation, thread)


async def _attached(
    w: Wiring, actor: Actor, conversation: Conversation, thread: str, run_id: str | None = None
) -> Response:
    """The record so far as a snapshot, then the run that is not over (or the one named) from there on."""
    standing = await threads.standing(w, actor, conversation, run_id)
    snapshot = messages_of(standing.messages)
    if standing.run_id is None:
        return _at_rest(Rendering(thread, conversation.id, snapshot=snapshot))
    after = standing.position
    if standing.pending is not None:
        after = await readers.position(w, actor, standing.pending) - 1
    elif standing.status in TERMINAL:
        after -= 1
    told = Rendering(thread, standing.run_id, snapshot=snapshot, known=known_in(snapshot))
    return streaming(w, actor, standing.run_id, told, after=max(after, 0))


def _at_rest(told: Rendering) -> Response:
    return Response(told.opening() + told.finished(), media_type="text/event-stream", headers=HEADERS)


async def _resumed(w: Wiring, actor: Actor, surface: str, body: RunIn, answers: list[ResumeIn]) -> Response:
    """The answer to the card that is open; one that leaves it open changes nothing."""
    if len(answers) > 1:
        raise Invalid("One change at a time: answer the interrupt that is open, once.", field="resume")
    answer, decision = answers[0], answers[0].decision()
    conversation = await threads.find(w, actor, surface, body.thread_id)
    standing = await threads.standing(w, actor, conversation) if conversation else threads.Standing([])
    home = conversation.id if conversation else ""
    mine = await readers.within(w, actor, answer.interrupt_id, home)
    if mine and standing.pending not in (None, answer.interrupt_id):
        raise ApprovalPending(runId=standing.run_id)
    before = await readers.position(w, actor, answer.interrupt_id)
    if decision is not None:
        decided = await approvals.decide(w, actor, answer.interrupt_id, decision.decision("agui"), conversation_id=home)
        run_id = decided.run_id
    elif mine:
        run_id = (await runs.call(w, actor, answer.interrupt_id))["runId"]
        await cancelling.cancel(w, actor, run_id)
    else:
        raise NotFound()
    known = known_in(messages_of(standing.messages))
    return streaming(w, actor, run_id, Rendering(body.thread_id, run_id, known=known), after=before)
