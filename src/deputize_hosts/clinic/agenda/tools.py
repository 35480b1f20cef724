"""What the copilot may do with the agenda."""

from datetime import date, datetime
from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import BeforeValidator, Field

from deputize import Args, Context, LocalTime, Personal, Public, Result, Target, Text, Toolset, Trusted, Yields, tool
from deputize_hosts.clinic.agenda import service
from deputize_hosts.clinic.agenda.service import Booking, Status, Treatment


def _treatment(value: object) -> object:
    """People's words for a treatment become its value; anything else is left to be refused."""
    return (service.treatment_of(value) or value) if isinstance(value, str) else value


Kind = Annotated[Treatment, BeforeValidator(_treatment), Field(description=f"Kind of treatment. {service.VOCABULARY}")]


class Slot(Result):
    """An appointment in a list."""

    id: Annotated[UUID, Yields("appointment")]
    start: datetime
    end: datetime
    patient_id: Annotated[UUID, Yields("patient")]
    patient_name: Annotated[str, Personal("NAME", of="patient_id"), Trusted()]
    professional_id: Annotated[UUID, Yields("professional")]
    professional: Annotated[str, Public(), Trusted()]
    cabinet: Annotated[str | None, Public(), Trusted()]
    treatment: Annotated[str, Public()]
    status: Annotated[str, Public()]


class DayArgs(Args):
    day: Annotated[date | None, Field(description="Clinic date; today if left out")] = None
    professional: Annotated[UUID | None, Target("professional")] = None
    patient: Annotated[UUID | None, Target("patient"), Field(description="Without a day: all that are to come")] = None
    mine: Annotated[bool, Field(description="Only the appointments of the person asking")] = False
    page: Annotated[int, Field(ge=1, le=20)] = 1


class Share(Result):
    """How many of the day's appointments are one professional's."""

    name: Annotated[str, Public(), Trusted()]
    appointments: int


class DayOverview(Result):
    many: ClassVar[str | None] = "items"
    day: date | None
    items: list[Slot]
    total: int
    by_status: dict[str, int]
    by_professional: list[Share]


class OneAppointment(Args):
    appointment: Annotated[UUID, Target("appointment")]


class AppointmentCard(Slot):
    """One appointment with what may be done with it."""

    cabinet_id: Annotated[UUID | None, Yields("cabinet")]
    allowed_statuses: Annotated[list[str], Public()]


class Nothing(Args):
    """No arguments."""


class Professional(Result):
    id: Annotated[UUID, Yields("professional")]
    name: Annotated[str, Public(), Trusted()]
    role: Annotated[str, Public()]


class Professionals(Result):
    many: ClassVar[str | None] = "items"
    items: list[Professional]
    total: int


class Room(Result):
    id: Annotated[UUID, Yields("cabinet")]
    name: Annotated[str, Public(), Trusted()]


class Rooms(Result):
    many: ClassVar[str | None] = "items"
    items: list[Room]
    total: int


class Book(Args):
    patient: Annotated[UUID, Target("patient")]
    start: LocalTime
    treatment: Kind = Treatment.CHECKUP
    professional: Annotated[UUID | None, Target("professional"), Field(description="Left out: one who is free")] = None
    cabinet: Annotated[UUID | None, Target("cabinet")] = None
    minutes: Annotated[int | None, Field(ge=5, le=720, description="Left out: the treatment's usual length")] = None
    note: Annotated[str, Text(), Field(max_length=500)] = ""


class Reschedule(Args):
    appointment: Annotated[UUID, Target("appointment")]
    start: LocalTime
    professional: Annotated[UUID | None, Target("professional"), Field(description="Left out: the same")] = None
    cabinet: Annotated[UUID | None, Target("cabinet"), Field(description="Left out: the same")] = None


class Move(Args):
    appointment: Annotated[UUID, Target("appointment")]
    status: Annotated[
        Literal["confirmed", "checked_in", "in_treatment", "completed", "no_show"],
        Field(
            description="confirmed: confirmada; checked_in: ha llegado; in_treatment: en tratamiento; "
            "completed: terminada; no_show: no se ha presentado"
        ),
    ]
    cabinet: Annotated[UUID | None, Target("cabinet"), Field(description="Needed to start treatment")] = None


class Cancel(Args):
    appointment: Annotated[UUID, Target("appointment")]
    reason: Annotated[str, Text(), Field(max_length=300)] = ""


@tool(
    permissions=["agenda.appointments.read"],
    effect="read",
    title={"es": "Ver la agenda del día", "en": "See the day's agenda"},
    say={
        "es": ["¿qué citas hay hoy?", "agenda de mañana", "citas del lunes", "¿qué citas tiene María López?"],
        "en": ["what appointments are there today?", "tomorrow's agenda", "which appointments has María López?"],
    },
)
async def get_day_overview(ctx: Context, args: DayArgs) -> DayOverview:
    """Appointments of one day by time, ten a page, with counts; or of one patient: on a day, or all to come."""
    day = args.day or (None if args.patient else service.today(ctx.actor, ctx.now))
    if day is None and args.patient is not None:
        found = await service.to_come(ctx.session, ctx.actor, args.patient, ctx.now)
    else:
        found = await service.of_day(ctx.session, ctx.actor, day or service.today(ctx.actor, ctx.now))
    kept = [b for b in found if args.patient in (None, b.patient.id)]
    kept = [b for b in kept if args.professional in (None, b.professional.id)]
    kept = [b for b in kept if not args.mine or str(b.professional.user_id) == ctx.actor.id]
    statuses = [b.appointment.status for b in kept]
    people = [b.professional.name for b in kept if args.patient is None]
    return DayOverview(
        day=day,
        items=[_slot(ctx, booking) for booking in kept[(args.page - 1) * 10 : args.page * 10]],
        total=len(kept),
        by_status={status: statuses.count(status) for status in dict.fromkeys(statuses)},
        by_professional=[Share(name=name, appointments=people.count(name)) for name in dict.fromkeys(people)],
    )


@tool(
    permissions=["agenda.appointments.read"],
    effect="read",
    title={"es": "Ver una cita", "en": "See an appointment"},
    say={
        "es": ["enséñame esta cita", "¿en qué estado está la cita?", "detalle de la cita"],
        "en": ["show me this appointment", "what is the status of the appointment?", "appointment details"],
    },
)
async def get_appointment(ctx: Context, args: OneAppointment) -> AppointmentCard:
    """One appointment, and the statuses it may move to."""
    return _card(ctx, await service.get(ctx.session, ctx.actor, args.appointment))


@tool(
    permissions=["agenda.appointments.read"],
    effect="read",
    title={"es": "Ver los profesionales", "en": "List professionals"},
    say={
        "es": ["¿qué profesionales hay?", "lista de dentistas", "¿quién atiende en la clínica?"],
        "en": ["which professionals are there?", "list the dentists", "who treats patients here?"],
    },
)
async def list_professionals(ctx: Context, args: Nothing) -> Professionals:
    """Who treats patients in this clinic."""
    people = await service.professionals(ctx.session, ctx.actor)
    items = [Professional(id=p.id, name=p.name, role=p.role) for p in people]
    return Professionals(items=items[:10], total=len(items))


@tool(
    permissions=["agenda.cabinets.read"],
    effect="read",
    title={"es": "Ver los gabinetes", "en": "List cabinets"},
    say={
        "es": ["¿qué gabinetes hay?", "lista de gabinetes"],
        "en": ["which cabinets are there?", "list the cabinets"],
    },
)
async def list_cabinets(ctx: Context, args: Nothing) -> Rooms:
    """The cabinets in use."""
    rooms = await service.cabinets(ctx.session, ctx.actor)
    items = [Room(id=room.id, name=room.name) for room in rooms]
    return Rooms(items=items[:10], total=len(items))


@tool(
    permissions=["agenda.appointments.write"],
    effect="write",
    title={"es": "Dar cita", "en": "Book an appointment"},
    say={
        "es": [
            "agenda revisión a María López mañana a las 10",
            "da cita a María López el lunes a las 9:30 para una limpieza",
            "agéndale revisión mañana a las 12",
            "reserva hora para María López el 3 de mayo a las 17:00",
        ],
        "en": [
            "book María López a check-up tomorrow at 10",
            "make an appointment for María López on Monday at 9:30 for a cleaning",
            "schedule her a check-up tomorrow at noon",
        ],
    },
    hidden=service.HIDDEN,
)
async def book_appointment(ctx: Context, args: Book) -> AppointmentCard:
    """Book an appointment for a patient. Without a professional one who is free then is chosen."""
    made = await service.book(
        ctx.session,
        ctx.actor,
        args.patient,
        args.start,
        args.treatment,
        now=ctx.now,
        professional_id=args.professional,
        cabinet_id=args.cabinet,
        minutes=args.minutes,
        note=args.note,
    )
    return _card(ctx, await service.get(ctx.session, ctx.actor, made.id))


@tool(
    permissions=["agenda.appointments.write"],
    effect="write",
    title={"es": "Cambiar la hora de una cita", "en": "Reschedule an appointment"},
    say={
        "es": ["mueve la cita de María López al jueves a las 15:00", "cambia esta cita a mañana a las 11"],
        "en": ["move María López's appointment to Thursday at 15:00", "reschedule this to tomorrow at 11"],
    },
    hidden=service.CELLS,
)
async def reschedule_appointment(ctx: Context, args: Reschedule) -> AppointmentCard:
    """Move an appointment that has not begun to another time, and if wished to another professional or cabinet."""
    moved = await service.reschedule(
        ctx.session,
        ctx.actor,
        args.appointment,
        args.start,
        now=ctx.now,
        professional_id=args.professional,
        cabinet_id=args.cabinet,
    )
    return _card(ctx, await service.get(ctx.session, ctx.actor, moved.id))


@tool(
    permissions=["agenda.appointments.write"],
    effect="write",
    title={"es": "Cambiar el estado de una cita", "en": "Change an appointment's status"},
    say={
        "es": ["confirma la cita de María López", "Ana ha llegado", "Ana no se ha presentado", "márcala terminada"],
        "en": ["confirm María López's appointment", "Ana has arrived", "Ana did not turn up", "mark it as completed"],
    },
    hidden=service.HIDDEN,
)
async def update_appointment_status(ctx: Context, args: Move) -> AppointmentCard:
    """Confirm, check in, start, complete, or mark as no-show. To cancel use cancel_appointment."""
    moved = await service.set_status(
        ctx.session, ctx.actor, args.appointment, Status(args.status), now=ctx.now, cabinet_id=args.cabinet
    )
    return _card(ctx, await service.get(ctx.session, ctx.actor, moved.id))


@tool(
    permissions=["agenda.appointments.write"],
    effect="destructive",
    title={"es": "Anular una cita", "en": "Cancel an appointment"},
    say={
        "es": ["anula la cita de María López de mañana", "cancela esta cita", "cancela la cita de las 10"],
        "en": ["cancel María López's appointment tomorrow", "cancel this appointment"],
    },
    hidden=service.HIDDEN,
)
async def cancel_appointment(ctx: Context, args: Cancel) -> AppointmentCard:
    """Cancel an appointment; its time is free at once. This cannot be undone."""
    gone = await service.cancel(ctx.session, ctx.actor, args.appointment, now=ctx.now, reason=args.reason)
    return _card(ctx, await service.get(ctx.session, ctx.actor, gone.id))


def _slot(ctx: Context, booking: Booking) -> Slot:
    made = booking.appointment
    return Slot(
        id=made.id,
        start=service.to_local(ctx.actor, made.starts_at),
        end=service.to_local(ctx.actor, made.ends_at),
        patient_id=booking.patient.id,
        patient_name=booking.patient.full_name,
        professional_id=booking.professional.id,
        professional=booking.professional.name,
        cabinet=booking.cabinet.name if booking.cabinet else None,
        treatment=made.treatment,
        status=made.status,
    )


def _card(ctx: Context, booking: Booking) -> AppointmentCard:
    allowed = [status.value for status in service.MOVES[Status(booking.appointment.status)]]
    slot = _slot(ctx, booking).model_dump()
    return AppointmentCard(**slot, cabinet_id=booking.appointment.cabinet_id, allowed_statuses=allowed)


READS = [get_day_overview, get_appointment, list_professionals, list_cabinets]
WRITES = [book_appointment, reschedule_appointment, update_appointment_status, cancel_appointment]
TOOLS = Toolset("agenda", [*READS, *WRITES])
