"""Who acts: a person with the host's own grants, or the system with exactly one capability."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Actor:
    """The one on whose authority everything is done; built by the host only (TOOL-3, AUTO-5).

    `grants` are the host's permission strings, wildcards (`module.*`, `*`) included. `locale` is a
    BCP 47 tag, `time_zone` an IANA name.
    """

    id: str
    tenant: str
    kind: Literal["human", "system"] = "human"
    label: str = ""
    role: str = ""
    grants: frozenset[str] = field(default_factory=frozenset)
    locale: str = "en"
    time_zone: str = "UTC"
    ai_enabled: bool = True
    capability: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "grants", frozenset(self.grants))
        if not self.id or not self.tenant:
            raise ValueError("an actor needs an id and a tenant")
        if self.kind == "system" and (not self.capability or self.role or self.grants):
            raise ValueError("a system actor holds exactly one capability, no role and no grants")
        if self.kind == "human" and self.capability is not None:
            raise ValueError("a human actor holds grants, never a capability")
