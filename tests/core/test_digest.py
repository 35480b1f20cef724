"""The digest counts byte for byte what the person saw, and nothing that the write generates (APPR-2)."""

import hashlib
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from deputize.core.digest import digest_of, frozen, plain, undeclared
from deputize.core.effect import Enqueued, Queued, RowImage
from deputize.core.placeholders import ASSIGNED, DOMAIN
from deputize.core.preview import Change, FieldChange

NEW = "0198a000-0000-7000-8000-000000000001"
OTHER = "0198a000-0000-7000-8000-000000000002"


class Colour(Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Decimal("10.50"), "10.50"),
        (UUID(NEW), NEW),
        (datetime(2026, 3, 1, 10, tzinfo=timezone(timedelta(hours=1))), "2026-03-01T09:00:00.000000Z"),
        (datetime(2026, 3, 1, 10), "2026-03-01T10:00:00.000000"),
        (date(2026, 3, 1), "2026-03-01"),
        (time(9, 30), "09:30:00"),
        (timedelta(seconds=1.5), "1500000us"),
        (b"\x00\xff", "00ff"),
        (Colour.RED, "red"),
        (2**53, str(2**53)),
        (0.1, "0.1"),
        (True, True),
        (None, None),
        ({"ñ": {1, 2}}, {"\\xf1": [1, 2]}),
        ((1, "a"), [1, "a"]),
        (2j, "2j"),
        ("a\ud800", "a?"),
    ],
)
def test_every_value_has_one_plain_form(value: Any, expected: Any) -> None:
    assert plain(value) == expected


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.decimals(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_the_text_under_the_digest_is_rfc_8785(arguments: Any) -> None:
    shown, text = digest_of("t", {"type": "object"}, arguments, [], {}, "north", "u1")
    whole = {
        "version": 1,
        "tool": "t",
        "schema": {"type": "object"},
        "arguments": plain(arguments),
        "preImages": [],
        "effect": {},
        "tenant": "north",
        "actor": "u1",
    }
    assert text.encode() == rfc8785.dumps(whole)
    assert shown == hashlib.sha256(DOMAIN + text.encode()).hexdigest()


def customer(key: str = NEW, **more: Any) -> RowImage:
    after = {"id": key, "name": "Ana", "at": "2026-03-01", **more}
    return RowImage("insert", "customers", {"id": key}, None, after, frozenset({"id", "at"}))


def order(key: int, customer_id: str, **more: Any) -> RowImage:
    after = {"id": key, "customer_id": customer_id, **more}
    return RowImage("insert", "orders", {"id": key}, None, after, frozenset({"id"}), {"customer_id": "customers"})


def mail(key: str, body: str, **more: Any) -> Queued:
    return Queued("email", {"body": body, **more}, key)


def test_new_keys_are_numbered_and_followed_wherever_they_are_referred_to() -> None:
    first = frozen(
        [customer(NEW), order(7, NEW, parent_id=7)],
        [mail(f"quote:7:{NEW}", f"https://x/{NEW}?a=7", order_id=7, total=7)],
        [Enqueued("made", "7")],
    )
    second = frozen(
        [customer(OTHER), order(8, OTHER, parent_id=8)],
        [mail(f"quote:8:{OTHER}", f"https://x/{OTHER}?a=7", order_id=8, total=7)],
        [Enqueued("made", "8")],
    )
    assert first == second
    changes = first[1]["changes"]
    assert changes[1]["values"]["customer_id"] == changes[0]["values"]["id"] == {ASSIGNED: 2}
    assert first[1]["outgoing"][0]["payload"]["total"] == 7
    assert first[1]["events"][0]["subject"] == {ASSIGNED: 3}


@pytest.mark.parametrize("field", ["name", "note"])
def test_what_the_write_was_told_counts(field: str) -> None:
    assert frozen([customer(**{field: "a"})]) != frozen([customer(**{field: "b"})])


def test_a_number_that_equals_a_new_key_by_chance_is_still_a_number() -> None:
    rows = [order(7, NEW, amount=7)]
    assert frozen(rows)[1]["changes"][0]["values"]["amount"] == 7


def test_a_generated_number_written_out_elsewhere_is_a_placeholder_there_too() -> None:
    def one(number: str) -> Any:
        row = replace(customer(number=number), assigned=frozenset({"id", "at", "number"}))
        return frozen([row], [mail("k", f"Invoice {number} is ready")])

    assert one("F-2026-0007") == one("F-2026-0008")
    assert one("2026/0007") == one("2026/0008")


def update(before: dict[str, Any], after: dict[str, Any], key: int = 1) -> RowImage:
    return RowImage("update", "orders", {"id": key}, {"id": key, **before}, {"id": key, **after})


def test_whole_pre_images_count_and_only_changed_columns_are_the_effect() -> None:
    pre_images, effect = frozen([update({"a": 1, "b": 2}, {"a": 1, "b": 3})])
    assert pre_images == [{"table": "orders", "key": {"id": 1}, "values": {"id": 1, "a": 1, "b": 2}}]
    assert effect["changes"] == [{"op": "update", "table": "orders", "key": {"id": 1}, "values": {"b": 3}}]


def test_volatile_columns_count_neither_before_nor_after() -> None:
    volatile = {"orders": frozenset({"at"})}
    first = frozen([update({"at": 1, "b": 2}, {"at": 5, "b": 3})], volatile=volatile)
    second = frozen([update({"at": 2, "b": 2}, {"at": 9, "b": 3})], volatile=volatile)
    assert first == second
    assert frozen([update({"at": 1, "b": 2}, {"at": 5, "b": 3})]) != frozen(
        [update({"at": 2, "b": 2}, {"at": 9, "b": 3})]
    )


def test_rows_that_existed_stand_in_the_order_of_their_keys() -> None:
    rows = [update({"a": 1}, {"a": 2}, key) for key in (1, 2)]
    assert frozen(rows) == frozen(rows[::-1])


def test_hidden_tables_do_not_count() -> None:
    assert frozen([update({"a": 1}, {"a": 2})], hidden={"orders"}) == frozen([])


def test_of_secrets_only_a_hash_is_kept_and_it_counts() -> None:
    secret = frozenset({"password_hash"})
    one = frozen([update({"password_hash": "old"}, {"password_hash": "new"})], secret=secret)
    assert "old" not in str(one)
    assert "new'" not in str(one)
    assert one != frozen([update({"password_hash": "old"}, {"password_hash": "other"})], secret=secret)


def test_an_own_preview_counts_save_for_what_it_says_is_assigned() -> None:
    def told(after: Any, marks: tuple[str, ...] = ()) -> Any:
        change = Change(
            "update", "orders", "order", "Order", "1", None, (FieldChange("a", "A", 1, after, marks=marks),)
        )
        return frozen([], own=[change])

    assert told(1) != told(2)
    assert told(1, ("assigned",)) == told(2, ("assigned",))


def test_every_part_counts() -> None:
    parts: dict[str, Any] = {
        "tool": "t",
        "schema": {},
        "arguments": {},
        "pre_images": [],
        "effect": {},
        "tenant": "a",
        "actor": "u",
    }
    digests = {digest_of(**parts)[0]} | {digest_of(**{**parts, name: "x"})[0] for name in parts}
    assert len(digests) == 8


def test_the_row_of_a_composite_key_has_one_text() -> None:
    row = RowImage("delete", "t", {"a": 1, "b": "x"}, {"a": 1}, None)
    assert (row.id, row.new_key) == ("1:x", False)


def test_times_in_utc_and_elsewhere_are_the_same_moment() -> None:
    assert plain(datetime(2026, 3, 1, 9, tzinfo=UTC)) == plain(
        datetime(2026, 3, 1, 10, tzinfo=timezone(timedelta(hours=1)))
    )


def test_differences_between_two_previews_are_named() -> None:
    def effect(name: str, body: str = "x", rows: int = 1, op: Any = "insert") -> Any:
        made = [replace(customer(name=name), op=op) for _ in range(rows)]
        return frozen(made, [mail("k", body)])[1]

    assert undeclared(effect("a"), effect("a")) == ()
    assert undeclared(effect("a"), effect("b", "y")) == ("outgoing", "customers.name")
    assert undeclared(effect("a"), effect("a", rows=2)) == ("rows",)
    assert undeclared(effect("a"), effect("a", op="update")) == ("customers",)


def logged(key: int, device_id: int, **more: Any) -> RowImage:
    after = {"id": key, "device_id": device_id, **more}
    return RowImage("insert", "device_log", {"id": key}, None, after, frozenset({"id"}))


def test_an_undeclared_reference_that_equals_a_new_key_by_chance_is_what_its_name_says() -> None:
    """`device_id` names a device, not the new row of the log that happens to have the same key (APPR-2)."""
    device = RowImage("update", "devices", {"id": 1}, {"id": 1, "name": "a"}, {"id": 1, "name": "b"})
    by_chance, otherwise = frozen([device, logged(1, 1)]), frozen([device, logged(2, 1)])
    assert by_chance == otherwise
    assert frozen([logged(1, 1)], tables={"devices"}) == frozen([logged(2, 1)], tables={"devices"})
    assert frozen([logged(1, 1)], tables={"devices"}) != frozen([logged(1, 2)], tables={"devices"})


def test_a_reference_whose_name_tells_no_table_means_a_row_that_stands_before_a_new_one() -> None:
    device = RowImage("update", "devices", {"id": 1}, {"id": 1, "name": "a"}, {"id": 1, "name": "b"})
    by_chance = frozen([device, logged(1, 9, subject_id=1)], [mail("touched:1", "", subjectId=1)])
    assert by_chance == frozen([device, logged(2, 9, subject_id=1)], [mail("touched:1", "", subjectId=1)])
    assert by_chance[1]["changes"][1]["values"]["subject_id"] == 1


def test_an_undeclared_reference_to_a_new_row_stays_a_placeholder() -> None:
    def one(device: int, log: int) -> Any:
        new = RowImage("insert", "devices", {"id": device}, None, {"id": device}, frozenset({"id"}))
        return frozen([new, logged(log, device)], [mail(f"device:{device}", "", deviceId=device, device_id=device)])

    assert one(1, 1) == one(2, 1) == one(7, 3)
