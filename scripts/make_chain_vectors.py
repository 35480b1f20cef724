"""Makes the frozen vectors of the audit chain from the documents alone; it imports nothing of ours.

Run by hand when the format's version changes: `python scripts/make_chain_vectors.py > tests/vectors/chain.json`.
Canonical JSON is written out by hand here, and the tree is RFC 6962's own recursive definition.
"""

import base64
import hashlib
import json
import sys
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

TENANT = 'clínica "norte"/1'
SEED = bytes(range(32))
ORIGIN = "copilot.example.org/audit/cl%C3%ADnica%20%22norte%22%2F1"
PAYLOADS: list[dict[str, Any]] = [
    {"tool": "search_patients", "outcome": "ok", "count": 3},
    {"b": [1, -2, 9007199254740991, True, False, None, []], "a": {"z": "", "A": {}}},
    {"text": 'tab\t newline\n quote" slash/ back\\ bell\u0007 del\u007f ñ € 😀 \u2028'},
    {"ranges": [[1, 1]], "reason": "five years"},
    {},
]


def text(value: str) -> str:
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(short.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 32 else c) for c in value) + '"'


def canonical(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return text(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    return "{" + ",".join(f"{text(key)}:{canonical(value[key])}" for key in sorted(value)) + "}"


def root(leaves: list[bytes]) -> bytes:
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return hashlib.sha256(b"\x01" + root(leaves[:split]) + root(leaves[split:])).digest()


def path(index: int, leaves: list[bytes]) -> list[bytes]:
    if len(leaves) == 1:
        return []
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    if index < split:
        return [*path(index, leaves[:split]), root(leaves[split:])]
    return [*path(index - split, leaves[split:]), root(leaves[:split])]


def note(size: int, leaves: list[bytes], key: Ed25519PrivateKey, public: bytes) -> str:
    body = f"{ORIGIN}\n{size}\n{base64.b64encode(root(leaves[:size])).decode()}\n"
    mark = hashlib.sha256(ORIGIN.encode() + b"\n\x01" + public).digest()[:4]
    return f"{body}\n\u2014 {ORIGIN} {base64.b64encode(mark + key.sign(body.encode())).decode()}\n"


def main() -> None:
    key = Ed25519PrivateKey.from_private_bytes(SEED)
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    entries, leaves, prev = [], [], "0" * 64
    for seq, payload in enumerate(PAYLOADS, 1):
        salt = bytes([seq]) * 16
        body = canonical(payload)
        header = canonical(
            {
                "version": 1,
                "tenant": TENANT,
                "seq": seq,
                "at": 1_790_000_000_000_000 + seq,
                "kind": "payload_erased" if "ranges" in payload else "tool_executed",
                "actor": 'Zoë "Z"',
                "run": None if seq == 1 else f"run-{seq}",
                "payload": hashlib.sha256(b"deputize/audit/payload/v1\n" + salt + body.encode()).hexdigest(),
                "prev": prev,
            }
        )
        prev = hashlib.sha256(b"deputize/audit/entry/v1\n" + header.encode()).hexdigest()
        leaves.append(bytes.fromhex(prev))
        entries.append({"header": header, "hash": prev, "payload": body, "salt": salt.hex(), "value": payload})
    mark = hashlib.sha256(ORIGIN.encode() + b"\n\x01" + public).digest()[:4]
    vectors = {
        "tenant": TENANT,
        "seed": SEED.hex(),
        "origin": ORIGIN,
        "vkey": ORIGIN + "+" + mark.hex() + "+" + base64.b64encode(b"\x01" + public).decode(),
        "entries": entries,
        "notes": {str(size): note(size, leaves, key, public) for size in range(len(leaves) + 1)},
        "paths": {str(index): [item.hex() for item in path(index, leaves)] for index in range(len(leaves))},
    }
    json.dump(vectors, sys.stdout, indent=1, ensure_ascii=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
