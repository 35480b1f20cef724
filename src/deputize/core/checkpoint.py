"""Signed checkpoints: size and root of a chain as a C2SP signed note under Ed25519 (AUD-4).

Source: c2sp.org/signed-note and c2sp.org/tlog-checkpoint. A log's key is written as C2SP's verifier key,
`origin+hash+base64(0x01 || public key)`; the key's name is the log's origin.
"""

import base64
import binascii
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ED25519 = 1
_DASH = "— "
_MAX_NOTE = 64 * 1024
_MAX_SIZE = 2**63 - 1


class BadNote(ValueError):
    """A note that is malformed, of another log, or not signed by a trusted key; the text says which."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A chain's size (entries) and RFC 6962 root (32 bytes) under its origin."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """The signed text: three lines, each ended by a line feed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


@dataclass(frozen=True, slots=True)
class TrustedLog:
    """A log that the verifier was told to trust: its origin and Ed25519 public key (32 raw bytes)."""

    origin: str
    public: bytes

    @property
    def key_id(self) -> bytes:
        """First four bytes of SHA-256 over name, line feed, algorithm, public key."""
        return key_id(self.origin, self.public)

    def vkey(self) -> str:
        """The verifier key as C2SP writes it."""
        return f"{self.origin}+{self.key_id.hex()}+{base64.b64encode(bytes([ED25519]) + self.public).decode()}"


class Signer:
    """Holds the deployment's signing key (never in the database) and signs checkpoints of its logs."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    @classmethod
    def from_seed(cls, seed: bytes) -> "Signer":
        """From the 32 bytes of an Ed25519 private key."""
        return cls(Ed25519PrivateKey.from_private_bytes(seed))

    def log(self, origin: str) -> TrustedLog:
        """What a verifier must be told about that log."""
        return TrustedLog(check_origin(origin), self.public)

    def sign(self, checkpoint: Checkpoint) -> str:
        """The signed note."""
        text = checkpoint.text()
        log = self.log(checkpoint.origin)
        signature = base64.b64encode(log.key_id + self._private.sign(text.encode())).decode()
        return f"{text}\n{_DASH}{checkpoint.origin} {signature}\n"


def key_id(name: str, public: bytes) -> bytes:
    """The four bytes that lead a signature line of that name and key."""
    return hashlib.sha256(name.encode() + b"\n" + bytes([ED25519]) + public).digest()[:4]


def origin_of(deployment: str, tenant: str) -> str:
    """The origin of a tenant's chain; the deployment's own log over all tenants is the bare name."""
    return check_origin(f"{deployment}/audit/{quote(tenant, safe='')}")


def logs_of(tenant: str, trusted: Iterable[TrustedLog]) -> list[TrustedLog]:
    """Those trusted logs that are of this tenant's chain, whatever the deployment."""
    return [log for log in trusted if log.origin.endswith(f"/audit/{quote(tenant, safe='')}")]


def check_origin(origin: str) -> str:
    """The origin itself. Raises ValueError where it is empty or holds spaces, plus signs or control characters."""
    if not origin or "+" in origin or any(char.isspace() or not char.isprintable() for char in origin):
        raise ValueError("an origin has no spaces, plus signs or control characters, and is not empty")
    return origin


def parse_vkey(text: str) -> TrustedLog:
    """Read a verifier key. Raises ValueError where it is malformed, of another algorithm, or its hash is wrong."""
    origin, _, rest = text.strip().partition("+")
    mark, _, encoded = rest.partition("+")
    try:
        raw = base64.b64decode(encoded, validate=True)
        claimed = bytes.fromhex(mark)
    except (binascii.Error, ValueError):
        raise ValueError("the verifier key is malformed") from None
    if len(raw) != 33 or raw[0] != ED25519:
        raise ValueError("the verifier key is not an Ed25519 key")
    log = TrustedLog(check_origin(origin), raw[1:])
    if claimed != log.key_id:
        raise ValueError("the verifier key's hash does not fit its name and key")
    return log


def open_note(note: str, trusted: Iterable[TrustedLog]) -> Checkpoint:
    """Read and check a signed checkpoint. Raises BadNote unless a trusted key of its own origin signed it.

    Lines of unknown signers (witnesses) are ignored; a bad signature of a trusted key refuses the note.
    """
    text, lines = _split(note)
    checkpoint = _parse(text)
    keys = {(log.origin, log.key_id): log.public for log in trusted if log.origin == checkpoint.origin}
    if not keys:
        raise BadNote("the checkpoint is of another chain, or of a log that is not trusted here")
    signed = False
    for name, mark, signature in lines:
        public = keys.get((name, mark))
        if public is None:
            continue
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(signature, text.encode())
        except (InvalidSignature, ValueError):
            raise BadNote("the checkpoint's signature is wrong") from None
        signed = True
    if not signed:
        raise BadNote("the checkpoint is not signed by a trusted key")
    return checkpoint


def read_notes(text: str) -> list[str]:
    """The notes of a file in which they stand one after the other, each followed by an empty line."""
    parts = [part for part in text.split("\n\n") if part.strip("\n")]
    if len(parts) % 2:
        raise BadNote("the file of checkpoints is cut or damaged")
    return [f"{parts[i].lstrip(chr(10))}\n\n{parts[i + 1].strip(chr(10))}\n" for i in range(0, len(parts), 2)]


def _split(note: str) -> tuple[str, list[tuple[str, bytes, bytes]]]:
    if len(note) > _MAX_NOTE or not note.endswith("\n"):
        raise BadNote("the note is too long or cut")
    if any(ord(char) < 0x20 and char != "\n" for char in note):
        raise BadNote("the note holds control characters")
    text, separator, tail = note.rpartition("\n\n")
    if not separator or not tail:
        raise BadNote("the note has no signatures")
    return text + "\n", list(_signatures(tail))


def _signatures(tail: str) -> Iterator[tuple[str, bytes, bytes]]:
    for line in tail[:-1].split("\n"):
        name, _, encoded = line.removeprefix(_DASH).partition(" ")
        try:
            raw = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            raise BadNote("a signature line is malformed") from None
        if not line.startswith(_DASH) or not name or "+" in name or len(raw) < 5:
            raise BadNote("a signature line is malformed")
        yield name, raw[:4], raw[4:]


def _parse(text: str) -> Checkpoint:
    lines = text[:-1].split("\n")
    if len(lines) < 3 or not all(lines):
        raise BadNote("the note is not a checkpoint")
    origin, size, root = lines[:3]
    if not (size.isascii() and size.isdigit()) or (size != "0" and size.startswith("0")) or len(size) > 19:
        raise BadNote("the checkpoint's size is malformed")
    try:
        raw = base64.b64decode(root, validate=True)
    except (binascii.Error, ValueError):
        raise BadNote("the checkpoint's root is malformed") from None
    if len(raw) != 32 or int(size) > _MAX_SIZE:
        raise BadNote("the checkpoint's root or size is malformed")
    return Checkpoint(origin, int(size), raw)
