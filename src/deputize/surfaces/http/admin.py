"""The routes for administrators: automations, and what in the outbox needs a person (contract 9)."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from deputize.core.actor import Actor
from deputize.core.errors import Disabled
from deputize.engine import agents, letters
from deputize.engine.wiring import Wiring
from deputize.surfaces.http.schemas import Nothing
from deputize.surfaces.web.errors import GovernedRoute
from deputize.surfaces.web.schemas import FAILURES, Body

Page = Annotated[int, Query(ge=1, le=10_000)]
Size = Annotated[int, Query(alias="pageSize", ge=1, le=200)]
Status = Literal["pending", "running", "done", "failed", "unknown"]


class ConfigIn(Body):
    """Only the given fields change; null clears the cap or the threshold. Nothing else of the agent can be set."""

    enabled: bool = True
    mode: Literal["suggest", "auto-apply"] = "suggest"
    allowed_fields: list[Annotated[str, Field(max_length=120)]] = Field(default_factory=list, max_length=50)
    daily_cap: int | None = None
    flag_threshold: str | None = Field(default=None, max_length=80)
    working_hours: str = Field(default="*", max_length=80)
    time_zone: str = Field(default="UTC", max_length=64)
    concurrency: int = 1

    def changes(self) -> dict[str, Any]:
        """The given fields in core words."""
        names = {"allowed_fields": "allowed", "flag_threshold": "threshold"}
        given = {names.get(name, name): getattr(self, name) for name in self.model_fields_set}
        return {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}


class TriggerIn(Body):
    """The record that the pass is about; without one the next waiting event is taken."""

    subject: str | None = Field(default=None, min_length=1, max_length=200)


class SettleIn(Body):
    """What a person found out about an effect whose answer was lost."""

    outcome: Literal["sent", "not_sent"]


def build_admin_router(w: Wiring, actor: Callable[..., Any]) -> APIRouter:
    """The routes below `/admin`; the host mounts them at the same prefix as the others, or at one of their own."""
    router = APIRouter(prefix="/admin", route_class=GovernedRoute, tags=["copilot admin"], responses=FAILURES)
    Who = Annotated[Actor, Depends(actor)]
    _all_agents(router, w, Who)
    _one_agent(router, w, Who)
    _letters(router, w, Who)
    return router


def _on(w: Wiring) -> None:
    if not w.enabled:
        raise Disabled()


def _all_agents(router: APIRouter, w: Wiring, Who: Any) -> None:
    """Declared before `/agents/{name}`, which would take `runs` for a name."""

    @router.get("/agents/runs")
    async def agent_runs(
        actor: Who, page: Page = 1, size: Size = 20, agent: Annotated[str | None, Query(max_length=80)] = None
    ) -> Any:
        _on(w)
        return await agents.page_of_runs(w, actor, page, size, agent)

    @router.get("/agents/runs/{run_id}")
    async def agent_run(actor: Who, run_id: str) -> Any:
        _on(w)
        return await agents.one_run(w, actor, run_id)

    @router.post("/agents/disable")
    async def disable_all(actor: Who, body: Nothing) -> Any:
        _on(w)
        return await agents.switch_all(w, actor, False)

    @router.post("/agents/enable")
    async def enable_all(actor: Who, body: Nothing) -> Any:
        _on(w)
        return await agents.switch_all(w, actor, True)


def _one_agent(router: APIRouter, w: Wiring, Who: Any) -> None:
    @router.get("/agents/{name}")
    async def agent(actor: Who, name: str) -> Any:
        _on(w)
        return await agents.overview(w, actor, name)

    @router.patch("/agents/{name}/config")
    async def configure(actor: Who, name: str, body: ConfigIn) -> Any:
        _on(w)
        return await agents.configure(w, actor, name, body.changes())

    @router.post("/agents/{name}/run")
    async def trigger(actor: Who, name: str, body: TriggerIn) -> Any:
        _on(w)
        return await agents.trigger(w, actor, name, body.subject)

    @router.post("/agents/{name}/disable")
    async def disable(actor: Who, name: str, body: Nothing) -> Any:
        _on(w)
        return await agents.switch(w, actor, name, False)

    @router.post("/agents/{name}/enable")
    async def enable(actor: Who, name: str, body: Nothing) -> Any:
        _on(w)
        return await agents.switch(w, actor, name, True)


def _letters(router: APIRouter, w: Wiring, Who: Any) -> None:
    @router.get("/events")
    async def events(actor: Who, status: Status | None = None, page: Page = 1, size: Size = 20) -> Any:
        _on(w)
        return await letters.page_of(w, actor, "event", status, page, size)

    @router.post("/events/{event_id}/requeue")
    async def requeue(actor: Who, event_id: str, body: Nothing) -> Any:
        _on(w)
        return await letters.requeue(w, actor, "event", event_id)

    @router.get("/effects")
    async def effects(actor: Who, status: Status | None = None, page: Page = 1, size: Size = 20) -> Any:
        _on(w)
        return await letters.page_of(w, actor, "effect", status, page, size)

    @router.get("/effects/{effect_id}")
    async def effect(actor: Who, effect_id: str) -> Any:
        _on(w)
        return await letters.one_effect(w, actor, effect_id)

    @router.post("/effects/{effect_id}/requeue")
    async def requeue_effect(actor: Who, effect_id: str, body: Nothing) -> Any:
        _on(w)
        return await letters.requeue(w, actor, "effect", effect_id)

    @router.post("/effects/{effect_id}/settle")
    async def settle(actor: Who, effect_id: str, body: SettleIn) -> Any:
        _on(w)
        return await letters.settle(w, actor, effect_id, body.outcome)
