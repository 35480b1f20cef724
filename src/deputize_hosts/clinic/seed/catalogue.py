"""The demonstration catalogue: what a small practice offers, with plausible prices."""

from uuid import UUID

from deputize_hosts.clinic.catalog.models import CatalogItem, Category
from deputize_hosts.clinic.seed.clinics import Practice, seed_id

C = Category
ITEMS: tuple[tuple[str, str, str, Category, int, int, int], ...] = (
    ("REV", "Revisión y diagnóstico", "Check-up and diagnosis", C.DIAGNOSIS, 3000, 30, 0),
    ("RXP", "Radiografía panorámica", "Panoramic X-ray", C.DIAGNOSIS, 4500, 15, 0),
    ("HIG", "Higiene dental", "Dental cleaning", C.PREVENTION, 6000, 45, 0),
    ("FLU", "Fluorización", "Fluoride treatment", C.PREVENTION, 3500, 20, 0),
    ("SEL", "Sellador de fisuras", "Fissure sealant", C.PREVENTION, 3200, 20, 0),
    ("OBT", "Empaste de composite", "Composite filling", C.RESTORATION, 6500, 45, 0),
    ("REC", "Reconstrucción", "Tooth build-up", C.RESTORATION, 9500, 60, 0),
    ("END1", "Endodoncia de un conducto", "Root canal, one canal", C.ENDODONTICS, 16000, 60, 0),
    ("END3", "Endodoncia de molar", "Root canal, molar", C.ENDODONTICS, 26000, 90, 0),
    ("EXO", "Extracción simple", "Simple extraction", C.SURGERY, 6000, 30, 0),
    ("EXOQ", "Extracción de muela del juicio", "Wisdom tooth extraction", C.SURGERY, 15000, 60, 0),
    ("IMP", "Implante de titanio", "Titanium implant", C.SURGERY, 95000, 90, 0),
    ("COR", "Corona de circonio", "Zirconia crown", C.PROSTHETICS, 39000, 60, 0),
    ("FER", "Férula de descarga", "Night guard", C.PROSTHETICS, 22000, 30, 0),
    ("ORT", "Ortodoncia invisible, mensualidad", "Clear aligners, monthly", C.ORTHODONTICS, 9000, 30, 0),
    ("BLA", "Blanqueamiento en clínica", "Whitening at the clinic", C.AESTHETICS, 24000, 60, 2100),
    ("CEP", "Cepillo eléctrico", "Electric toothbrush", C.OTHER, 4900, 0, 2100),
)
"""Code, names, category, price in cents without VAT, minutes, VAT in basis points."""


def catalogue(practice: Practice, clinic: UUID) -> list[CatalogItem]:
    """The rows of one practice; one item is no longer offered."""
    rows = [
        CatalogItem(
            id=seed_id(practice.key, "item", code),
            clinic_id=clinic,
            code=code,
            name_es=spanish,
            name_en=english,
            category=category.value,
            price=price,
            minutes=minutes,
            vat_bp=vat,
            active=True,
        )
        for code, spanish, english, category, price, minutes, vat in ITEMS
    ]
    old = CatalogItem(id=seed_id(practice.key, "item", "AMA"), clinic_id=clinic, code="AMA", active=False)
    old.name_es, old.name_en, old.category = "Empaste de amalgama", "Amalgam filling", C.RESTORATION.value
    old.price, old.minutes, old.vat_bp = 5000, 45, 0
    return [*rows, old]
