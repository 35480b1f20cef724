"""Demonstration quotes, invoices and payments, row by row, with numbers as the counters would have given them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from deputize_hosts.clinic.billing.models import Invoice, InvoiceItem
from deputize_hosts.clinic.billing.status import settled
from deputize_hosts.clinic.budget.models import Budget, BudgetItem
from deputize_hosts.clinic.catalog.models import CatalogItem
from deputize_hosts.clinic.lines import PricedLine, add_up
from deputize_hosts.clinic.money import Line
from deputize_hosts.clinic.numbering import Counter
from deputize_hosts.clinic.patient_timeline.models import Area, TimelineEvent
from deputize_hosts.clinic.payments.models import Allocation, Payment
from deputize_hosts.clinic.seed.clinics import Practice, seed_id


def moment(practice: Practice, day: date, hour: int = 12) -> datetime:
    """An hour of a clinic day, in UTC."""
    return datetime.combine(day, time(hour), ZoneInfo(practice.time_zone)).astimezone(UTC)


@dataclass(slots=True)
class Books:
    """Collects the rows of one practice, parents before children. Documents must be asked for by rising date."""

    practice: Practice
    clinic: UUID
    items: dict[str, CatalogItem]
    rows: list[Any] = field(default_factory=list)
    children: list[Any] = field(default_factory=list)
    last: dict[tuple[str, int], int] = field(default_factory=dict)

    def number(self, series: str, year: int) -> int:
        """The next number of a series."""
        self.last[series, year] = self.last.get((series, year), 0) + 1
        return self.last[series, year]

    def counters(self) -> list[Counter]:
        """The counter rows that go with the numbers given out."""
        return [Counter(clinic_id=self.clinic, series=s, year=y, last=n) for (s, y), n in self.last.items()]

    def tell(self, patient: UUID, area: Area, what: str, day: date, source: UUID, detail: str = "") -> None:
        """An event of the timeline."""
        own = seed_id(self.practice.key, "event", what, source, day)
        at = moment(self.practice, day, 13)
        event = TimelineEvent(id=own, clinic_id=self.clinic, patient_id=patient, category=area.value, what=what, at=at)
        event.detail, event.source_id = detail, source
        self.children.append(event)

    def _line(self, row: PricedLine, position: int, code: str, quantity: int, discount_bp: int) -> None:
        item = self.items[code]
        line = Line(item.price, quantity, discount_bp, item.vat_bp)
        row.position, row.catalog_item_id, row.description = position, item.id, item.name_es
        row.unit_price, row.quantity = line.unit_price, line.quantity
        row.discount_bp, row.vat_bp = line.discount_bp, line.vat_bp
        row.discount, row.net, row.vat, row.total = line.discount, line.net, line.vat, line.total

    def quote(
        self,
        patient: UUID,
        professional: UUID,
        day: date,
        status: str,
        codes: Sequence[tuple[str, int, int]],
    ) -> Budget:
        """A quote of that day with (code, quantity, discount) lines."""
        number = self.number("P", day.year)
        own = seed_id(self.practice.key, "budget", day.year, number)
        budget = Budget(id=own, clinic_id=self.clinic, patient_id=patient, professional_id=professional)
        budget.year, budget.number, budget.version, budget.status = day.year, number, 1, status
        budget.valid_from, budget.valid_until, budget.currency = day, day + timedelta(days=30), "EUR"
        budget.created_at = moment(self.practice, day)
        budget.sent_at = moment(self.practice, day) if status not in {"draft", "cancelled"} else None
        lines = []
        for position, (code, quantity, discount) in enumerate(codes, start=1):
            lines.append(BudgetItem(id=seed_id(own, position), clinic_id=self.clinic, budget_id=own))
            self._line(lines[-1], position, code, quantity, discount)
        add_up(budget, lines)
        self.rows.append(budget)
        self.children += lines
        self.tell(patient, Area.BUDGET, "budget_created", day, own, budget.code)
        if status != "draft":
            self.tell(patient, Area.BUDGET, f"budget_{status}", day + timedelta(days=1), own, budget.code)
        return budget

    def invoice(
        self,
        patient: UUID,
        professional: UUID,
        day: date,
        codes: Sequence[tuple[str, int, int]],
        *,
        due: int = 30,
        budget: Budget | None = None,
        issued: bool = True,
    ) -> Invoice:
        """An invoice issued on that day, or a draft."""
        number = self.number("F", day.year) if issued else None
        own = seed_id(self.practice.key, "invoice", day, number, patient)
        invoice = Invoice(id=own, clinic_id=self.clinic, patient_id=patient, professional_id=professional)
        invoice.currency, invoice.created_at = "EUR", moment(self.practice, day)
        invoice.budget_id = budget.id if budget else None
        invoice.status = "draft"
        lines = []
        for position, (code, quantity, discount) in enumerate(codes, start=1):
            lines.append(InvoiceItem(id=seed_id(own, position), clinic_id=self.clinic, invoice_id=own))
            self._line(lines[-1], position, code, quantity, discount)
        add_up(invoice, lines)
        if issued:
            invoice.series, invoice.number, invoice.status = f"F{day.year}", number, "issued"
            invoice.issued_on, invoice.due_on = day, day + timedelta(days=due)
            self.tell(patient, Area.INVOICE, "invoice_issued", day, own, invoice.code)
        self.rows.append(invoice)
        self.children += lines
        return invoice

    def pay(
        self,
        patient: UUID,
        day: date,
        method: str,
        amount: int,
        *,
        invoice: Invoice | None = None,
        budget: Budget | None = None,
        reference: str = "",
    ) -> Payment:
        """A payment for one thing, or on account; the invoice's state follows. One payment to an invoice here."""
        own = seed_id(self.practice.key, "payment", patient, day, amount, method)
        payment = Payment(id=own, clinic_id=self.clinic, patient_id=patient, amount=amount, currency="EUR")
        payment.method, payment.paid_on, payment.reference = method, day, reference
        payment.created_at = moment(self.practice, day)
        part = Allocation(id=seed_id(own, "part"), clinic_id=self.clinic, payment_id=own, amount=amount)
        part.invoice_id, part.budget_id = invoice.id if invoice else None, budget.id if budget else None
        self.rows.append(payment)
        self.children.append(part)
        if invoice is not None:
            invoice.status = settled(invoice.total, amount).value
        shown = f"{amount // 100},{amount % 100:02d} €"
        self.tell(patient, Area.PAYMENT, "payment_recorded", day, own, shown)
        return payment
