"""Stories in the demonstration data: a late canceller, an overdue recall, an unpaid invoice, two Marías, and others."""

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random
from uuid import UUID

from deputize_hosts.clinic.agenda.models import Appointment, StatusChange
from deputize_hosts.clinic.patient_timeline.models import Area
from deputize_hosts.clinic.recalls.models import Recall, RecallAttempt
from deputize_hosts.clinic.recalls.reading import month_of, months_later
from deputize_hosts.clinic.seed.books import Books, moment
from deputize_hosts.clinic.seed.clinics import Practice, seed_id

CANCELLER = ("Sergio", "Navarro Cano")
OVERDUE = ("Consuelo", "Vidal Peña")
DEBTOR = ("Ramón", "Castillo Gil")
TWO_MARIAS = (("María", "García Torres"), ("María", "García Rubio"))
STORIES = (CANCELLER, OVERDUE, DEBTOR, *TWO_MARIAS)
"""The first patients of the first clinic after María López, in this order."""

BASKETS: Sequence[Sequence[tuple[str, int, int]]] = (
    (("HIG", 1, 0),),
    (("REV", 1, 0), ("RXP", 1, 0)),
    (("OBT", 1, 0),),
    (("OBT", 2, 500),),
    (("END1", 1, 0), ("REC", 1, 0)),
    (("EXO", 1, 0),),
    (("BLA", 1, 1000),),
    (("COR", 1, 0),),
    (("ORT", 1, 0),),
    (("HIG", 1, 0), ("CEP", 1, 0)),
)
METHODS = ("card", "card", "card", "cash", "bank_transfer", "insurance", "direct_debit")


def ordinary(books: Books, random: Random, today: date, patients: Sequence[UUID], people: Sequence[UUID]) -> None:
    """Half a year of invoices, most of them paid at once, day by day."""
    for ago in range(182, 0, -1):
        day = today - timedelta(days=ago)
        if day.weekday() == 6 or random.random() > (0.4 if len(patients) > 100 else 0.06):
            continue
        patient, who = random.choice(patients), random.choice(people)
        invoice = books.invoice(patient, who, day, random.choice(BASKETS))
        chance = random.random()
        if chance < 0.86 or ago > 90:
            books.pay(patient, day, random.choice(METHODS), invoice.total, invoice=invoice)
        elif chance < 0.92:
            books.pay(patient, day, "card", invoice.total // 2, invoice=invoice)


def quotes(books: Books, random: Random, today: date, patients: Sequence[UUID], people: Sequence[UUID]) -> None:
    """A dozen quotes in every state."""
    states = ("rejected", "expired", "accepted", "accepted", "sent", "rejected", "sent", "accepted", "sent", "draft")
    for n, status in enumerate(states):
        ago = 90 - 9 * n if status in {"rejected", "expired", "accepted"} else 20 - n
        lines = (("IMP", 1, 500), ("COR", 1, 0)) if n % 2 else (("END3", 1, 0), ("REC", 1, 0), ("COR", 1, 1000))
        books.quote(random.choice(patients), random.choice(people), today - timedelta(days=max(ago, 1)), status, lines)


def debts(books: Books, today: date, debtor: UUID, maria: UUID, dentist: UUID) -> None:
    """Who owes, who paid in advance, who has a quote to answer."""
    old = books.invoice(debtor, dentist, today - timedelta(days=75), (("END3", 1, 0), ("REC", 1, 0)), due=30)
    books.pay(debtor, today - timedelta(days=70), "cash", 10000, invoice=old, reference="A cuenta")
    done = books.invoice(maria, dentist, today - timedelta(days=40), (("REV", 1, 0), ("HIG", 1, 0)))
    books.pay(maria, today - timedelta(days=40), "card", done.total, invoice=done)
    crown = books.quote(maria, dentist, today - timedelta(days=25), "accepted", (("COR", 1, 0), ("REC", 1, 500)))
    books.pay(maria, today - timedelta(days=20), "bank_transfer", 15000, budget=crown, reference="Señal corona")
    books.quote(maria, dentist, today - timedelta(days=2), "draft", (("BLA", 1, 1000), ("FER", 1, 0)))
    books.invoice(maria, dentist, today, (("RXP", 1, 0),), issued=False)


def recalls(practice: Practice, clinic: UUID, random: Random, today: date, patients: Sequence[UUID]) -> list[Recall]:
    """Some thirty people who should come back, around this month."""
    this, made = month_of(today), []
    for patient in random.sample(list(patients), min(30, len(patients) // 3)):
        reason = random.choice(("hygiene", "hygiene", "hygiene", "checkup", "implant_review", "ortho_review", "other"))
        recall = Recall(id=seed_id(practice.key, "recall", patient, reason), clinic_id=clinic, patient_id=patient)
        recall.reason, recall.due_month = reason, months_later(this, random.choice((-1, 0, 0, 0, 1, 2, 3)))
        recall.priority = random.choice(("normal", "normal", "normal", "low", "high"))
        recall.status, recall.note = random.choice(("pending", "pending", "pending", "contacted_scheduled", "done")), ""
        made.append(recall)
    return made


def overdue(books: Books, today: date, patient: UUID, desk: UUID) -> None:
    """A cleaning that is months late, and nobody answers the telephone."""
    own, clinic = seed_id(books.practice.key, "recall", "overdue"), books.clinic
    recall = Recall(id=own, clinic_id=clinic, patient_id=patient, reason="hygiene", priority="high")
    recall.due_month, recall.status = months_later(month_of(today), -4), "contacted_no_answer"
    recall.note = "Prefiere las mañanas; trabaja por las tardes."
    books.rows.append(recall)
    for ago, outcome, note in ((61, "no_answer", ""), (20, "voicemail", "Mensaje dejado en el buzón.")):
        day = today - timedelta(days=ago)
        tried = RecallAttempt(id=seed_id(own, ago), clinic_id=clinic, recall_id=own, channel="phone", outcome=outcome)
        tried.note, tried.by_user, tried.at = note, str(desk), moment(books.practice, day, 11)
        books.children.append(tried)
        books.tell(patient, Area.RECALL, "recall_attempt", day, own, outcome)


def late_cancellations(
    practice: Practice, clinic: UUID, patient: UUID, professional: UUID, today: date, desk: UUID
) -> tuple[list[Appointment], list[StatusChange]]:
    """Three visits that were called off an hour before, with the same excuse."""
    made, moves = [], []
    for ago in (49, 28, 14):
        day = today - timedelta(days=ago)
        while day.weekday() > 4:
            day -= timedelta(days=1)
        start = moment(practice, day, 12)
        own = seed_id(practice.key, "appointment", "late", ago)
        one = Appointment(id=own, clinic_id=clinic, patient_id=patient, professional_id=professional)
        one.starts_at, one.ends_at, one.treatment, one.status = (
            start,
            start + timedelta(minutes=30),
            "checkup",
            "cancelled",
        )
        made.append(one)
        for step, (before, after, at) in enumerate(
            (
                (None, "scheduled", start - timedelta(days=9)),
                ("scheduled", "cancelled", start - timedelta(hours=1)),
            )
        ):
            move = StatusChange(id=seed_id(own, step), clinic_id=clinic, appointment_id=own, before=before, after=after)
            move.reason, move.by_user, move.at = ("No puede salir del trabajo." if before else ""), str(desk), at
            moves.append(move)
    return made, moves
