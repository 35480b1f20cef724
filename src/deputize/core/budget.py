"""Where money is counted: scopes, periods and their caps, as policy names them and the ledger holds them (BUD-1)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Scope = Literal["user", "agent", "tenant", "global"]
Period = Literal["day", "month"]


@dataclass(frozen=True, slots=True)
class Cap:
    """A scope's limits for one period: micro-dollars and tokens; None is no cap, 0 is nothing at all."""

    micro: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        if min(self.micro or 0, self.tokens or 0) < 0:
            raise ValueError("a cap cannot be negative")


@dataclass(frozen=True, slots=True)
class ScopeHold:
    """One scope in one period that a call must fit into.

    `starts` is the local date (ISO) on which the period began in the tenant's zone (global: UTC),
    `resets_at` the moment at which the next begins. `scope_id` is the user's, agent's or tenant's id, `*`
    for global.
    """

    scope: Scope
    scope_id: str
    period: Period
    starts: str
    cap_micro: int | None = None
    cap_tokens: int | None = None
    resets_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ScopeState:
    """A scope's books in its period: what was settled, what is reserved, and whether people were warned."""

    hold: ScopeHold
    spent_micro: int = 0
    spent_tokens: int = 0
    held_micro: int = 0
    held_tokens: int = 0
    warned: bool = False


@dataclass(frozen=True, slots=True)
class DayUsage:
    """What one model used on one local day (ISO date); `estimated` counts calls whose figures are estimates.

    `agent` is the automation that asked, empty for what people asked.
    """

    day: str
    provider: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_micro: int
    estimated: int
    agent: str = ""


def warn_from(cap: int | None) -> int | None:
    """The amount from which people are warned: four fifths of the cap, rounded up; None without a real cap (BUD-5)."""
    return -(-cap * 4 // 5) if cap else None


def fits(cap: int | None, taken: int, more: int) -> bool:
    """Whether `more` fits under the cap beside what is `taken`; a cap of 0 admits nothing, not even what is free."""
    return cap is None or (cap > 0 and taken + more <= cap)
