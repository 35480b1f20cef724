"""Start-up refuses what could not be governed, all faults at once (TOOL-2, TOOL-16)."""

from typing import Annotated, Any

from pydantic import Field

from deputize.core.entity import Entity
from deputize.core.marks import Prose, Public, Target, Version, Yields
from deputize.core.tool import Args, Result, Tool, tool
from deputize.core.toolset import Surface, Toolset
from deputize.policy.declared import schema_of
from deputize.policy.registration import faults_of


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
    """TOOL-5."""

    class Owned(Args):
        tenant: str
        version: int

    found = faults(made("look", Owned, Done))
    assert [fault.rpartition(": ")[2] for fault in found] == [
        "the argument tenant is not the model's to say",
        "the argument version is not the model's to say",
    ]


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
