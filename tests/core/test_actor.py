"""TOOL-3, AUTO-5: who may act, and that nobody can build an actor who is both person and machine."""

import dataclasses
from typing import Any

import pytest

from deputize.core.actor import Actor


def test_grants_are_frozen_whatever_collection_the_host_gives() -> None:
    given: Any = ["agenda.*", "patients.read", "agenda.*"]
    actor = Actor("u1", "t1", grants=given)
    assert actor.grants == frozenset({"agenda.*", "patients.read"})
    with pytest.raises(dataclasses.FrozenInstanceError):
        actor.tenant = "t2"  # type: ignore[misc]  # the refusal is what is tested


@pytest.mark.parametrize(("id_", "tenant"), [("", "t1"), ("u1", "")])
def test_an_actor_without_id_or_tenant_is_refused(id_: str, tenant: str) -> None:
    with pytest.raises(ValueError, match="an id and a tenant"):
        Actor(id_, tenant)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"capability": ""},
        {"capability": "triage", "role": "admin"},
        {"capability": "triage", "grants": frozenset({"orders.read"})},
    ],
)
def test_auto_5_a_system_actor_holds_one_capability_and_nothing_else(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="exactly one capability"):
        Actor("agent:triage", "t1", kind="system", **wrong)


def test_auto_5_a_proper_system_actor_can_be_built() -> None:
    actor = Actor("agent:triage", "t1", kind="system", capability="triage")
    assert (actor.capability, actor.role, actor.grants) == ("triage", "", frozenset())


def test_auto_5_a_person_never_holds_a_capability() -> None:
    with pytest.raises(ValueError, match="never a capability"):
        Actor("u1", "t1", capability="triage")
