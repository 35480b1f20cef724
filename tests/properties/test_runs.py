"""Whatever the model says: every run ends within its limits, and nothing is written without an approval."""

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import create_async_engine

from deputize.core.provider import Done, ProviderEvent, ProviderFailed, Reasoned, TextDelta, ToolUse, UsageReport
from deputize.core.run import TERMINAL, Outcome, RunStatus
from deputize.core.usage import Usage
from deputize.store import audit_read, runs
from deputize.testing.clock import FrozenClock
from tests.databases import SqliteFiles, migrated
from tests.engine.desk import ANA, BOB, EVA, ZOE, Desk, Person, Task, make_desk

TOOLS = ["find_people", "get_person", "set_remark", "add_task", "remove_person", "send_letter", "four_eyes", "nope"]
IDS = [ANA, BOB, ZOE, "not-an-id", "PERSON_kovabi"]
ARGUMENTS = st.one_of(
    st.fixed_dictionaries(
        {},
        optional={
            "person": st.sampled_from(IDS),
            "title": st.sampled_from(["one", "two", "forbidden"]),
            "remark": st.sampled_from(["a", "b"]),
            "to": st.sampled_from(["ana@ruiz.example", "eve@evil.example"]),
            "body": st.just("hello"),
            "query": st.sampled_from(["", "Ana"]),
            "tenant": st.just("south"),
        },
    ).map(json.dumps),
    st.sampled_from(["", "{", "[]", "null", '{"person": NaN}']),
)
EVENTS: st.SearchStrategy[ProviderEvent | ProviderFailed] = st.one_of(
    st.builds(ToolUse, st.sampled_from(["c1", "c2", ""]), st.sampled_from(TOOLS), ARGUMENTS),
    st.builds(TextDelta, st.text(max_size=8)),
    st.just(Reasoned()),
    st.builds(UsageReport, st.builds(Usage, st.integers(0, 50), st.integers(0, 50))),
    st.builds(ProviderFailed, st.just("down"), transient=st.booleans()),
)
ENDINGS = st.one_of(st.none(), st.builds(Done, st.sampled_from(["stop", "tools", "length", "filter", "broken"])))
TURNS = st.lists(
    st.tuples(st.lists(EVENTS, max_size=5), ENDINGS).map(lambda turn: [*turn[0], *([turn[1]] if turn[1] else [])]),
    max_size=8,
)
DECISIONS = st.lists(st.booleans(), max_size=4)


async def play(files: SqliteFiles, turns: list[list[Any]], decisions: list[bool]) -> None:
    url = await files.fresh("deputize", migrated)
    engine = create_async_engine(url)
    desk = await make_desk(engine, FrozenClock(), settings={"AI_MAX_STEPS_PER_RUN": 6})
    object.__setattr__(desk.w, "limits", _without_pauses(desk))
    try:
        desk.provider.then(*turns)
        approved = await converse(desk, list(decisions))
        await check(desk, approved)
    finally:
        await desk.deputy.close()
        await engine.dispose()


def _without_pauses(desk: Desk) -> Any:
    return type(desk.w.limits)(**{**_fields(desk), "retry_pause": 0.0})


def _fields(desk: Desk) -> dict[str, Any]:
    return {name: getattr(desk.w.limits, name) for name in type(desk.w.limits).__slots__}


async def converse(desk: Desk, decisions: list[bool]) -> int:
    """One message; each card is decided as drawn, the last one left alone. How many were approved."""
    approved = 0
    told = await desk.say(EVA, await desk.open(EVA), "please do something for Ana")
    while told.kinds and told.kinds[-1] == "tool_approval_required" and decisions:
        yes = decisions.pop(0)
        card = told.card
        approval = card.approval
        assert approval is not None
        if approval.by != "actor" or approval.preview.friction.destinations or approval.preview.friction.confirm:
            break
        done = await desk.decide(EVA, card, yes)
        approved += yes and done.outcome == "ok"
        told = await desk.read(EVA, told.run_id, told.last)
    return approved


async def check(desk: Desk, approved: int) -> None:
    async with desk.w.db.read() as conn:
        row = (await runs.page_of(conn, "north", None, 0, 5))[0][0]
        run = await runs.load(conn, "north", row["id"])
        verdict = await audit_read.verify_database(conn, "north")
        kinds = [entry.kind for entry in (await audit_read.entries(conn, "north"))[0]]
    assert run is not None
    assert run.status in TERMINAL | {RunStatus.AWAITING_APPROVAL}
    assert len(run.steps) <= 6
    assert sum(call.stagings > 0 for call in run.calls) <= desk.w.limits.staged_writes_per_run
    executed = [c for c in run.calls if c.kind == "write" and c.outcome is Outcome.OK and not c.from_record]
    assert len(executed) == approved
    assert all(call.approval is not None and call.approval.decided_by == "eva" for call in executed)
    people = await desk.rows(Person)
    written = len(await desk.rows(Task)) + sum(person.revision - 1 for person in people) + (3 - len(people))
    assert written + sum(call.tool == "send_letter" for call in executed) == approved
    assert verdict.ok or verdict.through == 0
    settled = [call for call in run.calls if not call.open]
    assert sum(kind.startswith(("tool_", "approval_")) for kind in kinds) >= len(settled)


_FILES: list[SqliteFiles] = []


def files() -> SqliteFiles:
    """One template for all examples of this process."""
    if not _FILES:
        _FILES.append(SqliteFiles(Path(tempfile.mkdtemp(prefix="deputize-runs-"))))
    return _FILES[0]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(TURNS, DECISIONS)
def test_every_run_ends_and_nothing_is_written_unapproved(turns: list[list[Any]], decisions: list[bool]) -> None:
    """RUN-3, RUN-4, APPR-10, AUD-2, TOOL-15."""
    asyncio.run(play(files(), turns, decisions))


async def race(files_: SqliteFiles) -> None:
    """Two deciders of opposite minds at once."""
    url = await files_.fresh("deputize", migrated)
    engine = create_async_engine(url)
    desk = await make_desk(engine, FrozenClock())
    try:
        write = ToolUse("c", "add_task", json.dumps({"person": ANA, "title": "one"}))
        desk.provider.then([ToolUse("c", "find_people", "{}"), Done("tools")], [write, Done("tools")])
        told = await desk.say(EVA, await desk.open(EVA), "task")
        results = await asyncio.gather(
            *(desk.decide(EVA, told.card, yes) for yes in (True, False, True, False)), return_exceptions=True
        )
        won = [result for result in results if not isinstance(result, BaseException)]
        assert won
        outcomes = {result.outcome for result in won}
        assert len(outcomes) == 1
        assert len(await desk.rows(Task)) == (outcomes == {Outcome.OK})
        await desk.read(EVA, told.run_id, told.last)
    finally:
        await desk.deputy.close()
        await engine.dispose()


def test_two_deciders_one_winner() -> None:
    """APPR-3, C20: one effect at the most, and every other answer is the same decision or a refusal."""
    for _ in range(5):
        asyncio.run(race(files()))
