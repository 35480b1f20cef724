"""Keys of the people named in the chain: made at first use, wrapped by the deployment's secret, destroyed on request.

Source: contract AUD-5. Nothing here is cached: a key lives in memory only while a value is sealed or opened.
"""

import base64
import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.clock import new_id
from deputize.store.dialect import upsert_ignore
from deputize.store.tables import subject_keys

_NONCE = 12


class NoSecret(RuntimeError):
    """Personal values were to be kept, and the deployment has no secret to wrap their keys with."""


def wrapping_key(secret: bytes) -> bytes:
    """The 32-byte key that wraps subjects' keys, derived from the deployment's secret for this purpose only."""
    if not secret:
        raise NoSecret("personal values in the chain need the deployment's secret")
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=b"deputize/subject-keys").derive(secret)


async def keys(
    conn: AsyncConnection, tenant: str, subjects: Iterable[str], now: datetime, secret: bytes
) -> dict[str, tuple[str, bytes]]:
    """Each subject's live (key id, key), made where there is none, in one order of names."""
    wanted = sorted(set(subjects))
    wrap = wrapping_key(secret)
    found = await _live(conn, tenant, wanted)
    missing = [subject for subject in wanted if subject not in found]
    if missing:
        rows = []
        for subject in missing:
            own = new_id(now)
            wrapped = _seal(wrap, secrets.token_bytes(32), _context(tenant, subject, own))
            rows.append({"id": own, "tenant": tenant, "subject": subject, "wrapped": wrapped, "created_at": now})
        await conn.execute(upsert_ignore(subject_keys, rows, conn.dialect.name))
        found = await _live(conn, tenant, wanted)
    return {
        subject: (own, _open(wrap, wrapped, _context(tenant, subject, own)))
        for subject, (own, wrapped) in found.items()
    }


async def _live(conn: AsyncConnection, tenant: str, subjects: list[str]) -> dict[str, tuple[str, bytes]]:
    query = select(subject_keys.c.subject, subject_keys.c.id, subject_keys.c.wrapped).where(
        subject_keys.c.tenant == tenant, subject_keys.c.subject.in_(subjects), subject_keys.c.wrapped.is_not(None)
    )
    return {row.subject: (row.id, row.wrapped) for row in await conn.execute(query)}


def seal(key: tuple[str, bytes], tenant: str, subject: str, name: str, value: str) -> dict[str, str]:
    """The value as it stands in the payload: {subject, key: id, sealed: base64}; bound to tenant and field."""
    own, raw = key
    blob = _seal(raw, value.encode(), _context(tenant, subject, own, name))
    return {"subject": subject, "key": own, "sealed": base64.b64encode(blob).decode()}


async def reveal(
    conn: AsyncConnection, tenant: str, payloads: Iterable[Mapping[str, Any]], secret: bytes
) -> list[dict[str, str | None]]:
    """The personal values of each payload by field name; None where the key is gone or the value is not ours."""
    sealed = [_sealed_in(payload) for payload in payloads]
    ids = {item["key"] for fields in sealed for item in fields.values()}
    raw: dict[str, bytes] = {}
    if ids:
        wrap = wrapping_key(secret)
        query = select(subject_keys).where(
            subject_keys.c.tenant == tenant, subject_keys.c.id.in_(sorted(ids)), subject_keys.c.wrapped.is_not(None)
        )
        for row in await conn.execute(query):
            try:
                raw[row.id] = _open(wrap, row.wrapped, _context(tenant, row.subject, row.id))
            except InvalidTag:
                continue
    return [{name: _clear(raw, tenant, name, item) for name, item in fields.items()} for fields in sealed]


async def destroy(conn: AsyncConnection, tenant: str, subject: str, now: datetime) -> int:
    """Destroy every key of the subject for good; the number of keys that were still alive."""
    done = await conn.execute(
        update(subject_keys)
        .where(subject_keys.c.tenant == tenant, subject_keys.c.subject == subject, subject_keys.c.wrapped.is_not(None))
        .values(wrapped=None, destroyed_at=now)
    )
    return done.rowcount


async def alive(conn: AsyncConnection, tenant: str, subject: str) -> bool:
    """Whether values sealed for the subject can still be read."""
    return bool(await _live(conn, tenant, [subject]))


async def destroyed_at(conn: AsyncConnection, tenant: str, subject: str) -> datetime | None:
    """When the subject's last key was destroyed; None where none ever was."""
    query = select(func.max(subject_keys.c.destroyed_at)).where(
        subject_keys.c.tenant == tenant, subject_keys.c.subject == subject
    )
    found: datetime | None = (await conn.execute(query)).scalar_one()
    return found


def _sealed_in(payload: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    return {
        name: item
        for name, item in payload.items()
        if isinstance(item, dict) and item.keys() == {"subject", "key", "sealed"}
    }


def _clear(raw: Mapping[str, bytes], tenant: str, name: str, item: Mapping[str, str]) -> str | None:
    key = raw.get(item["key"])
    if key is None:
        return None
    try:
        blob = base64.b64decode(item["sealed"])
        return _open(key, blob, _context(tenant, item["subject"], item["key"], name)).decode()
    except (InvalidTag, ValueError):
        return None


def _context(*parts: str) -> bytes:
    return "".join(f"{len(part)}:{part}" for part in parts).encode()


def _seal(key: bytes, value: bytes, context: bytes) -> bytes:
    nonce = secrets.token_bytes(_NONCE)
    return nonce + AESGCM(key).encrypt(nonce, value, context)


def _open(key: bytes, blob: bytes, context: bytes) -> bytes:
    return AESGCM(key).decrypt(blob[:_NONCE], blob[_NONCE:], context)
