"""A small dental desk in memory: patients, agenda, free slots; its tools declare what a clinic's would."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID, uuid5

from pydantic import Field

from deputize.core.marks import Destination, Personal, Prose, Public, Target, Text, Version, Yields
from deputize.core.tool import Args, LocalTime, Result
from tests.providers.offline.declared import Declared

SPACE = UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")


def uid(name: str) -> str:
    return str(uuid5(SPACE, name))


class Status(StrEnum):
    scheduled = "scheduled"
    confirmed = "confirmed"
    checked_in = "checked_in"
    in_treatment = "in_treatment"
    completed = "completed"
    cancelled = "cancelled"
    no_show = "no_show"


class Refused(Exception):
    def __init__(self, code: str, message: str, **alternatives: Any) -> None:
        super().__init__(message)
        self.code, self.message, self.alternatives = code, message, alternatives


class SearchPatients(Args):
    query: Annotated[str, Field(description="Words of the name, phone, e-mail or id number")]
    limit: Annotated[int, Field(description="At most so many", ge=1, le=50)] = 10


class PatientRow(Result):
    id: Annotated[UUID, Yields("patient")]
    name: Annotated[str, Personal("NAME", of="id")]
    phone: Annotated[str, Personal("PHONE")]
    birth_date: date


class PatientList(Result):
    many = "patients"
    patients: list[PatientRow]


class GetPatient(Args):
    patient: Annotated[UUID, Target("patient")]


class Visit(Result):
    id: Annotated[UUID, Yields("appointment")]
    start: datetime
    treatment: Annotated[str, Public()]
    status: Annotated[str, Public()]


class PatientCard(PatientRow):
    email: Annotated[str, Personal("EMAIL")]
    appointments: list[Visit]


class CreatePatient(Args):
    first_name: Annotated[str, Field(description="First name")]
    last_name: Annotated[str, Field(description="Last names")]
    phone: Annotated[str | None, Destination("phone")] = None
    email: Annotated[str | None, Destination("email")] = None
    birth_date: Annotated[date | None, Field(description="Birth date")] = None


class Created(Result):
    id: Annotated[UUID, Yields("patient")]
    name: Annotated[str, Personal("NAME", of="id")]


class UpdatePatient(Args):
    patient: Annotated[UUID, Target("patient")]
    phone: Annotated[str | None, Destination("phone")] = None
    email: Annotated[str | None, Destination("email")] = None
    address: Annotated[str | None, Field(description="Postal address")] = None


class DayOverview(Args):
    day: Annotated[date, Field(description="The day")]
    professional: Annotated[UUID | None, Target("professional")] = None


class Booking(Result):
    id: Annotated[UUID, Yields("appointment")]
    version: Annotated[int, Version()]
    start: datetime
    end: datetime
    patient: Annotated[UUID, Yields("patient")]
    patient_name: Annotated[str, Personal("NAME", of="patient")]
    professional: Annotated[UUID, Yields("professional")]
    professional_name: Annotated[str, Public()]
    treatment: Annotated[str, Public()]
    status: Annotated[str, Public()]
    note: Annotated[str, Prose()]


class Overview(Result):
    many = "appointments"
    day: date
    appointments: list[Booking]


class GetAppointment(Args):
    appointment: Annotated[UUID, Target("appointment")]


class NoArgs(Args):
    pass


class Member(Result):
    id: Annotated[UUID, Yields("professional")]
    name: Annotated[str, Public()]
    role: Annotated[str, Public()]


class Members(Result):
    professionals: list[Member]


class Room(Result):
    id: Annotated[UUID, Yields("cabinet")]
    name: Annotated[str, Public()]


class Rooms(Result):
    cabinets: list[Room]


class FindFreeSlots(Args):
    day: Annotated[date, Field(description="The first day")]
    until: Annotated[date | None, Field(description="The last day, if more than one")] = None
    professional: Annotated[UUID | None, Target("professional")] = None
    minutes: Annotated[int, Field(description="Length in minutes", ge=5, le=240)] = 30


class FreeSlot(Result):
    professional: Annotated[UUID, Yields("professional")]
    professional_name: Annotated[str, Public()]
    start: datetime
    end: datetime


class FreeSlots(Result):
    many = "slots"
    slots: list[FreeSlot]


class Book(Args):
    patient: Annotated[UUID, Target("patient")]
    professional: Annotated[UUID, Target("professional")]
    start: LocalTime
    minutes: Annotated[int, Field(description="Duration in minutes", ge=5, le=240)] = 30
    treatment: Annotated[str, Field(description="Treatment type")] = ""
    note: Annotated[str, Text()] = ""


class Reschedule(Args):
    appointment: Annotated[UUID, Target("appointment")]
    start: LocalTime
    minutes: Annotated[int | None, Field(description="New duration in minutes")] = None


class SetStatus(Args):
    appointment: Annotated[UUID, Target("appointment")]
    status: Status
    cabinet: Annotated[UUID | None, Target("cabinet")] = None


class Cancel(Args):
    appointment: Annotated[UUID, Target("appointment")]
    reason: Annotated[str, Text()] = ""


PEOPLE = [
    ("María López García", "600111222", "1980-05-01"),
    ("Juan Pérez Soto", "600333444", "1975-02-11"),
    ("Ana García Ruiz", "600555666", "1990-07-21"),
    ("Ana Beltrán Mora", "600777888", "1962-12-03"),
    ("Mariana Gómez Vidal", "600999000", "2001-01-30"),
    ("Felipe Robles Cano", "611000111", "1988-08-08"),
]


class ClinicDesk:
    """Rows in memory and one method a tool; days are those of the frozen now (Monday 30 November 2026)."""

    def __init__(self) -> None:
        self.people = [
            {"id": uid(n), "name": n, "phone": p, "birth_date": b, "email": "x@example.org"} for n, p, b in PEOPLE
        ]
        self.staff = [
            {"id": uid("Elena Ruiz"), "name": "Elena Ruiz", "role": "dentist"},
            {"id": uid("Pablo Sanz"), "name": "Pablo Sanz", "role": "hygienist"},
        ]
        self.rows: list[dict[str, Any]] = []
        self.writes: list[tuple[str, dict[str, Any]]] = []
        self._seed("Juan Pérez Soto", "Elena Ruiz", "2026-12-01T09:00", "Limpieza")
        self._seed("Ana García Ruiz", "Pablo Sanz", "2026-12-01T11:00", "Revisión")
        self._seed("Felipe Robles Cano", "Elena Ruiz", "2026-12-01T12:00", "Endodoncia")
        self._seed("Felipe Robles Cano", "Elena Ruiz", "2026-12-01T17:00", "Revisión")
        self._seed("María López García", "Elena Ruiz", "2026-12-02T10:00", "Implante")

    def _seed(self, person: str, member: str, start: str, treatment: str) -> None:
        begin = datetime.fromisoformat(start)
        self.rows.append(
            {
                "id": uid(person + start),
                "version": 3,
                "start": f"{begin.isoformat()}+01:00",
                "end": f"{(begin + timedelta(minutes=30)).isoformat()}+01:00",
                "patient": uid(person),
                "patient_name": person,
                "professional": uid(member),
                "professional_name": member,
                "treatment": treatment,
                "status": "scheduled",
                "note": "",
            }
        )

    def search_patients(self, a: Mapping[str, Any]) -> Any:
        from_words = [plain(w) for w in a["query"].split()]
        found = [p for p in self.people if all(w in plain(p["name"] + " " + p["phone"]) for w in from_words)]
        return {"patients": [{k: v for k, v in p.items() if k != "email"} for p in found]}

    def get_patient(self, a: Mapping[str, Any]) -> Any:
        person = next((p for p in self.people if p["id"] == a["patient"]), None)
        if person is None:
            raise Refused("not_found", "There is no such patient")
        visits = [r for r in self.rows if r["patient"] == person["id"]]
        return {**person, "appointments": [{k: r[k] for k in ("id", "start", "treatment", "status")} for r in visits]}

    def create_patient(self, a: Mapping[str, Any]) -> Any:
        self.writes.append(("create_patient", dict(a)))
        return {"id": uid(a["first_name"]), "name": f"{a['first_name']} {a['last_name']}"}

    def update_patient(self, a: Mapping[str, Any]) -> Any:
        self.writes.append(("update_patient", dict(a)))
        person = next(p for p in self.people if p["id"] == a["patient"])
        return {"id": person["id"], "name": person["name"]}

    def get_day_overview(self, a: Mapping[str, Any]) -> Any:
        rows = [r for r in self.rows if r["start"].startswith(a["day"])]
        if a.get("professional"):
            rows = [r for r in rows if r["professional"] == a["professional"]]
        return {"day": a["day"], "appointments": [dict(r) for r in rows]}

    def get_appointment(self, a: Mapping[str, Any]) -> Any:
        return dict(self._row(a))

    def _row(self, a: Mapping[str, Any]) -> dict[str, Any]:
        row = next((r for r in self.rows if r["id"] == a["appointment"]), None)
        if row is None:
            raise Refused("not_found", "There is no such appointment")
        return row

    def list_professionals(self, a: Mapping[str, Any]) -> Any:
        return {"professionals": [dict(s) for s in self.staff]}

    def list_cabinets(self, a: Mapping[str, Any]) -> Any:
        return {"cabinets": [{"id": uid("G1"), "name": "Gabinete 1"}, {"id": uid("G2"), "name": "Gabinete 2"}]}

    def find_free_slots(self, a: Mapping[str, Any]) -> Any:
        begin, end = date.fromisoformat(a["day"]), date.fromisoformat(a.get("until") or a["day"])
        found = []
        day = begin
        while day <= end:
            for member in self.staff:
                found += self._free(day, member) if a.get("professional") in (None, member["id"]) else []
            day += timedelta(days=1)
        return {"slots": found}

    def _free(self, day: date, member: Mapping[str, Any]) -> list[dict[str, Any]]:
        hours = [(9, 0), (9, 30), (10, 0), (10, 30), (12, 30), (15, 0), (15, 30), (16, 0)] if day.weekday() < 5 else []
        busy = {r["start"][:16] for r in self.rows if r["professional"] == member["id"]}
        begins = [datetime(day.year, day.month, day.day, h, m) for h, m in hours]
        return [
            {
                "professional": member["id"],
                "professional_name": member["name"],
                "start": f"{b.isoformat()}+01:00",
                "end": f"{(b + timedelta(minutes=30)).isoformat()}+01:00",
            }
            for b in begins
            if b.isoformat()[:16] not in busy
        ]

    def book_appointment(self, a: Mapping[str, Any]) -> Any:
        start = datetime.fromisoformat(a["start"])
        slots = self.find_free_slots({"day": start.date().isoformat(), "professional": a["professional"]})["slots"]
        if not any(s["start"][:16] == start.isoformat()[:16] for s in slots):
            raise Refused("slot_taken", "That time is taken", free=[s["start"] for s in slots[:3]])
        self.writes.append(("book_appointment", dict(a)))
        name = next(p["name"] for p in self.people if p["id"] == a["patient"])
        return {**self.rows[0], "id": uid("new"), "start": f"{start.isoformat()}+01:00", "patient_name": name}

    def reschedule_appointment(self, a: Mapping[str, Any]) -> Any:
        self.writes.append(("reschedule_appointment", dict(a)))
        return {**self._row(a), "start": a["start"]}

    def update_appointment_status(self, a: Mapping[str, Any]) -> Any:
        self.writes.append(("update_appointment_status", dict(a)))
        return {**self._row(a), "status": a["status"]}

    def cancel_appointment(self, a: Mapping[str, Any]) -> Any:
        self.writes.append(("cancel_appointment", dict(a)))
        return {**self._row(a), "status": "cancelled"}

    def tools(self) -> list[Declared]:
        return [
            Declared("search_patients", SearchPatients, PatientList, self.search_patients,
                     "Find patients by name, phone, e-mail or id number.",
                     es=("busca al paciente María López", "pacientes que se apelliden García"),
                     en=("find the patient Ana García", "patients called Smith")),
            Declared("get_patient", GetPatient, PatientCard, self.get_patient,
                     "One patient's contact data and appointments.",
                     es=("ábreme la ficha de María López", "¿qué citas tiene Juan Pérez?"),
                     en=("show me Ana García's record", "what appointments does Juan have?")),
            Declared("create_patient", CreatePatient, Created, self.create_patient, "Register a new patient.", "write",
                     es=("da de alta a Pedro Ruiz con teléfono 600123123",),
                     en=("create a new patient called Peter Smith, phone 600123123",)),
            Declared("update_patient", UpdatePatient, Created, self.update_patient,
                     "Change a patient's phone, e-mail or address.", "write",
                     es=("cambia el teléfono de María López a 600123123",),
                     en=("update Ana García's email to ana@example.org",)),
            Declared("get_day_overview", DayOverview, Overview, self.get_day_overview,
                     "The appointments of one day, by time.",
                     es=("¿quién viene mañana?", "enséñame la agenda de hoy"),
                     en=("who is coming tomorrow?", "show today's schedule")),
            Declared("get_appointment", GetAppointment, Booking, self.get_appointment, "One appointment in full.",
                     es=("enséñame el detalle de esta cita",), en=("show me this appointment's details",)),
            Declared("list_professionals", NoArgs, Members, self.list_professionals,
                     "Dentists and hygienists of the clinic.",
                     es=("¿qué profesionales hay?",), en=("list the dentists",)),
            Declared("list_cabinets", NoArgs, Rooms, self.list_cabinets, "Treatment rooms of the clinic.",
                     es=("¿qué gabinetes tenemos?",), en=("list the treatment rooms",)),
            Declared("find_free_slots", FindFreeSlots, FreeSlots, self.find_free_slots,
                     "Free times of the professionals.",
                     es=("¿qué huecos libres hay el lunes?",), en=("find free slots on Monday",)),
            Declared("book_appointment", Book, Booking, self.book_appointment, "Book an appointment.", "write",
                     es=("agenda revisión a María mañana a las 10", "dale cita a Juan Pérez el lunes a las 9"),
                     en=("book Ana a check-up on Monday at 9:30",)),
            Declared("reschedule_appointment", Reschedule, Booking, self.reschedule_appointment,
                     "Move an appointment to another time.", "write",
                     es=("mueve la cita de Juan de mañana al jueves a las 12",),
                     en=("move Juan's appointment from tomorrow to Thursday at noon",)),
            Declared("update_appointment_status", SetStatus, Booking, self.update_appointment_status,
                     "Change the status of an appointment.", "write",
                     es=("marca la cita de Juan Pérez de hoy como confirmada", "Juan Pérez ha llegado"),
                     en=("mark Juan's appointment today as confirmed", "Juan Pérez has arrived")),
            Declared("cancel_appointment", Cancel, Booking, self.cancel_appointment,
                     "Cancel an appointment.", "destructive",
                     es=("cancela la cita de Juan Pérez de mañana",), en=("cancel Juan's appointment tomorrow",)),
        ]  # fmt: skip


def plain(text: str) -> str:
    return text.lower().translate(str.maketrans("áéíóú", "aeiou"))
