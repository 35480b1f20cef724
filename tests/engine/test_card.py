"""The card says in the person's language what a write would change, and marks what a model wrote (APPR-1, APPR-8)."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from sqlalchemy import delete, update
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.actor import Actor
from deputize.core.marks import Destination, Target, Text
from deputize.core.preview import Change, FieldChange, Preview
from deputize.core.tool import Approve, Args, Tool, tool
from deputize.engine import wording
from deputize.engine.card import card, to_dto
from deputize.engine.wiring import Wiring
from deputize.store.deeds import queue
from tests.conftest import Fresh
from tests.engine.shop import (
    ACTOR,
    ANA,
    BEA,
    CUSTOMER,
    ORDER,
    Anything,
    Customer,
    Device,
    Done,
    Order,
    dry,
    made,
    opened,
    wiring,
)

ES = replace(ACTOR, locale="es-ES")


class Rename(Args):
    customer: Annotated[str, Target("customer")] = str(ANA)
    name: str = "Ana Gil"
    note: Annotated[str, Text()] = ""
    to: Annotated[str, Destination("email")] = "eve@example.org"


@pytest.fixture
async def engine(fresh: Fresh) -> AsyncEngine:
    return await fresh("shop", opened)


@pytest.fixture
async def w(engine: AsyncEngine) -> AsyncIterator[Wiring]:
    made_for = wiring(engine)
    yield made_for
    await made_for.db.close()


async def shown(
    w: Wiring, it: Tool, args: Args | None = None, actor: Actor = ACTOR, marks: dict[str, tuple[str, ...]] | None = None
) -> Preview:
    given = args or Anything()
    return card(w, actor, it, given, await dry(w, it, given, actor), marks or {})


def fields(change: Change) -> dict[str, FieldChange]:
    return {field.name: field for field in change.fields}


def renaming(**options: Any) -> Tool:
    async def rename(ctx: Any, args: Rename) -> Done:
        await ctx.session.execute(update(Customer).where(Customer.id == ANA).values(name=args.name))
        ctx.session.add(Order(tenant="north", customer_id=ANA, note=args.note))
        queue(ctx.session, "email", {"to": args.to, "subject": "Hello", "body": f"Dear, {args.note}"}, key="k")
        return Done()

    effect = options.pop("effect", "write")
    return tool(permissions=["x"], effect=effect, title={"en": "Rename", "es": "Renombrar"}, **options)(rename)


async def test_rows_are_named_and_captioned_in_the_actors_language(w: Wiring) -> None:
    preview = await shown(w, renaming(), Rename(), ES)
    customer, order = preview.changes
    assert (preview.title, customer.caption, customer.label) == ("Renombrar", "Cliente", "Ana Ruiz")
    assert customer.url == f"/customers/{ANA}"
    assert fields(customer)["name"].shown_before == "Ana Ruiz"
    assert fields(customer)["name"].shown_after == "Ana Gil"
    assert "personal" in fields(customer)["name"].marks
    assert fields(customer)["updated_at"].shown_after == "se asigna al guardar"
    assert order.id is None
    assert order.url is None
    assert fields(order)["customer_id"].shown_after == "Ana Ruiz"
    assert fields(order)["customer_id"].caption == "Cliente"
    assert fields(order)["urgent"].shown_after == "no"
    assert fields(order)["total"].shown_after == "0,00"
    assert "tenant" not in fields(order)
    assert "id" not in fields(order)
    assert "due" not in fields(order)


async def test_generated_values_are_assigned_on_saving_and_never_frozen(w: Wiring) -> None:
    order = (await shown(w, renaming(), Rename())).changes[1]
    code = fields(order)["code"]
    assert (code.after, code.shown_after, code.marks) == (None, "assigned on saving", ("assigned",))


async def test_a_reference_to_a_new_row_is_shown_by_its_name(w: Wiring) -> None:
    async def add(ctx: Any, args: Anything) -> Done:
        customer = Customer(tenant="north", name="Cid", email=None)
        ctx.session.add(customer)
        await ctx.session.flush()
        ctx.session.add(Order(tenant="north", customer_id=customer.id))
        return Done()

    preview = await shown(w, made(add))
    link = fields(preview.changes[1])["customer_id"]
    assert (link.after, link.shown_after, link.marks) == (None, "Cid", ("assigned",))


async def test_model_text_links_and_invisible_characters_are_marked(w: Wiring) -> None:
    note = "pay at https://evil.example/x \u202egpj.exe"
    preview = await shown(w, renaming(), Rename(note=note))
    written = fields(preview.changes[1])["note"]
    assert written.marks == ("model_text", "link", "invisible")
    assert written.after == note
    assert "⟨U+202E⟩" in (written.shown_after or "")
    body = {field.name: field for field in preview.outgoing[0].fields}["body"]
    assert body.marks == ("model_text", "link", "invisible")


async def test_what_the_caller_found_is_put_on_the_field_and_into_the_friction(w: Wiring) -> None:
    marks = {"to": ("unproven", "untrusted"), "name": ("untrusted",)}
    preview = await shown(w, renaming(), Rename(to="Eve@example.org"), marks=marks)
    to = preview.outgoing[0].fields[0]
    assert to.marks == ("unproven", "untrusted", "personal")
    assert "untrusted" in fields(preview.changes[0])["name"].marks
    assert preview.friction.destinations == ("to",)
    assert preview.friction.confirm is None


@pytest.mark.parametrize("options", [{"effect": "destructive"}, {"approve": Approve(typed=True)}])
async def test_destructive_and_typed_calls_want_the_targets_name_in_writing(w: Wiring, options: dict[str, Any]) -> None:
    preview = await shown(w, renaming(**options), Rename())
    assert preview.friction.confirm == "Ana Ruiz"


async def test_a_deletion_is_confirmed_by_the_name_of_its_first_row(w: Wiring) -> None:
    async def drop(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(delete(Order).where(Order.id == 2))
        return Done()

    preview = await shown(w, made(drop, effect="destructive"))
    assert preview.friction.confirm == "Order 2"
    assert [change.op for change in preview.changes] == ["delete", "update"]
    assert preview.changes[0].url is None
    assert fields(preview.changes[0])["total"].shown_before == "10.50"
    assert preview.changes[1].caption == "reminders"


async def test_times_are_told_in_the_actors_zone(w: Wiring) -> None:
    async def plan(ctx: Any, args: Anything) -> Done:
        order = await ctx.session.get(Order, 1)
        order.due = datetime(2026, 7, 1, 8, 30, tzinfo=UTC)
        return Done()

    due = fields((await shown(w, made(plan), actor=ES)).changes[0])["due"]
    assert (due.caption, due.shown_before, due.shown_after) == ("Vence", "—", "mié 1 jul 2026, 10:30")


async def test_a_record_of_another_tenant_is_shown_by_its_bare_id(w: Wiring) -> None:
    async def move(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(update(Order).where(Order.id == 1).values(customer_id=BEA))
        return Done()

    link = fields((await shown(w, made(move))).changes[0])["customer_id"]
    assert (link.shown_before, link.shown_after) == ("Ana Ruiz", str(BEA))


async def test_hidden_rows_are_counted_and_their_reason_told(w: Wiring) -> None:
    async def rename(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(update(Device).values(name="x"))
        return Done()

    preview = await shown(w, made(rename, hidden={"device_log": "The log is kept for service."}))
    assert [change.table for change in preview.changes] == ["devices"]
    assert preview.hidden == ("The log is kept for service.",)
    spoken = {"es": "El registro es para el servicio.", "en": "The log is kept for service."}
    assert (await shown(w, made(rename, hidden={"device_log": spoken}))).hidden == ("The log is kept for service.",)
    assert preview.rows >= 1


def told(preview: Preview) -> list[tuple[str, str | None, tuple[str, ...]]]:
    """Texts that stand in no change that is shown."""
    return [(f.name, f.shown_after, f.marks) for change in preview.changes if not change.table for f in change.fields]


HIDDEN = {"orders": "a test"}
UNSEEN = [
    ("late again", {"model_text"}),
    ("  late   again ", {"model_text"}),
    ("ok", {"model_text"}),
    ("see www.evil.example", {"model_text", "link"}),
    ("a\u202eb", {"model_text", "invisible"}),
]


@pytest.mark.parametrize(("note", "marks"), UNSEEN)
async def test_what_the_model_wrote_is_on_the_card_wherever_it_goes(w: Wiring, note: str, marks: set[str]) -> None:
    """APPR-1: also where its row is one that the host does not show; once it is shown it is not said again."""

    async def keep(ctx: Any, args: Rename) -> Done:
        await ctx.session.execute(update(Order).where(Order.id == 1).values(note=" ".join(args.note.split())))
        return Done()

    given = Rename(customer=str(ANA), note=note)
    ((name, words, found),) = told(await shown(w, made(keep, hidden=HIDDEN), given))
    assert (name, words, set(found)) == ("note", wording.visible(note)[0], marks)
    assert told(await shown(w, made(keep), given)) == []
    assert told(await shown(w, made(keep, hidden=HIDDEN), Rename(customer=str(ANA)))) == []
    spanish = await shown(w, made(keep, hidden=HIDDEN), given, ES)
    assert [change.caption for change in spanish.changes] == ["Texto que lo acompaña"]


@pytest.mark.parametrize("spelt", ["eve@example.org", "EVE@Example.org"])
async def test_a_destination_that_no_row_and_no_letter_shows_is_on_the_card(w: Wiring, spelt: str) -> None:
    async def keep(ctx: Any, args: Rename) -> Done:
        await ctx.session.execute(update(Order).where(Order.id == 1).values(note="eve@example.org"))
        return Done()

    given = Rename(customer=str(ANA), to=spelt)
    marks: dict[str, tuple[str, ...]] = {"to": ("unproven",)}
    assert told(await shown(w, made(keep, hidden=HIDDEN), given, marks=marks)) == [("to", spelt, ("unproven",))]
    assert told(await shown(w, made(keep), given, marks=marks)) == []


async def test_a_preview_of_the_tools_own_is_made_safe_too(w: Wiring) -> None:
    async def tell(ctx: Any, args: Anything) -> list[Change]:
        field = FieldChange("status", "Status\u200b", "draft", args.text)
        return [Change("update", "orders", "order", "Order", str(n), "A\u202eB", (field,)) for n in (1, 2)]

    async def bulk(ctx: Any, args: Anything) -> Done:
        await ctx.session.execute(update(Order).values(status=args.text))
        return Done()

    change = (await shown(w, made(bulk, preview=tell), Anything(text="x\u2066y"))).changes[0]
    assert change.label == "A⟨U+202E⟩B"
    assert change.fields[0].shown_after == "x⟨U+2066⟩y"
    assert "invisible" in change.fields[0].marks


async def test_a_new_key_inside_what_leaves_is_not_shown_as_if_it_were_known(w: Wiring) -> None:
    async def add(ctx: Any, args: Anything) -> Done:
        customer = Customer(tenant="north", name="Cid")
        ctx.session.add(customer)
        await ctx.session.flush()
        queue(ctx.session, "email", {"to": "a@example.org", "body": f"see /c/{customer.id}!"}, key=str(customer.id))
        return Done()

    body = (await shown(w, made(add))).outgoing[0].fields[2]
    assert body.shown_after == "see /c/[assigned on saving]!"
    assert body.marks == ("assigned",)


def test_a_long_card_is_cut_and_says_so() -> None:
    field = FieldChange("note", "Note", None, None, None, "n" * 300)
    change = Change("insert", "orders", "order", "Order", None, None, (field,) * 4)
    preview = Preview("t", "T", "write", (change,) * 20, rows=20)
    whole, cut = to_dto(preview, None), to_dto(preview, 8_000)
    assert not whole.cut
    assert len(whole.changes) == 20
    assert cut.cut
    assert len(cut.model_dump_json()) < 12_000
    assert cut.rows == 20
    assert not to_dto(replace(preview, changes=(change,)), 8_000).cut
    assert to_dto(preview, 100).changes[0].fields[0].after == "n" * (100 - len("Order") - len("noteNote")) + "…"


async def test_whose_record_it_is_stays_on_the_card_and_amounts_are_worded_by_the_host(engine: AsyncEngine) -> None:
    """An approver of a change sees the columns of the record's context, unchanged, before what changes (APPR-1)."""

    async def close(ctx: Any, args: Anything) -> Done:
        order = Order(tenant="north", customer_id=ANA)
        ctx.session.add(order)
        await ctx.session.flush()
        await ctx.session.execute(update(Customer).where(Customer.id == ANA).values(email="ana.new@example.org"))
        return Done()

    customer = replace(CUSTOMER, context=("name", "email"))
    order = replace(ORDER, words={"total": lambda value, row, language: f"{value} {row['status']} {language}"})
    seen = wiring(engine, entities={"customer": customer, "order": order})
    preview = await shown(seen, made(close), actor=ES)
    changed = {change.kind: change for change in preview.changes}
    name = fields(changed["customer"])["name"]
    assert (name.shown_before, name.shown_after) == ("Ana Ruiz", "Ana Ruiz")
    assert name.marks == ("context", "personal")
    assert changed["customer"].fields[0] is name
    assert "context" not in fields(changed["customer"])["email"].marks
    assert fields(changed["order"])["total"].shown_after == "0.00 draft es"
    await seen.db.close()
