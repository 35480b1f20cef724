"""PROV-2: amounts, captions and values are shown as people read them; a noun with a value is a question."""

from datetime import date

import pytest

from deputize.providers.offline.amounts import priced
from deputize.providers.offline.phrases import caption, month_words
from deputize.providers.offline.speech import language_of
from tests.providers.offline.test_real_declarations import chosen


@pytest.mark.parametrize(
    ("language", "shown"), [("es", ["1.259,15 €", "-0,50 €", "3.94"]), ("en", ["€1,259.15", "-€0.50", "3.94"])]
)
def test_decimals_are_amounts_wherever_a_currency_encloses_them(language: str, shown: list[str]) -> None:
    data = {"currency": "EUR", "rows": [{"total": "1259.15"}, {"refunded": "-0.50"}], "missed_percent": "3.94"}
    told = priced(data, language)
    assert [told["rows"][0]["total"], told["rows"][1]["refunded"], told["missed_percent"]] == shown
    assert "currency" not in told
    assert priced({"total": "12.00"}, language) == {"total": "12.00"}
    assert priced({"currency": "CHF", "total": "12.00"}, "en")["total"] == "12.00 CHF"


def test_captions_are_spanish_for_spanish_readers() -> None:
    assert [caption(key, "es") for key in ("issued_on", "vat", "due_month")] == ["Emitida", "IVA", "Para el mes"]
    assert caption("issued_on", "en") == "Issued on"


@pytest.mark.parametrize(("language", "text"), [("es", "julio de 2026"), ("en", "July 2026")])
def test_months(language: str, text: str) -> None:
    assert month_words(date(2026, 7, 1), language) == text


@pytest.mark.parametrize(
    ("text", "language"),
    [("PATIENT_kovabi's invoices", "en"), ("facturas de PATIENT_kovabi", "es"), ("Ramón's quotes", "en")],
)
def test_a_possessive_tells_the_language(text: str, language: str) -> None:
    assert language_of(text, "es" if language == "en" else "en") == language


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("recordatorios de higiene", "list_due_recalls"),
        ("hygiene recalls", "list_due_recalls"),
        ("¿qué recordatorios hay pendientes?", "list_due_recalls"),
        ("da por hecho el recordatorio de Consuelo Vidal", "complete_recall"),
        ("que debe Ramón Castillo", "list_invoices"),
        ("how many appointments did we have this month", "scheduling_report"),
        ("cuanto cuesta una limpieza", "list_catalog_items"),
        ("la próxima libre con la Dra. Ruiz", "find_free_slots"),
        ("Consuelo Vidal didn't pick up the phone", "log_contact_attempt"),
        ("dale hora a maria lopez para una limpieza el jueves a las 11", "book_appointment"),
        ("Irene Pascual ha llegado", "update_appointment_status"),
        ("cobra 45,50 € con tarjeta a María López", "record_payment"),
        ("cita para Sergio Navarro pasado mañana a las 12:30, empaste", "book_appointment"),
        ("email the quote to María López", "send_budget"),
        ("cuanto hemos facturado este mes", "billing_report"),
        ("quienes son los pacientes que mas facturan", "top_clients_by_billing"),
        ("cobros por forma de pago", "collections_by_method"),
        ("resumen de cobros de este mes", "payments_summary"),
        ("pagos de Maria Lopez", "patient_payment_history"),
        ("aplaza el recordatorio de Consuelo Vidal dos meses", "snooze_recall"),
        ("a que hora abrimos el lunes", "get_availability"),
        ("que gabinetes hay", "list_cabinets"),
        ("historial de Maria Lopez", "get_patient_timeline"),
    ],
)
def test_what_a_receptionist_types_reaches_its_tool(text: str, tool: str) -> None:
    assert chosen(text) == tool
