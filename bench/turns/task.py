"""The task that every variant does: ask about an order, call one tool, stream an answer of fixed length."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

SYSTEM = "You are the desk's assistant. Answer from the results of tools only."
QUESTION = "What is the state of the order A-17?"
MODEL = "bench-1"
TOOL = "get_order"
ARGUMENT = "order"
ORDER = "A-17"
ANSWER = {"id": ORDER, "status": "open", "due": "Monday", "total": 1250}
DESCRIPTION = "Get one order by its number."
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {ARGUMENT: {"type": "string"}},
    "required": [ARGUMENT],
    "additionalProperties": False,
}

Turn = Callable[[int], Awaitable[str]]
"""Do turn number n from a fresh thread and return the text that a person would have seen."""

Variant = Callable[[str, Path], AbstractAsyncContextManager[Turn]]
"""`variant(base, scratch)`: `base` is the model's address, `scratch` a folder for the variant's files."""
