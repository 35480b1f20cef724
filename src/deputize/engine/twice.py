"""Every write previewed twice on example arguments, and undone, so that undeclared differences are named (APPR-2)."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.actor import Actor
from deputize.core.digest import plain, undeclared
from deputize.core.effect import HandlerFailed, Observed, Refused
from deputize.core.tool import Args, Tool
from deputize.engine import actors, staging
from deputize.engine.door import Shut
from deputize.engine.preview import observe
from deputize.engine.wiring import Wiring
from deputize.policy.permissions import allows_all
from deputize.policy.pinning import Pinned, targets_of
from deputize.policy.samples import NoExample, samples
from deputize.store import conversations
from deputize.store.session import Undo
from deputize.store.targets import table_of, tenant_value

RECORDS = 12
"""Records of each kind that are tried."""
PEOPLE = 3
"""People who are tried for one tool."""
ASKED = 400
"""Ids of which it is asked whether they are people's."""
KEY = "check"


@dataclass(frozen=True, slots=True)
class Twice:
    """What came of one write: `differs` names columns to declare `volatile`, `skipped` why it could not be tried."""

    tool: str
    differs: tuple[str, ...] = ()
    skipped: str | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    """A write on its way to its preview."""

    actor: Actor
    tool: Tool
    args: Args
    pinned: Pinned


async def preview_twice(w: Wiring, people: Sequence[Actor]) -> list[Twice]:
    """Each staged write as one of these people, the first who can; nothing stays in the database."""
    records = {person: await _records(w, person) for person in people}
    found = []
    for tool in w.registry.tools.values():
        if tool.effect == "read":
            continue
        able = [person for person in people if allows_all(person.grants, tool.permissions)]
        came = Twice(tool.name, skipped="nobody was found who may" if people else "nobody was found to try it as")
        for person in able[:PEOPLE]:
            came = await _tried(w, person, tool, records[person])
            if came.skipped is None:
                break
        found.append(came)
    return found


async def _tried(w: Wiring, person: Actor, tool: Tool, records: Mapping[str, Sequence[str]]) -> Twice:
    why = ""
    try:
        for args in samples(tool, records, w.clock.now()):
            first = await _rehearsed(w, person, tool, args)
            if isinstance(first, str):
                why = why or first
                continue
            second = await _rehearsed(w, person, tool, args)
            if isinstance(second, str):
                return Twice(tool.name, (f"the second came to {second}",))
            return Twice(tool.name, _differences(first, second))
    except NoExample as none:
        why = why or str(none)
    return Twice(tool.name, skipped=why)


def _differences(first: Observed, second: Observed) -> tuple[str, ...]:
    return undeclared(plain(first.effect), plain(second.effect))


async def _rehearsed(w: Wiring, person: Actor, tool: Tool, args: Args) -> Observed | str:
    """The dry run as at staging, or why there was none."""
    named = targets_of(tool.args, args.model_dump(mode="json"))
    asked = _Asked(person, tool, args, Pinned(tuple((kind, ident) for kind, ident, _ in named), {}))
    came: Observed | str = ""
    async with w.db.write(person.tenant, "check") as tx:
        versions = await staging.under_locks(w, tx, asked, KEY)
        if isinstance(versions, Shut):
            came = f"{versions.outcome.value} ({versions.code})"
            raise Undo
        try:
            came = await observe(w, tx, person, tool, args, now=w.clock.now(), key=KEY, versions=versions)
            if staging.changes_nothing(came):
                came = "the examples change nothing"
        except Refused as refusal:
            came = f"refused ({refusal.refuse.code})"
        except HandlerFailed as failure:
            cause = f": {type(failure.__cause__).__name__}" if failure.__cause__ else ""
            came = f"failed ({failure.reason}{cause})"
        raise Undo
    return came


async def _records(w: Wiring, person: Actor) -> dict[str, list[str]]:
    """Ids of a few records of each kind, of this person's tenant, newest first."""
    found = {}
    async with w.db.read() as conn:
        for kind, entity in w.registry.entities.items():
            table = table_of(entity)
            key = next(iter(table.primary_key.columns))
            owner = table.c[entity.tenant]
            query = select(key).where(owner == tenant_value(owner, person.tenant)).order_by(key.desc()).limit(RECORDS)
            found[kind] = [str(plain(value)) for value in (await conn.execute(query)).scalars()]
    return found


async def somebody(w: Wiring, most: int = 12) -> list[Actor]:
    """People to try as, whoever may most first: those who talked here, and those whom the host's records name."""
    known = []
    async with w.db.read() as conn:
        talked = await conversations.who_talked(conn)
        asked = dict.fromkeys([*talked, *[pair async for pair in _named(w, conn)]])
        for tenant, ident in list(asked)[:ASKED]:
            with suppress(Exception):  # the id of something else may be no id of a person at all
                async with conn.begin_nested():
                    actor = await actors.fresh(w, conn, tenant, ident)
                known += [actor] if actor is not None else []
    writes = [tool for tool in w.registry.tools.values() if tool.effect != "read"]
    return sorted(known, key=lambda one: -sum(allows_all(one.grants, tool.permissions) for tool in writes))[:most]


async def _named(w: Wiring, conn: AsyncConnection) -> AsyncIterator[tuple[str, str]]:
    """`(tenant, id)` of whatever a host's record is or points to: some of these are people."""
    for entity in w.registry.entities.values():
        table = table_of(entity)
        rows = (await conn.execute(select(*table.columns).limit(RECORDS))).mappings().all()
        links = [column for column in table.columns if column.primary_key or column.foreign_keys]
        for column in links:
            for row in rows:
                if row[column] is not None and column.name != entity.tenant:
                    yield str(plain(row[table.c[entity.tenant]])), str(plain(row[column]))
