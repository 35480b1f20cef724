"""A way out of the house (mail, webhook): effects are queued, shown on the card and sent after the commit."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


class NotSent(Exception):
    """Raised by `send` when it is certain that nothing left; the worker tries again."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the outside world answered; kept with the effect."""

    reference: str = ""


Send = Callable[[Mapping[str, Any], str], Awaitable[Receipt]]


@dataclass(frozen=True, slots=True)
class Channel:
    """`show` are the payload's fields for the card, `destination` the one that says where it goes.

    `send` is `async (payload, key) -> Receipt`. `keyed` means that the other side drops a repeated key, so
    an unclear answer may be tried again; otherwise it becomes `unknown_effect` for a person to settle.
    """

    name: str
    show: Sequence[str]
    destination: str
    send: Send
    keyed: bool = False
    destination_kind: str = "email"
    captions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    title: Mapping[str, str] = field(default_factory=dict)
