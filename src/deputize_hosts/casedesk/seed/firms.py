"""The two demonstration firms and everybody who can sign in."""

from dataclasses import dataclass
from uuid import NAMESPACE_URL, UUID, uuid5

from deputize_hosts.casedesk.auth.models import Role

PASSWORD = "casedesk-demo-2026"  # noqa: S105  published on purpose; these users are refused off loopback


def seed_id(*parts: object) -> UUID:
    """The same id for the same thing at every seeding."""
    return uuid5(NAMESPACE_URL, "/".join(("urn:casedesk-demo", *map(str, parts))))


@dataclass(frozen=True, slots=True)
class Person:
    """One seeded sign-in."""

    email: str
    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class SeedFirm:
    """One seeded tenant; the first officer of `people` is in charge where a case names nobody."""

    key: str
    name: str
    time_zone: str
    locale: str
    people: tuple[Person, ...]

    @property
    def id(self) -> UUID:
        """The firm's id."""
        return seed_id("firm", self.key)

    def one(self, role: Role) -> UUID:
        """The id of the first person in that role."""
        return seed_id("user", next(one.email for one in self.people if one.role is role))


HARBOUR = SeedFirm(
    "harbour",
    "Harbour & Vale Trust",
    "Europe/London",
    "en",
    (
        Person("mlro@harbour.example", "Margaret Hale", Role.MLRO),
        Person("officer@harbour.example", "Tom Okafor", Role.OFFICER),
        Person("officer2@harbour.example", "Priya Nair", Role.OFFICER),
        Person("analyst@harbour.example", "Jonas Weber", Role.ANALYST),
        Person("auditor@harbour.example", "Ruth Adler", Role.AUDITOR),
        Person("admin@harbour.example", "Sam Whitlock", Role.ADMIN),
        Person("customer@nordwind.example", "Ingrid Solberg", Role.CUSTOMER),
    ),
)
ATLANTE = SeedFirm(
    "atlante",
    "Atlante Fiduciaria",
    "Europe/Madrid",
    "es",
    (
        Person("responsable@atlante.example", "Nuria Castellanos", Role.MLRO),
        Person("oficial@atlante.example", "Iker Goñi", Role.OFFICER),
        Person("cliente@olivares.example", "Álvaro Peñalver", Role.CUSTOMER),
    ),
)
FIRMS = (HARBOUR, ATLANTE)
