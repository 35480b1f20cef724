"""Whatever people do with quotes, invoices, payments and refunds, the books add up (properties)."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.billing import service as billing
from deputize_hosts.clinic.billing.models import Invoice
from deputize_hosts.clinic.budget import service as budget
from deputize_hosts.clinic.budget.models import Budget
from deputize_hosts.clinic.errors import ClinicError
from deputize_hosts.clinic.lines import NewLine
from deputize_hosts.clinic.payments import reading
from deputize_hosts.clinic.payments import service as payments
from deputize_hosts.clinic.payments.models import Method, Payment
from deputize_hosts.clinic.payments.service import Share
from tests.databases import SqliteFiles, connect
from tests.hosts.clinic.ledger import faults
from tests.hosts.clinic.people import NOW
from tests.hosts.clinic.practice import ANA, CROWN, DENTIST, FILLING, LUIS, WHITENING, ada, bare

AMOUNTS = st.one_of(st.integers(-5, 60_000), st.sampled_from([1, 6500, 39999, 21820, 13000]))
KINDS = (
    *("quote", "quote_line", "decide", "revise", "invoice", "invoice_quote", "line", "drop", "issue", "issue"),
    *("pay", "pay", "pay", "deposit", "refund", "refund", "apply", "cancel", "void"),
)
DEEDS = st.lists(
    st.tuples(
        st.sampled_from(list(KINDS)),
        st.integers(0, 5),
        st.integers(0, 5),
        AMOUNTS,
        st.integers(0, 10_000),
    ),
    min_size=4,
    max_size=16,
)
Deed = tuple[str, int, int, int, int]


class Office:
    """Does one deed after the other; what the services refuse leaves nothing behind."""

    def __init__(self, session: AsyncSession, actor: Member) -> None:
        self.session, self.actor = session, actor
        self.done = 0

    async def pick(self, kind: type[Any], n: int) -> Any:
        rows = list(await self.session.scalars(select(kind).order_by(kind.created_at, kind.id)))
        return rows[n % len(rows)] if rows else None

    async def do(self, deed: Deed) -> None:
        try:
            async with self.session.begin_nested():
                await getattr(self, deed[0])(*deed[1:])
            self.done += 1
        except ClinicError:
            self.session.expire_all()

    async def quote(self, a: int, b: int, amount: int, rate: int) -> None:
        who = (ANA, LUIS)[a % 2]
        made = await budget.create(self.session, self.actor, who, now=NOW, professional_id=DENTIST)
        await self.line_of(made.id, a, b, rate)

    async def line_of(self, own: Any, a: int, b: int, rate: int) -> None:
        new = NewLine((FILLING, CROWN, WHITENING)[b % 3], quantity=a, discount_bp=rate)
        await budget.add_line(self.session, self.actor, own, new)

    async def quote_line(self, a: int, b: int, amount: int, rate: int) -> None:
        if row := await self.pick(Budget, a):
            await self.line_of(row.id, b, a, rate)

    async def decide(self, a: int, b: int, amount: int, rate: int) -> None:
        if row := await self.pick(Budget, a):
            after = (budget.Status.ACCEPTED, *budget.Status)[b % 6]
            await budget.set_status(self.session, self.actor, row.id, after, now=NOW + timedelta(days=rate % 60))

    async def revise(self, a: int, b: int, amount: int, rate: int) -> None:
        if row := await self.pick(Budget, a):
            await budget.revise(self.session, self.actor, row.id, now=NOW)

    async def invoice(self, a: int, b: int, amount: int, rate: int) -> None:
        made = await billing.create(self.session, self.actor, (ANA, LUIS)[a % 2], professional_id=DENTIST)
        new = NewLine(description="Consulta", unit_price=amount, quantity=b, discount_bp=rate, vat_bp=rate)
        await billing.add_line(self.session, self.actor, made.id, new)

    async def invoice_quote(self, a: int, b: int, amount: int, rate: int) -> None:
        if row := await self.pick(Budget, a):
            await billing.create(self.session, self.actor, row.patient_id, budget_id=row.id)

    async def line(self, a: int, b: int, amount: int, rate: int) -> None:
        if row := await self.pick(Invoice, a):
            await billing.add_line(self.session, self.actor, row.id, NewLine(WHITENING, quantity=b))

    async def drop(self, a: int, b: int, amount: int, rate: int) -> None:
        if row := await self.pick(Invoice, a):
            lines = await billing.lines_of(self.session, row.id)
            if lines:
                await billing.remove_line(self.session, self.actor, row.id, lines[b % len(lines)].id)

    async def issue(self, a: int, b: int, amount: int, rate: int) -> None:
        if row := await self.pick(Invoice, a):
            await billing.issue(self.session, self.actor, row.id, now=NOW)

    async def cancel(self, a: int, b: int, amount: int, rate: int) -> None:
        if row := await self.pick(Invoice, a):
            await billing.cancel(self.session, self.actor, row.id)

    async def void(self, a: int, b: int, amount: int, rate: int) -> None:
        if row := await self.pick(Invoice, a):
            await billing.void(self.session, self.actor, row.id)

    async def pay(self, a: int, b: int, amount: int, rate: int) -> None:
        row = await self.pick(Invoice, a)
        shares = [Share(amount if b % 3 else row.total, invoice_id=row.id)] if row and b else []
        who = row.patient_id if row and b % 5 else (ANA, LUIS)[a % 2]
        whole = amount + rate if b % 3 else max(amount, row.total if row else 0)
        await payments.pay(self.session, self.actor, who, whole, Method.CARD, now=NOW, shares=shares)

    async def deposit(self, a: int, b: int, amount: int, rate: int) -> None:
        if row := await self.pick(Budget, a):
            shares = [Share(amount, budget_id=row.id)]
            await payments.pay(self.session, self.actor, row.patient_id, amount, Method.CASH, now=NOW, shares=shares)

    async def refund(self, a: int, b: int, amount: int, rate: int) -> None:
        if row := await self.pick(Payment, a):
            part = amount if b else row.amount
            await payments.refund(self.session, self.actor, row.id, part, "se devuelve", now=NOW)

    async def apply(self, a: int, b: int, amount: int, rate: int) -> None:
        if row := await self.pick(Invoice, a):
            await payments.apply_credit(self.session, self.actor, row.id)


@pytest.fixture(scope="module")
def file(sqlite_files: SqliteFiles) -> Any:
    """One database of the bare practice; every example is rolled back."""
    return asyncio.run(sqlite_files.fresh("bare-practice", bare))


async def live(engine: AsyncEngine, deeds: Sequence[Deed]) -> int:
    try:
        async with AsyncSession(engine, expire_on_commit=False) as session:
            office = Office(session, await ada(session))
            for deed in deeds:
                await office.do(deed)
                assert await faults(session) == [], deed
            for who in (ANA, LUIS):
                book = await reading.ledger(session, office.actor, who)
                assert book.paid == book.on_invoices + book.on_budgets + book.on_account
                assert min(book.paid, book.on_invoices, book.on_budgets, book.on_account, book.balance) >= 0
            await session.rollback()
            return office.done
    finally:
        await engine.dispose()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=DEEDS)
def test_the_books_add_up_after_every_deed(file: Any, deeds: list[Deed]) -> None:
    asyncio.run(live(connect(file), deeds))


def test_the_deeds_are_not_all_refused(file: Any) -> None:
    """The property would hold in an empty house; this walk goes through every kind of deed."""
    deeds: list[Deed] = [
        ("quote", 2, 2, 0, 1000),
        ("decide", 0, 0, 0, 0),
        ("deposit", 0, 0, 5000, 0),
        ("invoice_quote", 0, 0, 0, 0),
        ("issue", 0, 0, 0, 0),
        ("pay", 0, 1, 1000, 70),
        ("apply", 0, 0, 0, 0),
        ("refund", 0, 1, 4000, 0),
        ("invoice", 1, 2, 5000, 0),
        ("line", 1, 1, 0, 0),
        ("drop", 1, 1, 0, 0),
        ("void", 1, 0, 0, 0),
        ("cancel", 0, 0, 0, 0),
    ]
    assert asyncio.run(live(connect(file), deeds)) == len(deeds)
