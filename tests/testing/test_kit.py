"""The kit's checks pass on tools that are as they should be, and name the one that is not (OPS-5)."""

import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize import Tool
from deputize.testing import conformance
from deputize.testing.clock import FrozenClock
from deputize.testing.matrix import authority_matrix, table
from deputize.testing.scripted import ScriptedProvider
from deputize.testing.trial import Trial
from tests.attacks import bureau
from tests.engine.desk import ANA, BOB, EVA, VIC, ZOE, Desk

SCREEN = [("person", ANA), ("person", BOB), ("mail", "1")]
FOREIGN = [("person", ZOE), ("mail", "2")]
PAY: dict[str, Any] = {"iban": bureau.IBAN, "cents": 100, "due": "2026-04-01"}
SOUND: dict[str, dict[str, Any]] = {
    "find_people": {},
    "get_person": {"person": ANA},
    "read_inbox": {},
    "read_remark": {"person": ANA},
    "set_remark": {"person": ANA, "remark": "kind"},
    "add_task": {"person": ANA, "title": "call"},
    "remove_person": {"person": BOB},
    "send_letter": {"person": ANA, "to": "ana@ruiz.example", "body": "Dear Ana"},
    "four_eyes": {"person": ANA, "remark": "kind"},
    "pay": {"person": ANA, **PAY},
    "forward": {"mail": 1, "to": "ana@ruiz.example"},
    "fetch_page": {"url": "https://ruiz.example/"},
}
THEIRS = {
    name: {key: {"person": ZOE, "mail": 2}.get(key, value) for key, value in given.items()}
    for name, given in SOUND.items()
    if {"person", "mail"} & set(given)
}


@pytest.fixture
def databases(sqlite_files: Any) -> Any:
    """The kit asks nothing of the database that the engine's tests have not asked of both."""
    return sqlite_files


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock, scripted: ScriptedProvider) -> AsyncIterator[Desk]:
    await bureau.planted(database)
    made = bureau.make_bureau(database, clock, scripted)
    only(made, *SOUND)
    yield made
    await made.deputy.close()


def only(desk: Desk, *names: str, **changed: Tool) -> None:
    """The deputy has these tools and no other."""
    known = {one.name: one for one in bureau.BUREAU_TOOLS} | changed
    registry = replace(desk.w.registry, tools={name: known[name] for name in names})
    object.__setattr__(desk.w, "registry", registry)


def trial_of(desk: Desk) -> Trial:
    return Trial(desk.deputy, desk.provider, "desk")


MATRIX = """\
tool | eva | vic
add_task other | blocked AI_INJECTION_BLOCKED | refused permission_denied
add_task own | staged | refused permission_denied
fetch_page own | staged | staged
find_people own | ok | ok
forward other | blocked AI_INJECTION_BLOCKED | refused permission_denied
forward own | staged | refused permission_denied
four_eyes other | blocked AI_INJECTION_BLOCKED | refused permission_denied
four_eyes own | staged | refused permission_denied
get_person other | blocked AI_INJECTION_BLOCKED | blocked AI_INJECTION_BLOCKED
get_person own | ok | ok
pay other | blocked AI_INJECTION_BLOCKED | refused permission_denied
pay own | staged | refused permission_denied
read_inbox own | ok | ok
read_remark other | blocked AI_INJECTION_BLOCKED | blocked AI_INJECTION_BLOCKED
read_remark own | ok | ok
remove_person other | blocked AI_INJECTION_BLOCKED | refused permission_denied
remove_person own | staged | refused permission_denied
send_letter other | blocked AI_INJECTION_BLOCKED | refused permission_denied
send_letter own | staged | refused permission_denied
set_remark other | blocked AI_INJECTION_BLOCKED | refused permission_denied
set_remark own | staged | refused permission_denied"""
"""Written by hand: eva may write, vic may only read, and nobody reaches the other tenant."""


async def test_the_authority_matrix_is_the_one_written_by_hand(desk: Desk) -> None:
    actors = {"eva": EVA, "vic": VIC}
    found = await authority_matrix(trial_of(desk), actors, SOUND, THEIRS, own_screen=SCREEN, other_screen=FOREIGN)
    assert table(found, ["eva", "vic"]) == MATRIX


async def test_sound_tools_pass(desk: Desk) -> None:
    trial = trial_of(desk)
    await conformance.reads_are_pure(trial, EVA, SOUND, SCREEN)
    await conformance.pinning_holds(trial, EVA, SOUND)
    await conformance.foreign_ids_answer_as_unknown(trial, EVA, THEIRS, FOREIGN)
    await conformance.results_hold_no_secret(trial, EVA, SOUND, SCREEN)
    await conformance.previews_stay_inside(trial, EVA, SOUND, SCREEN)
    await conformance.previews_repeat(trial, EVA, SOUND, SCREEN)


async def test_a_read_that_writes_is_named(desk: Desk) -> None:
    only(desk, "peek_inbox")
    with pytest.raises(AssertionError, match="peek_inbox: a read must not write; it came to failed handler_failed"):
        await conformance.reads_are_pure(trial_of(desk), EVA, {"peek_inbox": {}})


async def test_a_result_with_a_secret_is_named(desk: Desk) -> None:
    only(desk, "read_account")
    with pytest.raises(AssertionError, match="read_account: its result declares password_hash"):
        await conformance.results_hold_no_secret(trial_of(desk), EVA, {})


@pytest.mark.parametrize("name", ["tidy", "phone_home", "change_unseen"])
async def test_a_write_that_cannot_be_shown_is_named(desk: Desk, name: str) -> None:
    only(desk, name)
    with pytest.raises(AssertionError, match=f"{name}: a write must be staged"):
        await conformance.previews_stay_inside(trial_of(desk), EVA, {name: {"person": ANA}}, SCREEN)


async def test_a_tool_that_pins_nothing_is_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that the check believes to be unseen was on the page."""
    honest = Trial.call

    async def shown(self: Trial, actor: Any, tool: str, arguments: Any, screen: Any = ()) -> Any:
        return await honest(self, actor, tool, arguments, SCREEN)

    monkeypatch.setattr(Trial, "call", shown)
    with pytest.raises(AssertionError, match="get_person: an id that nobody showed must be blocked; it came to ok"):
        await conformance.pinning_holds(trial_of(desk), EVA, {"get_person": {"person": ANA}})


async def test_previews_that_differ_are_named(desk: Desk) -> None:
    count = iter(range(100))

    async def counts(ctx: Any, args: Any) -> Any:
        honest = next(one for one in bureau.BUREAU_TOOLS if one.name == "set_remark")
        return await honest.handler(ctx, args.model_copy(update={"remark": f"remark {next(count)}"}))

    sound = next(one for one in bureau.BUREAU_TOOLS if one.name == "set_remark")
    only(desk, "set_remark", set_remark=replace(sound, handler=counts))
    with pytest.raises(AssertionError, match=r"set_remark: two previews differ in people\.remark; declare it volatile"):
        await conformance.previews_repeat(trial_of(desk), EVA, SOUND, SCREEN)


async def test_a_socket_to_elsewhere_is_blocked() -> None:
    with conformance.sockets_blocked(), socket.socket() as one, pytest.raises(AssertionError, match="somewhere else"):
        one.connect(("192.0.2.1", 80))
