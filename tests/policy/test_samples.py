"""Example arguments come from the declarations alone: valid, the same each time, and none where none can be made."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import AfterValidator, AnyUrl, BaseModel, Field, WithJsonSchema

from deputize import Args, Destination, LocalTime, Result, Target, Text, tool
from deputize.core.tool import Tool
from deputize.policy.samples import NoExample, samples

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
KNOWN = {"thing": ["t1", "t2"]}


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Line(BaseModel):
    thing: Annotated[str, Target("thing")]
    count: int = Field(ge=2, le=4)


class Everything(Args):
    thing: Annotated[str, Target("thing")]
    to: Annotated[str, Destination("email")]
    account: Annotated[str, Destination("account")]
    colour: Colour
    kind: Literal["a"]
    lines: list[Line]
    price: Decimal = Field(gt=0, le=Decimal("9.5"))
    share: float = Field(lt=1)
    day: date
    at: LocalTime
    hour: time
    key: UUID
    site: AnyUrl
    mail: Annotated[str, Field(json_schema_extra={"format": "email"})]
    code: Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
    long: Annotated[str, Text(), Field(min_length=90, max_length=120)]
    short: Annotated[str, Field(max_length=5)]
    loud: bool
    given: dict[str, Any]
    free: Any
    bare: Annotated[list[Any], WithJsonSchema({"type": "array", "items": True})]
    maybe: int | None = None
    odd: Annotated[str, Field(pattern=r"^§§$")] = ""


class Done(Result):
    ok: bool = True


def over(args: type[Args]) -> Tool:
    async def handler(ctx: Any, args: Any) -> Done:
        """Do it."""
        return Done()

    handler.__annotations__["args"] = args
    return tool(permissions=["x"], effect="write", no_target="a test")(handler)


def test_every_kind_of_argument_gets_a_valid_value_the_same_at_each_call() -> None:
    made = list(samples(over(Everything), KNOWN, NOW))
    assert len(made) > 10
    assert made == list(samples(over(Everything), KNOWN, NOW))
    first = made[0].model_dump(exclude_unset=True)
    assert "maybe" not in first
    assert (first["thing"], first["to"], first["code"], first["kind"]) == ("t1", "somebody@example.org", "EX", "a")
    assert (first["day"], first["lines"][0]) == (date(2026, 3, 3), {"thing": "t1", "count": 2})
    assert made[1].model_dump(exclude_unset=True)["maybe"] == 1
    assert {one.model_dump()["thing"] for one in made} == {"t1", "t2"}
    assert {one.model_dump()["odd"] for one in made} == {""}, "what is optional and cannot be made up is left out"


def test_no_record_and_no_fitting_text_are_reasons() -> None:
    with pytest.raises(NoExample, match="there is no thing to try it with"):
        list(samples(over(Everything), {}, NOW))

    class Odd(Args):
        odd: Annotated[str, Field(pattern=r"^§§$")]

    with pytest.raises(NoExample, match="odd: no example for its pattern"):
        list(samples(over(Odd), KNOWN, NOW))


def test_a_rule_of_the_models_own_that_nothing_satisfies_is_a_reason() -> None:
    def never(value: str) -> str:
        raise ValueError("no")

    class Strict(Args):
        name: Annotated[str, AfterValidator(never)]

    with pytest.raises(NoExample, match="no valid example for name"):
        list(samples(over(Strict), KNOWN, NOW))
