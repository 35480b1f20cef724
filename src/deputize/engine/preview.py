"""The one watched run of a tool's handler: the same for the dry run and for the execution (APPR-1, APPR-4)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from deputize.core.actor import Actor
from deputize.core.digest import digest_of, frozen
from deputize.core.effect import HandlerFailed, Observed, Refused, UnseenChanges
from deputize.core.preview import Change
from deputize.core.tool import Args, Context, SyncContext, Tool
from deputize.engine.escape import guarded
from deputize.engine.labels import labels_for
from deputize.engine.wiring import Wiring
from deputize.policy.cap import SECRET_KEYS
from deputize.store.capture import Capture
from deputize.store.counters import Counters
from deputize.store.deeds import Deeds, collecting
from deputize.store.images import Seen, Tables, images
from deputize.store.session import Tx
from deputize.store.watch import Findings, Watch, known

_AGAIN = frozenset({"40001", "40P01"})
"""SQLSTATE of serialisation failures and deadlocks: the whole transaction may be tried again (APPR-5)."""


async def observe(
    w: Wiring, tx: Tx, actor: Actor, tool: Tool, args: Args, *, now: datetime, key: str, versions: Mapping[str, str]
) -> Observed:
    """Run the handler once inside a savepoint of `tx`; the caller commits or rolls back the transaction.

    The same function serves the dry run and the execution, so that their effects can be compared. Raises
    Refused for a mapped error of the host, UnseenChanges, Escape or HandlerFailed otherwise; then the savepoint
    is rolled back and the transaction can still commit the outcome (APPR-5). Errors for which `again` is true
    pass unchanged.
    """
    savepoint = await tx.conn.begin_nested()
    try:
        observed = await _watched(w, tx, actor, tool, args, {"now": now, "key": key, "versions": versions})
    except BaseException as error:
        if not tx.conn.invalidated and not tx.conn.closed:
            await savepoint.rollback()
        if isinstance(error, HandlerFailed | Refused) or not isinstance(error, Exception) or again(error):
            raise
        raise _said(w, error) from error
    await savepoint.commit()
    return observed


def again(error: BaseException) -> bool:
    """A clash with another transaction, after which the whole transaction may be tried again."""
    if not isinstance(error, DBAPIError):
        return False
    code = getattr(error.orig, "sqlstate", None) or getattr(error.orig, "pgcode", None)
    return code in _AGAIN or "database is locked" in str(error.orig)


def digest(tool: Tool, arguments: Any, observed: Observed, actor: Actor) -> tuple[str, str]:
    """The digest that an approval freezes and the text that it was taken over (APPR-2)."""
    schema = tool.args.model_json_schema()
    return digest_of(tool.name, schema, arguments, observed.pre_images, observed.effect, actor.tenant, actor.id)


def _said(w: Wiring, error: Exception) -> Exception:
    """The host's own words for its error, if it has given any; the nearest class counts."""
    for kind in type(error).__mro__:
        wording = w.registry.refusals.get(kind)
        if wording is not None:
            return Refused(wording(error))
    return HandlerFailed()


async def _watched(w: Wiring, tx: Tx, actor: Actor, tool: Tool, args: Args, given: Mapping[str, Any]) -> Observed:
    own = await _own_preview(w, tx, actor, tool, args, given)
    findings = await tx.conn.run_sync(lambda conn: _findings(w, conn, tool, own))
    watch = await tx.conn.run_sync(lambda conn: _start(conn, findings))
    try:
        with collecting() as basket, guarded():
            session = w.db.host(tx.conn, actor)
            try:
                result = await _run(session, actor, tool, args, given)
                await session.commit()
            finally:
                await session.close()
        seen = await tx.conn.run_sync(lambda _: watch.finish())
    finally:
        if not tx.conn.invalidated and not tx.conn.closed:
            await tx.conn.run_sync(lambda _: watch.stop())
    _hold(own, findings)
    deeds = _known_channels(w, basket.deeds())
    rows = images(seen, findings.tables.name)
    shown = [row for row in seen if row.name not in tool.hidden]
    labels = await labels_for(w, tx.conn, actor, tool, args, shown)
    volatile = _volatile(w, findings.tables, seen)
    pre_images, effect = frozen(
        rows,
        deeds.queued,
        deeds.events,
        own,
        volatile=volatile,
        hidden=tool.hidden,
        secret=SECRET_KEYS,
        tables=findings.tables.by_name,
    )
    return Observed(
        result=result,
        rows=rows,
        outgoing=deeds.queued,
        events=deeds.events,
        notes=deeds.notes,
        hooks=deeds.hooks,
        own=own,
        pre_images=pre_images,
        effect=effect,
        labels=labels,
    )


async def _run(session: AsyncSession, actor: Actor, tool: Tool, args: Args, given: Mapping[str, Any]) -> Any:
    """The handler's result as plain data, made while its rows can still be loaded."""
    if tool.is_async:
        result = await tool.handler(Context(session=session, actor=actor, **given), args)
    else:
        result = await session.run_sync(
            lambda plain: tool.handler(SyncContext(session=plain, actor=actor, **given), args)
        )
    if isinstance(result, tool.result):
        return result.model_dump(mode="json")
    return await session.run_sync(lambda _: tool.result.model_validate(result).model_dump(mode="json"))


async def _own_preview(
    w: Wiring, tx: Tx, actor: Actor, tool: Tool, args: Args, given: Mapping[str, Any]
) -> tuple[Change, ...]:
    """What the tool itself says that it will change; whatever its preview did to the database is undone."""
    if tool.preview is None:
        return ()
    savepoint = await tx.conn.begin_nested()
    try:
        with collecting(), guarded():
            session = w.db.host(tx.conn, actor)
            try:
                return tuple(await tool.preview(Context(session=session, actor=actor, **given), args))
            finally:
                await session.close()
    finally:
        await savepoint.rollback()


def _findings(w: Wiring, conn: Connection, tool: Tool, own: Sequence[Change]) -> Findings:
    tables = Tables(conn, known([entity.model for entity in w.registry.entities.values()]))
    return Findings(tables, frozenset(change.table for change in own), frozenset(tool.hidden))


def _start(conn: Connection, findings: Findings) -> Watch:
    finder = Capture(conn, findings) if conn.dialect.name == "sqlite" else Counters(conn, findings)
    watch = Watch(conn, findings, finder)
    watch.begin()
    return watch


def _hold(own: Sequence[Change], findings: Findings) -> None:
    """A preview of the tool's own must tell as many rows as the database counted, table by table."""
    told = Counter((change.table, change.op) for change in own)
    for table in sorted(findings.own):
        for op in ("insert", "update", "delete"):
            if told[table, op] != findings.counts.get((table, op), 0):
                raise UnseenChanges(f"The tool's own preview does not tell every {op} in {table}.", tables=(table,))


def _known_channels(w: Wiring, deeds: Deeds) -> Deeds:
    for queued in deeds.queued:
        if queued.channel not in w.registry.channels:
            raise HandlerFailed("The tool queues an effect for a channel that is not mounted.")
    return deeds


def _volatile(w: Wiring, tables: Tables, seen: Sequence[Seen]) -> dict[str, frozenset[str]]:
    named = {tables.name(entity.model.__table__): entity.volatile for entity in w.registry.entities.values()}
    return {row.name: named[row.name] for row in seen if row.name in named}
