"""Rows of the catalogue."""

from enum import StrEnum
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.clinic.rows import Base, Keyed, Stamped


class Category(StrEnum):
    """The shelves of the catalogue."""

    DIAGNOSIS = "diagnosis"
    PREVENTION = "prevention"
    RESTORATION = "restoration"
    ENDODONTICS = "endodontics"
    SURGERY = "surgery"
    PROSTHETICS = "prosthetics"
    ORTHODONTICS = "orthodontics"
    AESTHETICS = "aesthetics"
    OTHER = "other"


CATEGORIES = {
    Category.DIAGNOSIS: {"es": "Diagnóstico", "en": "Diagnosis"},
    Category.PREVENTION: {"es": "Prevención", "en": "Prevention"},
    Category.RESTORATION: {"es": "Conservadora", "en": "Restoration"},
    Category.ENDODONTICS: {"es": "Endodoncias", "en": "Root canals"},
    Category.SURGERY: {"es": "Cirugía", "en": "Surgery"},
    Category.PROSTHETICS: {"es": "Prótesis", "en": "Prosthetics"},
    Category.ORTHODONTICS: {"es": "Ortodoncias", "en": "Braces"},
    Category.AESTHETICS: {"es": "Estética", "en": "Aesthetics"},
    Category.OTHER: {"es": "Otros", "en": "Others"},
}


class CatalogItem(Keyed, Stamped, Base):
    """Something that can be quoted and invoiced. `price` is in minor units without VAT, `vat_bp` in basis points."""

    __tablename__ = "catalog_items"
    __table_args__ = (
        UniqueConstraint("clinic_id", "code"),
        CheckConstraint("price >= 0 AND vat_bp >= 0 AND vat_bp <= 10000 AND minutes >= 0", name="amounts"),
    )

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    code: Mapped[str] = mapped_column(String(20))
    name_es: Mapped[str] = mapped_column(String(120))
    name_en: Mapped[str] = mapped_column(String(120))
    category: Mapped[str] = mapped_column(String(16))
    price: Mapped[int] = mapped_column(BigInteger)
    minutes: Mapped[int] = mapped_column(default=30)
    vat_bp: Mapped[int] = mapped_column(default=0)
    active: Mapped[bool] = mapped_column(default=True)

    def name(self, language: str) -> str:
        """What people call it in that language."""
        return self.name_en if language == "en" else self.name_es
