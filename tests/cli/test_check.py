"""`deputize check`: faults with status 1, each write previewed twice, and what was skipped named (APPR-2, OPS-4)."""

import pytest
from sqlalchemy import text

from deputize.cli import checking
from deputize.engine.twice import Twice
from tests.cli.office import Office
from tests.engine.desk import EVA, Desk


def test_each_write_is_previewed_twice_as_somebody_who_talked(office: Office) -> None:
    office.do(lambda desk: desk.open(EVA))
    seen = office.type("check")
    assert seen.exit_code == 0, seen.output
    assert "5 of 5 writes previewed twice, and undone" in seen.output
    assert "all is well" in seen.output


def test_without_anybody_each_write_is_named_as_skipped(office: Office) -> None:
    seen = office.type("check")
    assert seen.exit_code == 0, seen.output
    assert "0 of 5 writes previewed twice" in seen.output
    assert ". set_remark was not previewed: nobody was found to try it as" in seen.output
    assert "previewed" not in office.type("check", "--no-previews").output


def test_an_undeclared_difference_is_a_fault(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    async def found(*_: object) -> list[Twice]:
        return [Twice("set_remark", ("people.remark",)), Twice("add_task")]

    monkeypatch.setattr(checking, "preview_twice", found)
    seen = office.type("check")
    assert seen.exit_code == 1
    assert "set_remark: two previews differ in people.remark; declare it volatile" in seen.output


def test_as_names_a_person_whom_the_host_can_find(office: Office) -> None:
    seen = office.type("check", "--as", "eva")
    assert (seen.exit_code, "no `find`" in seen.output) == (2, True)


def test_missing_tables_are_a_fault(office: Office) -> None:
    async def drop(desk: Desk) -> None:
        async with desk.engine.begin() as conn:
            await conn.execute(text("DROP TABLE deputize_version"))

    office.do(drop)
    seen = office.type("check")
    assert seen.exit_code == 1
    assert "our tables are missing" in seen.output
    assert "previewed" not in seen.output
