"""What the copilot may do with discrepancies: read them, and decide only what cannot open the approval gate."""

from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import Field

from deputize import (
    Allow,
    Args,
    Context,
    Personal,
    Public,
    Refuse,
    Result,
    Target,
    Text,
    Toolset,
    Version,
    Yields,
    tool,
)
from deputize_hosts.casedesk.conflicts import service
from deputize_hosts.casedesk.conflicts.service import Discrepancy

PROVENANCE = {"signal_events": {"en": "Provenance record", "es": "Registro de procedencia"}}
"""Written with every change and never shown as one."""

Resolution = Literal["accepted_source", "corrected", "false_positive", "escalated", "reported"]


class OfCase(Args):
    case: Annotated[UUID, Target("case")]


class OneDiscrepancy(Args):
    discrepancy: Annotated[UUID, Target("discrepancy")]


class Resolve(Args):
    discrepancy: Annotated[UUID, Target("discrepancy")]
    resolution: Annotated[
        Resolution,
        Field(
            description="accepted_source: accept the source, accepted, acepta la fuente, aceptada; "
            "corrected: correct, corrige, corregida; false_positive: false alarm, falsa alarma, falso positivo; "
            "escalated: escalate, escalar, escala, eleva; reported: report, informa, comunica."
        ),
    ]
    rationale: Annotated[str, Text(), Field(min_length=1, max_length=2000, pattern=r"\S")]


class Conflicting(Result):
    value: Annotated[str, Personal("VALUE")]
    source: Annotated[str, Public()]


class DiscrepancyRow(Result):
    id: Annotated[UUID, Yields("discrepancy")]
    version: Annotated[int, Version()]
    case: Annotated[UUID, Yields("case")]
    field: Annotated[str, Public()]
    called: Annotated[str, Public()]
    severity: Annotated[str, Public()]
    status: Annotated[str, Public()]
    feeds_the_approval_gate: bool
    resolutions_open_to_the_assistant: list[Annotated[str, Public()]]
    conflicts_panel: Annotated[str, Public()]
    conflicting: list[Conflicting]


class DiscrepancyRows(Result):
    many: ClassVar[str | None] = "items"
    items: list[DiscrepancyRow]
    total: int


class Decided(Result):
    id: Annotated[UUID, Yields("discrepancy")]
    version: Annotated[int, Version()]
    status: Annotated[str, Public()]


async def never_clears_the_gate(ctx: Context, args: Resolve) -> Allow | Refuse:
    """ADR-0116: a named officer, and nothing but escalation for what the gate's own predicate says feeds it."""
    no = await service.refusal_to_copilot(ctx.session, ctx.actor, args.discrepancy, args.resolution)
    return Allow() if no is None else Refuse(no.code, no.message, no.alternatives)


@tool(
    permissions=["discrepancies.read"],
    effect="read",
    title={"en": "List discrepancies", "es": "Ver las discrepancias"},
    say={
        "en": ["which discrepancies are there?", "what blocks this case?", "list the findings"],
        "es": ["¿qué discrepancias hay?", "¿qué bloquea este caso?", "lista los hallazgos"],
    },
)
async def list_discrepancies(ctx: Context, args: OfCase) -> DiscrepancyRows:
    """A case's discrepancies: the field, the values that contradict each other with their sources, and the status."""
    rows = await service.of_case(ctx.session, ctx.actor, args.case)
    return DiscrepancyRows(items=[_row(ctx, row) for row in rows], total=len(rows))


@tool(
    permissions=["discrepancies.read"],
    effect="read",
    title={"en": "See a discrepancy", "es": "Ver una discrepancia"},
    say={"en": ["show that discrepancy", "what exactly differs?"], "es": ["enseña esa discrepancia", "¿qué difiere?"]},
)
async def get_discrepancy(ctx: Context, args: OneDiscrepancy) -> DiscrepancyRow:
    """One discrepancy with the values that contradict each other."""
    return _row(ctx, await service.get(ctx.session, ctx.actor, args.discrepancy))


@tool(
    permissions=["discrepancies.resolve"],
    effect="write",
    guard=never_clears_the_gate,
    title={"en": "Decide about a discrepancy", "es": "Decidir sobre una discrepancia"},
    say={
        "en": [
            "escalate the ownership discrepancy: the shares do not add up",
            "resolve the phone discrepancy as corrected: the switchboard moved",
        ],
        "es": [
            "escala la discrepancia de titularidad: las cuotas no cuadran",
            "resuelve la discrepancia de teléfono como corregida: la centralita ha cambiado",
        ],
    },
    hidden=PROVENANCE,
)
async def resolve_discrepancy(ctx: Context, args: Resolve) -> Decided:
    """Decide about a discrepancy, with a reason. What feeds the approval gate can only be escalated from here."""
    row = await service.resolve_by_copilot(
        ctx.session, ctx.actor, args.discrepancy, args.resolution, args.rationale, call=ctx.key
    )
    return Decided(id=row.id, version=row.revision, status=row.status)


def _row(ctx: Context, row: Discrepancy) -> DiscrepancyRow:
    return DiscrepancyRow(
        id=row.id,
        version=row.revision,
        case=row.case_id,
        field=row.field,
        called=service.name_of(ctx.actor, row),
        severity=row.severity,
        status=row.status,
        feeds_the_approval_gate=service.feeds_gate(row),
        resolutions_open_to_the_assistant=list(service.open_to_copilot(row)),
        conflicts_panel=service.panel_of(row),
        conflicting=[Conflicting(value=str(one["value"]), source=str(one["source"])) for one in row.conflicting],
    )


TOOLS = Toolset("conflicts", [list_discrepancies, get_discrepancy, resolve_discrepancy])
