"""What the chain says: drafts, canonical JSON, the linked header, its hashes, a verdict (AUD-1)."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

VERSION = 1
GENESIS = "0" * 64
"""The previous hash of a tenant's first entry."""
SALT_BYTES = 16
ENTRY_DOMAIN = b"deputize/audit/entry/v1\n"
PAYLOAD_DOMAIN = b"deputize/audit/payload/v1\n"
ERASED = "payload_erased"
"""Kind of the entry that covers blanked payloads; its own payload is never blanked."""
SUBJECT_ERASED = "subject_erased"
PRUNED = "prefix_pruned"
"""Kind of the entry that says that the oldest part of the chain has gone; its own payload is never blanked."""

_SAFE = 2**53 - 1
_DEPTH = 64
_KEY = re.compile(r"[ -~]*")
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False).encode


class NotCanonical(ValueError):
    """A value outside the restriction under which sorted compact JSON equals RFC 8785; `path` says where.

    The message names the place and the type, never the value.
    """

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path or 'value'}: {why}")
        self.path = path


@dataclass(frozen=True, slots=True)
class Draft:
    """One thing that happened (AUD-2). The writer adds tenant, sequence, time, salt and hashes.

    `payload` holds only strings, integers below 2^53, booleans, null, lists and objects with ASCII keys;
    records are named by the host's ids. `personal` are values that must be erasable by subject: name of
    the payload field → (subject such as `patient:ID`, clear value); they stand in the payload encrypted.
    """

    kind: str
    actor: str
    payload: Mapping[str, Any]
    run: str | None = None
    personal: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as read. `payload` is None once erased; `personal` holds what could still be decrypted.

    `at` is aware UTC; who, what and when come from the hashed header, not from the look-up columns.
    """

    tenant: str
    seq: int
    at: datetime
    kind: str
    actor: str
    run: str | None
    hash: str
    prev: str
    payload: Mapping[str, Any] | None
    personal: Mapping[str, str | None] = field(default_factory=dict)


class Finding(StrEnum):
    """The four answers of a verification (AUD-4)."""

    VERIFIED = "verified"
    TAMPERED = "tampered"
    TRUNCATED = "truncated"
    UNVERIFIABLE = "unverifiable"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a verification found.

    `through` is the last sequence number up to which all is well, `at` the first bad one (0 where none is
    named), `damage` its kind in words. `anchored` is the size of the largest trusted checkpoint that the
    entries match: beyond it nothing outside the database vouches for the chain. `pruned` counts the first
    entries, which have gone lawfully.
    """

    finding: Finding
    through: int
    at: int = 0
    damage: str = ""
    anchored: int = 0
    erased: int = 0
    checkpoints: int = 0
    pruned: int = 0

    @property
    def ok(self) -> bool:
        """Nothing was found wrong."""
        return self.finding is Finding.VERIFIED

    def __str__(self) -> str:
        if self.finding is Finding.TAMPERED:
            return f"tampered at {self.at} ({self.damage})"
        if self.finding is Finding.VERIFIED:
            gone = f" (the first {self.pruned} were pruned below a checkpoint)" if self.pruned else ""
            return f"verified through {self.through}{gone}"
        if self.finding is Finding.TRUNCATED:
            return f"truncated after {self.through} ({self.damage})"
        return f"unverifiable ({self.damage})"


def canonical(value: Any) -> bytes:
    """RFC 8785 bytes of plain data: strings, integers below 2^53, booleans, None, lists, ASCII-keyed objects.

    Raises NotCanonical for anything else (floats, dates, lone surrogates, deeper than 64 levels).
    """
    _check(value, "", 0)
    try:
        return _encode(value).encode()
    except UnicodeEncodeError:
        raise NotCanonical("", "a string holds a lone surrogate") from None


def _check(value: Any, path: str, depth: int) -> None:
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return
    if kind is int:
        if not -_SAFE <= value <= _SAFE:
            raise NotCanonical(path, "the integer is not below 2^53")
        return
    if depth >= _DEPTH:
        raise NotCanonical(path, f"nested deeper than {_DEPTH} levels")
    if kind is dict:
        for name, item in value.items():
            if type(name) is not str or not _KEY.fullmatch(name):
                raise NotCanonical(path, "a key is not printable ASCII text")
            _check(item, f"{path}.{name}" if path else name, depth + 1)
    elif kind is list or kind is tuple:
        for index, item in enumerate(value):
            _check(item, f"{path}[{index}]", depth + 1)
    else:
        raise NotCanonical(path, f"{kind.__name__} has no canonical form here")


def payload_hash(salt: bytes, payload: bytes) -> str:
    """Commitment to a payload: lower-case hex SHA-256 over domain, 16 bytes of salt, canonical bytes."""
    return hashlib.sha256(PAYLOAD_DOMAIN + salt + payload).hexdigest()


def entry_hash(header: bytes) -> str:
    """Lower-case hex SHA-256 over domain and canonical header; the next entry's `prev`."""
    return hashlib.sha256(ENTRY_DOMAIN + header).hexdigest()


def header(*, tenant: str, seq: int, at: int, draft: Draft, payload: str, prev: str) -> bytes:
    """The canonical header: `at` in microseconds since 1970, `payload` and `prev` as hex."""
    return canonical(
        {
            "version": VERSION,
            "tenant": tenant,
            "seq": seq,
            "at": at,
            "kind": draft.kind,
            "actor": draft.actor,
            "run": draft.run,
            "payload": payload,
            "prev": prev,
        }
    )
