"""Queries of runs: their record as the plan reads it, their moves, their durable events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, Integer, Select, String, bindparam, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.errors import IllegalMove
from deputize.core.run import MOVES, Run, RunStatus, Step, ToolCall
from deputize.store import calls
from deputize.store.dialect import Moment
from deputize.store.session import Tx, plain
from deputize.store.tables import messages, run_events, runs

UNFINISHED = (RunStatus.RUNNING.value, RunStatus.AWAITING_APPROVAL.value)


_r, _m = runs.c, messages.c
_MINE = (_r.tenant == bindparam("of_tenant"), _r.id == bindparam("of_id"))
_ROW = select(runs).where(*_MINE)
_ROW_LOCKED = _ROW.with_for_update()
_STEPS = select(messages).where(_m.run_id == bindparam("of_run"), _m.step > 0).order_by(_m.step)
_SET = update(runs).where(*_MINE)
_ADD_EVENTS = insert(run_events)
_MOVE = _SET.where(_r.status.in_(bindparam("froms", expanding=True)))
_UNFINISHED_IN = (
    select(_r.id)
    .where(
        _r.id != bindparam("but"),
        _r.tenant == bindparam("of_tenant"),
        _r.conversation_id == bindparam("of_conversation"),
        _r.status.in_(UNFINISHED),
    )
    .limit(1)
)
_NEXT_EVENTS = _SET.values(last_event=_r.last_event + bindparam("more", type_=Integer)).returning(_r.last_event)
_ADD_USAGE = _SET.values(
    input_tokens=_r.input_tokens + bindparam("more_input", type_=BigInteger),
    output_tokens=_r.output_tokens + bindparam("more_output", type_=BigInteger),
    cost_micro=_r.cost_micro + bindparam("more_cost", type_=BigInteger),
).returning(_r.cancel_requested)
"""Statements of every turn are made once: building one costs as much as running it."""


async def row(conn: AsyncConnection, tenant: str, run_id: str, *, lock: bool = False) -> dict[str, Any] | None:
    """The bare run row; `lock` holds it for this transaction (PostgreSQL)."""
    query = _ROW_LOCKED if lock and conn.dialect.name == "postgresql" else _ROW
    found = (await conn.execute(query, {"of_tenant": tenant, "of_id": run_id})).first()
    return plain(found) if found else None


async def load(conn: AsyncConnection, tenant: str, run_id: str, *, lock: bool = False) -> Run | None:
    """The whole record of a run, as the plan reads it."""
    head = await row(conn, tenant, run_id, lock=lock)
    if head is None:
        return None
    steps = await conn.execute(_STEPS, {"of_run": run_id})
    made = await calls.of_run(conn, tenant, run_id)
    inherited: tuple[ToolCall, ...] = ()
    origin = head["retry_of"]
    while origin is not None:
        inherited = (*(await calls.of_run(conn, tenant, origin)), *inherited)
        origin = await conn.scalar(select(runs.c.retry_of).where(runs.c.tenant == tenant, runs.c.id == origin))
    return _record(head, [plain(step) for step in steps], made, inherited)


def _record(
    head: Mapping[str, Any], steps: Sequence[Mapping[str, Any]], made: Sequence[ToolCall], inherited: Sequence[ToolCall]
) -> Run:
    by_step: dict[int, list[ToolCall]] = {}
    for call in made:
        by_step.setdefault(call.step, []).append(call)
    return Run(
        id=head["id"],
        tenant=head["tenant"],
        conversation_id=head["conversation_id"] or "",
        actor_id=head["actor_id"],
        surface=head["surface"],
        status=RunStatus(head["status"]),
        steps=tuple(
            Step(
                n=step["step"],
                message_id=step["id"],
                text=step["clear"],
                sent=step["sent"],
                reasoned=step["reasoned"],
                reason=step["reason"],
                calls=tuple(by_step.get(step["step"], ())),
                extra=step["extra"] or {},
            )
            for step in steps
        ),
        retry_of=head["retry_of"],
        error_code=head["error_code"],
        cancel_requested=head["cancel_requested"],
        created_at=head["created_at"],
        finished_at=head["finished_at"],
        input_tokens=head["input_tokens"],
        output_tokens=head["output_tokens"],
        cost_micro=head["cost_micro"],
        model=head["model"],
        context=head["context"],
        provider=head["provider"],
        mode=head["mode"],
        inherited=tuple(inherited),
    )


async def move(tx: Tx, tenant: str, run_id: str, to: RunStatus, now: datetime, **values: Any) -> None:
    """Change the status by one conditional update; raises IllegalMove unless the table of moves allows it."""
    froms = [before.value for before, after in MOVES.items() if to in after]
    if to in (RunStatus.RUNNING, RunStatus.AWAITING_APPROVAL):
        ended: dict[str, Any] = {}
    else:
        ended = {"finished_at": now, "lease_owner": None, "lease_until": None}
    mine = {"of_tenant": tenant, "of_id": run_id, "froms": froms}
    changed = await tx.conn.execute(_MOVE, {**mine, "status": to.value, **ended, **values})
    if changed.rowcount != 1:
        raise IllegalMove(f"a run cannot go to {to} from where it is")


async def set_values(tx: Tx, tenant: str, run_id: str, **values: Any) -> None:
    """Set columns other than the status."""
    await tx.conn.execute(_SET, {"of_tenant": tenant, "of_id": run_id, **values})


async def add_usage(tx: Tx, tenant: str, run_id: str, input_tokens: int, output_tokens: int, cost_micro: int) -> bool:
    """Add one call's usage to the run's totals; True where the run was told to stop meanwhile."""
    more = {"more_input": input_tokens, "more_output": output_tokens, "more_cost": cost_micro}
    return bool(await tx.conn.scalar(_ADD_USAGE, {"of_tenant": tenant, "of_id": run_id, **more}))


async def append_events(
    tx: Tx, tenant: str, run_id: str, events: Sequence[tuple[str, str]], now: datetime
) -> list[int]:
    """Append `(type, JSON)` pairs with the run's next contiguous ids, which are returned."""
    if not events:
        return []
    last = (
        await tx.conn.execute(_NEXT_EVENTS, {"of_tenant": tenant, "of_id": run_id, "more": len(events)})
    ).scalar_one()
    first = last - len(events) + 1
    await tx.conn.execute(
        _ADD_EVENTS,
        [
            {"run_id": run_id, "seq": first + n, "tenant": tenant, "type": kind, "data": data, "created_at": now}
            for n, (kind, data) in enumerate(events)
        ],
    )
    return list(range(first, last + 1))


async def events_after(conn: AsyncConnection, tenant: str, run_id: str, after: int) -> list[tuple[int, str, str]]:
    """Durable events `(seq, type, JSON)` with a larger id than `after`, in order."""
    e = run_events.c
    rows = await conn.execute(
        select(e.seq, e.type, e.data).where(e.tenant == tenant, e.run_id == run_id, e.seq > after).order_by(e.seq)
    )
    return [(int(seq), str(kind), str(data)) for seq, kind, data in rows]


async def texts(conn: AsyncConnection, tenant: str, run_id: str) -> list[tuple[str, str]]:
    """`(message id, text so far)` of each step of the run that has text."""
    t = messages.c
    rows = await conn.execute(
        select(t.id, t.clear).where(t.tenant == tenant, t.run_id == run_id, t.step > 0).order_by(t.step)
    )
    return [(str(ident), str(text)) for ident, text in rows if text]


@dataclass(frozen=True, slots=True)
class Busy:
    """What may stand against a start: a run with this key, one that is not over, a live one, how many started.

    `starts` are the actor's, `starts_from` those of everybody, in all tenants, from the same address.
    """

    former: str | None
    unfinished: str | None
    live: str | None
    starts: int
    starts_from: int = 0


async def busy(
    conn: AsyncConnection,
    tenant: str,
    actor_id: str,
    conversation_id: str,
    *,
    key: str | None = None,
    since: datetime | None = None,
    address: str | None = None,
    but: str = "",
) -> Busy:
    """All five in one statement; `but` is a run that does not count (BUD-7, RUN-10, RUN-11)."""
    given = {
        "of_tenant": tenant,
        "of_actor": actor_id,
        "of_conversation": conversation_id,
        "key": key,
        "since": since or datetime.max.replace(tzinfo=UTC),
        "address": address,
        "but": but,
    }
    row = (await conn.execute(_BUSY, given)).one()
    return Busy(row[0], row[1], row[2], int(row[3]), int(row[4]))


def _busy() -> Select[Any]:
    mine = (_r.tenant == bindparam("of_tenant"), _r.actor_id == bindparam("of_actor"))
    here = _r.conversation_id == bindparam("of_conversation")
    other = _r.id != bindparam("but")
    key = bindparam("key", type_=String)
    running = _r.status == RunStatus.RUNNING.value
    return select(
        select(_r.id).where(*mine, here, _r.idempotency_key == key).limit(1).scalar_subquery(),
        select(_r.id).where(mine[0], here, other, _r.status.in_(UNFINISHED)).limit(1).scalar_subquery(),
        select(_r.id).where(*mine, other, running, _r.mode == "copilot").limit(1).scalar_subquery(),
        select(func.count())
        .select_from(runs)
        .where(*mine, _r.created_at > bindparam("since", type_=Moment()))
        .scalar_subquery(),
        select(func.count())
        .select_from(runs)
        .where(
            _r.address == bindparam("address", type_=String),
            _r.created_at > bindparam("since", type_=Moment()),
        )
        .scalar_subquery(),
    )


_BUSY = _busy()


async def unfinished_in(conn: AsyncConnection, tenant: str, conversation_id: str, but: str = "") -> str | None:
    """The conversation's run, other than `but`, that is not over, if there is one (RUN-10)."""
    of = {"of_tenant": tenant, "of_conversation": conversation_id, "but": but}
    return await conn.scalar(_UNFINISHED_IN, of)


async def by_key(
    conn: AsyncConnection, tenant: str, actor_id: str, conversation_id: str, idempotency_key: str
) -> str | None:
    """The run that a message with this Idempotency-Key started (RUN-11)."""
    return await conn.scalar(
        select(runs.c.id).where(
            runs.c.tenant == tenant,
            runs.c.actor_id == actor_id,
            runs.c.conversation_id == conversation_id,
            runs.c.idempotency_key == idempotency_key,
        )
    )


async def page_of(
    conn: AsyncConnection, tenant: str, actor_id: str | None, offset: int, limit: int, mode: str | None = None
) -> tuple[list[dict[str, Any]], int]:
    """Run rows, newest first, with the total; of all actors where `actor_id` is None."""
    where = [runs.c.tenant == tenant]
    if actor_id is not None:
        where.append(runs.c.actor_id == actor_id)
    if mode is not None:
        where.append(runs.c.mode == mode)
    total = await conn.scalar(select(func.count()).select_from(runs).where(*where))
    rows = await conn.execute(
        select(runs).where(*where).order_by(runs.c.created_at.desc(), runs.c.id.desc()).offset(offset).limit(limit)
    )
    return [plain(found) for found in rows], int(total or 0)


async def newest(conn: AsyncConnection, tenant: str | None, limit: int) -> list[dict[str, Any]]:
    """Run rows, newest first; of all tenants where none is named (the operator's command)."""
    query = select(runs).order_by(runs.c.created_at.desc(), runs.c.id.desc()).limit(limit)
    if tenant is not None:
        query = query.where(runs.c.tenant == tenant)
    return [plain(found) for found in await conn.execute(query)]


async def of_conversation(conn: AsyncConnection, tenant: str, conversation_id: str) -> list[dict[str, Any]]:
    """All run rows of a conversation, oldest first."""
    rows = await conn.execute(
        select(runs)
        .where(runs.c.tenant == tenant, runs.c.conversation_id == conversation_id)
        .order_by(runs.c.created_at, runs.c.id)
    )
    return [plain(found) for found in rows]


async def unfinished_of(conn: AsyncConnection, tenant: str, actor_id: str) -> list[str]:
    """All runs of the actor that are not over."""
    rows = await conn.execute(
        select(runs.c.id).where(
            runs.c.tenant == tenant,
            runs.c.actor_id == actor_id,
            runs.c.status.in_([RunStatus.RUNNING.value, RunStatus.AWAITING_APPROVAL.value]),
        )
    )
    return [str(ident) for (ident,) in rows]
