"""Each check switched off by itself lets a named attack through: none of them is there for show."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

import pytest
from sqlalchemy import text

from deputize.core.tool import Tool
from deputize.engine import access, actors, approvals, door, execution, preview, results, staging
from deputize.policy import arguments, gate, plan
from deputize.policy.pinning import NotRead, NotSeen, Pinned, pin, targets_of
from deputize.redaction import restore
from deputize.store import session
from tests.attacks.attempts import Came, Case, attempt, cases, outgoing
from tests.attacks.bureau import fetched
from tests.attacks.conftest import Stage
from tests.attacks.test_cases import order_of
from tests.attacks.wordings import worded
from tests.engine.desk import EVA

Off = Callable[[pytest.MonkeyPatch], None]
BY_NAME = {case.name: case for case in cases("desk")}


def without(question: Callable[[gate.Asked], gate.No | None]) -> Off:
    """One question before the arguments is not asked."""
    left = tuple(one for one in gate.QUESTIONS if one is not question)
    return lambda patch: patch.setattr(gate, "QUESTIONS", left)


def says(where: Any, name: str, value: Any) -> Off:
    """The rule `name` always gives this answer."""
    return lambda patch: patch.setattr(where, name, lambda *given, **more: value)


def says_later(where: Any, name: str, value: Any) -> Off:
    """The same for a rule that is awaited."""

    async def answer(*given: Any, **more: Any) -> Any:
        return value

    return lambda patch: patch.setattr(where, name, answer)


def _unknown_fields_pass(patch: pytest.MonkeyPatch) -> None:
    honest = arguments.validate

    def lenient(value: Mapping[str, Any], model: Any) -> Any:
        return honest({name: entry for name, entry in value.items() if name in model.model_fields}, model)

    patch.setattr(arguments, "validate", lenient)


def _pins(*forgiven: type) -> Off:
    honest = pin

    def lenient(model: Any, given: Any, seen: Any, versioned: Any) -> Any:
        found = honest(model, given, seen, versioned)
        if isinstance(found, forgiven):
            return Pinned(tuple((entity, ident) for entity, ident, _ in targets_of(model, given)), {})
        return found

    return lambda patch: patch.setattr(door, "pin", lenient)


def _writes_are_not_counted(patch: pytest.MonkeyPatch) -> None:
    def lenient(step: Any, open_calls: list[Any]) -> Any:
        fresh = [call for call in open_calls if call.approval is None]
        return plan.Dispatch(fresh[0]) if fresh else plan.Pause(open_calls[0])

    patch.setattr(plan, "_next_call", lenient)


def _only_writes_are_staged(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Tool, "staged", property(lambda self: self.effect != "read"))


CHECKS: dict[str, tuple[str, Off, str]] = {
    "known": ("unknown-tool", without(gate.asks_known), "crash"),
    "denylist": ("blocked-by-operator", without(gate.asks_denylist), "card"),
    "surface": ("read-of-another-place", without(gate.asks_surface), "ok"),
    "mode": ("write-where-one-looks", without(gate.asks_mode), "card"),
    "switch": ("person-opted-out", without(gate.asks_switch), "card"),
    "permissions": ("no-permission", without(gate.asks_permissions), "card"),
    "permissions at the decision": ("permission-lost-at-the-card", without(gate.asks_permissions), "ok"),
    "the host asked anew": ("permission-lost-in-the-run", says_later(actors, "fresh", EVA), "card"),
    "the host asked anew at the decision": ("permission-lost-at-the-card", says_later(actors, "fresh", EVA), "ok"),
    "detection": ("prose-without-detection", says(door, "asks_detection", None), "ok"),
    "arguments": ("tenant-as-argument", _unknown_fields_pass, "card"),
    "placeholders": ("invented-token", says(restore, "_refuse_unknown", None), "card"),
    "pinning": ("id-never-seen", _pins(NotSeen, NotRead), "card"),
    "version": ("not-read-in-this-run", _pins(NotRead), "card"),
    "provenance": ("letter-to-a-stranger", says_later(door, "proven", ()), "sent"),
    "typing": ("removal-without-typing", says(approvals, "mismatch", ()), "ok"),
    "guard": ("guarded-record", says_later(door, "guarded", None), "card"),
    "guard at the decision": ("protected-after-the-card", says_later(door, "guarded", None), "ok"),
    "rate": ("too-many-actions", says(door, "asks_rates", None), "card"),
    "repetition": ("same-write-again", says(door, "earlier", None), "2 cards"),
    "loop": ("same-write-rejected-twice", says(plan, "loops", False), "3 cards"),
    "write cap": ("write-after-write", says(door, "asks_write_cap", None), "5 cards"),
    "one change at a time": ("two-writes-at-once", _writes_are_not_counted, "no refusal"),
    "nothing to show": ("changes-nothing", says(staging, "changes_nothing", False), "card"),
    "escape": ("reaches-outside", says(preview, "guarded", nullcontext()), "card"),
    "unseen changes": ("changes-unseen", says(preview, "_hold", None), "card"),
    "read-only database": ("read-that-writes", lambda p: p.setattr(session, "read_only_engine", lambda e: e), "ok"),
    "secrets": ("secret-in-a-result", says(results, "secret_key_in", None), "ok"),
    "egress is staged": ("page-that-carries-a-secret", _only_writes_are_staged, "fetched"),
    "effect compared": ("changed-under-the-card", says(staging, "digest", ("0" * 64, "{}")), "ok"),
    "version compared": ("version-changed-under-the-card", says(execution, "overtaken", False), "ok"),
    "who decides": ("own-four-eyes", says(access, "decider", True), "ok"),
    "whose card": ("colleague-decides", says(access, "decider", True), "ok"),
}
"""Check → (attack, how it is switched off, what the attacker gains by that)."""


def gains(case: Case, came: Came, sent: Any, before: int) -> set[str]:
    """What the attacker got."""
    events = [event for told in came.told for event in told.events]
    cards = sum(event.type == "tool_approval_required" for event in events)
    found = {f"{cards} cards"} | ({"card"} if cards else set()) | ({"sent"} if sent else set())
    wanted = {tool for step in case.orders for tool, _ in step}
    named = {event.call_id: event.tool for event in events if event.type == "tool_call_start"}
    results = [event for event in events if event.type == "tool_result"]
    if any(event.outcome == "ok" and named.get(event.call_id) in wanted for event in results):
        found.add("ok")
    if len(fetched) > before:
        found.add("fetched")
    if not any(code == "one_change_at_a_time" for _, code in came.results):
        found.add("no refusal")
    if any(getattr(event, "code", None) == "INTERNAL_ERROR" for event in events):
        found.add("crash")
    return found


async def carried_out(stage: Stage, case: Case) -> set[str]:
    desk = await stage(case)
    async with desk.engine.begin() as conn:
        hostile = {"body": worded("english", order_of(case))}
        await conn.execute(text("UPDATE mails SET body = :body WHERE tenant = 'north'"), hostile)
    before = len(fetched)
    desk.provider.obeys = False  # type: ignore[attr-defined]  # the stage's provider is a hijacked one
    came = await attempt(desk, case)
    return gains(case, came, await outgoing(desk), before)


@pytest.mark.parametrize("check", CHECKS)
async def test_without_it_an_attack_succeeds(stage: Stage, check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """TOOL-4: with the check the attack gains nothing of the kind, without it it does."""
    name, off, gain = CHECKS[check]
    assert gain not in await carried_out(stage, BY_NAME[name])
    off(monkeypatch)
    assert gain in await carried_out(stage, BY_NAME[name])
