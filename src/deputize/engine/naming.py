"""Ids of people as names, asked of the host: lists are read by people (API-1, UI-4)."""

from collections.abc import Iterable

from deputize.core.actor import Actor
from deputize.engine.wiring import Wiring

MOST = 50


async def names_of(w: Wiring, viewer: Actor, idents: Iterable[str]) -> dict[str, str]:
    """Names of the viewer's own tenant's people, by id; who the host no longer knows is left out.

    At most 50 are asked about, in a read-only transaction; the host's own `reload` answers.
    """
    found = {viewer.id: viewer.label} if viewer.label else {}
    wanted = sorted({ident for ident in idents if ident and ident not in found and ":" not in ident})[:MOST]
    if not wanted:
        return found
    async with w.db.read() as conn:
        session = w.db.host(conn, viewer)
        try:
            for ident in wanted:
                person = await w.reload(session, viewer.tenant, ident)
                if person is not None and person.tenant == viewer.tenant and person.label:
                    found[ident] = person.label
        finally:
            await session.close()
    return found
