"""What the copilot may ask about opening hours and free time."""

from datetime import date, datetime, time, timedelta
from typing import Annotated, ClassVar
from uuid import UUID

from pydantic import Field

from deputize import Args, Context, Public, Result, Target, Toolset, Trusted, Yields, tool
from deputize_hosts.clinic.schedules import service


class Availability(Args):
    day: Annotated[date | None, Field(description="Clinic date; today if left out")] = None
    professional: Annotated[UUID | None, Target("professional"), Field(description="Left out: the clinic")] = None


class Open(Result):
    opens: datetime
    closes: datetime


class DayHours(Result):
    many: ClassVar[str | None] = "ranges"
    day: date
    open: bool
    ranges: list[Open]
    reason: Annotated[str, Public(), Trusted()]


class FindFree(Args):
    day: Annotated[date | None, Field(description="First clinic date; today if left out")] = None
    days: Annotated[int, Field(ge=1, le=31, description="How many days to look at")] = 7
    slot_minutes: Annotated[int | None, Field(ge=5, le=720, description="Shortest useful gap")] = None
    professional: Annotated[UUID | None, Target("professional")] = None
    cabinet: Annotated[UUID | None, Target("cabinet")] = None
    after: Annotated[time | None, Field(description="Not before this local time of day; afternoons: 15:00")] = None
    before: Annotated[time | None, Field(description="Not after this local time of day; mornings: 14:00")] = None


class Free(Result):
    professional_id: Annotated[UUID, Yields("professional")]
    professional: Annotated[str, Public(), Trusted()]
    start: datetime
    end: datetime


class FreeTimes(Result):
    many: ClassVar[str | None] = "items"
    items: list[Free]
    total: int


@tool(
    permissions=["schedules.availability.read"],
    effect="read",
    title={"es": "Ver el horario", "en": "See opening hours"},
    say={
        "es": ["¿a qué hora abrimos mañana?", "horario del viernes", "¿está abierta la clínica el sábado?"],
        "en": ["when do we open tomorrow?", "Friday's hours", "is the clinic open on Saturday?"],
    },
)
async def get_availability(ctx: Context, args: Availability) -> DayHours:
    """When the clinic, or one professional, is open on a day; exceptions included, appointments not."""
    on = args.day or service.today(ctx.actor, ctx.now)
    found = await service.day(ctx.session, ctx.actor, on, args.professional)
    ranges = [
        Open(
            opens=service.to_local(ctx.actor, service.minute_of_day(ctx.actor, on, opens)),
            closes=service.to_local(ctx.actor, service.minute_of_day(ctx.actor, on, closes)),
        )
        for opens, closes in found.ranges
    ]
    return DayHours(day=on, open=bool(ranges), ranges=ranges, reason=found.reason)


@tool(
    permissions=["schedules.availability.read", "agenda.appointments.read"],
    effect="read",
    title={"es": "Buscar huecos libres", "en": "Find free slots"},
    say={
        "es": [
            "¿qué huecos libres hay mañana?",
            "busca un hueco de 45 minutos esta semana",
            "¿cuándo tiene libre la Dra. Ruiz?",
            "primer hueco libre por la tarde",
        ],
        "en": ["which slots are free tomorrow?", "find a 45 minute gap this week", "when is Dr. Ruiz free?"],
    },
)
async def find_free_slots(ctx: Context, args: FindFree) -> FreeTimes:
    """Free gaps by time: open hours minus appointments, never in the past. Each is as long as it is free."""
    first = args.day or service.today(ctx.actor, ctx.now)
    found = await service.free_slots(
        ctx.session,
        ctx.actor,
        first,
        first + timedelta(days=args.days - 1),
        now=ctx.now,
        minutes=args.slot_minutes,
        professional_id=args.professional,
        cabinet_id=args.cabinet,
        after=args.after,
        before=args.before,
    )
    items = [
        Free(
            professional_id=slot.professional_id,
            professional=slot.professional,
            start=service.to_local(ctx.actor, slot.start),
            end=service.to_local(ctx.actor, slot.end),
        )
        for slot in found[:10]
    ]
    return FreeTimes(items=items, total=len(found))


TOOLS = Toolset("schedules", [get_availability, find_free_slots])
