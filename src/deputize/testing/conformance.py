"""What adopters ask of their own tools; each check raises AssertionError and says what came instead (OPS-5)."""

import json
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest

from deputize.core.actor import Actor
from deputize.policy.cap import SECRET_KEYS
from deputize.policy.pinning import targets_of
from deputize.testing.trial import Came, Trial

Arguments = Mapping[str, Any]
Screen = Sequence[tuple[str, str]]


async def reads_are_pure(trial: Trial, actor: Actor, arguments: Mapping[str, Arguments], screen: Screen = ()) -> None:
    """TOOL-14: every read answers while the database itself holds its transaction read-only."""
    for tool in trial.deputy.wiring.registry.tools.values():
        if not tool.staged:
            came = await trial.call(actor, tool.name, arguments[tool.name], screen)
            _hold(came.outcome == "ok", tool.name, "a read must not write", came)


async def pinning_holds(trial: Trial, actor: Actor, arguments: Mapping[str, Arguments]) -> None:
    """TOOL-6: without a page or a result that showed it, no tool takes a record's id, though it exists."""
    for name, given in _naming_records(trial, arguments):
        came = await trial.call(actor, name, given)
        _hold(came.outcome == "blocked", name, "an id that nobody showed must be blocked", came)


async def foreign_ids_answer_as_unknown(
    trial: Trial, actor: Actor, foreign: Mapping[str, Arguments], screen: Screen = ()
) -> None:
    """TOOL-5: another tenant's id, shown on the page or not, gets the answer of an id that does not exist.

    `foreign` names records of another tenant by tool, `screen` the same records as a page would show them.
    """
    for name, given in _naming_records(trial, foreign):
        theirs = await trial.call(actor, name, given, screen)
        nobody = await trial.call(actor, name, _nobody(trial, name, given), [(kind, _unknown(i)) for kind, i in screen])
        same = (theirs.outcome, theirs.code, _worded(theirs)) == (nobody.outcome, nobody.code, _worded(nobody))
        _hold(same, name, f"another tenant's id must answer as an unknown one ({nobody})", theirs)
        _hold(theirs.outcome not in ("ok", "staged"), name, "another tenant's id must not be served", theirs)


async def results_hold_no_secret(
    trial: Trial, actor: Actor, arguments: Mapping[str, Arguments], screen: Screen = ()
) -> None:
    """TOOL-12: no tool's result would have to be withheld because of a password's hash or the like."""
    for tool in trial.deputy.wiring.registry.tools.values():
        named = sorted(SECRET_KEYS & {name.lower() for name in tool.result.model_fields})
        if named:
            raise AssertionError(f"{tool.name}: its result declares {', '.join(named)}")
        if tool.name in arguments:
            came = await trial.call(actor, tool.name, arguments[tool.name], screen)
            _hold(came.code != "secret_in_result", tool.name, "a result must not carry a secret", came)


async def previews_stay_inside(
    trial: Trial, actor: Actor, arguments: Mapping[str, Arguments], screen: Screen = ()
) -> None:
    """APPR-1: with every socket to elsewhere blocked, each write is still staged, with something to show."""
    for tool in trial.deputy.wiring.registry.tools.values():
        if tool.staged:
            with sockets_blocked():
                came = await trial.call(actor, tool.name, arguments[tool.name], screen)
            shown = came.card.approval.preview if came.card and came.card.approval else None
            _hold(shown is not None, tool.name, "a write must be staged", came)
            _hold(bool(shown and (shown.changes or shown.outgoing)), tool.name, "a card must show something", came)


async def previews_repeat(trial: Trial, actor: Actor, arguments: Mapping[str, Arguments], screen: Screen = ()) -> None:
    """APPR-2: two previews of the same write are alike, but for what is declared `volatile`."""
    for tool in trial.deputy.wiring.registry.tools.values():
        if tool.staged and tool.effect != "read":
            found = await trial.differences(actor, tool.name, arguments[tool.name], screen)
            if found:
                raise AssertionError(f"{tool.name}: two previews differ in {', '.join(found)}; declare it volatile")


@contextmanager
def sockets_blocked() -> Iterator[None]:
    """No socket of this process connects, but to where the test's own database listens (this machine)."""
    real = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        local = self.family == socket.AF_UNIX or (isinstance(address, tuple) and address[0] in ("127.0.0.1", "::1"))
        if not local:
            raise AssertionError("a tool connected to somewhere else during a preview")
        real(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect)
        yield


def _naming_records(trial: Trial, arguments: Mapping[str, Arguments]) -> Iterator[tuple[str, Arguments]]:
    for name, given in arguments.items():
        tool = trial.deputy.wiring.registry.tools[name]
        if targets_of(tool.args, json.loads(json.dumps(dict(given), default=str))):
            yield name, given


def _nobody(trial: Trial, name: str, given: Arguments) -> dict[str, Any]:
    """The same arguments, with ids that nobody has."""
    tool = trial.deputy.wiring.registry.tools[name]
    plain = json.loads(json.dumps(dict(given), default=str))
    named = {path.partition(".")[0] for _, _, path in targets_of(tool.args, plain)}
    return {key: _unknown(value) if key in named else value for key, value in plain.items()}


def _unknown(value: Any) -> Any:
    if isinstance(value, list):
        return [_unknown(entry) for entry in value]
    if isinstance(value, int) or (isinstance(value, str) and value.isdigit()):
        return type(value)(987_654_321)
    return str(uuid4())


def _worded(came: Came) -> Any:
    return came.result.get("message") if isinstance(came.result, dict) else came.result


def _hold(held: bool, tool: str, rule: str, came: Came) -> None:
    if not held:
        raise AssertionError(f"{tool}: {rule}; it came to {came}")
