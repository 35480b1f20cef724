"""Start-up refuses what could not be governed, all faults at once (TOOL-2, TOOL-16)."""

from math import nan
from typing import Annotated, Any

import pytest
from pydantic import Field, create_model

from deputize.core.entity import Entity
from deputize.core.marks import Prose, Public, Target, Version, Yields
from deputize.core.tool import Approve, Args, Result, Tool, tool
from deputize.core.toolset import Surface, Toolset
from deputize.policy.declared import schema_of
from deputize.policy.registration import faults_of, idle_denials


class Row:
    pass


THING = Entity("thing", Row, tenant="tenant", label=str, read="things.read", version="revision")
PLAIN = Entity("plain", Row, tenant="tenant", label=str, read="things.read")


class One(Args):
    thing: Annotated[str, Target("thing")]


class Plain(Args):
    plain: Annotated[str, Target("plain")]
    note: str = ""


class Nothing(Args):
    pass


class Found(Result):
    id: Annotated[str, Yields("thing")]
    revision: Annotated[int, Version()]
    text: Annotated[str, Prose()]


class Done(Result):
    said: Annotated[str, Public()]


class Loose(Result):
    said: str
    id: Annotated[str, Yields("nobody")]


class Tree(Args):
    children: list["Tree"] = Field(default_factory=list)


def made(name: str, args: type[Args], result: type[Result], *, effect: Any = "read", **more: Any) -> Tool:
    async def handler(ctx: Any, args: Any) -> Any:
        """Does something."""

    handler.__annotations__ |= {"args": args, "return": result}
    handler.__name__ = name
    return tool(**{"permissions": ["things.read"], "effect": effect, **more})(handler)


READ = made("get_thing", One, Found)
SURFACE = Surface("desk", "Help.", ["things.*"])


def faults(*tools: Tool, surfaces: tuple[Surface, ...] = (SURFACE,), entities: Any = None) -> list[str]:
    known = {"thing": THING, "plain": PLAIN} if entities is None else entities
    return faults_of([Toolset("things", tools)], known, surfaces, set())


def test_all_is_well() -> None:
    write = made("change", One, Done, effect="write")
    free = made("create", Nothing, Done, effect="write", no_target="makes a new one")
    assert faults(READ, write, free) == []


def test_every_fault_is_named_at_once() -> None:
    """TOOL-2: nobody has to start ten times to learn ten faults."""
    bad = made("bad-name", Nothing, Loose, effect="write", permissions=[], hidden={})
    found = faults(bad, bad, surfaces=(SURFACE, Surface("empty", " ", ["none.*"], disclaimer="mine")))
    told = "\n".join(found)
    for part in (
        "tool bad-name: declared twice",
        "it names no permission",
        "letters, digits and underscores",
        "a write names its object",
        "is text that is neither",
        "yields nobody, which is no declared entity",
        "surface empty: it has no prompt",
        "its disclaimer must be one of",
        "the pattern none.* admits no tool",
    ):
        assert part in told, part


def test_an_unversioned_target_of_a_versioned_entity() -> None:
    """TOOL-2, TOOL-5: without a result that carries the version nothing could ever be changed."""
    write = made("change", One, Done, effect="write")
    assert faults(write) == [
        "tool change: no tool yields the version of its target thing (Yields with Version beside it)"
    ]
    assert faults(made("change", Plain, Done, effect="write")) == []
    assert faults(made("look", One, Done), entities={}) == ["tool look: its target thing is no declared entity"]


def test_arguments_that_are_not_the_models_to_say() -> None:
    """TOOL-5, H16."""

    class Owned(Args):
        tenant: str
        version: int

    found = faults(made("look", Owned, Done))
    assert [fault.rpartition(": ")[2] for fault in found] == [
        "the argument tenant is not the model's to say",
        "the argument version is not the model's to say",
    ]


@pytest.mark.parametrize("name", ["tenantId", "ClinicID", "revision", "firm_id", "approved"])
def test_other_spellings_and_the_hosts_own_columns_are_not_the_models_either(name: str) -> None:
    """TOOL-5: the tenant's and the version's columns are whatever the entities say."""
    other = Entity("other", Row, tenant="firm_id", label=str, read="things.read")
    args = create_model("Owned", __base__=Args, **{name: (str, ...)})  # type: ignore[call-overload]
    (fault,) = faults(made("look", args, Done), entities={"thing": THING, "other": other})
    assert fault == f"tool look: the argument {name} is not the model's to say"


@pytest.mark.parametrize("kind", [Any, object, int | str, dict[str, Any], list[str | None]], ids=str)
def test_what_may_turn_out_to_be_text_is_declared_like_text(kind: Any) -> None:
    """TOOL-2: prose does not slip out through a field of any type."""
    result = create_model("Free", __base__=Result, said=(kind, ...))
    assert "is text that is neither" in faults(made("look", Nothing, result))[0]
    marked = create_model("Told", __base__=Result, said=(Annotated[kind, Prose()], ...))
    assert faults(made("look", Nothing, marked)) == []


@pytest.mark.parametrize(
    "approve", [Approve(by=""), Approve(by=" "), Approve(ttl=0), Approve(ttl=-1), Approve(ttl=nan)]
)
def test_an_approval_by_nobody_or_for_no_time_is_refused(approve: Approve) -> None:
    """C32: a chain of approvals with nobody in it never counts as approved; it does not even start."""
    (fault,) = faults(made("create", Nothing, Done, effect="write", no_target="new", approve=approve))
    assert "Approve(" in fault


def test_recursive_models_are_refused() -> None:
    """TOOL-16, F7: at registration, not at the first request."""
    (fault,) = faults(made("grow", Tree, Done, effect="write", no_target="none"))
    assert "contains itself" in fault


def test_reads_hide_nothing_and_docstrings_are_needed() -> None:
    hiding = made("look", Nothing, Done, hidden={"t": "why"})
    assert faults(hiding) == ["tool look: a read changes nothing, so it cannot hide changes"]


def test_declarations() -> None:
    """PROV-2: what a planner reads stands in the schema, by the names of the fields."""
    declared = schema_of(READ)
    assert declared is schema_of(READ)
    assert declared.prose
    assert declared.schema.targets == {"thing": "thing"}
    assert declared.schema.yields == {"id": "thing"}
    assert declared.schema.parameters["properties"].keys() == {"thing"}
    assert declared.schema.parameters["additionalProperties"] is False


def test_a_denylist_that_blocks_nothing_is_named_at_start() -> None:
    """TOOL-10: a misspelt pattern would otherwise protect nobody, in silence."""

    @tool(permissions=["things.read"], effect="read", say={"en": ["see the plain thing"]})
    async def see_plain(ctx: Any, args: Plain) -> Result:
        """See it."""
        return Result()

    offered = [Toolset("things", [see_plain])]
    assert idle_denials(["see_plain", "things.*", "see_*", "*"], offered) == []
    assert idle_denials(["things.se_plain", "other.*", "See_plain"], offered) == [
        "AI_BLOCKED_TOOLS: `See_plain` names no tool",
        "AI_BLOCKED_TOOLS: `other.*` names no tool",
        "AI_BLOCKED_TOOLS: `things.se_plain` names no tool",
    ]
