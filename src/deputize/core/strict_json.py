"""JSON as strict as an approval needs it: finite numbers, no name twice in one object, text that any database takes."""

import json
import math
from collections.abc import Iterator
from typing import Any, NoReturn


class NotStrict(ValueError):
    """The text is no such JSON; `rule` says why in one word, the text itself is not quoted."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


def read(raw: str) -> Any:
    """Plain data. Raises NotStrict: `json_invalid`, `number_invalid`, `duplicate_name` or `text_invalid`."""
    try:
        value = json.loads(raw, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_each_name_once)
    except NotStrict:
        raise
    except (ValueError, RecursionError):
        raise NotStrict("json_invalid") from None
    if not all(storable(text) for _, _, text in texts(value)):
        raise NotStrict("text_invalid")
    return value


def storable(text: str) -> bool:
    """Whether every database takes the text: no NUL, and no half of a surrogate pair."""
    if "\x00" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _no_constant(name: str) -> NoReturn:
    raise NotStrict("number_invalid")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotStrict("number_invalid")
    return number


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Readers disagree on which of two counts, so that a card could show the one and a log the other."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotStrict("duplicate_name")
    return found


def texts(value: Any) -> Iterator[tuple[str, int, str]]:
    """Every text with the field at the top that it stands in and its depth; of empty containers the depth alone."""
    waiting: list[tuple[str, int, Any]] = [("", 0, value)]
    while waiting:
        where, depth, one = waiting.pop()
        if isinstance(one, str):
            yield where, depth, one
        elif isinstance(one, list):
            yield where, depth, ""
            waiting += [(where, depth + 1, inner) for inner in one]
        elif isinstance(one, dict):
            yield where, depth, ""
            for name, inner in one.items():
                yield where, depth, name
                waiting.append((where or name[:120], depth + 1, inner))
