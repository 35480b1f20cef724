"""Both vendors' wires spoken by a stand-in whose next answer may depend on what it was just sent."""

import json
import re
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.providers.vendor import Answer, Vendor, completion, events, message

Wire = Literal["openai", "anthropic"]
Turn = Callable[[str], Answer]
"""Takes the request's bytes as text; gives the answer."""


class Script(deque[Answer]):
    """Turns in order, each made when its request has arrived."""

    def __init__(self, vendor: Vendor) -> None:
        super().__init__()
        self.vendor = vendor
        self.turns: deque[Turn] = deque()

    def then(self, *turns: Turn) -> None:
        self.turns.extend(turns)

    def popleft(self) -> Answer:
        return self.turns.popleft()(self.vendor.journal[-1].raw.decode())


@dataclass(frozen=True)
class Model:
    """A vendor's model on one wire that says what the test wants."""

    wire: Wire
    vendor: Vendor
    script: Script = field(repr=False)

    @classmethod
    def on(cls, wire: Wire, vendor: Vendor) -> "Model":
        """Take the vendor's answers over."""
        vendor.answers = script = Script(vendor)
        return cls(wire, vendor, script)

    @property
    def base_url(self) -> str:
        return f"{self.vendor.base_url}/v1" if self.wire == "openai" else self.vendor.base_url

    def says(self, text: str) -> None:
        """The next answer is this text."""
        made = completion(text) if self.wire == "openai" else message(text)
        self.script.then(lambda _: Answer([made]))

    def calls(self, tool: str, arguments: Callable[[str], Mapping[str, Any]] | Mapping[str, Any]) -> None:
        """The next answer is this call; `arguments` may be made from the request's text."""

        def turn(request: str) -> Answer:
            made = arguments(request) if callable(arguments) else arguments
            return Answer([self._call(tool, json.dumps(made))])

        self.script.then(turn)

    def fails(self, status: int) -> None:
        """The next request is refused with a body that repeats what was sent, as some vendors do."""

        def turn(request: str) -> Answer:
            said = {"error": {"message": f"bad request: {request}", "type": "invalid_request_error"}}
            return Answer([json.dumps(said).encode()], status=status, content_type="application/json")

        self.script.then(turn)

    def _call(self, tool: str, arguments: str) -> bytes:
        call_id = f"call_{len(self.vendor.journal):09d}"
        if self.wire == "openai":
            use = {"index": 0, "id": call_id, "type": "function", "function": {"name": tool, "arguments": arguments}}
            return events(
                {"choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [use]}, "finish_reason": None}]},
                {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
                {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}},
                done=True,
            )
        block = {"type": "tool_use", "id": call_id, "name": tool, "input": {}}
        return events(
            {"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "input_json_delta", "partial_json": arguments},
            },
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}},
            {"type": "message_stop"},
        )

    def received(self) -> list[str]:
        """Each request as text: head and body."""
        return [
            "\n".join([one.path, *(f"{name}: {value}" for name, value in one.headers.items()), one.raw.decode()])
            for one in self.vendor.journal
        ]


def plain(text: str) -> str:
    """Lower case without accents or marks: one shape for all spellings."""
    parts = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in parts if not unicodedata.combining(letter)).casefold()


def strings(text: str) -> Iterator[str]:
    """The text itself, and every key and value of the JSON objects in it, unescaped however deep."""
    yield text
    start = text.find("{")
    if start < 0:
        return
    try:
        value = json.loads(text[start:])
    except ValueError:
        return
    stack: list[Any] = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            stack += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            stack += one
        elif isinstance(one, str):
            yield from strings(one) if "{" in one and one != text else [one]


def leaks(canaries: Mapping[str, str], text: str) -> set[str]:
    """Which canaries stand in a text in any spelling: accents, case, or separators of digits do not hide them."""
    found = set()
    unescaped = re.sub(r"\\+u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    for piece in {*strings(text), *strings(unescaped)}:
        folded = plain(piece)
        digits = re.sub(r"[\s().-]+", "", folded)
        found |= {
            seam
            for seam, canary in canaries.items()
            if plain(canary) in folded or (canary.isdigit() and canary in digits)
        }
    return found
