"""Invented people: names put together from the clinic's own lists, documents with right check letters."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from stdnum.es import dni, nie


def _list(text: str) -> list[str]:
    return text.split("|")


WOMEN = _list(
    "Ana Belén|Lucía|Carmen|Marta|Elena|Isabel|Rocío|Nuria|Pilar|Teresa|Beatriz|Sofía|Paula|Alba|Irene|Cristina|"
    "Raquel|Silvia|Noelia|Inés|Julia|Andrea|Claudia|Valeria|Daniela|Aitana|Candela|Consuelo|Dolores|Mercedes"
)
MEN = _list(
    "Antonio|Manuel|José Luis|Francisco|David|Javier|Daniel|Carlos|Jesús|Alejandro|Miguel Ángel|Rafael|Pedro|Pablo|"
    "Ángel|Sergio|Fernando|Jorge|Alberto|Álvaro|Adrián|Diego|Hugo|Iván|Rubén|Óscar|Joaquín|Ramón|Vicente|Íñigo"
)
MARIAS = _list("María|María José|María del Carmen|María Ángeles|Ana María|María Isabel|Rosa María|María Dolores")
SURNAMES = _list(
    "García|Martínez|Sánchez|Pérez|Gómez|Fernández|Jiménez|Ruiz|Hernández|Díaz|Moreno|Muñoz|Álvarez|Romero|Alonso|"
    "Gutiérrez|Navarro|Torres|Domínguez|Vázquez|Ramos|Gil|Serrano|Blanco|Molina|Morales|Suárez|Ortega|Delgado|Castro|"
    "Ortiz|Rubio|Marín|Sanz|Núñez|Iglesias|Medina|Garrido|Cortés|Castillo|Santos|Lozano|Guerrero|Cano|Prieto|Méndez|"
    "Calvo|Gallego|Vidal|León|Márquez|Herrera|Peña|Cabrera|Flores|Campos|Vega|Fuentes|Carrasco|Reyes|Pascual|Hidalgo"
)
CANARIAN = _list("Santana|Cabrera|Rodríguez|Afonso|Betancor|Déniz|Hernández|Perdomo|Quintana|Armas|Suárez|Marrero")
STREETS = _list("Mayor|del Olmo|de la Fuente|Real|de los Tilos|del Carmen|de San Roque|del Molino|Nueva|de la Paz")


@dataclass(frozen=True, slots=True)
class Person:
    """One invented patient, as the row wants it."""

    first_name: str
    last_name: str
    phone: str | None
    email: str | None
    birth_date: date
    national_id_kind: str | None
    national_id: str | None
    address: str | None


def _document(random: Random) -> tuple[str | None, str | None]:
    chance = random.random()
    number = random.randrange(10_000_000, 79_999_999)
    if chance < 0.75:
        return "dni", f"{number}{dni.calc_check_digit(str(number))}"
    if chance < 0.87:
        body = f"{random.choice('XYZ')}{number % 10_000_000:07d}"
        return "nie", f"{body}{nie.calc_check_digit(body)}"
    if chance < 0.93:
        return "passport", f"{random.choice('ABCDEFGH')}{random.choice('KLMNP')}{number % 1_000_000:06d}"
    return None, None


def _mailbox(first: str, last: str, number: int) -> str:
    plain = str.maketrans("áéíóúüñÁÉÍÓÚÜÑ", "aeiouunaeiouun")
    return f"{first.split()[0]}.{last.split()[0]}{number or ''}@example.com".translate(plain).lower()


def person(random: Random, number: int, first: str, last: str) -> Person:
    """Fill in a patient around a name. Telephones and mails are made up; the mail domain is reserved."""
    kind, document = _document(random)
    born = date(1936, 1, 1) + timedelta(days=random.randrange(365 * 82))
    return Person(
        first_name=first,
        last_name=last,
        phone=f"+346{random.randrange(10_000_000, 99_999_999)}" if random.random() < 0.95 else None,
        email=_mailbox(first, last, number) if random.random() < 0.8 else None,
        birth_date=born,
        national_id_kind=kind,
        national_id=document,
        address=f"Calle {random.choice(STREETS)}, {random.randrange(1, 120)}" if random.random() < 0.7 else None,
    )


def people(random: Random, count: int, surnames: list[str] | None = None) -> Iterator[Person]:
    """`count` patients with different full names; about one in twelve is a María, none of them a López."""
    pool = surnames or SURNAMES
    used: set[str] = set()
    while len(used) < count:
        first = random.choice(MARIAS if random.random() < 0.08 else random.choice((WOMEN, MEN)))
        last = f"{random.choice(pool)} {random.choice(SURNAMES)}"
        if f"{first} {last}" in used:
            continue
        used.add(f"{first} {last}")
        yield person(random, len(used), first, last)
