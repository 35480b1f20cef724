"""What a host's service leaves to be done with its commit: effects, events, chain entries, in-process hooks.

The same calls serve the host's own pages and the tools. On a page they are written right before the session's
commit, the chain entry last; under a tool the engine collects them. A rollback, also of a savepoint, drops
what was asked for inside it.
"""

import inspect
import logging
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, cast
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, event
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession
from sqlalchemy.orm import Session, SessionTransaction
from sqlalchemy.util import await_only

from deputize.core.actor import Actor
from deputize.core.chain import Draft
from deputize.core.clock import Clock, SystemClock
from deputize.core.digest import plain
from deputize.core.effect import Enqueued, Hook, Queued
from deputize.core.logs import told
from deputize.store import audit, outbox

log = logging.getLogger("deputize.store")
_SYSTEM = SystemClock()
_PILE = "deputize.deeds"
TENANT = "tenant"
"""Key of `session.info` under which a host may say whose session it is."""

AnySession = AsyncSession | Session


@dataclass(frozen=True, slots=True)
class House:
    """How deeds of a host's own pages are written; `tenant` serves hosts that have only one."""

    clock: Clock = _SYSTEM
    enabled: bool = True
    tenant: str | None = None
    secret: bytes = b""


@dataclass(frozen=True, slots=True)
class Deeds:
    """What was left to be done, in the order of asking."""

    queued: tuple[Queued, ...] = ()
    events: tuple[Enqueued, ...] = ()
    notes: tuple[Draft, ...] = ()
    hooks: tuple[Hook, ...] = ()


@dataclass(slots=True)
class Basket:
    """Deeds of one handler, kept once its sessions have committed."""

    kept: list[Any] = field(default_factory=list)

    def deeds(self) -> Deeds:
        """All that was kept, by kind."""
        return _sorted(self.kept)


@dataclass(slots=True)
class _Asked:
    deed: Any
    tenant: str | None
    within: SessionTransaction | None


@dataclass(slots=True)
class _Pile:
    basket: Basket | None = None
    asked: list[_Asked] = field(default_factory=list)
    ready: list[Hook] = field(default_factory=list)
    committed: set[int] = field(default_factory=set)


_houses: WeakKeyDictionary[Engine, House] = WeakKeyDictionary()
_basket: ContextVar[Basket | None] = ContextVar("deputize_basket", default=None)


def settle(engine: AsyncEngine | Engine, house: House) -> None:
    """Say how deeds of sessions on this engine are written; called once by the composition root."""
    _houses[engine.sync_engine if isinstance(engine, AsyncEngine) else engine] = house


@contextmanager
def collecting() -> Iterator[Basket]:
    """Inside, deeds of every session end up in the basket instead of in the database."""
    basket = Basket()
    token = _basket.set(basket)
    try:
        yield basket
    finally:
        _basket.reset(token)


def queue(
    session: AnySession, channel: str, payload: Mapping[str, Any], *, key: str, tenant: str | None = None
) -> None:
    """Send `payload` by the channel after the commit; `key` makes it happen once for tenant and channel.

    `tenant` is needed on a host's own page where neither `session.info["tenant"]` nor the mount says it.
    """
    _ask(session, Queued(channel, cast(Mapping[str, Any], plain(payload)), key), tenant)


def enqueue(
    session: AnySession,
    type: str,  # noqa: A002 - public word
    *,
    subject: Any,
    owner: Actor | None = None,
    tenant: str | None = None,
) -> None:
    """Tell automations that something happened to the subject; the same type and subject is told once.

    `owner` is the person whose record it is: nothing is written for one who opted out (AUTO-4).
    """
    if owner is not None and not owner.ai_enabled:
        return
    _ask(session, Enqueued(type, str(subject)), tenant)


def note(
    session: AnySession,
    actor: Actor,
    kind: str,
    *,
    subject: Any,
    details: Mapping[str, Any] | None = None,
    personal: Mapping[str, tuple[str, str]] | None = None,
) -> None:
    """Write an entry of the audit chain with the commit, after everything else (AUD-3).

    `personal` maps a field to (subject such as `patient:ID`, clear value); such values stay erasable.
    """
    payload = {"subject": str(subject), "details": plain(details or {})}
    _ask(session, Draft(kind, actor.id, payload, personal=dict(personal or {})), actor.tenant)


def on_commit(session: AnySession, fn: Hook) -> None:
    """Call `fn` after the real commit only; what it raises is logged and changes nothing."""
    _ask(session, fn, None)


def _ask(session: AnySession, deed: Any, tenant: str | None) -> None:
    plain_session = session.sync_session if isinstance(session, AsyncSession) else session
    pile = plain_session.info.get(_PILE)
    if pile is None:
        pile = plain_session.info[_PILE] = _Pile()
        event.listen(plain_session, "before_commit", _before_commit)
        event.listen(plain_session, "after_commit", _after_commit)
        event.listen(plain_session, "after_transaction_end", _ended)
    if not plain_session.in_transaction():
        plain_session.begin()  # so that a rollback drops the deed even where nothing else was done
    pile.basket = _basket.get()
    within = plain_session.get_nested_transaction() or plain_session.get_transaction()
    pile.asked.append(_Asked(deed, tenant or plain_session.info.get(TENANT), within))


def _before_commit(session: Session) -> None:
    if session.in_nested_transaction():
        return
    session.flush()
    pile: _Pile = session.info[_PILE]
    asked, pile.asked = pile.asked, []
    if pile.basket is not None:
        pile.basket.kept += [one.deed for one in asked]
        return
    pile.ready = [one.deed for one in asked if callable(one.deed)]
    _write(session, [one for one in asked if not callable(one.deed)])


def _write(session: Session, asked: list[_Asked]) -> None:
    conn = session.connection()
    house = _houses.get(conn.engine, House())
    by_tenant: dict[str, list[Any]] = {}
    for one in asked:
        if not house.enabled and isinstance(one.deed, Enqueued):
            continue
        tenant = one.tenant or house.tenant
        if tenant is None:
            raise ValueError("nobody says whose deed this is: pass tenant=, or set session.info['tenant']")
        by_tenant.setdefault(tenant, []).append(one.deed)
    now = house.clock.now()
    through = cast(AsyncConnection, _Through(conn))
    ordered = [(tenant, _sorted(by_tenant[tenant])) for tenant in sorted(by_tenant)]
    for tenant, deeds in ordered:
        _finish(outbox.put(through, tenant, deeds.queued, deeds.events, now))
    for tenant, deeds in ordered:
        if deeds.notes:
            _finish(audit.append(through, tenant, deeds.notes, now, secret=house.secret))


def _after_commit(session: Session) -> None:
    pile: _Pile = session.info[_PILE]
    nested = session.get_nested_transaction()
    if nested is not None:
        pile.committed.add(id(nested))
        return
    ready, pile.ready = pile.ready, []
    for hook in ready:
        try:
            outcome = hook()
            if inspect.isawaitable(outcome):
                await_only(outcome)
        except Exception as error:
            log.error("a hook after the commit failed: %s", told(error))


def _ended(session: Session, transaction: SessionTransaction) -> None:
    """A savepoint hands its deeds to the transaction around it, unless it was rolled back."""
    pile: _Pile = session.info[_PILE]
    if id(transaction) in pile.committed:
        pile.committed.discard(id(transaction))
        for asked in pile.asked:
            if asked.within is transaction:
                asked.within = _around(transaction)
        return
    pile.asked = [asked for asked in pile.asked if asked.within is not transaction]
    if transaction.parent is None:
        pile.ready = []


def _around(transaction: SessionTransaction) -> SessionTransaction | None:
    parent = transaction.parent
    while parent is not None and parent.parent is not None and not parent.nested:
        parent = parent.parent
    return parent


def _sorted(deeds: list[Any]) -> Deeds:
    return Deeds(
        queued=tuple(deed for deed in deeds if isinstance(deed, Queued)),
        events=tuple(deed for deed in deeds if isinstance(deed, Enqueued)),
        notes=tuple(deed for deed in deeds if isinstance(deed, Draft)),
        hooks=tuple(deed for deed in deeds if callable(deed)),
    )


class _Through:
    """A plain connection with the two words of an async one that our queries use; nothing in it waits."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn

    @property
    def dialect(self) -> Any:
        return self.conn.dialect

    async def execute(self, *args: Any, **options: Any) -> Any:
        return self.conn.execute(*args, **options)


def _finish(coroutine: Coroutine[Any, Any, Any]) -> None:
    """Run a coroutine that never waits: under an async driver the greenlet does the waiting."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    raise RuntimeError("a query of ours waited for something else than the database")
