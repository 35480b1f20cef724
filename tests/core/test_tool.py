"""TOOL-1: a tool is declared over a host's function, and a wrong declaration fails at once."""

from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from deputize.core.actor import Actor
from deputize.core.tool import Approve, Args, Context, LocalTime, Result, SyncContext, Tool, tool

NOW = datetime(2026, 3, 2, tzinfo=UTC)


class Book(Args):
    patient: str
    minutes: float = 30


class Booked(Result):
    id: str


@tool(permissions=["agenda.write"], effect="write", say={"en": ["book Ana"]}, hidden={"counters": "numbers"})
async def book_appointment(ctx: Context, args: Book) -> Booked:
    """Book an appointment.

    The time is local.
    """
    return Booked(id=f"{ctx.key}:{args.patient}")


async def test_the_declaration_carries_everything_and_the_handler_is_the_function() -> None:
    declared = book_appointment
    assert isinstance(declared, Tool)
    assert (declared.name, declared.permissions, declared.effect) == ("book_appointment", ("agenda.write",), "write")
    assert declared.description == "Book an appointment.\n\nThe time is local."
    assert (declared.args, declared.result) == (Book, Booked)
    assert declared.title == {"en": "Book appointment"}
    assert declared.say == {"en": ("book Ana",)}
    assert declared.hidden == {"counters": "numbers"}
    assert declared.approve == Approve(by="actor", ttl=None, typed=False)
    context = Context(AsyncSession(), Actor("u1", "t1"), NOW, key="k")
    assert await declared.handler(context, Book(patient="p1")) == Booked(id="k:p1")


@pytest.mark.parametrize(
    ("effect", "egress", "staged"),
    [("read", False, False), ("read", True, True), ("write", False, True), ("destructive", False, True)],
)
def test_tool_13_writes_and_everything_that_leaves_are_staged(effect: Any, egress: bool, staged: bool) -> None:
    @tool(permissions=["a"], effect=effect, egress=egress, name="other", title={"es": "Otra"})
    async def handler(ctx: Context, args: Args) -> Result:
        return Result()

    assert (handler.staged, handler.name, handler.title, handler.description) == (staged, "other", {"es": "Otra"}, "")


def test_a_plain_function_is_known_to_need_a_plain_session() -> None:
    @tool(permissions=["a"], effect="read")
    def count(ctx: SyncContext, args: Args) -> Result:
        return Result()

    assert not count.is_async
    assert book_appointment.is_async


async def _one(args: Book) -> Booked: ...  # type: ignore[empty-body]  # only its types matter


async def _untyped(ctx, args):  # type: ignore[no-untyped-def]  # the missing types are what is tested
    ...


async def _plain_args(ctx: Context, args: dict[str, str]) -> Booked: ...  # type: ignore[empty-body]  # as above


async def _plain_result(ctx: Context, args: Book) -> dict[str, str]: ...  # type: ignore[empty-body]  # as above


async def _no_result(ctx: Context, args: Book): ...  # type: ignore[no-untyped-def]  # as above


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (_one, r"tool _one: the handler takes \(ctx, args\)"),
        (_untyped, "second parameter must be annotated with a subclass of Args"),
        (_plain_args, "second parameter must be annotated with a subclass of Args"),
        (_plain_result, "return type must be a subclass of Result"),
        (_no_result, "return type must be a subclass of Result"),
    ],
)
def test_a_handler_without_proper_types_is_refused_at_import(handler: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        tool(permissions=["a"], effect="read")(handler)


def test_prov_3_arguments_refuse_unknown_fields_and_numbers_that_are_none() -> None:
    with pytest.raises(ValidationError, match="extra_forbidden"):
        Book.model_validate({"patient": "p1", "tenant": "t2"})
    with pytest.raises(ValidationError, match="finite_number"):
        Book.model_validate({"patient": "p1", "minutes": float("nan")})


def test_results_are_read_from_rows_and_refuse_unknown_fields() -> None:
    class Row:
        id = "a1"

    assert Booked.model_validate(Row()) == Booked(id="a1")
    with pytest.raises(ValidationError, match="extra_forbidden"):
        Booked.model_validate({"id": "a1", "password_hash": "x"})


@pytest.mark.parametrize("kind", [Context, SyncContext])
def test_tool_5_the_version_is_the_one_that_the_run_read(kind: Any) -> None:
    session = AsyncSession() if kind is Context else Session()
    context = kind(session, Actor("u1", "t1"), NOW, versions={"order": "7"})
    assert (context.version("order"), context.version("patient")) == ("7", None)


def test_a_local_time_keeps_what_was_said_about_its_zone() -> None:
    adapter = TypeAdapter(LocalTime)
    naive = datetime(2026, 3, 2, 10)
    assert adapter.dump_python(naive) == "2026-03-02T10:00:00"
    assert adapter.dump_python(naive.replace(tzinfo=timezone(timedelta(hours=1)))) == "2026-03-02T10:00:00+01:00"
    assert adapter.validate_python("2026-03-02T10:00:00") == naive
    assert adapter.json_schema()["format"] == "date-time"


async def _booked_by(prefix: str, ctx: Context, args: Book) -> Booked:
    """Book under a prefix."""
    return Booked(id=prefix + args.patient)


async def _yields_later(ctx: Context, args: Book) -> Booked:  # type: ignore[misc]  # that is what is wrong with it
    yield Booked(id="x")


def _yields(ctx: Context, args: Book) -> Booked:  # type: ignore[misc]  # that is what is wrong with it
    yield Booked(id="x")


class _Callable:
    async def __call__(self, ctx: Context, args: Book) -> Booked:
        return Booked(id="x")


async def test_h8_a_partial_of_an_async_handler_is_a_handler_that_is_awaited() -> None:
    made = tool(permissions=["a"], effect="read")(partial(_booked_by, "p:"))
    assert (made.name, made.description, made.is_async) == ("_booked_by", "Book under a prefix.", True)
    assert await made.handler(None, Book(patient="7")) == Booked(id="p:7")


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (_yields, "it does not yield"),
        (_yields_later, "it does not yield"),
        (_Callable(), "a handler is a function, or a partial of one"),
    ],
)
def test_h8_what_the_door_could_not_call_is_refused_at_import(handler: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        tool(permissions=["a"], effect="read")(handler)
