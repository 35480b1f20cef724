"""Turns what vendors report as usage into disjoint classes; reads all their spellings, believes no nonsense.

Source: contract BUD-3; field cases B1, B2, B4, B7. A report that is negative, not a number, or lacks one of its
two halves is no report: the engine then estimates.
"""

from collections.abc import Mapping
from typing import Any

from deputize.core.usage import Usage

MOST = 10**12


class Refused(ValueError):
    """A figure that cannot be a count of tokens."""


def count(value: Any) -> int | None:
    """A count of tokens, or None where there is none. Raises Refused for negatives, NaN and other types."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refused("not a number")
    if not 0 <= value <= MOST or value != int(value):
        raise Refused("not a count")
    return int(value)


def _details(report: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = report.get(name)
    return found if isinstance(found, Mapping) else {}


def of_openai(report: Any) -> Usage | None:
    """Usage of a chat-completions report: prompt tokens there include cached ones, completion tokens reasoning.

    Some vendors leave reasoning out of `completion_tokens` and count it in `total_tokens` only: the larger
    figure stands. Reasoning that exceeds the completion is not subtracted from anything (B4).
    """
    if not isinstance(report, Mapping):
        return None
    try:
        prompt, completion = count(report.get("prompt_tokens")), count(report.get("completion_tokens"))
        if prompt is None or completion is None:
            return None
        total = count(report.get("total_tokens")) or 0
        details = _details(report, "prompt_tokens_details")
        read = count(details.get("cached_tokens")) or count(report.get("prompt_cache_hit_tokens")) or 0
        write = count(details.get("cache_write_tokens")) or 0
    except Refused:
        return None
    read = min(read, prompt)
    write = min(write, prompt - read)
    return Usage(
        input=prompt - read - write, output=max(completion, total - prompt), cache_read=read, cache_write=write
    )


class OpenAITokens:
    """The newest report worth believing: cumulative ones replace, empty ones after a real one do not (B1, B2)."""

    def __init__(self) -> None:
        self.usage: Usage | None = None

    def take(self, report: Any) -> Usage | None:
        """The usage as it is now, if this report changed it."""
        usage = of_openai(report)
        if usage is None or usage == self.usage:
            return None
        if self.usage is not None and usage.total == 0:
            return None
        self.usage = usage
        return usage


ANTHROPIC_NAMES = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read_input_tokens": "cache_read",
    "cache_creation_input_tokens": "cache_write",
}


class AnthropicTokens:
    """Usage of a messages stream: it comes in parts, input first; the classes are disjoint on this wire.

    The first part counts one token of output, before there is any: alone it is no report, so that a stream
    which breaks is estimated instead of billed at one token.
    """

    def __init__(self) -> None:
        self._parts: dict[str, int] = {}
        self.usage: Usage | None = None

    def take(self, report: Any, *, first: bool = False) -> Usage | None:
        """The usage as it is now, if this report changed it; a later zero or null replaces nothing."""
        if not isinstance(report, Mapping):
            return None
        try:
            counts = {own: count(report.get(theirs)) for theirs, own in ANTHROPIC_NAMES.items()}
        except Refused:
            return None
        for own, number in counts.items():
            if number is not None and (number > 0 or own not in self._parts):
                self._parts[own] = number
        if first or "input" not in self._parts or "output" not in self._parts:
            return None
        parts = self._parts
        usage = Usage(parts["input"], parts["output"], parts.get("cache_read", 0), parts.get("cache_write", 0))
        if usage == self.usage:
            return None
        self.usage = usage
        return usage
