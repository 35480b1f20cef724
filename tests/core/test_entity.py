"""How a kind of record is named for people."""

from typing import Any

from deputize.core.entity import Entity


def entity(**more: Any) -> Entity:
    """A small declaration."""
    return Entity("work_order", dict, tenant="tenant", label=str, read="orders.read", **more)


def test_collections_are_frozen_whatever_the_host_gives() -> None:
    made = entity(trusted=["email"], volatile=["updated_at", "updated_at"])
    assert (made.trusted, made.volatile) == (frozenset({"email"}), frozenset({"updated_at"}))


def test_a_column_is_called_by_its_caption_in_the_readers_language() -> None:
    made = entity(captions={"phone": {"es": "Teléfono", "en": "Phone"}, "fax": {"es": "Fax"}})
    assert made.caption("phone", "es") == "Teléfono"
    assert made.caption("phone", "fr") == "Phone"
    assert made.caption("fax", "en") == "fax"
    assert made.caption("due_date", "en") == "due date"


def test_a_record_is_called_by_its_title_or_else_by_its_kind() -> None:
    made = entity(title={"es": "Orden", "en": "Order"})
    assert (made.named("es"), made.named("fr")) == ("Orden", "Order")
    assert entity().named("es") == "work order"
