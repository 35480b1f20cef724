"""What a known implementation of the clinic's plan got wrong, each fault tried on this one."""

import json
import logging
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize import Actor, DeputizeError, Settings
from deputize.core.message import ToolResult, ToolUse
from deputize.core.provider import ProviderFailed, TextDelta
from deputize.engine import conversations
from deputize.testing.scripted import ScriptedProvider, calls, says
from deputize_hosts.clinic.agenda.models import Appointment
from deputize_hosts.clinic.main import actor_of, make_deputy
from deputize_hosts.clinic.payments.models import Payment
from tests.conftest import Fresh
from tests.hosts.clinic.people import MADRID, NOW, maria, member
from tests.hosts.clinic.test_main import whole
from tests.hosts.driven import Driven, NobodyFound

ADMIN, OTHERS = "admin@demo.clinic", "admin@teide.clinic"
SURFACE = "clinic"


class Frozen:
    """The clinic's morning."""

    def now(self) -> Any:
        return NOW


async def nowhere(*args: Any) -> Any:
    """No mail leaves these tests."""
    raise AssertionError("nothing is sent here")


@pytest.fixture
async def desk(fresh: Fresh) -> AsyncIterator[Driven]:
    """The seeded clinic with a scripted model, on both databases."""
    engine = await fresh("clinic-with-copilot", whole)
    made = driven(engine)
    yield made
    await made.deputy.close()


def driven(engine: AsyncEngine, **settings: Any) -> Driven:
    provider = ScriptedProvider()
    given = Settings(**{"AI_ENABLED": True, "AI_SECRET_KEY": "a key for tests, long enough", **settings})
    deputy = make_deputy(
        engine,
        given,
        nowhere,
        providers={"scripted": provider},
        detectors=[NobodyFound()],
        clock=Frozen(),
    )
    return Driven(engine, provider, deputy)


async def person(desk: Driven, email: str = ADMIN) -> Actor:
    async with AsyncSession(desk.engine) as session:
        return actor_of(await member(session, email))


async def patient(desk: Driven, email: str = ADMIN) -> UUID:
    async with AsyncSession(desk.engine) as session:
        return (await maria(session, await member(session, email))).id


async def count(desk: Driven, model: type[Any]) -> int:
    async with AsyncSession(desk.engine) as session:
        return int(await session.scalar(select(func.count()).select_from(model)) or 0)


async def staged(desk: Driven, tool: str, arguments: dict[str, Any], who: str = ADMIN) -> tuple[Actor, Any, str]:
    """The actor, what they were shown, and the conversation, after the model read the patient and called the tool."""
    actor, own = await person(desk, who), await patient(desk, who)
    desk.provider.then(calls(("get_patient", {"patient": str(own)})), calls((tool, arguments)), says("Hecho."))
    conversation = await desk.open(actor, SURFACE, ("patient", own))
    return actor, await desk.say(actor, conversation, "hazlo", ("patient", own)), conversation


async def payment(desk: Driven) -> tuple[Actor, Any, str]:
    own = await patient(desk)
    return await staged(desk, "record_payment", {"patient": str(own), "amount": "50.00", "method": "card"})


async def test_1_a_payment_is_executed_once_and_never_after_a_no(desk: Driven) -> None:
    """APPR-3: after a rejection, twice, and after the end of the conversation."""
    before = await count(desk, Payment)
    actor, told, _ = await payment(desk)
    await desk.settle(actor, told, approve=False)
    with pytest.raises(DeputizeError) as resolved:
        await desk.decide(actor, told.card)
    assert resolved.value.code == "AI_APPROVAL_RESOLVED"
    assert await count(desk, Payment) == before

    actor, told, _ = await payment(desk)
    assert (await desk.settle(actor, told)).outcome == "ok"
    assert (await desk.decide(actor, told.card)).outcome == "ok"
    assert await count(desk, Payment) == before + 1

    actor, told, conversation = await payment(desk)
    await conversations.end(desk.deputy.wiring, actor, conversation)
    with pytest.raises(DeputizeError) as gone:
        await desk.decide(actor, told.card)
    assert gone.value.code == "AI_APPROVAL_EXPIRED"
    assert await count(desk, Payment) == before + 1


async def test_2_the_card_names_what_ids_mean_and_shows_the_effect(desk: Driven) -> None:
    """APPR-1: no bare id anywhere on it; what is destructive is so by declaration."""
    own = await patient(desk)
    start = (NOW.astimezone(MADRID) + timedelta(days=9)).strftime("%Y-%m-%dT10:00:00")
    _, told, _ = await staged(desk, "book_appointment", {"patient": str(own), "start": start})
    shown = told.card.approval
    assert shown is not None
    words = json.dumps(
        [[f.model_dump() for f in change.fields] for change in shown.preview.changes], default=str, ensure_ascii=False
    )
    assert str(own) not in words
    assert "María López" in words
    assert [(change.op, change.kind) for change in shown.preview.changes] == [("insert", "appointment")]
    assert desk.deputy.wiring.registry.tools["cancel_appointment"].effect == "destructive"


async def test_3_another_clinic_s_patient_is_not_there(desk: Driven) -> None:
    """TOOL-5: neither booked nor read, and answered as an unknown id is."""
    actor, foreign, unknown = await person(desk), await patient(desk, OTHERS), UUID(int=5)
    before = await count(desk, Appointment)
    outcomes = []
    for own in (foreign, unknown):
        asked = {"patient": str(own), "start": "2026-03-12T10:00:00"}
        desk.provider.then(calls(("get_patient", {"patient": str(own)}), ("book_appointment", asked)), says("No."))
        told = await desk.say(actor, await desk.open(actor, SURFACE, ("patient", own)), "hazlo", ("patient", own))
        assert not told.staged
        outcomes.append(
            [(*pair, result.result["message"]) for pair, result in zip(told.outcomes(), told.results(), strict=True)]
        )
    assert outcomes[0] == outcomes[1]
    assert await count(desk, Appointment) == before


async def test_4_bookings_conflict_with_and_without_a_cabinet(desk: Driven) -> None:
    """One professional is in one place; the refusal names what is free."""
    actor, own, before = await person(desk), await patient(desk), await count(desk, Appointment)
    async with AsyncSession(desk.engine) as session:
        who = await session.scalar(
            select(Appointment.professional_id).where(Appointment.clinic_id == UUID(actor.tenant))
        )
    outcomes = []
    for start in ("2026-03-12T10:00:00", "2026-03-12T10:15:00"):
        asked = {"patient": str(own), "start": start, "professional": str(who), "minutes": 60}
        desk.provider.turns.clear()
        desk.provider.then(calls(("list_professionals", {})), calls(("book_appointment", asked)), says("Hecho."))
        told = await desk.say(actor, await desk.open(actor, SURFACE, ("patient", own)), "cita", ("patient", own))
        outcomes.append((await desk.settle(actor, told)).outcome if told.staged else told.outcomes()[-1])
    assert outcomes == ["ok", ("refused", "slot_taken")]
    assert "free" in json.dumps(told.results()[-1].result["alternatives"])
    assert await count(desk, Appointment) == before + 1


async def test_5_a_provider_s_error_after_an_approved_write_undoes_nothing(desk: Driven) -> None:
    """APPR-5, I14: the write and its entry stand, whatever the closing words come to."""
    before, own = await count(desk, Payment), await patient(desk)
    actor = await person(desk)
    asked = {"patient": str(own), "amount": "50.00", "method": "card"}
    desk.provider.then(
        calls(("get_patient", {"patient": str(own)})),
        calls(("record_payment", asked)),
        [TextDelta("Ya "), ProviderFailed("broken", transient=False)],
    )
    told = await desk.say(actor, await desk.open(actor, SURFACE, ("patient", own)), "cobra", ("patient", own))
    decided = await desk.decide(actor, told.card)
    after = await desk.read(actor, told.run_id, told.last)
    assert decided.outcome == "ok"
    assert [event.type for event in after.events][-1] == "error"
    assert await count(desk, Payment) == before + 1
    assert [entry.payload["outcome"] for entry in await desk.entries(actor.tenant, "tool_executed") if entry.payload][
        -1
    ] == "ok"


async def test_6_a_message_beside_an_open_card_leaves_no_call_unanswered(desk: Driven) -> None:
    """RUN-4, RUN-10: it is refused; after the card is withdrawn every call in the request has one result."""
    actor, told, conversation = await payment(desk)
    with pytest.raises(DeputizeError) as pending:
        await desk.say(actor, conversation, "y otra cosa")
    assert pending.value.code == "AI_APPROVAL_PENDING"
    await desk.settle(actor, told, approve=False)
    desk.provider.turns.clear()
    desk.provider.then(says("Dime."))
    await desk.say(actor, conversation, "otra cosa")
    blocks = [block for message in desk.provider.requests[-1].messages for block in message.blocks]
    asked = [block.id for block in blocks if isinstance(block, ToolUse)]
    answered = [block.call_id for block in blocks if isinstance(block, ToolResult)]
    assert len(asked) >= 2
    assert asked == answered


async def test_7_names_become_tokens_and_the_catalogue_stays_readable(desk: Driven) -> None:
    """RED-3, RED-4, RED-5: other spellings too; tokens hold nothing of the value."""
    actor, own = await person(desk), await patient(desk)
    desk.provider.then(calls(("list_cabinets", {}), ("list_catalog_items", {})), says("Hecho."))
    await desk.say(
        actor,
        await desk.open(actor, SURFACE, ("patient", own)),
        "MARIA LOPEZ, maría lópez y López, María",
        ("patient", own),
    )
    sent = json.dumps([[str(block) for block in m.blocks] for r in desk.provider.requests for m in r.messages])
    plain = sent.encode().decode("unicode_escape").casefold()
    assert "lopez" not in plain
    assert "lópez" not in plain
    assert "gabinete" in plain
    assert "empaste" in plain or "obturaci" in plain


async def test_8_caps_count_the_whole_session_and_the_denylist_matches(fresh: Fresh) -> None:
    """TOOL-10: not the last minute only; a pattern of the denylist refuses what it names."""
    desk = driven(await fresh("clinic-with-copilot", whole), AI_MAX_ACTIONS_PER_SESSION=2, AI_BLOCKED_TOOLS="get_pat*")
    actor, own = await person(desk), await patient(desk)
    desk.provider.then(calls(("get_patient", {"patient": str(own)})), calls(("list_cabinets", {})), says("Ya."))
    conversation = await desk.open(actor, SURFACE, ("patient", own))
    told = await desk.say(actor, conversation, "mira", ("patient", own))
    assert told.outcomes()[0] == ("refused", "denylisted")
    desk.provider.then(calls(("list_professionals", {})), calls(("search_patients", {"query": "Gil"})), says("Ya."))
    told = await desk.say(actor, conversation, "más")
    assert told.outcomes()[-1] == ("refused", "session_limit")
    await desk.deputy.close()


async def test_9_a_handler_s_error_is_never_a_success(
    desk: Driven, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    """TOOL-11: the model and the record hear `failed`; the log has the traceback and no value."""

    async def broken(*args: Any, **more: Any) -> Any:
        raise RuntimeError(" ".join(("secret", "detail")))

    monkeypatch.setattr("deputize_hosts.clinic.patients.service.get", broken)
    actor, own = await person(desk), await patient(desk)
    desk.provider.then(calls(("get_patient", {"patient": str(own)})), says("No pude."))
    with caplog.at_level(logging.DEBUG):
        told = await desk.say(actor, await desk.open(actor, SURFACE, ("patient", own)), "mira", ("patient", own))
    assert told.outcomes()[-1][0] == "failed"
    assert "secret detail" not in json.dumps(told.results()[-1].result)
    assert "secret detail" not in caplog.text


async def test_10_entries_cannot_be_edited_hold_no_name_and_tell_of_rejections(desk: Driven) -> None:
    """AUD-1, AUD-2, AUD-5."""
    actor, told, _ = await payment(desk)
    await desk.settle(actor, told, approve=False)
    entries = await desk.entries(actor.tenant)
    assert "approval_rejected" in {entry.kind for entry in entries}
    assert "López" not in json.dumps([entry.payload for entry in entries], ensure_ascii=False)
    for statement in ("UPDATE deputize_audit_entries SET kind = 'x'", "DELETE FROM deputize_audit_entries"):
        with pytest.raises(DBAPIError):
            async with desk.engine.begin() as conn:
                await conn.execute(text(statement))


async def test_11_the_model_is_told_the_screen_the_day_and_the_zone(desk: Driven) -> None:
    """RUN-13: as data, under the actor's own right to read."""
    actor, own = await person(desk), await patient(desk)
    desk.provider.then(says("Hola."))
    await desk.say(actor, await desk.open(actor, SURFACE, ("patient", own)), "hola", ("patient", own))
    situation = desk.provider.requests[-1].situation
    assert (situation.now[:10], situation.time_zone, situation.role) == ("2026-03-04", "Europe/Madrid", "admin")
    assert [entity["kind"] for entity in situation.screen["entities"]] == ["patient"]
