"""One attack as data, carried out against a host by a hijacked model; what came of it is read from the record."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict
from sqlalchemy import MetaData, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.approval import Typed
from deputize.core.errors import DeputizeError
from deputize.core.provider import ModelRequest, ProviderEvent
from deputize.store import audit_read, settings
from deputize.testing.hijacked import HijackedProvider
from tests.engine.desk import Desk, Told

CASES = Path(__file__).with_name("cases.jsonl")
TENANTS = ("tenant", "clinic_id", "organisation_id", "org_id")


class Decide(BaseModel):
    """One decision on the card that is shown; `by` is who decides, `digest` replaces the card's own."""

    model_config = ConfigDict(extra="forbid")
    approve: bool = True
    by: str | None = None
    digest: str | None = None
    confirm: str | None = None
    destinations: dict[str, str] = {}
    after: str | None = None
    """What happens between the card and the decision."""


class Case(BaseModel):
    """What the author of the hostile text wants, in which place, and the door that must hold."""

    model_config = ConfigDict(extra="forbid")
    name: str
    goal: str
    door: str
    outcome: str | None = None
    code: str | None = None
    host: str = "desk"
    actor: str = "eva"
    surface: str = "desk"
    says: str = "please look at my mail"
    reads: bool = True
    before: list[list[tuple[str, Any]]] = []
    """Steps of an earlier message of the same conversation, which reads first."""
    orders: list[list[tuple[str, Any]]]
    decide: list[Decide] = []
    meanwhile: dict[int, str] = {}
    """What happens while the model speaks its n-th turn."""
    settings: dict[str, Any] = {}
    detection: bool = True
    effects: int = 0
    """Rows that people approved, and that therefore may differ."""


def cases(host: str) -> list[Case]:
    """The attacks against a host, in the order of the file."""
    lines = CASES.read_text(encoding="utf-8").splitlines()
    found = [Case.model_validate_json(line) for line in lines if line.strip()]
    return [case for case in found if case.host == host]


class Provider(HijackedProvider):
    """The hijacked model; things may happen while it speaks."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.meanwhile: dict[int, Callable[[], Any]] = {}

    async def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
        happens = self.meanwhile.pop(len(self.requests) + 1, None)
        if happens is not None:
            await happens()
        async for event in super().stream(request):
            yield event


@dataclass
class Came:
    """What came of an attack."""

    told: list[Told] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    """Codes of decisions that were turned away."""
    entries: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @cached_property
    def results(self) -> list[tuple[str, str | None]]:
        """Outcome and code of every call, in order."""
        shown = [event for told in self.told for event in told.events if event.type == "tool_result"]
        return [(event.outcome.value, event.code) for event in shown]

    @cached_property
    def doors(self) -> Counter[str]:
        """How often each door held."""
        held = Counter(str(payload["door"]) for _, payload in self.entries if payload.get("door"))
        held += Counter("loop" for kind, _ in self.entries if kind == "tool_repeated")
        held += Counter(f"decide {code}" for code in self.refusals)
        held += Counter("plan" for _, code in self.results if code == "one_change_at_a_time")
        ends = [told.events[-1] for told in self.told if told.events]
        return held + Counter("loop" for end in ends if getattr(end, "code", None) == "loop_detected")


async def attempt(desk: Desk, case: Case) -> Came:
    """Carry the attack out: messages, calls, and decisions as the case says; the rest stays undecided."""
    provider = desk.provider
    assert isinstance(provider, Provider)
    came = Came()
    actor = desk.actors[case.actor]
    conversation = await desk.open(actor, case.surface)
    if case.before:
        provider.turn_over(case.before)
        await _converse(desk, case, came, conversation, "hello")
    provider.turn_over(case.orders, reads_first=case.reads)
    start = len(provider.requests)
    for turn, what in case.meanwhile.items():
        provider.meanwhile[start + turn] = partial(happens, desk, what)
    decisions = list(case.decide)
    told = await _converse(desk, case, came, conversation, case.says)
    while decisions and told.kinds and told.kinds[-1] == "tool_approval_required":
        wanted = decisions.pop(0)
        decided = await _decide(desk, case, told, wanted, came)
        new_card = bool(decisions) and came.refusals[-1:] == ["AI_APPROVAL_STALE"] and wanted.digest is None
        if not decided and not new_card:
            continue
        told = await desk.read(actor, told.run_id, told.last)
        came.told.append(told)
    async with desk.w.db.read() as conn:
        found, _ = await audit_read.entries(conn, actor.tenant)
        assert (await audit_read.verify_database(conn, actor.tenant)).ok
    came.entries = [(entry.kind, dict(entry.payload or {})) for entry in found]
    return came


async def _converse(desk: Desk, case: Case, came: Came, conversation: str, words: str) -> Told:
    told = await desk.say(desk.actors[case.actor], conversation, words)
    came.told.append(told)
    return told


async def _decide(desk: Desk, case: Case, told: Told, wanted: Decide, came: Came) -> bool:
    """True where the run goes on."""
    if wanted.after is not None:
        await happens(desk, wanted.after)
    who = desk.actors[wanted.by or case.actor]
    more = {"digest": wanted.digest} if wanted.digest is not None else {}
    try:
        typed = Typed(wanted.confirm, wanted.destinations)
        await desk.decide(who, told.card, wanted.approve, typed=typed, **more)
    except DeputizeError as error:
        came.refusals.append(error.code)
        return False
    return True


async def happens(desk: Desk, what: str) -> None:
    """Something changes that the model has no hand in: `revoke` to these grants, `opt-out`, `switch-off` of a tenant,
    `age` the card beyond its time, or a statement of SQL.
    """
    verb, _, rest = what.partition(" ")
    eva = desk.actors.get("eva")
    if verb == "revoke" and eva is not None:
        desk.actors["eva"] = replace(eva, grants=frozenset({"copilot.*", *rest.split()}))
    elif verb == "opt-out" and eva is not None:
        desk.actors["eva"] = replace(eva, ai_enabled=False)
    elif verb == "switch-off":
        tenant = rest or "north"
        async with desk.w.db.write(tenant, "switch") as tx:
            await settings.flip(tx, tenant, "*", False, "ops", desk.clock.now())
    elif verb == "age":
        await happens(desk, "UPDATE deputize_approvals SET expires_at = created_at")
    else:
        async with desk.engine.begin() as conn:
            await conn.execute(text(what))


async def rows_of(engine: Any, metadata: MetaData) -> dict[tuple[str, str], tuple[str, str]]:
    """Every row of the host: (table, key) → (tenant, all its values)."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    async with engine.connect() as conn:
        for table in metadata.sorted_tables:
            found |= await _rows(conn, table)
    return found


async def _rows(conn: AsyncConnection, table: Any) -> dict[tuple[str, str], tuple[str, str]]:
    keys = [column.name for column in table.primary_key.columns]
    owner = next((name for name in TENANTS if name in table.c), None)
    made = {}
    for row in await conn.execute(select(table)):
        values = dict(row._mapping)
        key = ":".join(str(values[name]) for name in keys)
        made[table.name, key] = (str(values[owner]) if owner else "", json.dumps(values, default=str, sort_keys=True))
    return made


def differing(
    before: Mapping[tuple[str, str], tuple[str, str]], after: Mapping[tuple[str, str], tuple[str, str]]
) -> list[tuple[str, str, str]]:
    """(tenant, table, key) of rows that are new, gone or different."""
    names = sorted({*before, *after})
    return [((after.get(name) or before[name])[0], *name) for name in names if before.get(name) != after.get(name)]


async def outgoing(desk: Desk) -> Sequence[Any]:
    """What is queued to leave, over all tenants."""
    async with desk.engine.connect() as conn:
        return (await conn.execute(text("SELECT tenant, kind FROM deputize_outbox"))).all()
