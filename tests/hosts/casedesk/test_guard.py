"""The deputy may add scrutiny and never clear the gate: asked at staging and again at execution (TOOL-8, TOOL-9)."""

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize.testing.scripted import calls, says
from deputize_hosts.casedesk.auth.models import User
from deputize_hosts.casedesk.conflicts import service
from deputize_hosts.casedesk.conflicts.models import DiscrepancyResolution
from tests.hosts.casedesk.people import MLRO, NORDWIND, NORDWIND_BIRTH, NORDWIND_PHONE, OFFICER, OFFICER2, member, of
from tests.hosts.casedesk.rig import Rig, Told

READ = ("list_discrepancies", {"case": str(NORDWIND)})


def resolve(discrepancy: object, resolution: str, rationale: str = "checked with the register") -> tuple[str, object]:
    return (
        "resolve_discrepancy",
        {"discrepancy": str(discrepancy), "resolution": resolution, "rationale": rationale},
    )


async def ask(rig: Rig, who: str, *wanted: tuple[str, object], surface: str = "case") -> Told:
    actor = await rig.actor(who)
    rig.provider.then(*(calls(one) for one in (READ, *wanted)), says("Done."))  # type: ignore[arg-type]
    conversation = await rig.open(actor, surface, ("case", NORDWIND))
    return await rig.say(actor, conversation)


@pytest.mark.parametrize("resolution", ["accepted_source", "corrected", "false_positive", "reported"])
@pytest.mark.parametrize("surface", ["case", "dashboard"])
async def test_what_feeds_the_gate_is_refused_with_the_way_to_the_panel(
    rig: Rig, resolution: str, surface: str
) -> None:
    """ADR-0116, 1: nothing is staged, and the message leads to the Conflicts panel."""
    told = await ask(rig, MLRO, resolve(NORDWIND_BIRTH, resolution), surface=surface)
    assert not told.staged
    assert told.outcomes()[-1] == ("refused", "conflicts_panel_only")
    said = told.results()[-1].result
    assert f"/cases/{NORDWIND}/conflicts#d-{NORDWIND_BIRTH}" in said["message"]
    assert said["alternatives"]["allowed"] == ["escalated"]
    assert NORDWIND_BIRTH in await rig.blocking(NORDWIND)


async def test_escalation_is_staged_and_executed(rig: Rig) -> None:
    """ADR-0116: adding scrutiny is always open."""
    told = await ask(rig, OFFICER, resolve(NORDWIND_BIRTH, "escalated", "day and month may be swapped"))
    card = told.card.approval
    assert card is not None
    shown = {field.name: field.after for change in card.preview.changes for field in change.fields}
    assert shown["rationale"] == "day and month may be swapped"
    assert shown["officer_id"] == "Tom Okafor"
    assert (await rig.settle(await rig.actor(OFFICER), told)).outcome == "ok"
    async with AsyncSession(rig.engine) as session:
        assert (await of(session, NORDWIND_BIRTH)).status == "escalated"
    assert NORDWIND_BIRTH in await rig.blocking(NORDWIND)


async def test_a_nuisance_is_resolved_by_chat(rig: Rig) -> None:
    """ADR-0116: what does not feed the gate stays chat-resolvable."""
    told = await ask(rig, OFFICER, resolve(NORDWIND_PHONE, "accepted_source", "the second is the switchboard"))
    assert (await rig.settle(await rig.actor(OFFICER), told)).outcome == "ok"
    async with AsyncSession(rig.engine) as session:
        found = await of(session, NORDWIND_PHONE)
        made = (
            await session.scalars(select(DiscrepancyResolution).where(DiscrepancyResolution.via == "copilot"))
        ).one()
    assert (found.status, found.decided_via) == ("resolved", "copilot")
    assert (made.type, made.rationale) == ("accepted_source", "the second is the switchboard")


async def test_a_finding_that_becomes_gate_feeding_in_between_is_refused_at_execution(rig: Rig) -> None:
    """TOOL-8: the guard is asked again in the executing transaction; nothing is written."""
    told = await ask(rig, OFFICER, resolve(NORDWIND_PHONE, "false_positive"))
    async with AsyncSession(rig.engine) as session, session.begin():
        await service.regrade(session, await member(session, OFFICER2), NORDWIND_PHONE, "critical")
    decided = await rig.settle(await rig.actor(OFFICER), told)
    assert (decided.outcome, decided.code) == ("refused", "conflicts_panel_only")
    assert NORDWIND_PHONE in await rig.blocking(NORDWIND)
    made = await rig.rows(DiscrepancyResolution, DiscrepancyResolution.discrepancy_id == NORDWIND_PHONE)
    assert made == []
    assert await rig.signals() == []


async def test_an_officer_who_loses_their_role_in_between_is_refused(rig: Rig) -> None:
    """ADR-0116, 2: the named officer is looked up again when the decision is executed."""
    told = await ask(rig, OFFICER, resolve(NORDWIND_PHONE, "false_positive"))
    async with AsyncSession(rig.engine) as session, session.begin():
        user = (await session.scalars(select(User).where(User.email == OFFICER))).one()
        user.name = " "
    decided = await rig.settle(await rig.actor(OFFICER), told)
    assert (decided.outcome, decided.code) == ("refused", "no_named_officer")
    assert await rig.signals() == []


async def test_nobody_without_a_name_stages_a_resolution(rig: Rig) -> None:
    """ADR-0116, 2: refused at staging too."""
    async with AsyncSession(rig.engine) as session, session.begin():
        (await session.scalars(select(User).where(User.email == OFFICER))).one().name = ""
    told = await ask(rig, OFFICER, resolve(NORDWIND_PHONE, "false_positive"))
    assert told.outcomes()[-1] == ("refused", "no_named_officer")
    assert not told.staged


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"resolution": "approved", "rationale": "x"}, "resolution"),
        ({"resolution": "RESOLVED", "rationale": "x"}, "resolution"),
        ({"resolution": "escalated", "rationale": ""}, "rationale"),
        ({"resolution": "escalated", "rationale": "  \n "}, "rationale"),
        ({"resolution": "escalated"}, "rationale"),
        ({"resolution": "escalated", "rationale": "x", "officer": "chatbot"}, "unknown_field"),
    ],
)
async def test_bad_arguments_name_the_field_and_never_the_value(rig: Rig, arguments: dict[str, str], code: str) -> None:
    """RUN-3: unknown resolution types, empty reasons, smuggled officers."""
    told = await ask(rig, OFFICER, ("resolve_discrepancy", {"discrepancy": str(NORDWIND_PHONE), **arguments}))
    assert told.outcomes()[-1][0] == "invalid"
    assert [fault["field"] for fault in told.results()[-1].result["alternatives"]["faults"]] == [code]
    assert not told.staged


async def test_the_guard_is_the_gate_s_own_predicate(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """TOOL-8: change the gate's predicate and the guard follows; there is no second copy."""
    monkeypatch.setattr(
        "deputize_hosts.casedesk.gate.service.is_ubo_identity_discrepancy", lambda d: d.field == "company.phone"
    )
    told = await ask(rig, OFFICER, resolve(NORDWIND_PHONE, "accepted_source"))
    assert told.outcomes()[-1] == ("refused", "conflicts_panel_only")


async def test_a_guard_that_fails_keeps_the_door_shut(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """TOOL-8: a predicate that raises blocks."""

    def broken(discrepancy: object) -> bool:
        raise RuntimeError("the gate is out of order")

    monkeypatch.setattr("deputize_hosts.casedesk.gate.service.is_ubo_identity_discrepancy", broken)
    actor = await rig.actor(OFFICER)
    rig.provider.then(calls(resolve(NORDWIND_PHONE, "accepted_source")), says("Done."))  # type: ignore[arg-type]
    conversation = await rig.open(actor, "case", ("case", NORDWIND), ("discrepancy", NORDWIND_PHONE))
    told = await rig.say(actor, conversation, "resolve it", ("case", NORDWIND), ("discrepancy", NORDWIND_PHONE))
    assert told.outcomes()[-1] == ("refused", "guard_failed")
