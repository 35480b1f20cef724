"""The e-mail with which a quote goes to its patient."""

from collections.abc import Sequence
from typing import Any

from deputize_hosts.clinic.auth.models import Clinic
from deputize_hosts.clinic.budget.models import Budget, BudgetItem
from deputize_hosts.clinic.money import shown_money
from deputize_hosts.clinic.patients.models import Patient

_WORDS = {
    "es": {
        "subject": "Presupuesto {code} de {clinic}",
        "hello": "Hola, {name}:",
        "intro": "Este es el presupuesto {code} que hemos preparado para usted.",
        "net": "Base imponible",
        "vat": "IVA",
        "total": "Total",
        "until": "Es válido hasta el {day}.",
        "bye": "Si tiene cualquier duda, responda a este correo o llámenos.",
    },
    "en": {
        "subject": "Quote {code} from {clinic}",
        "hello": "Dear {name},",
        "intro": "This is the quote {code} that we have prepared for you.",
        "net": "Net",
        "vat": "VAT",
        "total": "Total",
        "until": "It is valid until {day}.",
        "bye": "If you have any questions, answer this e-mail or call us.",
    },
}


def letter(clinic: Clinic, patient: Patient, budget: Budget, lines: Sequence[BudgetItem]) -> dict[str, Any]:
    """`{to, subject, body}` in the clinic's language."""
    language = "en" if clinic.locale.lower().startswith("en") else "es"
    words = _WORDS[language]

    def money(minor: int) -> str:
        return shown_money(minor, language, budget.currency).replace("\u00a0", " ")

    rows = [f"- {line.quantity} × {line.description}: {money(line.total)}" for line in lines]
    sums = [f"{words['net']}: {money(budget.net)}", f"{words['vat']}: {money(budget.vat)}"] if budget.vat else []
    body = [
        words["hello"].format(name=patient.first_name),
        "",
        words["intro"].format(code=budget.code),
        "",
        *rows,
        "",
        *sums,
        f"{words['total']}: {money(budget.total)}",
        "",
        words["until"].format(day=f"{budget.valid_until:%d/%m/%Y}"),
        words["bye"],
        "",
        clinic.name,
    ]
    subject = words["subject"].format(code=budget.code, clinic=clinic.name)
    return {"to": patient.email, "subject": subject, "body": "\n".join(body)}
