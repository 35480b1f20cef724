"""Amounts as people write them, wherever a record or what encloses it names its currency."""

import re
from collections.abc import Mapping
from typing import Any

_AMOUNT = re.compile(r"-?\d+\.\d\d")
_CURRENCY = re.compile(r"[A-Z]{3}")
_SIGNS = {"EUR": "€", "USD": "$", "GBP": "£"}
_NO_MONEY = re.compile(r"percent|rate|hours|minutes|quantity|count")


def priced(data: Any, language: str, currency: str = "") -> Any:
    """Plain data with its decimal texts as amounts (`1.259,15 €`, `€1,259.15`) and without the currency's own field."""
    if isinstance(data, list):
        return [priced(item, language, currency) for item in data]
    if not isinstance(data, Mapping):
        return data
    own = data.get("currency")
    here = own if isinstance(own, str) and _CURRENCY.fullmatch(own) else currency
    return {
        key: _shown(value, language, here) if _is_amount(key, value, here) else priced(value, language, here)
        for key, value in data.items()
        if not (key == "currency" and here)
    }


def _is_amount(key: str, value: Any, currency: str) -> bool:
    return bool(currency) and isinstance(value, str) and bool(_AMOUNT.fullmatch(value)) and not _NO_MONEY.search(key)


def _shown(value: str, language: str, currency: str) -> str:
    sign, digits = ("-", value[1:]) if value.startswith("-") else ("", value)
    whole, _, part = digits.partition(".")
    grouped = f"{int(whole):,}"
    unit = _SIGNS.get(currency, currency)
    if language == "es":
        return f"{sign}{grouped.replace(',', '.')},{part} {unit}"
    return f"{sign}{unit}{grouped}.{part}" if len(unit) == 1 else f"{sign}{grouped}.{part} {unit}"
