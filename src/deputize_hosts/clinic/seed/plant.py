"""Puts the demonstration data into an empty database; a second start finds it and changes nothing."""

from datetime import date, datetime, timedelta
from random import Random
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda.models import Appointment, Cabinet
from deputize_hosts.clinic.agenda.status import Status
from deputize_hosts.clinic.agenda.treatments import Treatment
from deputize_hosts.clinic.auth.models import Clinic, Membership, User
from deputize_hosts.clinic.patients.models import Patient, PatientStatus, PatientWords
from deputize_hosts.clinic.patients.service import folded
from deputize_hosts.clinic.schedules.hours import intersect
from deputize_hosts.clinic.schedules.models import Override, OverrideHours, WeeklyHours
from deputize_hosts.clinic.seed import stories
from deputize_hosts.clinic.seed.books import Books
from deputize_hosts.clinic.seed.catalogue import catalogue
from deputize_hosts.clinic.seed.clinics import ALAMEDA, PASSWORD, PRACTICES, Practice, Week, seed_id
from deputize_hosts.clinic.seed.diary import Seat, appointments_of_day, cells_of, history_of, told_of
from deputize_hosts.clinic.seed.people import CANARIAN, people, person
from deputize_hosts.kit.passwords import hash_password

BEFORE, AFTER = 7, 14
"""Days of appointments before and after today."""

MARIA = ("María", "López Herrera")
"""The one María López of each clinic; they are two different people."""


async def plant(session: AsyncSession, now: datetime) -> bool:
    """Seed both clinics; False if they are there already. The caller commits."""
    if await session.get(Clinic, seed_id(ALAMEDA.key)) is not None:
        return False
    for practice in PRACTICES:
        await _plant_one(session, practice, now.astimezone(ZoneInfo(practice.time_zone)).date())
    return True


async def _plant_one(session: AsyncSession, practice: Practice, today: date) -> None:
    clinic = seed_id(practice.key)
    session.add(Clinic(id=clinic, name=practice.name, time_zone=practice.time_zone))
    await session.flush()
    await _add_staff(session, practice, clinic)
    rooms = {name: seed_id(practice.key, "cabinet", name) for name in practice.cabinets}
    session.add_all(Cabinet(id=own, clinic_id=clinic, name=name) for name, own in rooms.items())
    await session.flush()
    closed = await _add_hours(session, practice, clinic, today)
    patients = await _add_patients(session, practice, clinic)
    await session.flush()
    seats = [
        Seat(s, seed_id(practice.key, "member", s.email), rooms[s.cabinet], n == 0)
        for n, s in enumerate(s for s in practice.staff if s.cabinet)
        if s.cabinet
    ]
    desk = seed_id("user", practice.staff[-1].email)
    for n in range(-BEFORE, AFTER + 1):
        on = today + timedelta(days=n)
        at_work = [seat for seat in seats if (None, on) not in closed and (seat.professional, on) not in closed]
        made = appointments_of_day(practice, clinic, on, today, at_work, patients[1 + len(stories.STORIES) :])
        await _add_appointments(session, made, desk)
    await _usual_professional(session, practice, clinic, patients[0], seats[0], today, desk)
    await _add_money(session, practice, clinic, patients, [seat.professional for seat in seats], today, desk)


async def _add_money(
    session: AsyncSession,
    practice: Practice,
    clinic: UUID,
    patients: list[UUID],
    people_: list[UUID],
    today: date,
    desk: UUID,
) -> None:
    """Catalogue, quotes, invoices, payments and recalls, and the stories among them."""
    items = catalogue(practice, clinic)
    session.add_all(items)
    await session.flush()
    books = Books(practice, clinic, {item.code: item for item in items})
    random = Random(f"{practice.key}:books")  # noqa: S311  invented data, not a secret
    known = 1 + (len(stories.STORIES) if practice is ALAMEDA else 0)
    stories.ordinary(books, random, today, patients[known:], people_)
    if practice is ALAMEDA:
        stories.quotes(books, random, today, patients[known:], people_)
        stories.debts(books, today, patients[3], patients[0], people_[0])
        stories.overdue(books, today, patients[2], desk)
        late, moves = stories.late_cancellations(practice, clinic, patients[1], people_[0], today, desk)
        books.rows += late
        books.children += moves
    books.rows += stories.recalls(practice, clinic, random, today, patients[known:])
    for rows in (books.counters(), books.rows, books.children):
        session.add_all(rows)
        await session.flush()


async def _add_appointments(session: AsyncSession, made: list[Appointment], desk: UUID) -> None:
    session.add_all(made)
    await session.flush()
    for appointment in made:
        session.add_all(cells_of(appointment))
        moves = history_of(appointment, desk)
        session.add_all(moves)
        session.add_all(told_of(appointment, moves))
    await session.flush()


async def _add_staff(session: AsyncSession, practice: Practice, clinic: UUID) -> None:
    for one in practice.staff:
        user = seed_id("user", one.email)
        session.add(User(id=user, email=one.email, name=one.name, password_hash=hash_password(PASSWORD), seeded=True))
    await session.flush()
    for one in practice.staff:
        session.add(
            Membership(
                id=seed_id(practice.key, "member", one.email),
                clinic_id=clinic,
                user_id=seed_id("user", one.email),
                role=one.role.value,
                name=one.name,
                is_professional=one.cabinet is not None,
            )
        )


def _add_week(session: AsyncSession, clinic: UUID, professional: UUID | None, week: Week) -> None:
    session.add_all(
        WeeklyHours(
            id=seed_id("hours", clinic, professional, weekday, opens),
            clinic_id=clinic,
            professional_id=professional,
            weekday=weekday,
            opens=opens,
            closes=closes,
        )
        for weekday, ranges in week.items()
        for opens, closes in ranges
    )


async def _add_hours(
    session: AsyncSession, practice: Practice, clinic: UUID, today: date
) -> set[tuple[UUID | None, date]]:
    """Weekly hours and three exceptions; returns who is away on which day (None: the whole clinic)."""
    _add_week(session, clinic, None, practice.week)
    members = {s.email: seed_id(practice.key, "member", s.email) for s in practice.staff}
    for one in practice.staff:
        if one.week:
            _add_week(session, clinic, members[one.email], one.week)
    holiday = _open_day(practice, today + timedelta(days=10))
    session.add(_override(clinic, None, holiday, holiday, "Fiesta local"))
    away: set[tuple[UUID | None, date]] = {(None, holiday)}
    if practice is ALAMEDA:
        second = members["dentist2@demo.clinic"]
        first, last = today + timedelta(days=6), today + timedelta(days=8)
        session.add(_override(clinic, second, first, last, "Congreso"))
        away |= {(second, first + timedelta(days=n)) for n in range(3)}
        short = _open_day(practice, holiday + timedelta(days=2))
        early = _override(clinic, None, short, short, "Formación del equipo por la tarde", closed=False)
        session.add(early)
        await session.flush()
        session.add(
            OverrideHours(id=seed_id("short", clinic), override_id=early.id, clinic_id=clinic, opens=540, closes=840)
        )
        away.add((None, short))
    return away


def _open_day(practice: Practice, on: date) -> date:
    """The day itself, or the next on which the clinic works mornings and afternoons."""
    while len(practice.week.get(on.weekday(), ())) < 2:
        on += timedelta(days=1)
    return on


def _override(
    clinic: UUID, professional: UUID | None, first: date, last: date, reason: str, *, closed: bool = True
) -> Override:
    return Override(
        id=seed_id("override", clinic, professional, reason),
        clinic_id=clinic,
        professional_id=professional,
        first_day=first,
        last_day=last,
        closed=closed,
        reason=reason,
    )


async def _add_patients(session: AsyncSession, practice: Practice, clinic: UUID) -> list[UUID]:
    """Active patients first María López, then the others; the archived ones are added but not returned."""
    random = Random(practice.key)  # noqa: S311  invented data, not a secret
    surnames = None if practice is ALAMEDA else CANARIAN
    told = [person(random, 900 + n, *name) for n, name in enumerate(stories.STORIES)] if practice is ALAMEDA else []
    others = people(random, practice.patients - 1 - len(told), surnames)
    everybody = [person(random, 0, *MARIA), *told, *others]
    active, words = [], []
    for number, one in enumerate(everybody):
        own = seed_id(practice.key, "patient", number)
        archived = number >= practice.patients - practice.archived
        patient = Patient(
            id=own,
            clinic_id=clinic,
            first_name=one.first_name,
            last_name=one.last_name,
            phone=one.phone or ("+34600123456" if number == 0 else None),
            email=one.email or ("maria.lopez@example.com" if number == 0 else None),
            birth_date=one.birth_date,
            national_id_kind=one.national_id_kind,
            national_id=one.national_id,
            address=one.address,
            notes="Alergia a la penicilina." if random.random() < 0.06 else "",
            status=(PatientStatus.ARCHIVED if archived else PatientStatus.ACTIVE).value,
            do_not_contact=number > len(told) and random.random() < 0.05,
        )
        session.add(patient)
        words.append(PatientWords(patient_id=own, clinic_id=clinic, folded=folded(patient)))
        if not archived:
            active.append(own)
    await session.flush()
    session.add_all(words)
    return active


async def _usual_professional(
    session: AsyncSession, practice: Practice, clinic: UUID, patient: UUID, seat: Seat, today: date, desk: UUID
) -> None:
    """María López was last seen by the first professional, in the quiet hour of a past open day."""
    days = [today - timedelta(days=n) for n in range(1, BEFORE + 1)]
    on = next(d for d in days if intersect(practice.week.get(d.weekday(), ()), practice.quiet[:1]))
    start = datetime.combine(on, datetime.min.time(), ZoneInfo(practice.time_zone)) + timedelta(
        minutes=practice.quiet[0][0]
    )
    made = Appointment(
        id=seed_id(practice.key, "appointment", "usual"),
        clinic_id=clinic,
        patient_id=patient,
        professional_id=seat.professional,
        cabinet_id=seat.cabinet,
        starts_at=start,
        ends_at=start + timedelta(minutes=30),
        treatment=Treatment.CHECKUP.value,
        status=Status.COMPLETED.value,
    )
    await _add_appointments(session, [made], desk)
