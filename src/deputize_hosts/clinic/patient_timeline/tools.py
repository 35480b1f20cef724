"""What the copilot may ask about a patient's timeline."""

from datetime import datetime
from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import Field

from deputize import Args, Context, Public, Result, Target, Toolset, Trusted, Yields, tool
from deputize_hosts.clinic.patient_timeline import service


class Look(Args):
    patient: Annotated[UUID, Target("patient")]
    category: Literal["patient", "appointment", "recall", "budget", "invoice", "payment"] | None = None
    page: Annotated[int, Field(ge=1, le=50)] = 1


class Event(Result):
    at: datetime
    category: Annotated[str, Public()]
    title: Annotated[str, Public(), Trusted()]
    detail: Annotated[str, Public(), Trusted()]


class Events(Result):
    many: ClassVar[str | None] = "items"
    patient_id: Annotated[UUID, Yields("patient")]
    items: list[Event]
    total: int


@tool(
    permissions=["patient_timeline.read"],
    effect="read",
    title={"es": "Ver la línea de tiempo", "en": "See the timeline"},
    say={
        "es": ["línea de tiempo de María López", "¿qué ha pasado con este paciente?", "historia de este paciente"],
        "en": ["timeline of María López", "what happened with this patient?", "this patient's history"],
    },
)
async def get_patient_timeline(ctx: Context, args: Look) -> Events:
    """What happened with a patient (appointments, recalls, quotes, invoices, payments), the newest first."""
    found = await service.of_patient(ctx.session, ctx.actor, args.patient, area=args.category or "", page=args.page)
    items = [
        Event(
            at=service.to_local(ctx.actor, one.at),
            category=one.category,
            title=service.title(one.what, "en" if ctx.actor.locale.lower().startswith("en") else "es"),
            detail=one.detail,
        )
        for one in found.items
    ]
    return Events(patient_id=args.patient, items=items, total=found.total)


TOOLS = Toolset("patient_timeline", [get_patient_timeline])
