"""The veil over one conversation, lifted from the record with its vault, and kept there (RED-3)."""

import json
import secrets

from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.toolset import Surface
from deputize.engine.veils import FullVeil as FullVeil
from deputize.engine.veils import NoVeil as NoVeil
from deputize.engine.veils import Source as Source
from deputize.engine.veils import Veil as Veil
from deputize.engine.wiring import Wiring
from deputize.redaction import seal
from deputize.redaction.known import Directory
from deputize.redaction.redactor import Redactor
from deputize.redaction.vault import Entry, Vault
from deputize.store import vaults
from deputize.store.session import Tx
from deputize.store.settings import TenantSettings
from deputize.store.vaults import SealedEntry


class Displaced(Exception):
    """Another process gave one of our new values another token first; what was redacted must be redacted anew."""


def _aad(tenant: str, conversation_id: str, what: str) -> bytes:
    return json.dumps([tenant, conversation_id, what]).encode()


def _key(w: Wiring, conversation_id: str) -> bytes:
    return seal.derive(w.secret_key, "vault", conversation_id.encode())


async def lift(
    w: Wiring,
    conn: AsyncConnection,
    tenant: str,
    conversation_id: str,
    surface: Surface,
    chosen: TenantSettings,
    run_id: str = "",
) -> Veil:
    """The conversation's veil as the record has it; mandatory surfaces have one whatever the tenant chose (RED-1).

    A run that is driven here keeps its veil from step to step; the directory is looked at each time.
    """
    if surface.redaction != "mandatory" and not chosen.redaction:
        return NoVeil()
    directory = await w.directories.of(conn, tenant)
    kept = w.hub.veils.get(run_id) if run_id in w.hub.tasks else None
    if isinstance(kept, FullVeil):
        kept.redactor.directory = directory
        return kept
    found = await _lifted(w, conn, tenant, conversation_id, directory)
    if run_id in w.hub.tasks:
        w.hub.veils[run_id] = found
    return found


async def _lifted(
    w: Wiring, conn: AsyncConnection, tenant: str, conversation_id: str, directory: Directory
) -> FullVeil:
    key = _key(w, conversation_id)
    sealed, rows = await vaults.load(conn, tenant, conversation_id)
    fresh: bytes | None = None
    if sealed is None:
        secret = secrets.token_bytes(32)
        fresh = seal.seal(key, secret, _aad(tenant, conversation_id, "secret"))
    else:
        secret = seal.open_(key, sealed, _aad(tenant, conversation_id, "secret"))
    entries = [_opened(key, tenant, conversation_id, row) for row in rows]
    kinds = {entity.kind for entity in w.registry.entities.values()}
    vault = Vault(secret, entries, kinds)
    redactor = Redactor(
        vault,
        directory=directory,
        detectors=w.detection.ready,
        person_kinds=w.registry.person_kinds,
        owned_kinds=w.registry.owned_kinds,
        public=[*w.public_words, *(await w.public_names(conn, tenant) if w.public_names else ())],
    )
    return FullVeil(vault, redactor, w.registry.person_kinds, withhold_prose=not w.detection.ready, secret=fresh)


async def keep(w: Wiring, tx: Tx, conversation_id: str, veil: Veil) -> None:
    """Persist what the vault learnt, before anything with a new token leaves. Raises Displaced."""
    if not isinstance(veil, FullVeil):
        return
    key = _key(w, conversation_id)
    if veil.secret is not None:
        await vaults.create(tx, tx.tenant, conversation_id, veil.secret, w.clock.now())
    fresh = [_sealed(key, tx.tenant, conversation_id, entry) for entry in veil.vault.new_entries()]
    standing = await vaults.add(tx, tx.tenant, conversation_id, fresh)
    displaced = veil.vault.adopt([_opened(key, tx.tenant, conversation_id, row) for row in standing])
    if displaced:
        raise Displaced
    written = veil.vault.new_entries()

    def kept() -> None:
        veil.secret = None
        veil.vault.adopt(written)

    tx.on_commit(kept)


def _sealed(key: bytes, tenant: str, conversation_id: str, entry: Entry) -> SealedEntry:
    body = json.dumps([entry.kind, entry.value, entry.subject, entry.alias_of, entry.form]).encode()
    return SealedEntry(
        lookup=entry.key,
        token=entry.token,
        alias=entry.alias_of is not None,
        sealed=seal.seal(key, body, _aad(tenant, conversation_id, entry.key)),
    )


def _opened(key: bytes, tenant: str, conversation_id: str, row: SealedEntry) -> Entry:
    kind, value, subject, alias_of, form = json.loads(
        seal.open_(key, row.sealed, _aad(tenant, conversation_id, row.lookup))
    )
    return Entry(row.token, kind, value, subject, alias_of, form, row.lookup)
