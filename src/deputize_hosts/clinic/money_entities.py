"""How catalogue, quotes, invoices and payments are named and worded on the copilot's cards."""

from collections.abc import Mapping
from typing import Any

from deputize import Entity
from deputize_hosts.clinic.billing import status as billing
from deputize_hosts.clinic.billing.models import Invoice
from deputize_hosts.clinic.budget import status as budget
from deputize_hosts.clinic.budget.models import Budget
from deputize_hosts.clinic.catalog.models import CATEGORIES, CatalogItem
from deputize_hosts.clinic.money import shown_money
from deputize_hosts.clinic.payments.models import METHODS, Allocation, Payment

STAMPS = frozenset({"created_at", "updated_at"})
Captions = dict[str, Mapping[str, str]]
_COMMON: Captions = {
    "created_at": {"es": "Creado", "en": "Created"},
    "updated_at": {"es": "Último cambio", "en": "Last change"},
    "patient_id": {"es": "Paciente", "en": "Patient"},
    "professional_id": {"es": "Profesional", "en": "Professional"},
    "status": {"es": "Estado", "en": "Status"},
    "currency": {"es": "Moneda", "en": "Currency"},
    "net": {"es": "Base", "en": "Net"},
    "vat": {"es": "IVA", "en": "VAT"},
    "total": {"es": "Total", "en": "Total"},
}


def money_words(value: Any, row: Mapping[str, Any], language: str) -> str:
    """An amount in minor units with the row's currency."""
    return shown_money(int(value), language, str(row.get("currency") or "EUR"))


_TOTALS = {name: money_words for name in ("net", "vat", "total")}

CATALOG_ITEM = Entity(
    "catalog_item",
    CatalogItem,
    tenant="clinic_id",
    label=lambda row: str(row.name_es),
    read="catalog.read",
    url="/catalog",
    changed="updated_at",
    trusted=frozenset({"code", "name_es", "name_en"}),
    volatile=STAMPS,
    words={"price": money_words},
    title={"es": "Artículo del catálogo", "en": "Catalogue item"},
    captions={
        **_COMMON,
        **{f"category={one.value}": words for one, words in CATEGORIES.items()},
        "code": {"es": "Código", "en": "Code"},
        "name_es": {"es": "Nombre", "en": "Name (Spanish)"},
        "name_en": {"es": "Nombre en inglés", "en": "Name"},
        "category": {"es": "Categoría", "en": "Category"},
        "price": {"es": "Precio", "en": "Price"},
        "minutes": {"es": "Minutos", "en": "Minutes"},
        "active": {"es": "Se ofrece", "en": "On offer"},
    },
)

BUDGET = Entity(
    "budget",
    Budget,
    tenant="clinic_id",
    label=lambda row: f"P{row.year}-{row.number:04d}" + (f" v{row.version}" if row.version > 1 else ""),
    read="budget.read",
    url="/budgets/{id}",
    changed="updated_at",
    volatile=STAMPS | {"sent_at"},
    context=("patient_id", "total"),
    words=_TOTALS,
    title={"es": "Presupuesto", "en": "Quote"},
    captions={
        **_COMMON,
        **{f"status={one.value}": words for one, words in budget.NAMES.items()},
        "year": {"es": "Año", "en": "Year"},
        "number": {"es": "Número", "en": "Number"},
        "version": {"es": "Versión", "en": "Version"},
        "valid_from": {"es": "Válido desde", "en": "Valid from"},
        "valid_until": {"es": "Válido hasta", "en": "Valid until"},
        "sent_at": {"es": "Enviado", "en": "Sent"},
    },
)

INVOICE = Entity(
    "invoice",
    Invoice,
    tenant="clinic_id",
    label=lambda row: f"{row.series}-{row.number:04d}" if row.number else "Borrador de factura",
    read="billing.read",
    url="/invoices/{id}",
    changed="updated_at",
    volatile=STAMPS,
    context=("patient_id", "total"),
    words=_TOTALS,
    title={"es": "Factura", "en": "Invoice"},
    captions={
        **_COMMON,
        **{f"status={one.value}": words for one, words in billing.NAMES.items()},
        "budget_id": {"es": "Presupuesto", "en": "Quote"},
        "series": {"es": "Serie", "en": "Series"},
        "number": {"es": "Número", "en": "Number"},
        "issued_on": {"es": "Emitida", "en": "Issued"},
        "due_on": {"es": "Vence", "en": "Due"},
    },
)

PAYMENT = Entity(
    "payment",
    Payment,
    tenant="clinic_id",
    label=lambda row: f"{shown_money(row.amount, 'es', row.currency)}, {row.paid_on:%d/%m/%Y}",
    read="payments.record.read",
    url="/payments/{id}",
    changed="updated_at",
    volatile=STAMPS,
    words={"amount": money_words},
    title={"es": "Cobro", "en": "Payment"},
    captions={
        **_COMMON,
        **{f"method={one.value}": words for one, words in METHODS.items()},
        "amount": {"es": "Importe", "en": "Amount"},
        "method": {"es": "Forma de pago", "en": "Method"},
        "paid_on": {"es": "Fecha", "en": "Date"},
        "reference": {"es": "Referencia", "en": "Reference"},
    },
)

ALLOCATION = Entity(
    "payment_allocation",
    Allocation,
    tenant="clinic_id",
    label=lambda row: shown_money(row.amount, "es"),
    read="payments.record.read",
    words={"amount": money_words},
    title={"es": "Aplicación del cobro", "en": "What the payment is for"},
    captions={
        "payment_id": {"es": "Cobro", "en": "Payment"},
        "invoice_id": {"es": "Factura", "en": "Invoice"},
        "budget_id": {"es": "Presupuesto", "en": "Quote"},
        "amount": {"es": "Importe", "en": "Amount"},
    },
)
