"""A card that was cut cannot be approved before the whole of it was served to whoever decides (APPR-1)."""

from deputize.core.actor import Actor
from deputize.core.approval import Approval, ApprovalStatus
from deputize.core.run import ToolCall
from deputize.engine import access
from deputize.engine.card_dto import to_dto
from deputize.engine.views import WHOLE_UP_TO
from deputize.engine.wiring import Wiring
from deputize.store import approvals


def is_cut(approval: Approval) -> bool:
    """Whether streams and lists leave a part of it out."""
    return to_dto(approval.preview, WHOLE_UP_TO).cut


async def served_whole(w: Wiring, actor: Actor, call: ToolCall, owner: str) -> None:
    """Write down that this person was given the whole card; somebody who only looks on does not count."""
    approval = call.approval
    if approval is None or approval.status is not ApprovalStatus.PENDING or not is_cut(approval):
        return
    if access.decider(w, actor, call, owner):
        async with w.db.write(actor.tenant, "card-served") as tx:
            await approvals.serve(tx, actor.tenant, approval.id)


async def unseen(w: Wiring, actor: Actor, approval: Approval) -> bool:
    """Whether a part of the card has never been shown to whoever decides it."""
    if not is_cut(approval):
        return False
    async with w.db.read() as conn:
        return not await approvals.was_served(conn, actor.tenant, approval.id)
