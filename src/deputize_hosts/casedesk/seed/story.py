"""What a seeded case is made of; the stories themselves stand beside this file."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Someone:
    """A person behind the company."""

    name: str
    born: date | None
    nationality: str
    share: Decimal | None
    role: str = "ubo"


@dataclass(frozen=True, slots=True)
class Paper:
    """A piece of evidence; `text` is the sender's own words."""

    source: str
    title: str
    fields: dict[str, str]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A discrepancy; `closed` is how an officer closed it in the panel, with the reason."""

    field: str
    severity: str
    values: tuple[tuple[str, str], ...]
    status: str = "open"
    closed: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """One case. `note`s are officers' words; `asked` and `came` are documents."""

    company: str
    registration: str
    country: str
    status: str
    risk: str
    people: tuple[Someone, ...]
    papers: tuple[Paper, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    hits: int = 0
    screening: str = ""
    asked: tuple[str, ...] = ("register_extract", "identity_document", "proof_of_address")
    came: tuple[str, ...] = field(default=())
    portal: bool = False


def ubo(name: str, born: str | None, nationality: str, share: str | None, role: str = "ubo") -> Someone:
    """A person from plain text."""
    return Someone(
        name,
        date.fromisoformat(born) if born else None,
        nationality,
        Decimal(share) if share else None,
        role,
    )


def finding(name: str, severity: str, *values: tuple[str, str], status: str = "open") -> Finding:
    """An undecided discrepancy from `(value, source)` pairs."""
    return Finding(name, severity, values, status)


def settled(name: str, severity: str, how: str, why: str, *values: tuple[str, str]) -> Finding:
    """A discrepancy that an officer closed in the panel."""
    return Finding(name, severity, values, "resolved", (how, why))
