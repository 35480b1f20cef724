"""Three weeks of appointments around today, with gaps, made up day by day."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from random import Random
from uuid import UUID
from zoneinfo import ZoneInfo

from deputize_hosts.clinic.agenda.claims import cells
from deputize_hosts.clinic.agenda.models import Appointment, ClaimedCell, StatusChange
from deputize_hosts.clinic.agenda.status import FREES_TIME, Status
from deputize_hosts.clinic.agenda.treatments import KINDS, Treatment
from deputize_hosts.clinic.auth.models import Role
from deputize_hosts.clinic.patient_timeline.models import Area, TimelineEvent
from deputize_hosts.clinic.schedules.hours import Range, intersect, subtract
from deputize_hosts.clinic.seed.clinics import Practice, Staff, seed_id

DENTAL = (
    (Treatment.CHECKUP, 6),
    (Treatment.FILLING, 5),
    (Treatment.FIRST_VISIT, 2),
    (Treatment.ENDODONTICS, 2),
    (Treatment.EXTRACTION, 2),
    (Treatment.CROWN, 2),
    (Treatment.IMPLANT, 1),
    (Treatment.ORTHODONTICS, 3),
    (Treatment.EMERGENCY, 1),
)
CLEANING = ((Treatment.HYGIENE, 8), (Treatment.WHITENING, 2), (Treatment.CHECKUP, 1))
NOTES = ("", "", "", "", "Prefiere que la llamen por la mañana.", "Trae radiografías.", "Viene con su hijo.")

PATHS = {
    Status.SCHEDULED: (Status.SCHEDULED,),
    Status.CONFIRMED: (Status.SCHEDULED, Status.CONFIRMED),
    Status.COMPLETED: (
        Status.SCHEDULED,
        Status.CONFIRMED,
        Status.CHECKED_IN,
        Status.IN_TREATMENT,
        Status.COMPLETED,
    ),
    Status.CANCELLED: (Status.SCHEDULED, Status.CANCELLED),
    Status.NO_SHOW: (Status.SCHEDULED, Status.CONFIRMED, Status.NO_SHOW),
}


@dataclass(frozen=True, slots=True)
class Seat:
    """A professional at work: who, where, and when on that weekday."""

    staff: Staff
    professional: UUID
    cabinet: UUID
    quiet: bool


def _status(random: Random, days_ahead: int) -> Status:
    if days_ahead < 0:
        return random.choices((Status.COMPLETED, Status.NO_SHOW, Status.CANCELLED), (88, 6, 6))[0]
    confirmed = 70 if days_ahead < 3 else 30
    return random.choices((Status.CONFIRMED, Status.SCHEDULED, Status.CANCELLED), (confirmed, 95 - confirmed, 5))[0]


def _fill(random: Random, ranges: Sequence[Range], role: Role) -> Iterator[tuple[int, int, Treatment]]:
    """Appointments one after the other, with a breath between some and longer holes now and then."""
    kinds = CLEANING if role is Role.HYGIENIST else DENTAL
    for opens, closes in ranges:
        at = opens + random.choice((0, 0, 15))
        while True:
            treatment = random.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
            until = at + KINDS[treatment].minutes
            if until > closes:
                break
            if random.random() < 0.72:
                yield at, until, treatment
            at = until + random.choice((0, 0, 5, 10, 15))


def _utc(on: date, minute: int, zone: ZoneInfo) -> datetime:
    return (datetime.combine(on, time()) + timedelta(minutes=minute)).replace(tzinfo=zone).astimezone(UTC)


def appointments_of_day(
    practice: Practice, clinic: UUID, on: date, today: date, seats: Sequence[Seat], patients: Sequence[UUID]
) -> list[Appointment]:
    """One day's appointments: the same for the same day, nobody in two chairs at once."""
    random = Random(f"{practice.key}:{on.isoformat()}")  # noqa: S311  invented data, not a secret
    zone = ZoneInfo(practice.time_zone)
    open_ = practice.week.get(on.weekday(), ())
    shuffled = random.sample(list(patients), len(patients))
    made: list[Appointment] = []
    for seat in seats:
        own = seat.staff.week.get(on.weekday(), ()) if seat.staff.week else open_
        ranges = intersect(open_, own)
        if seat.quiet:
            ranges = subtract(ranges, practice.quiet)
        for start, end, treatment in _fill(random, ranges, seat.staff.role):
            status = _status(random, (on - today).days)
            in_a_room = status is Status.COMPLETED or random.random() < 0.85
            made.append(
                Appointment(
                    id=seed_id(practice.key, "appointment", on, seat.staff.email, start),
                    clinic_id=clinic,
                    patient_id=shuffled[len(made) % len(shuffled)],
                    professional_id=seat.professional,
                    cabinet_id=seat.cabinet if in_a_room else None,
                    starts_at=_utc(on, start, zone),
                    ends_at=_utc(on, end, zone),
                    treatment=treatment.value,
                    note=random.choice(NOTES),
                    status=status.value,
                )
            )
    return made


def cells_of(appointment: Appointment) -> list[ClaimedCell]:
    """The calendar cells that an active appointment claims."""
    if Status(appointment.status) in FREES_TIME:
        return []
    resources = [r for r in (appointment.professional_id, appointment.cabinet_id) if r is not None]
    return [
        ClaimedCell(clinic_id=appointment.clinic_id, resource=r, cell=cell, appointment_id=appointment.id)
        for r in resources
        for cell in cells(appointment.starts_at, appointment.ends_at)
    ]


def history_of(appointment: Appointment, by: UUID) -> list[StatusChange]:
    """How it came to its status, one move after the other."""
    changes = []
    before: Status | None = None
    booked = appointment.starts_at - timedelta(days=9)
    for step, status in enumerate(PATHS[Status(appointment.status)]):
        late = {Status.CHECKED_IN: -5, Status.IN_TREATMENT: 3, Status.NO_SHOW: 20}.get(status)
        at = booked + timedelta(days=2 * step) if late is None else appointment.starts_at + timedelta(minutes=late)
        if status is Status.COMPLETED:
            at = appointment.ends_at
        changes.append(
            StatusChange(
                id=seed_id("move", appointment.id, step),
                clinic_id=appointment.clinic_id,
                appointment_id=appointment.id,
                before=before.value if before else None,
                after=status.value,
                by_user=str(by),
                at=at,
            )
        )
        before = status
    return changes


def told_of(appointment: Appointment, moves: Sequence[StatusChange]) -> list[TimelineEvent]:
    """What the patient's timeline says of it."""
    return [
        TimelineEvent(
            id=seed_id("told", move.id),
            clinic_id=appointment.clinic_id,
            patient_id=appointment.patient_id,
            category=Area.APPOINTMENT.value,
            what=f"appointment_{move.after if move.before else 'booked'}",
            detail=appointment.treatment,
            source_id=appointment.id,
            at=move.at,
        )
        for move in moves
    ]
