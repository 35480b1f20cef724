"""Export packs edited as a forger would edit them."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deputize.core.pack import ENTRIES, MANIFEST

Lines = list[dict[str, Any]]


def rewrite(path: Path, change: Callable[[Lines], Lines], manifest: dict[str, Any] | None = None) -> None:
    """Edit a pack as a forger would, count and head brought into line."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    lines = change([json.loads(line) for line in parts[ENTRIES].split(b"\n") if line])
    said = {**json.loads(parts[MANIFEST]), "entries": len(lines), **(manifest or {})}
    if said["complete"] and lines and not manifest:
        said["head"] = {"seq": json.loads(lines[-1]["header"])["seq"], "hash": lines[-1]["hash"]}
    parts[ENTRIES] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    parts[MANIFEST] = json.dumps(said).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
