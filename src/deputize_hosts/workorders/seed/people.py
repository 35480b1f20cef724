"""The two demonstration organisations and their people."""

from dataclasses import dataclass
from uuid import NAMESPACE_URL, UUID, uuid5

from deputize_hosts.workorders.users.models import Role

PASSWORD = "desk-demo-2026"  # noqa: S105  published on purpose; these users are refused off loopback


def seed_id(*parts: object) -> UUID:
    """The same id for the same thing at every seeding."""
    return uuid5(NAMESPACE_URL, "/".join(("urn:workorders-demo", *map(str, parts))))


@dataclass(frozen=True, slots=True)
class SeededUser:
    """One seeded user; `ai_enabled` false is one who keeps assistant and agents away."""

    email: str
    name: str
    role: Role
    ai_enabled: bool = True


@dataclass(frozen=True, slots=True)
class House:
    """One seeded organisation."""

    key: str
    name: str
    time_zone: str
    locale: str
    people: tuple[SeededUser, ...]


NORTHGATE = House(
    key="northgate",
    name="Northgate Facilities",
    time_zone="Europe/London",
    locale="en",
    people=(
        SeededUser("dispatch@northgate.example", "Dana Whitfield", Role.ADMIN),
        SeededUser("priya@northgate.example", "Priya Shah", Role.USER),
        SeededUser("tom@northgate.example", "Tom Okafor", Role.USER),
        SeededUser("luis@northgate.example", "Luis Ferrer", Role.USER, ai_enabled=False),
        SeededUser("grace@northgate.example", "Grace Lin", Role.VIEWER),
    ),
)

PUERTO = House(
    key="puerto",
    name="Puerto Sur Mantenimiento",
    time_zone="Europe/Madrid",
    locale="es",
    people=(
        SeededUser("coordinacion@puertosur.example", "Marta Vidal", Role.ADMIN),
        SeededUser("iker@puertosur.example", "Iker Ruiz", Role.USER),
        SeededUser("nuria@puertosur.example", "Nuria Pons", Role.VIEWER),
    ),
)

HOUSES = (NORTHGATE, PUERTO)
