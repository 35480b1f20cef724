"""Which scopes and caps a call must fit into, when their periods begin, and the most it can cost (BUD-1, BUD-2)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from deputize.core.budget import Cap, Period, Scope, ScopeHold, ScopeState, warn_from
from deputize.core.errors import Invalid
from deputize.core.usage import Price
from deputize.policy.limits import Limits

Caps = Mapping[tuple[Scope, Period], Cap]
PERIODS: tuple[Period, ...] = ("day", "month")
MICRO_PER_CENT = 10_000
OVERHEAD_TOKENS = 64
"""What a vendor may add around a prompt that is not in our bytes."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The most that a call can cost: integer micro-dollars and tokens."""

    micro: int
    tokens: int


def caps(
    limits: Limits, *, monthly_token_limit: int | None = None, monthly_cost_limit_cents: int | None = None
) -> Caps:
    """The operator's daily caps and the tenant's monthly ones, by scope and period."""
    cost = None if monthly_cost_limit_cents is None else monthly_cost_limit_cents * MICRO_PER_CENT
    return {
        ("user", "day"): Cap(micro=limits.user_day_micro),
        ("agent", "day"): Cap(micro=limits.agent_day_micro),
        ("global", "day"): Cap(micro=limits.global_day_micro),
        ("tenant", "month"): Cap(micro=cost, tokens=monthly_token_limit),
    }


def holds(
    *, tenant: str, time_zone: str, now: datetime, caps: Caps, user: str | None = None, agent: str | None = None
) -> tuple[ScopeHold, ...]:
    """Every scope and period in which the call is counted, capped or not, so that a cap set later finds the books.

    A person's call counts for the user, an automation's for the agent, both for tenant and deployment.
    Raises Invalid for an unknown time zone.
    """
    scopes: list[tuple[Scope, str, str]] = []
    if user is not None:
        scopes.append(("user", user, time_zone))
    if agent is not None:
        scopes.append(("agent", agent, time_zone))
    scopes += [("tenant", tenant, time_zone), ("global", "*", "UTC")]
    return tuple(_each(scopes, now, caps))


def _each(scopes: list[tuple[Scope, str, str]], now: datetime, caps: Caps) -> Iterator[ScopeHold]:
    for scope, scope_id, zone in scopes:
        for period in PERIODS:
            starts, resets_at = bounds(period, now, zone)
            cap = caps.get((scope, period), Cap())
            yield ScopeHold(scope, scope_id, period, starts.isoformat(), cap.micro, cap.tokens, resets_at)


def bounds(period: Period, now: datetime, time_zone: str) -> tuple[date, datetime]:
    """The local date on which the period began, and the UTC moment at which the next one begins (midnight there)."""
    try:
        zone = ZoneInfo(time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Invalid("The time zone is not known.") from None
    today = now.astimezone(zone).date()
    if period == "day":
        starts, following = today, today + timedelta(days=1)
    else:
        starts = today.replace(day=1)
        following = (starts + timedelta(days=32)).replace(day=1)
    midnight = datetime(following.year, following.month, following.day, tzinfo=zone)
    return starts, midnight.astimezone(UTC)


def worst_case(prompt_bytes: int, max_output_tokens: int, price: Price, overhead: int = OVERHEAD_TOKENS) -> Estimate:
    """The most that a call can cost: a token for each UTF-8 byte, all of it at the dearest input class.

    No byte-level tokenizer makes more tokens than bytes. Raises ValueError for negative figures.
    """
    if min(prompt_bytes, max_output_tokens, overhead) < 0:
        raise ValueError("an estimate is not made of negative figures")
    prompt = prompt_bytes + overhead
    dearest = max(price.input, price.cache_read, price.cache_write)
    micro = -(-(prompt * dearest + max_output_tokens * price.output) // 1_000_000)
    return Estimate(micro, prompt + max_output_tokens)


def near(state: ScopeState) -> bool:
    """Four fifths of a cap, money or tokens, have been settled in this period (BUD-5)."""
    money, tokens = warn_from(state.hold.cap_micro), warn_from(state.hold.cap_tokens)
    return (money is not None and state.spent_micro >= money) or (tokens is not None and state.spent_tokens >= tokens)
