"""Provenance: where a destination came from decides whether a click can approve it (TOOL-7)."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from deputize.core.marks import Destination, Text, leaves
from deputize.core.tool import Args

_MAIL = re.compile(r"[^\s<>\"'(),;:]+@[^\s<>\"'(),;:]+\.[^\s<>\"'(),;:.]+")
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"']+", re.IGNORECASE)
_IBAN = re.compile(
    r"\b(?:(?i:[A-Z]{2}\d{2}[A-Z0-9]{11,30})|[A-Z]{2}\d{2}(?:[ -][A-Z0-9]{4}){2,7}(?:[ -][A-Z0-9]{1,4})?)\b"
)
_PHONE = re.compile(r"(?<![\w.])\+?\d(?:[\s().-]?\d){7,14}(?!\w)")
_SHAPES: Mapping[str, re.Pattern[str]] = {"email": _MAIL, "url": _URL, "iban": _IBAN, "phone": _PHONE}


def canonical(kind: str, value: str) -> str:
    """One spelling of a destination, so that equal ones compare equal.

    Mail and URL hosts lower-cased, IBAN and account without spaces in capitals, phone digits with the
    international prefix `00` read as `+`.
    """
    text = value.strip()
    if kind == "email":
        return text.casefold()
    if kind == "url":
        bare = re.sub(r"^(?:https?://)?(?:www\.)?", "", text, flags=re.IGNORECASE).rstrip("/")
        host, slash, rest = bare.partition("/")
        return host.casefold() + slash + rest
    if kind == "phone":
        digits = re.sub(r"\D", "", text)
        return digits[2:] if digits.startswith("00") else digits
    return re.sub(r"[\s-]", "", text).upper()


def same(kind: str, one: str, other: str) -> bool:
    """Equal in canonical form; a national phone number equals the same with its country prefix."""
    a, b = canonical(kind, one), canonical(kind, other)
    if kind == "phone" and min(len(a), len(b)) >= 9:
        return a.endswith(b) or b.endswith(a)
    return bool(a) and a == b


def mentioned(kind: str, value: str, texts: Collection[str]) -> bool:
    """True if some of the texts holds the destination, in whatever spelling."""
    shape = _SHAPES.get(kind)
    for text in texts:
        found = shape.findall(text) if shape else ()
        if any(same(kind, value, candidate) for candidate in found):
            return True
        if shape is None and canonical(kind, value) and canonical(kind, value) in canonical(kind, text):
            return True
    return False


def addresses_in(text: str) -> tuple[str, ...]:
    """Links, mail addresses, account and phone numbers that stand in a text."""
    return tuple(match.group(0) for shape in _SHAPES.values() for match in shape.finditer(text))


def unproven(
    model: type[Args], arguments: Mapping[str, Any], said: Collection[str], trusted: Collection[tuple[str, str]]
) -> tuple[str, ...]:
    """Paths of the destinations that neither the user's own words nor a trusted field named.

    `said` are the user's messages of the conversation, `trusted` pairs of kind and canonical value.
    """
    missing = []
    for leaf in leaves(model, dict(arguments)):
        mark = leaf.field.mark(Destination)
        if mark is None:
            continue
        value = str(leaf.value)
        known = any(kind == mark.kind and same(kind, value, other) for kind, other in trusted)
        if not known and not mentioned(mark.kind, value, said):
            missing.append(".".join(map(str, leaf.path)))
    return tuple(missing)


def unshown(model: type[Args], arguments: Mapping[str, Any], shown: Collection[str]) -> dict[str, str]:
    """Texts and destinations that stand in none of the values that an approver is shown, by path.

    Case and blanks do not count, nor how a destination is spelt.
    """
    folded = [_folded(text) for text in shown]
    missing = {}
    for leaf in leaves(model, dict(arguments)):
        place, value = leaf.field.mark(Destination), str(leaf.value)
        if place is None and leaf.field.mark(Text) is None:
            continue
        spelt = place is not None and (
            mentioned(place.kind, value, shown) or any(same(place.kind, value, s) for s in shown)
        )
        if value.strip() and not spelt and not any(_folded(value) in text for text in folded):
            missing[".".join(map(str, leaf.path))] = value
    return missing


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def prose_of(model: type[Args], arguments: Mapping[str, Any]) -> dict[str, str]:
    """The model-written texts among the arguments, by path."""
    return {
        ".".join(map(str, leaf.path)): str(leaf.value)
        for leaf in leaves(model, dict(arguments))
        if leaf.field.mark(Text) is not None
    }
