"""What the copilot may do while a case is being opened: say what is still missing."""

from typing import Annotated
from uuid import UUID

from deputize import Args, Context, Public, Result, Target, Toolset, Trusted, Yields, tool
from deputize_hosts.casedesk.onboarding import service


class OfCase(Args):
    case: Annotated[UUID, Target("case")]


class Documents(Result):
    case: Annotated[UUID, Yields("case")]
    label: Annotated[str, Trusted()]
    missing: list[Annotated[str, Public()]]
    received: list[Annotated[str, Public()]]
    not_asked_for_yet: list[Annotated[str, Public()]]


@tool(
    permissions=["onboarding.read", "cases.read"],
    effect="read",
    title={"en": "Onboarding checklist", "es": "Lista de documentos"},
    say={
        "en": ["which documents are still missing?", "what is left for this onboarding?"],
        "es": ["¿qué documentos faltan?", "¿qué queda para dar de alta a esta empresa?"],
    },
)
async def onboarding_checklist(ctx: Context, args: OfCase) -> Documents:
    """Which documents a company has been asked for, which have come, and which were never asked for."""
    state = await service.checklist(ctx.session, ctx.actor, args.case)
    return Documents(
        case=state.case.id,
        label=state.case.company_name,
        missing=[one.document for one in state.missing],
        received=[one.document for one in state.requests if one.received_at is not None],
        not_asked_for_yet=list(state.not_asked),
    )


TOOLS = Toolset("onboarding", [onboarding_checklist])
