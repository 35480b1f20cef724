"""Transactions that the database could not order are tried again as a whole, three times in all (APPR-5)."""

from collections import Counter

import pytest
from sqlalchemy.exc import DBAPIError, OperationalError

from deputize.engine import execution
from deputize.store import audit_read
from tests.engine.desk import ANA, EVA, Desk, Task
from tests.engine.test_approvals import run_sql, staged

TRIES = execution.ATTEMPTS


def fails(desk: Desk, times: int) -> Counter[str]:
    """The commit of an execution fails that often, as a database says it; counts the attempts."""
    tried: Counter[str] = Counter()

    def before(label: str) -> None:
        tried[label] += 1
        if label == "execute" and tried[label] <= times:
            raise OperationalError("COMMIT", None, Exception("database is locked"))

    desk.w.db.before_commit = before
    return tried


async def decisions(desk: Desk) -> list[tuple[str, str]]:
    """What the chain says of the write: kind and outcome's code."""
    async with desk.w.db.read() as conn:
        found, _ = await audit_read.entries(conn, "north")
        assert (await audit_read.verify_database(conn, "north")).ok
    mine = [entry for entry in found if (entry.payload or {}).get("tool") == "add_task"]
    return [(entry.kind, str((entry.payload or {}).get("code"))) for entry in mine if entry.kind != "tool_staged"]


@pytest.mark.parametrize("times", [1, TRIES - 1])
async def test_a_clash_is_tried_again_and_executed_once(desk: Desk, times: int) -> None:
    told = await staged(desk, "add_task", {"person": ANA, "title": "one"})
    tried = fails(desk, times)
    assert (await desk.decide(EVA, told.card, True)).outcome == "ok"
    await desk.read(EVA, told.run_id, told.last)
    assert tried["execute"] == times + 1
    assert [task.title for task in await desk.rows(Task)] == ["one"]
    assert [kind for kind, _ in await decisions(desk)].count("tool_executed") == 1


async def test_the_third_clash_is_a_failure_with_the_decision_kept(desk: Desk) -> None:
    told = await staged(desk, "add_task", {"person": ANA, "title": "one"})
    tried = fails(desk, TRIES)
    done = await desk.decide(EVA, told.card, True)
    assert (done.outcome, done.code) == ("failed", "serialisation_failure")
    assert done.approval is not None
    assert (done.approval.status, done.approval.decided_by) == ("approved", "eva")
    rest = await desk.read(EVA, told.run_id, told.last)
    assert rest.kinds[-1] == "message_done"
    assert tried["execute"] == TRIES
    assert await desk.rows(Task) == []
    assert ("tool_failed", "serialisation_failure") in await decisions(desk)
    assert (await desk.decide(EVA, told.card, True)).outcome == "failed", "asked again, nothing is executed again"


async def test_any_other_fault_of_the_database_loses_nothing(desk: Desk) -> None:
    """The card stays open: nothing was decided, nothing written."""
    told = await staged(desk, "add_task", {"person": ANA, "title": "one"})

    def before(label: str) -> None:
        if label == "execute":
            raise OperationalError("COMMIT", None, Exception("disk I/O error"))

    desk.w.db.before_commit = before
    with pytest.raises(DBAPIError):
        await desk.decide(EVA, told.card, True)
    desk.w.db.before_commit = None
    assert await desk.rows(Task) == []
    assert (await desk.decide(EVA, told.card, True)).outcome == "ok"
    assert len(await desk.rows(Task)) == 1


CLASH = """
CREATE FUNCTION clash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF nextval('clashes') <= {times} THEN RAISE EXCEPTION 'no order' USING ERRCODE = '{code}'; END IF;
  RETURN NEW;
END $$"""


@pytest.mark.parametrize("databases", [pytest.param("postgresql", marks=pytest.mark.postgresql)], indirect=True)
@pytest.mark.parametrize("code", ["40001", "40P01"])
@pytest.mark.parametrize("times", [TRIES - 1, TRIES])
async def test_the_server_itself_says_so_in_the_handler(desk: Desk, code: str, times: int) -> None:
    """A serialisation failure or a deadlock in the midst of the host's own statements, not at the commit."""
    told = await staged(desk, "add_task", {"person": ANA, "title": "one"})
    await run_sql(desk, "CREATE SEQUENCE clashes")
    await run_sql(desk, CLASH.format(times=times, code=code))
    await run_sql(desk, "CREATE TRIGGER clash BEFORE INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION clash()")
    done = await desk.decide(EVA, told.card, True)
    expected = ("ok", 1) if times < TRIES else ("failed", 0)
    assert (done.outcome, len(await desk.rows(Task))) == expected
