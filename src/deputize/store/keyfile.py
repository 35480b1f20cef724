"""The file with the key that signs checkpoints, and the folder beside it where they are kept (AUD-4)."""

import base64
import binascii
import os
import secrets
from pathlib import Path

from deputize.core.checkpoint import Signer
from deputize.store.checkpoints import CheckpointFiles

FOLDER = "checkpoints"
SEED_BYTES = 32


def generate(path: Path) -> None:
    """A new Ed25519 key as one line of base64, readable by its owner only. Raises FileExistsError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(base64.b64encode(secrets.token_bytes(SEED_BYTES)) + b"\n")


def load(path: Path) -> Signer:
    """The signer whose key stands in the file. Raises ValueError, which never quotes the file."""
    try:
        seed = base64.b64decode(path.read_bytes().strip(), validate=True)
    except OSError as error:
        raise ValueError(f"the file cannot be read ({type(error).__name__})") from None
    except binascii.Error:
        raise ValueError("the file does not hold one line of base64") from None
    if len(seed) != SEED_BYTES:
        raise ValueError(f"the key has {len(seed)} bytes, it must have {SEED_BYTES}")
    return Signer.from_seed(seed)


def files_beside(path: Path) -> CheckpointFiles:
    """Checkpoints in the folder beside the key; the logs' name is made of the key, so that two deployments differ."""
    signer = load(path)
    return CheckpointFiles(path.parent / FOLDER, signer, f"deputize.{signer.public.hex()[:8]}")
