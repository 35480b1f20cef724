"""The ledger around one model call: which scopes it touches, its worst case, and its settlement (BUD-2)."""

import json
from dataclasses import dataclass
from datetime import timedelta

from deputize.core.actor import Actor
from deputize.core.budget import ScopeHold
from deputize.core.clock import new_id
from deputize.core.message import Message, Text, ToolResult, ToolUse
from deputize.core.provider import ModelRequest
from deputize.core.usage import Price, Usage
from deputize.engine.announce import announce
from deputize.engine.wiring import Wiring
from deputize.policy import budget
from deputize.store import ledger, settings
from deputize.store.session import Tx
from deputize.store.settings import TenantSettings

HOLD_SECONDS = 600.0
"""After this a hold whose call never reported is charged in full."""


@dataclass(frozen=True, slots=True)
class Hold:
    """One reservation to be made: its id, the scopes, the worst case in micro-dollars and tokens."""

    id: str
    scopes: tuple[ScopeHold, ...]
    micro: int
    tokens: int


def prompt_bytes(request: ModelRequest) -> int:
    """UTF-8 bytes of everything that goes out; no tokenizer makes more tokens than bytes."""
    total = len(request.system.encode()) + len(json.dumps(dict(request.situation.screen), default=str)) + 200
    total += sum(_weight(message) for message in request.messages)
    for tool in request.tools:
        total += len(tool.name) + len(tool.description.encode()) + len(json.dumps(tool.parameters, default=str)) + 40
    return total


def _weight(message: Message) -> int:
    total = 16
    for block in message.blocks:
        match block:
            case Text(text):
                total += len(text.encode())
            case ToolUse(ident, name, arguments, _):
                total += len(ident) + len(name) + len(arguments.encode())
            case ToolResult(ident, name, content, _):
                total += len(ident) + len(name) + len(content.encode())
    return total


def worst_case(w: Wiring, actor: Actor, chosen: TenantSettings, request: ModelRequest, price: Price) -> Hold:
    """What the call may cost at the most, and every scope that it counts in: a person's, or an automation's."""
    now = w.clock.now()
    most = budget.worst_case(prompt_bytes(request), request.max_output_tokens, price)
    caps = budget.caps(
        w.limits,
        monthly_token_limit=chosen.monthly_token_limit,
        monthly_cost_limit_cents=chosen.monthly_cost_limit_cents,
    )
    system = actor.kind == "system"
    scopes = budget.holds(
        tenant=actor.tenant,
        time_zone=actor.time_zone,
        now=now,
        caps=caps,
        user=None if system else actor.id,
        agent=actor.label if system else None,
    )
    return Hold(new_id(now), scopes, most.micro, most.tokens)


async def reserve(w: Wiring, tx: Tx, run_id: str, hold: Hold, provider: str, model: str) -> None:
    """Hold the worst case and record that the call goes out. Raises BudgetExceeded; nothing is held then."""
    now = w.clock.now()
    await ledger.reserve(
        tx.conn,
        tx.tenant,
        hold.scopes,
        hold.micro,
        hold.tokens,
        run_id=run_id,
        provider=provider,
        model=model,
        now=now,
        expires_at=now + timedelta(seconds=HOLD_SECONDS),
        reservation_id=hold.id,
        sent=True,
    )


def estimate(request: ModelRequest, text: str, *, reached: bool) -> Usage:
    """What a call that reported nothing is taken to have used: four bytes a token, flagged as estimated."""
    if not reached:
        return Usage(estimated=True)
    return Usage(input=prompt_bytes(request) // 4 + 1, output=len(text.encode()) // 4, estimated=True)


async def settle(w: Wiring, tx: Tx, hold: Hold, usage: Usage, cost: int, *, reached: bool) -> None:
    """Replace the hold by what was used; give it back only where it is certain that nothing was sent."""
    if not reached:
        await ledger.release(tx.conn, tx.tenant, hold.id, w.clock.now())
        return
    await ledger.settle(tx.conn, tx.tenant, hold.id, usage, cost, w.clock.now())
    for scope in hold.scopes:
        await warn(w, tx, scope)


async def warn(w: Wiring, tx: Tx, scope: ScopeHold) -> None:
    """Tell once in a period that four fifths of the tenant's month are settled (BUD-5); other scopes tell nothing."""
    if (scope.scope, scope.period) == ("tenant", "month") and await ledger.warn_once(tx.conn, tx.tenant, scope):
        announce(w, tx, "budget_threshold_reached", {"scope": scope.scope, "period": scope.period})


async def expire(w: Wiring) -> int:
    """End holds whose call never reported, of all tenants; what was charged may reach the line of a warning too."""
    async with w.db.write("*", "expire-holds") as tx:
        gone = await ledger.expire_open(tx.conn, w.clock.now())
    for tenant in sorted({one.tenant for one in gone if one.charged}):
        async with w.db.write(tenant, "expired-warning") as tx:
            chosen = await settings.of_tenant(tx.conn, tenant)
            caps = budget.caps(
                w.limits,
                monthly_token_limit=chosen.monthly_token_limit,
                monthly_cost_limit_cents=chosen.monthly_cost_limit_cents,
            )
            cap = caps["tenant", "month"]
            for starts in sorted({month for one in gone if one.tenant == tenant for month in one.months}):
                await warn(w, tx, ScopeHold("tenant", tenant, "month", starts, cap.micro, cap.tokens))
    return len(gone)
