"""What the copilot may do with recalls."""

from datetime import date, datetime
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field

from deputize import Args, Context, Personal, Prose, Public, Result, Target, Text, Toolset, Trusted, Yields, tool
from deputize_hosts.clinic.recalls import service
from deputize_hosts.clinic.recalls.service import Call, Means, Outcome, Priority, Reason

TIMELINE = {"timeline_events": {"es": "Se anota en la línea de tiempo", "en": "Noted on the patient's timeline"}}


Why = Annotated[
    Literal["hygiene", "checkup", "ortho_review", "implant_review", "post_op", "treatment_followup", "other"],
    Field(
        description="hygiene: higiene, limpieza; checkup: revisión; ortho_review: ortodoncia; "
        "implant_review: implante; post_op: postoperatorio; treatment_followup: seguimiento; other: otro"
    ),
]


class DueArgs(Args):
    until: Annotated[date | None, Field(description="Any day of the last month; this month if left out")] = None
    reason: Why | None = None
    page: Annotated[int, Field(ge=1, le=50)] = 1


class RecallRow(Result):
    id: Annotated[UUID, Yields("recall")]
    patient_id: Annotated[UUID, Yields("patient")]
    patient_name: Annotated[str, Personal("NAME", of="patient_id"), Trusted()]
    phone: Annotated[str | None, Personal("PHONE", of="patient_id"), Trusted()]
    reason: Annotated[str, Public()]
    due_month: date
    priority: Annotated[str, Public()]
    status: Annotated[str, Public()]


class RecallList(Result):
    many: ClassVar[str | None] = "items"
    items: list[RecallRow]
    total: int


class OneRecall(Args):
    recall: Annotated[UUID, Target("recall")]


class Try(Result):
    at: datetime
    channel: Annotated[str, Public()]
    outcome: Annotated[str, Public()]
    note: Annotated[str, Prose()]


class RecallCard(RecallRow):
    many: ClassVar[str | None] = "attempts"
    note: Annotated[str, Prose()]
    attempts: list[Try]


class CreateRecall(Args):
    patient: Annotated[UUID, Target("patient")]
    reason: Why
    due_month: Annotated[date | None, Field(description="Any day of the month; left out: by the reason")] = None
    priority: Literal["high", "normal", "low"] | None = None
    note: Annotated[str, Text(), Field(max_length=500)] = ""


class SavedRecall(RecallRow):
    created: Annotated[bool, Field(description="False: an active one for this reason was updated instead")]


class LogAttempt(Args):
    recall: Annotated[UUID, Target("recall")]
    outcome: Annotated[
        Literal["no_answer", "voicemail", "scheduled", "declined", "wrong_number"],
        Field(
            description="no_answer: no contesta; voicemail: buzón de voz; scheduled: ha cogido cita; "
            "declined: no quiere; wrong_number: número equivocado"
        ),
    ]
    channel: Literal["phone", "email", "sms", "whatsapp", "letter"] = "phone"
    note: Annotated[str, Text(), Field(max_length=500)] = ""


class Snooze(Args):
    recall: Annotated[UUID, Target("recall")]
    months: Annotated[int, Field(ge=1, le=24)]


@tool(
    permissions=["recalls.read"],
    effect="read",
    title={"es": "Ver los recordatorios pendientes", "en": "List due recalls"},
    say={
        "es": ["¿qué recordatorios hay pendientes?", "¿a quién hay que llamar?", "recordatorios de este mes"],
        "en": ["which recalls are due?", "who has to be called back?", "this month's recalls"],
    },
)
async def list_due_recalls(ctx: Context, args: DueArgs) -> RecallList:
    """Patients to call back: urgent first, then the longest overdue, ten a page; nobody who refuses contact."""
    until = args.until or service.today(ctx.actor, ctx.now)
    found = await service.due(ctx.session, ctx.actor, until, reason=args.reason or "", page=args.page, size=10)
    return RecallList(items=[RecallRow(**_row(one)) for one in found.items], total=found.total)


@tool(
    permissions=["recalls.read"],
    effect="read",
    title={"es": "Ver un recordatorio", "en": "See a recall"},
    say={
        "es": ["enséñame este recordatorio", "detalle del recordatorio", "intentos de este recordatorio"],
        "en": ["show me this recall", "recall details", "attempts of this recall"],
    },
)
async def get_recall(ctx: Context, args: OneRecall) -> RecallCard:
    """One recall with its note and the attempts to reach the patient."""
    one = await service.get(ctx.session, ctx.actor, args.recall)
    attempts = [
        Try(at=service.to_local(ctx.actor, a.at), channel=a.channel, outcome=a.outcome, note=a.note)
        for a in one.attempts
    ]
    return RecallCard(**_row(one), note=one.recall.note, attempts=attempts)


@tool(
    permissions=["recalls.write"],
    effect="write",
    title={"es": "Crear un recordatorio", "en": "Create a recall"},
    say={
        "es": ["crea un recordatorio de higiene para María López", "recuérdame llamar a María López para revisión"],
        "en": ["create a hygiene recall for María López", "add a check-up recall for this patient"],
    },
    hidden=TIMELINE,
)
async def create_recall(ctx: Context, args: CreateRecall) -> SavedRecall:
    """Note that a patient should come back. One active recall for each reason: an existing one is updated."""
    made, created = await service.create(
        ctx.session,
        ctx.actor,
        args.patient,
        Reason(args.reason),
        now=ctx.now,
        due_month=args.due_month,
        priority=Priority(args.priority) if args.priority else None,
        note=args.note,
    )
    return SavedRecall(**_row(await service.get(ctx.session, ctx.actor, made.id)), created=created)


@tool(
    permissions=["recalls.write"],
    effect="write",
    title={"es": "Apuntar un intento de contacto", "en": "Log a contact attempt"},
    say={
        "es": ["apunta que María López no contesta", "anota que he dejado mensaje en el buzón de este recordatorio"],
        "en": ["log that María López did not answer", "note that I left a voicemail for this recall"],
    },
    hidden=TIMELINE,
)
async def log_contact_attempt(ctx: Context, args: LogAttempt) -> RecallRow:
    """Log that somebody tried to reach the patient of a recall, and what came of it."""
    means, outcome = Means(args.channel), Outcome(args.outcome)
    done = await service.attempt(ctx.session, ctx.actor, args.recall, means, outcome, note=args.note)
    return RecallRow(**_row(await service.get(ctx.session, ctx.actor, done.id)))


@tool(
    permissions=["recalls.write"],
    effect="write",
    title={"es": "Aplazar un recordatorio", "en": "Snooze a recall"},
    say={
        "es": ["aplaza este recordatorio 3 meses", "pospón el recordatorio de María López dos meses"],
        "en": ["snooze this recall for 3 months", "postpone María López's recall two months"],
    },
    hidden=TIMELINE,
)
async def snooze_recall(ctx: Context, args: Snooze) -> RecallRow:
    """Put a recall off by 1 to 24 months."""
    done = await service.snooze(ctx.session, ctx.actor, args.recall, args.months)
    return RecallRow(**_row(await service.get(ctx.session, ctx.actor, done.id)))


@tool(
    permissions=["recalls.write"],
    effect="write",
    title={"es": "Dar por hecho un recordatorio", "en": "Complete a recall"},
    say={
        "es": ["da por hecho este recordatorio", "da por hecho el recordatorio de María López"],
        "en": ["complete this recall", "mark María López's recall as done"],
    },
    hidden=TIMELINE,
)
async def complete_recall(ctx: Context, args: OneRecall) -> RecallRow:
    """The patient has come back; the recall is done."""
    done = await service.complete(ctx.session, ctx.actor, args.recall)
    return RecallRow(**_row(await service.get(ctx.session, ctx.actor, done.id)))


def _row(one: Call) -> dict[str, Any]:
    recall = one.recall
    return {
        "id": recall.id,
        "patient_id": one.patient.id,
        "patient_name": one.patient.full_name,
        "phone": one.patient.phone,
        "reason": recall.reason,
        "due_month": recall.due_month,
        "priority": recall.priority,
        "status": recall.status,
    }


READS = [list_due_recalls, get_recall]
WRITES = [create_recall, log_contact_attempt, snooze_recall, complete_recall]
TOOLS = Toolset("recalls", [*READS, *WRITES])
