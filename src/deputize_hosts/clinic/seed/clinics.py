"""The two demonstration clinics: their people, rooms and hours."""

from dataclasses import dataclass, field
from uuid import NAMESPACE_URL, UUID, uuid5

from deputize_hosts.clinic.auth.models import Role
from deputize_hosts.clinic.schedules.hours import Range

PASSWORD = "clinica-demo-2026"  # noqa: S105  published on purpose; these users are refused off loopback


def seed_id(*parts: object) -> UUID:
    """The same id for the same thing at every seeding."""
    return uuid5(NAMESPACE_URL, "/".join(("urn:clinic-demo", *map(str, parts))))


MORNING: Range = (9 * 60, 14 * 60)
AFTERNOON: Range = (16 * 60, 20 * 60)
Week = dict[int, tuple[Range, ...]]
WEEKDAYS = range(5)


@dataclass(frozen=True, slots=True)
class Staff:
    """One seeded user. `cabinet` is where a professional usually works; an empty `week` means the clinic's hours."""

    email: str
    name: str
    role: Role
    cabinet: str | None = None
    week: Week = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Practice:
    """One seeded clinic; `quiet` are times that its first professional keeps free, for demonstrations."""

    key: str
    name: str
    time_zone: str
    staff: tuple[Staff, ...]
    cabinets: tuple[str, ...]
    week: Week
    patients: int
    archived: int
    quiet: tuple[Range, ...] = ((10 * 60, 11 * 60), (12 * 60, 12 * 60 + 30), (17 * 60, 17 * 60 + 30))


ALAMEDA = Practice(
    key="alameda",
    name="Clínica Dental Alameda",
    time_zone="Europe/Madrid",
    staff=(
        Staff("admin@demo.clinic", "Carmen Ortega", Role.ADMIN),
        Staff("dentist@demo.clinic", "Dra. Elena Ruiz", Role.DENTIST, "Gabinete 1"),
        Staff(
            "dentist2@demo.clinic",
            "Dr. Javier Molina",
            Role.DENTIST,
            "Gabinete 2",
            {**{d: ((10 * 60, 14 * 60), AFTERNOON) for d in range(4)}, 4: ((9 * 60, 15 * 60),), 5: (MORNING,)},
        ),
        Staff(
            "hygienist@demo.clinic",
            "Lucía Prieto",
            Role.HYGIENIST,
            "Gabinete 3",
            {**{d: (MORNING,) for d in (0, 2, 4)}, **{d: (MORNING, (16 * 60, 19 * 60)) for d in (1, 3)}},
        ),
        Staff("assistant@demo.clinic", "Marta Gil", Role.ASSISTANT),
        Staff("receptionist@demo.clinic", "Pablo Serrano", Role.RECEPTIONIST),
    ),
    cabinets=("Gabinete 1", "Gabinete 2", "Gabinete 3", "Gabinete 4 (rayos X)"),
    week={**{d: (MORNING, AFTERNOON) for d in WEEKDAYS}, 5: (MORNING,)},
    patients=168,
    archived=8,
)

TEIDE = Practice(
    key="teide",
    name="Clínica Dental Teide",
    time_zone="Atlantic/Canary",
    staff=(
        Staff("admin@teide.clinic", "Dr. Nauzet Santana", Role.ADMIN, "Sala Norte"),
        Staff("receptionist@teide.clinic", "Yaiza Cabrera", Role.RECEPTIONIST),
    ),
    cabinets=("Sala Norte", "Sala Sur"),
    week={d: ((8 * 60 + 30, 14 * 60), (15 * 60, 18 * 60)) for d in WEEKDAYS},
    patients=32,
    archived=2,
)

PRACTICES = (ALAMEDA, TEIDE)
