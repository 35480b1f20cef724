"""What the element needs to draw itself, and what settings and usage pages show (UI-3, UI-5, BUD-5)."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from deputize.core.actor import Actor
from deputize.core.budget import ScopeHold
from deputize.core.chain import Draft
from deputize.core.clock import iso
from deputize.core.errors import Invalid
from deputize.core.toolset import DISCLAIMERS, Surface
from deputize.engine import access, money
from deputize.engine.views import conversation_dto, language, run_dto
from deputize.engine.wiring import Wiring
from deputize.policy import budget
from deputize.policy.permissions import allows_all
from deputize.store import conversations, runs, settings, usage
from deputize.store.settings import TenantSettings

REDACTION_NOTES = {
    "en": "Names, phones, mails and ids known here are hidden from the model; a name never seen before, or one "
    "inside free text, may be missed.",
    "es": "Los nombres, teléfonos, correos e identificadores conocidos aquí se ocultan al modelo; un nombre nunca "
    "visto, o dentro de un texto libre, puede escaparse.",
}
BANNERS = {
    "en": "Four fifths of this month's copilot budget are used.",
    "es": "Se han usado cuatro quintas partes del presupuesto mensual del copiloto.",
}

MOST = 10**12
"""The largest monthly limit, in tokens or cents: more is a slip, and money in micro-dollars stays countable."""


async def me(w: Wiring, actor: Actor, surface_name: str, lang: str | None, screen: str) -> dict[str, Any]:
    """Everything that the element needs at its start; `{enabled: false}` where it must draw nothing."""
    if not w.enabled or not actor.ai_enabled or not access.may(w, actor, "chat"):
        return {"enabled": False, "mayChat": False}
    if surface_name in w.registry.surfaces and surface_name not in access.surfaces(w, actor):
        return {"enabled": False, "mayChat": False}
    surface = access.surface(w, actor, surface_name)
    spoken = language(lang or actor.locale)
    async with w.db.read() as conn:
        switched_on = await settings.switched_on(conn, actor.tenant)
        chosen = await settings.of_tenant(conn, actor.tenant)
        session = await conversations.active(conn, actor.tenant, actor.id, surface_name)
        open_run = await runs.unfinished_in(conn, actor.tenant, session.id) if session else None
        run = await runs.row(conn, actor.tenant, open_run) if open_run else None
        warned = await _warned(w, conn, actor, chosen)
    if not switched_on:
        return {"enabled": False, "mayChat": False}
    provider = w.providers.get(chosen.provider or w.default_provider)
    hidden = surface.redaction == "mandatory" or chosen.redaction
    return {
        "enabled": True,
        "mayChat": True,
        "locale": actor.locale,
        "surface": surface.name,
        "title": _in(surface.title, spoken) or "Copilot",
        "disclaimer": _in(DISCLAIMERS[surface.disclaimer], spoken),
        "languageModel": provider.is_language_model if provider else False,
        "provider": provider.name if provider else "",
        "redaction": {"on": hidden, "note": _in(REDACTION_NOTES, spoken)},
        "banner": _in(BANNERS, spoken) if warned else None,
        "suggestions": suggestions(surface, actor, screen, spoken),
        "session": conversation_dto(session) if session else None,
        "run": run_dto(run) if run else None,
    }


def _in(words: Any, spoken: str) -> str:
    return str(words.get(spoken) or words.get("en") or next(iter(words.values()), ""))


async def _warned(w: Wiring, conn: Any, actor: Actor, chosen: TenantSettings) -> bool:
    return any(budget.near(state) for state in await usage.state(conn, actor.tenant, _tenant_month(w, actor, chosen)))


def _tenant_month(w: Wiring, actor: Actor, chosen: TenantSettings) -> list[ScopeHold]:
    return [hold for hold in _holds(w, actor, chosen) if (hold.scope, hold.period) == ("tenant", "month")]


def _holds(w: Wiring, actor: Actor, chosen: TenantSettings, agents: Sequence[str] = ()) -> list[ScopeHold]:
    """The scopes of this person, the tenant and the deployment, and those of automations where they are asked for."""
    caps = budget.caps(
        w.limits,
        monthly_token_limit=chosen.monthly_token_limit,
        monthly_cost_limit_cents=chosen.monthly_cost_limit_cents,
    )
    of = partial(budget.holds, tenant=actor.tenant, time_zone=actor.time_zone, now=w.clock.now(), caps=caps)
    automated = [hold for name in agents for hold in of(agent=name) if hold.scope == "agent"]
    return [*of(user=actor.id), *automated]


def suggestions(surface: Surface, actor: Actor, screen: str, spoken: str) -> list[dict[str, str]]:
    """Chips that this person may use on this screen (UI-3)."""
    return [
        {"label": _in(one.label, spoken), "prompt": _in(one.prompt, spoken)}
        for one in surface.suggestions
        if (not one.permissions or allows_all(actor.grants, one.permissions))
        and (not one.screens or screen in one.screens)
    ]


def chips(w: Wiring, actor: Actor, surface_name: str, lang: str | None, screen: str) -> list[dict[str, str]]:
    """The chips of a surface by its name. Raises Invalid for an unknown one."""
    access.require(w, actor, "chat")
    surface = access.surface(w, actor, surface_name)
    return suggestions(surface, actor, screen, language(lang or actor.locale))


def settings_dto(w: Wiring, chosen: TenantSettings, spoken: str) -> dict[str, Any]:
    """A tenant's settings on the wire."""
    return {
        "provider": chosen.provider or w.default_provider,
        "model": chosen.model,
        "redactionEnabled": chosen.redaction,
        "monthlyTokenLimit": chosen.monthly_token_limit,
        "monthlyCostLimitCents": chosen.monthly_cost_limit_cents,
        "providers": sorted(w.providers),
        "redactionNote": _in(REDACTION_NOTES, spoken),
        "redactionForced": all(one.redaction == "mandatory" for one in w.registry.surfaces.values()),
    }


async def tenant_settings(w: Wiring, actor: Actor) -> dict[str, Any]:
    """The tenant's settings, for `configure`."""
    access.require(w, actor, "configure")
    async with w.db.read() as conn:
        chosen = await settings.of_tenant(conn, actor.tenant)
    return settings_dto(w, chosen, language(actor.locale))


async def change_settings(w: Wiring, actor: Actor, changes: dict[str, Any]) -> dict[str, Any]:
    """Change some; each change is an entry, switching redaction off among them (RED-1, AUD-2).

    Raises Invalid for a provider that the deployment cannot serve (PROV-1), and for a limit beyond all counting.
    """
    access.require(w, actor, "configure")
    for name in ("monthly_token_limit", "monthly_cost_limit_cents"):
        if (changes.get(name) or 0) > MOST:
            raise Invalid("The limit is too large.", field=name, maximum=MOST)
    provider = changes.get("provider")
    if provider is not None and provider not in w.providers:
        raise Invalid("This provider is not configured here.", field="provider", known=sorted(w.providers))
    async with w.db.write(actor.tenant, "settings") as tx:
        before = await settings.of_tenant(tx.conn, actor.tenant)
        after = await settings.save(tx, actor.tenant, changes, actor.id, w.clock.now())
        changed = {
            name: {"before": getattr(before, name), "after": getattr(after, name)}
            for name in settings.FIELDS
            if getattr(before, name) != getattr(after, name)
        }
        tx.note(Draft("settings_changed", actor.id, {"changed": changed}))
        for hold in _tenant_month(w, actor, after):
            await money.warn(w, tx, hold)
    return settings_dto(w, after, language(actor.locale))


async def usage_of(w: Wiring, actor: Actor, days: int) -> dict[str, Any]:
    """The books of this person, the tenant and the deployment, and the tenant's use by day."""
    access.require_any(w, actor, "chat", "supervise")
    supervising = access.may(w, actor, "supervise")
    async with w.db.read() as conn:
        chosen = await settings.of_tenant(conn, actor.tenant)
        agents = sorted(w.registry.automations) if supervising else []
        states = await usage.state(conn, actor.tenant, _holds(w, actor, chosen, agents))
        since = w.clock.now() - timedelta(days=days)
        by_day = await usage.by_day(conn, actor.tenant, since, actor.time_zone) if supervising else []
    return {
        "scopes": [
            {
                "scope": state.hold.scope,
                "id": state.hold.scope_id,
                "period": state.hold.period,
                "spentMicroUsd": state.spent_micro,
                "reservedMicroUsd": state.held_micro,
                "tokens": state.spent_tokens,
                "capMicroUsd": state.hold.cap_micro,
                "capTokens": state.hold.cap_tokens,
                "resetsAt": iso(state.hold.resets_at) if state.hold.resets_at else None,
                "near": budget.near(state),
            }
            for state in states
            if supervising or state.hold.scope == "user"
        ],
        "days": [
            {
                "day": one.day,
                "inputTokens": one.input_tokens,
                "outputTokens": one.output_tokens,
                "costMicroUsd": one.cost_micro,
                "model": one.model,
                "provider": one.provider,
                "calls": one.calls,
                "estimated": one.estimated,
                "agent": one.agent,
            }
            for one in by_day
        ],
    }
