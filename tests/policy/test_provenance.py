"""Destinations are compared in canonical form, and must come from the user or a trusted field (TOOL-7)."""

from typing import Annotated

import pytest

from deputize.core.marks import Destination, Text
from deputize.core.tool import Args
from deputize.policy.provenance import addresses_in, canonical, mentioned, prose_of, same, unproven


class Letter(Args):
    to: Annotated[str, Destination("email")]
    copies: list[Annotated[str, Destination("email")]] = []
    body: Annotated[str, Text()] = ""


@pytest.mark.parametrize(
    ("kind", "one", "other", "equal"),
    [
        ("email", "Ana@X.io ", "ana@x.io", True),
        ("email", "ana@x.io", "ana@x.com", False),
        ("email", "ana@x.io", "eviana@x.io", False),
        ("phone", "+34 612 34 56 78", "612345678", True),
        ("phone", "0034612345678", "+34-612-345-678", True),
        ("phone", "612345678", "612345679", False),
        ("iban", "ES91 2100 0418 4502 0005 1332", "es9121000418450200051332", True),
        ("url", "https://www.Example.com/", "http://example.com", True),
        ("url", "https://example.com/a", "https://example.com/b", False),
        ("account", "12-34 56", "123456", True),
        ("email", "", "", False),
    ],
)
def test_same(kind: str, one: str, other: str, equal: bool) -> None:
    assert same(kind, one, other) is equal
    assert same(kind, other, one) is equal


def test_mentioned_is_not_fooled_by_a_longer_address() -> None:
    """A destination inside a longer one is another destination."""
    assert mentioned("email", "ana@x.io", ["write to ANA@x.io, please"])
    assert not mentioned("email", "ana@x.io", ["write to diana@x.io.evil.com"])
    assert not mentioned("email", "a@x.io", ["a@x.io.evil.com"])
    assert mentioned("account", "12345678", ["pay into 1234 5678"])


def test_unproven() -> None:
    """The user's own words or a trusted field prove it; anything else must be typed."""
    arguments = {"to": "ana@x.io", "copies": ["eve@evil.example"], "body": "x"}
    assert unproven(Letter, arguments, ["mail ana@x.io"], []) == ("copies.0",)
    assert unproven(Letter, arguments, [], [("email", canonical("email", "ANA@x.io"))]) == ("copies.0",)
    assert unproven(Letter, arguments, [], []) == ("to", "copies.0")
    assert unproven(Letter, arguments, [], [("phone", "ana@x.io")]) == ("to", "copies.0")


def test_prose_and_addresses() -> None:
    assert prose_of(Letter, {"to": "a@b.c", "body": "Hello"}) == {"body": "Hello"}
    found = addresses_in("pay ES9121000418450200051332 or see https://evil.example/x or call +34 612 345 678")
    assert {"https://evil.example/x", "ES9121000418450200051332"} <= set(found)
