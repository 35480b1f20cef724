"""Money under concurrency: whoever comes together, the books add up and each euro is spent once (both databases)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.billing import service as billing
from deputize_hosts.clinic.billing.models import Invoice
from deputize_hosts.clinic.budget import service as budget
from deputize_hosts.clinic.budget.models import Budget
from deputize_hosts.clinic.budget.status import Status as Quoted
from deputize_hosts.clinic.errors import ClinicError
from deputize_hosts.clinic.lines import NewLine
from deputize_hosts.clinic.payments import service as payments
from deputize_hosts.clinic.payments.models import Method, Payment
from deputize_hosts.clinic.payments.service import Share
from tests.conftest import Fresh
from tests.hosts.clinic.ledger import faults
from tests.hosts.clinic.people import NOW
from tests.hosts.clinic.practice import ANA, CROWN, ada, bare

TOTAL = 39999
Deed = Callable[[AsyncSession, Member], Awaitable[Any]]


@pytest.fixture
async def practice(fresh: Fresh) -> AsyncEngine:
    """Two patients and a catalogue, on SQLite and on PostgreSQL."""
    return await fresh("clinic-bare", bare)


async def alone(engine: AsyncEngine, deed: Deed) -> Any:
    """One deed in a transaction of its own."""
    async with AsyncSession(engine, expire_on_commit=False) as session:
        actor = await ada(session)
        await session.rollback()
        async with session.begin():
            return await deed(session, actor)


async def together(engine: AsyncEngine, *deeds: Deed) -> list[str]:
    """All at once, each in its own transaction; `done` or the refusal's code for each."""
    barrier = asyncio.Barrier(len(deeds))

    async def one(deed: Deed) -> str:
        async with AsyncSession(engine, expire_on_commit=False) as session:
            actor = await ada(session)
            await session.rollback()
            await barrier.wait()
            try:
                async with session.begin():
                    await deed(session, actor)
            except ClinicError as refused:
                return refused.code
            return "done"

    return await asyncio.gather(*(one(deed) for deed in deeds))


async def adds_up(engine: AsyncEngine) -> None:
    async with AsyncSession(engine) as session:
        assert await faults(session) == []


async def _invoice(session: AsyncSession, actor: Member) -> UUID:
    made = await billing.create(session, actor, ANA)
    await billing.add_line(session, actor, made.id, NewLine(item_id=CROWN))
    await billing.issue(session, actor, made.id, now=NOW)
    return made.id


async def _draft(session: AsyncSession, actor: Member) -> UUID:
    made = await billing.create(session, actor, ANA)
    await billing.add_line(session, actor, made.id, NewLine(item_id=CROWN))
    return made.id


async def _quote(session: AsyncSession, actor: Member) -> UUID:
    made = await budget.create(session, actor, ANA, now=NOW)
    await budget.add_line(session, actor, made.id, NewLine(item_id=CROWN))
    return made.id


def paying(amount: int, **purpose: UUID) -> Deed:
    async def deed(session: AsyncSession, actor: Member) -> UUID:
        shares = [Share(amount, **purpose)] if purpose else []
        return (await payments.pay(session, actor, ANA, amount, Method.CARD, now=NOW, shares=shares)).id

    return deed


def refunding(payment: UUID, amount: int) -> Deed:
    async def deed(session: AsyncSession, actor: Member) -> None:
        await payments.refund(session, actor, payment, amount, "de más", now=NOW)

    return deed


def deciding(quote: UUID, after: Quoted) -> Deed:
    async def deed(session: AsyncSession, actor: Member) -> None:
        await budget.set_status(session, actor, quote, after, now=NOW)

    return deed


async def test_of_payments_for_one_invoice_only_what_it_owes_is_taken(practice: AsyncEngine) -> None:
    invoice = await alone(practice, _invoice)
    said = await together(practice, *[paying(30_000, invoice_id=invoice)] * 4)
    assert sorted(said) == ["done", *["too_much"] * 3]
    assert await together(practice, *[paying(TOTAL - 30_000, invoice_id=invoice)] * 2) in (
        ["done", "not_payable"],
        ["not_payable", "done"],
    )
    async with AsyncSession(practice) as session:
        assert (await session.get_one(Invoice, invoice)).status == "paid"
    await adds_up(practice)


async def test_deposits_for_one_quote_never_go_beyond_it(practice: AsyncEngine) -> None:
    quote = await alone(practice, _quote)
    await alone(practice, deciding(quote, Quoted.ACCEPTED))
    said = await together(practice, *[paying(25_000, budget_id=quote)] * 4)
    assert sorted(said) == ["done", *["too_much"] * 3]
    await adds_up(practice)


async def test_more_than_was_paid_is_never_given_back(practice: AsyncEngine) -> None:
    invoice = await alone(practice, _invoice)
    payment = await alone(practice, paying(TOTAL, invoice_id=invoice))
    said = await together(practice, *[refunding(payment, 30_000)] * 4)
    assert sorted(said) == ["done", *["too_much"] * 3]
    await adds_up(practice)


async def test_a_quote_is_accepted_once(practice: AsyncEngine) -> None:
    quote = await alone(practice, _quote)
    said = await together(practice, *[deciding(quote, Quoted.ACCEPTED)] * 3, deciding(quote, Quoted.REJECTED))
    assert sorted(said) == ["done", *["illegal_transition"] * 3]
    async with AsyncSession(practice) as session:
        assert (await session.get_one(Budget, quote)).status in {"accepted", "rejected"}


async def test_numbers_stay_gapless_when_everybody_issues_at_once(practice: AsyncEngine) -> None:
    drafts = [await alone(practice, _draft) for _ in range(6)]

    def issuing(own: UUID) -> Deed:
        async def deed(session: AsyncSession, actor: Member) -> None:
            await billing.issue(session, actor, own, now=NOW)

        return deed

    assert await together(practice, *map(issuing, drafts)) == ["done"] * 6
    async with AsyncSession(practice) as session:
        numbers = list(await session.scalars(select(Invoice.number)))
    assert sorted(number or 0 for number in numbers) == list(range(1, 7))
    await adds_up(practice)


async def test_paying_an_invoice_while_it_is_cancelled_and_refunding_while_it_is_paid(practice: AsyncEngine) -> None:
    """Whatever the order, nothing is lost: the money stands on the invoice, on account, or was given back."""
    invoice = await alone(practice, _invoice)
    first = await alone(practice, paying(10_000, invoice_id=invoice))

    async def cancelling(session: AsyncSession, actor: Member) -> None:
        await billing.cancel(session, actor, invoice)

    await together(practice, cancelling, paying(20_000, invoice_id=invoice), refunding(first, 10_000))
    await adds_up(practice)
    async with AsyncSession(practice) as session:
        assert len(list(await session.scalars(select(Payment)))) in {1, 2}
