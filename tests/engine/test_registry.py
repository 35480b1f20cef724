"""Which kinds of record are persons, and which belong to one (RED-4)."""

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from deputize import Entity
from deputize.engine.registry import build


class Base(DeclarativeBase):
    pass


class Patient(Base):
    __tablename__ = "patients"
    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    tenant: Mapped[str]
    name: Mapped[str]


class Invoice(Base):
    __tablename__ = "invoices"
    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    tenant: Mapped[str]
    patient_id: Mapped[str] = mapped_column(ForeignKey("patients.id"))


class Line(Base):
    __tablename__ = "lines"
    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    tenant: Mapped[str]
    invoice_id: Mapped[str] = mapped_column(ForeignKey("invoices.id"))


class Room(Base):
    __tablename__ = "rooms"
    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    tenant: Mapped[str]


def entity(kind: str, model: type[Base], **more: str) -> Entity:
    return Entity(kind, model, tenant="tenant", label=str, read="x", personal=more)


def test_what_points_to_a_person_belongs_to_them_however_far() -> None:
    kinds = [entity("room", Room), entity("line", Line), entity("invoice", Invoice)]
    made = build([], [*kinds, entity("patient", Patient, name="NAME")], [], [], [], {})
    assert made.person_kinds == {"patient"}
    assert made.owned_kinds == {"invoice", "line"}
    assert build([], kinds, [], [], [], {}).owned_kinds == set()
