"""Groups of tools, and the surfaces on which they are offered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from deputize.core.tool import Tool

Redaction = Literal["on", "mandatory"]
Disconnect = Literal["abort", "detach"]


@dataclass(frozen=True, slots=True)
class Toolset:
    """The tools of one host module; surfaces admit them as `name.tool` or `name.*`."""

    name: str
    tools: Sequence[Tool]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A chip: what it says, what it sends, by language; shown to holders of all `permissions` on `screens`."""

    label: Mapping[str, str]
    prompt: Mapping[str, str]
    permissions: tuple[str, ...] = ()
    screens: tuple[str, ...] = ()


DISCLAIMERS: Mapping[str, Mapping[str, str]] = {
    "standard": {
        "en": "AI assistance — check before you rely on it. Actions are logged.",
        "es": "Asistencia de IA: compruebe antes de confiar en ella. Las acciones quedan registradas.",
    },
    "officer": {
        "en": "AI assistance — not a compliance determination. Verify against case evidence. Actions are logged.",
        "es": "Asistencia de IA: no es una determinación de cumplimiento. Verifique con las pruebas del caso. "
        "Las acciones quedan registradas.",
    },
    "portal": {
        "en": "AI assistant — for guidance only; it does not make decisions about your case.",
        "es": "Asistente de IA: solo orientativo; no toma decisiones sobre su caso.",
    },
}
"""Fixed wording (UI-5); a snapshot test holds it."""


@dataclass(frozen=True, slots=True)
class Surface:
    """A named place where the copilot appears: prompt, tools, disclaimer, mode.

    `tools` are patterns over `toolset.tool`. `mode` `read` admits no write at all. `disconnect` says what
    happens to a run whose last reader has gone (RUN-9). Whoever lacks one of the `permissions`, which are
    the host's own, finds no such surface.
    """

    name: str
    prompt: str
    tools: Sequence[str]
    permissions: Sequence[str] = ()
    redaction: Redaction = "on"
    disconnect: Disconnect = "abort"
    mode: Literal["act", "read"] = "act"
    disclaimer: str = "standard"
    title: Mapping[str, str] = field(default_factory=dict)
    suggestions: Sequence[Suggestion] = ()
    max_messages: int | None = None
