"""Authority, asked in order (TOOL-3, TOOL-4, TOOL-10, TOOL-15)."""

from dataclasses import replace

import pytest

from deputize.core.actor import Actor
from deputize.core.tool import Args, Result, Tool, tool
from deputize.core.toolset import Surface
from deputize.policy import gate
from deputize.policy.gate import asks_authority, asks_detection, asks_rates, asks_write_cap, offered
from deputize.policy.limits import Limits
from deputize.policy.permissions import admits, allows, allows_all

ACTOR = Actor("u", "t", grants=frozenset({"orders.*"}))
BOSS = Actor("b", "t", grants=frozenset({"*"}))
SURFACE = Surface("s", "p", ["orders.*"])
LIMITS = Limits()


class Nothing(Args):
    pass


class Empty(Result):
    pass


@tool(permissions=["orders.write"], effect="write", no_target="makes a new one")
async def change(ctx: object, args: Nothing) -> Empty:
    """Change."""
    return Empty()


@pytest.mark.parametrize(
    ("asked", "surface", "actor", "limits", "on", "door"),
    [
        (None, SURFACE, ACTOR, LIMITS, True, "known"),
        (change, SURFACE, ACTOR, replace(LIMITS, blocked_tools=frozenset({"orders.change"})), True, "denylist"),
        (change, SURFACE, ACTOR, replace(LIMITS, blocked_tools=frozenset({"change"})), True, "denylist"),
        (change, SURFACE, ACTOR, replace(LIMITS, blocked_tools=frozenset({"*"})), True, "denylist"),
        (change, replace(SURFACE, tools=["other.*"]), ACTOR, LIMITS, True, "surface"),
        (change, replace(SURFACE, mode="read"), ACTOR, LIMITS, True, "mode"),
        (change, SURFACE, Actor("s", "t", "system", capability="triage"), LIMITS, True, "mode"),
        (change, SURFACE, ACTOR, LIMITS, False, "switch"),
        (change, SURFACE, replace(ACTOR, ai_enabled=False), LIMITS, True, "switch"),
        (change, SURFACE, replace(ACTOR, grants=frozenset({"orders.read"})), LIMITS, True, "permissions"),
        (
            replace(change, permissions=()),
            SURFACE,
            replace(ACTOR, grants=frozenset({"*"})),
            LIMITS,
            True,
            "permissions",
        ),
    ],
)
def test_each_question(asked: Tool | None, surface: Surface, actor: Actor, limits: Limits, on: bool, door: str) -> None:
    no = asks_authority(asked, "orders", surface, actor, limits, switched_on=on)
    assert no is not None
    assert no.door == door


def test_all_pass_and_offered() -> None:
    assert asks_authority(change, "orders", SURFACE, ACTOR, LIMITS, switched_on=True) is None
    assert offered(change, "orders", SURFACE, ACTOR, LIMITS)
    assert not offered(change, "orders", SURFACE, replace(ACTOR, grants=frozenset()), LIMITS)


@pytest.mark.parametrize(
    ("grants", "permission", "covered"),
    [
        ({"a.b"}, "a.b", True),
        ({"a.*"}, "a.b", True),
        ({"a.*"}, "a.b.c", True),
        ({"*"}, "a.b", True),
        ({"a.b.*"}, "a.b", False),
        ({"a"}, "a.b", False),
        ({"ab.*"}, "a.b", False),
        (set(), "a.b", False),
    ],
)
def test_wildcards(grants: set[str], permission: str, covered: bool) -> None:
    """TOOL-3: `module.*` covers what stands below it, nothing beside it."""
    assert allows(grants, permission) is covered


def test_no_rule_no_action() -> None:
    """An empty list of permissions is covered by nobody."""
    assert not allows_all({"*"}, [])
    assert allows_all({"a.*", "b.c"}, ["a.x", "b.c"])
    assert not allows_all({"a.*"}, ["a.x", "b.c"])


def test_admits() -> None:
    assert admits(["agenda.*"], "agenda", "book")
    assert not admits(["agenda.*"], "agendas", "book")
    assert admits(["book"], "agenda", "book")
    assert admits(["bo*"], "agenda", "book")


def test_counts() -> None:
    """TOOL-10, TOOL-15: at the limit it is enough."""
    assert asks_rates(9, 99, LIMITS) is None
    minute, session = asks_rates(10, 0, LIMITS), asks_rates(0, 100, LIMITS)
    assert minute is not None
    assert session is not None
    assert (minute.code, session.code) == ("rate_limited", "session_limit")
    assert asks_write_cap(3, LIMITS) is None
    assert asks_write_cap(4, LIMITS) is not None


def test_each_question_before_the_arguments_is_a_rule_of_its_own() -> None:
    """TOOL-4: they are asked in the contract's order, and one that is missing lets through only what it held."""
    assert [rule.__name__.removeprefix("asks_") for rule in gate.QUESTIONS] == [
        "known",
        "denylist",
        "surface",
        "mode",
        "person",
        "switch",
        "permissions",
    ]


@pytest.mark.parametrize(
    ("prose", "withheld", "held"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_tools_that_return_prose_are_withheld_by_name_too(prose: bool, withheld: bool, held: bool) -> None:
    """RED-6: not being offered is not enough, a model may know the name."""
    no = asks_detection(change, prose=prose, withheld=withheld)
    assert (no is not None and no.door == "detection") is held
