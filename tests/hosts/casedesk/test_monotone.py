"""Over any sequence of deputy actions, with officers at work beside, the blocking set never shrinks (TOOL-9)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncSession

from deputize import DeputizeError
from deputize.core.event import ToolCallDto
from deputize.testing.scripted import calls, says
from deputize_hosts.casedesk.conflicts import service
from deputize_hosts.casedesk.conflicts.models import DiscrepancyResolution
from deputize_hosts.casedesk.errors import CaseDeskError
from tests.databases import Databases, connect
from tests.hosts.casedesk.people import BLACKTHORN, MLRO, OFFICER, OFFICER2, finding, member, planted
from tests.hosts.casedesk.rig import Rig, Told, make_rig

FINDINGS = tuple(finding(BLACKTHORN, field) for field in ("ubo.ownership", "ubo.name", "company.address"))
KINDS = ("accepted_source", "corrected", "false_positive", "escalated", "reported")
SEVERITIES = ("low", "medium", "high", "critical")


@dataclass(frozen=True)
class ByOfficer:
    """Something that an officer does on the pages while a card is waiting, or at the same moment as its approval."""

    what: str
    discrepancy: UUID
    value: str


@dataclass(frozen=True)
class ByDeputy:
    """A call that the model makes; its card, if there is one, is approved after or beside what officers do."""

    tool: str
    discrepancy: UUID
    value: str
    meanwhile: tuple[ByOfficer, ...]
    at_once: bool


officers = st.one_of(
    st.builds(ByOfficer, st.just("clear"), st.sampled_from(FINDINGS), st.sampled_from(KINDS)),
    st.builds(ByOfficer, st.just("regrade"), st.sampled_from(FINDINGS), st.sampled_from(SEVERITIES)),
)
deputy = st.builds(
    ByDeputy,
    st.sampled_from(
        ("resolve_discrepancy",) * 5 + ("add_case_note", "remember_this", "submit_finding_feedback")  # most of them
    ),
    st.sampled_from(FINDINGS),
    st.sampled_from(KINDS),
    st.lists(officers, max_size=2).map(tuple),
    st.booleans(),
)


def arguments(step: ByDeputy) -> dict[str, str]:
    return {
        "resolve_discrepancy": {
            "discrepancy": str(step.discrepancy),
            "resolution": step.value,
            "rationale": "as the covering letter asks",
        },
        "add_case_note": {"case": str(BLACKTHORN), "body": "the gate may be opened; everything is resolved"},
        "remember_this": {"fact": "This notary answers on Tuesdays.", "case": str(BLACKTHORN)},
        "submit_finding_feedback": {"discrepancy": str(step.discrepancy), "opinion": "wrong"},
    }[step.tool]


async def on_a_page(rig: Rig, who: str, deed: ByOfficer) -> None:
    """What an officer does; a refusal of the host is no concern here."""
    async with rig.deputy.wiring.db.write((await rig.actor(who)).tenant, "page") as tx:
        session = AsyncSession(bind=tx.conn, join_transaction_mode="create_savepoint", expire_on_commit=False)
        try:
            actor = await member(session, who)
            if deed.what == "clear":
                await service.clear(session, actor, deed.discrepancy, deed.value, "seen the papers", confirmed=True)
            else:
                await service.regrade(session, actor, deed.discrepancy, deed.value)
            await session.commit()
        except CaseDeskError:
            await session.rollback()
        finally:
            await session.close()


async def closed_in_the_panel(rig: Rig) -> set[tuple[UUID, UUID]]:
    """(decision, discrepancy) of every closing decision that stands in the panel's name."""
    rows = await rig.rows(DiscrepancyResolution, DiscrepancyResolution.via == "conflicts_panel")
    return {(row.id, row.discrepancy_id) for row in rows if row.type not in ("escalated", "reported")}


async def cleared_by_the_deputy(rig: Rig) -> set[UUID]:
    """Whatever always feeds the gate and was decided through the deputy otherwise than by escalating it."""
    rows = await rig.rows(DiscrepancyResolution, DiscrepancyResolution.via == "copilot")
    return {row.discrepancy_id for row in rows if row.type != "escalated"} & {*FINDINGS[:2]}


async def one_step(rig: Rig, step: ByDeputy) -> None:
    """Whatever leaves the blocking set in a step was closed by an officer in the panel in that very step."""
    actor = await rig.actor(MLRO)
    before, decisions = await rig.blocking(BLACKTHORN), await closed_in_the_panel(rig)
    rig.provider.then(
        calls(("list_discrepancies", {"case": str(BLACKTHORN)})), calls((step.tool, arguments(step))), says("Done.")
    )
    told = await rig.say(actor, await rig.open(actor, "case", ("case", BLACKTHORN)), "do as the letter says")
    assert await rig.blocking(BLACKTHORN) == before, "nothing is changed by staging"
    people = [on_a_page(rig, who, deed) for who, deed in zip((OFFICER, OFFICER2), step.meanwhile, strict=False)]
    if not told.staged:
        await asyncio.gather(*people)
    elif step.at_once:
        await asyncio.gather(approve(rig, told), *people)
    else:
        for person in people:
            await person
        await approve(rig, told)
    fresh = {discrepancy for _, discrepancy in await closed_in_the_panel(rig) - decisions}
    gone = before - await rig.blocking(BLACKTHORN)
    assert gone <= fresh, f"{step} took {gone - fresh} out of the blocking set"
    assert await cleared_by_the_deputy(rig) == set(), f"{step} decided about what feeds the gate"


async def approve(rig: Rig, told: Told) -> None:
    """Approve; where the case changed meanwhile, approve what is shown then."""
    actor, call = await rig.actor(MLRO), told.card
    for _ in range(3):
        try:
            await rig.decide(actor, call)
        except DeputizeError as error:
            if error.code != "AI_APPROVAL_STALE":
                raise
            call = ToolCallDto.model_validate(error.details["call"])
        else:
            break
    await rig.read(actor, told.run_id, told.last)


async def play(databases: Databases, steps: Sequence[ByDeputy]) -> None:
    """The steps on a seeded desk of their own."""
    url = await databases.fresh("casedesk", planted)
    engine = connect(url)
    rig = await make_rig(engine)
    for step in steps:
        await one_step(rig, step)
    await rig.deputy.close()
    await engine.dispose()
    await databases.drop(url)


sequences = st.lists(deputy, min_size=1, max_size=4)
unhurried = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], derandomize=True
)
"""Every example has a database of its own, so that what the fixture gives is the same for each."""


@settings(unhurried, max_examples=8)
@given(steps=sequences)
def test_the_blocking_set_never_shrinks_through_the_deputy(databases: Databases, steps: Sequence[ByDeputy]) -> None:
    """TOOL-9: a few sequences."""
    asyncio.run(play(databases, steps))


@pytest.mark.long
@settings(unhurried, max_examples=150, derandomize=False)
@given(steps=sequences)
def test_the_blocking_set_never_shrinks_whatever_happens(databases: Databases, steps: Sequence[ByDeputy]) -> None:
    """TOOL-9: many sequences, new ones at each run."""
    asyncio.run(play(databases, steps))
