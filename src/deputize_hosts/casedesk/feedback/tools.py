"""What the copilot may do with feedback on findings."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from deputize import Args, Context, Result, Target, Text, Toolset, Yields, tool
from deputize_hosts.casedesk.feedback import service

PROVENANCE = {"signal_events": {"en": "Provenance record", "es": "Registro de procedencia"}}
"""Written with every change and never shown as one."""


class Feedback(Args):
    discrepancy: Annotated[UUID, Target("discrepancy")]
    opinion: Annotated[
        Literal["useful", "not_useful", "wrong"],
        Field(
            description="useful: útil, helpful; not_useful: inútil, of no use; wrong: erróneo, equivocado, mistaken."
        ),
    ]
    comment: Annotated[str, Text(), Field(max_length=1000)] = ""


class Given(Result):
    id: Annotated[UUID, Yields("finding_feedback")]


@tool(
    permissions=["feedback.write"],
    effect="write",
    title={"en": "Give feedback on a finding", "es": "Opinar sobre un hallazgo"},
    say={
        "en": ["mark this finding as useful", "record feedback: the address finding is wrong"],
        "es": ["marca este hallazgo como útil", "registra que ese hallazgo es erróneo"],
    },
    hidden=PROVENANCE,
)
async def submit_finding_feedback(ctx: Context, args: Feedback) -> Given:
    """Say what the officer thinks of a finding. The finding itself stays as it is."""
    kept = await service.submit(ctx.session, ctx.actor, args.discrepancy, args.opinion, args.comment, call=ctx.key)
    return Given(id=kept.id)


TOOLS = Toolset("feedback", [submit_finding_feedback])
