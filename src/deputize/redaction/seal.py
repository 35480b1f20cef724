"""Sealing of vault rows with a key: bytes in, bytes out, authenticated, in a versioned form.

Source: contract RED-3 (the vault is stored encrypted). A blob is `version byte, 12-byte nonce, AES-256-GCM`.
"""

import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_VERSION = b"\x01"
_NONCE = 12


class Unsealable(ValueError):
    """The blob is of another version, another key or context, or was changed."""


def derive(secret: str, purpose: str, salt: bytes = b"") -> bytes:
    """A 32-byte key for one purpose from the text of `AI_SECRET_KEY`; each purpose and salt has its own."""
    if not secret:
        raise ValueError("a key cannot be derived from an empty secret")
    info = b"deputize/" + purpose.encode()
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=salt or None, info=info).derive(secret.encode())


def seal(key: bytes, plaintext: bytes, aad: bytes) -> bytes:
    """Encrypt under a 32-byte key; `aad` (tenant, conversation, row) must be the same at opening."""
    nonce = secrets.token_bytes(_NONCE)
    return _VERSION + nonce + AESGCM(key).encrypt(nonce, plaintext, _VERSION + aad)


def open_(key: bytes, blob: bytes, aad: bytes) -> bytes:
    """The plaintext of a sealed blob. Raises Unsealable, which never tells what was inside."""
    if blob[:1] != _VERSION or len(blob) < 1 + _NONCE + 16:
        raise Unsealable("the sealed value has an unknown form")
    try:
        return AESGCM(key).decrypt(blob[1 : 1 + _NONCE], blob[1 + _NONCE :], _VERSION + aad)
    except InvalidTag:
        raise Unsealable("the sealed value was changed or belongs elsewhere") from None
