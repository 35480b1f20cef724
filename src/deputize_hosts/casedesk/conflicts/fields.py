"""What the fields that sources may contradict each other about are called, for people."""

from collections.abc import Mapping

NAMES: Mapping[str, tuple[str, str]] = {
    "company.activity": ("company's activity", "actividad de la empresa"),
    "company.address": ("company's address", "dirección de la empresa"),
    "company.email": ("company's e-mail", "correo de la empresa"),
    "company.employees": ("number of employees", "número de empleados"),
    "company.name": ("company's name", "nombre de la empresa"),
    "company.phone": ("company's phone", "teléfono de la empresa"),
    "company.registration_number": ("registration number", "número de registro"),
    "company.trading_name": ("trading name", "nombre comercial"),
    "company.website": ("company's website", "web de la empresa"),
    "person.name": ("person's name", "nombre de la persona"),
    "person.residence": ("person's residence", "residencia de la persona"),
    "ubo.birth_date": ("owner's birth date", "fecha de nacimiento del titular"),
    "ubo.name": ("owner's name", "nombre del titular"),
    "ubo.nationality": ("owner's nationality", "nacionalidad del titular"),
    "ubo.ownership": ("ownership", "titularidad"),
}
"""English and Spanish, by field."""


def called(field: str, locale: str) -> str:
    """The field's name in the language of `locale`; a field without one is called as it is stored."""
    english, spanish = NAMES.get(field, (field, field))
    return spanish if locale.startswith("es") else english
