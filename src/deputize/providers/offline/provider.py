"""The embedded default provider: a deterministic planner behind the same protocol as a language model (PROV-2)."""

import json
import re
from collections.abc import AsyncIterator

from deputize.core.message import ToolUse
from deputize.core.provider import Done, ModelRequest, ProviderEvent, TextDelta, UsageReport
from deputize.core.usage import Usage
from deputize.providers.offline.moves import Call
from deputize.providers.offline.one_shot import one_shot
from deputize.providers.offline.plan import plan

_PIECES = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+")


class OfflineProvider:
    """Plans over the tools' declarations; no key, no network, no state, no cost."""

    name = "offline"
    is_language_model = False
    default_model = "offline"

    async def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
        """Word-sized text or one call, then usage (honestly nothing) and the end. Never raises ProviderFailed."""
        if request.one_shot_json:
            yield TextDelta(json.dumps(one_shot(request), ensure_ascii=False))
            yield UsageReport(Usage())
            yield Done("stop")
            return
        move = plan(request)
        if isinstance(move, Call):
            arguments = json.dumps(dict(move.args), ensure_ascii=False)
            yield ToolUse(id=_call_id(request), name=move.tool, arguments=arguments)
            yield UsageReport(Usage())
            yield Done("tools")
            return
        for piece in pieces(move.text):
            yield TextDelta(piece)
        yield UsageReport(Usage())
        yield Done("stop")

    async def close(self) -> None:
        """Nothing is held."""


def pieces(text: str) -> list[str]:
    """The text in word-sized pieces that join to exactly the text."""
    return [match.group() for match in _PIECES.finditer(text)]


def _call_id(request: ModelRequest) -> str:
    """An id that no earlier call of this conversation has: they are numbered."""
    made = sum(isinstance(block, ToolUse) for message in request.messages for block in message.blocks)
    return f"call_{made + 1}"
