"""Export packs of a tenant's chain: the whole of it, a period or a case, with checkpoint and proofs (AUD-6)."""

import base64
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.chain import ERASED, GENESIS
from deputize.core.clock import iso
from deputize.core.merkle import inclusion, levels
from deputize.core.pack import CHECKPOINTS, ENTRIES, FORMAT, MANIFEST, TRANSCRIPT
from deputize.core.prefix import Prefix
from deputize.core.verify import Row
from deputize.store import audit_read
from deputize.store.dialect import micros


@dataclass(frozen=True, slots=True)
class Selection:
    """Which entries a pack holds: a period, runs, or payload fields naming a case; nothing given is the whole chain.

    `since` is inclusive, `until` exclusive. `fields` maps a payload field to the values that belong to the case.
    """

    since: datetime | None = None
    until: datetime | None = None
    runs: frozenset[str] = frozenset()
    fields: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def everything(self) -> bool:
        """No restriction at all."""
        return self.since is None and self.until is None and not self.runs and not self.fields

    def holds(self, header: dict[str, Any], payload: str | None) -> bool:
        """Whether the entry belongs to the selection."""
        if self.since is not None and header["at"] < micros(self.since):
            return False
        if self.until is not None and header["at"] >= micros(self.until):
            return False
        if not self.runs and not self.fields:
            return True
        if header["run"] in self.runs:
            return True
        said = json.loads(payload) if self.fields and payload else {}
        return any(said.get(name) in values for name, values in self.fields.items() if isinstance(said.get(name), str))

    def described(self) -> dict[str, Any]:
        """For the manifest."""
        return {
            "since": None if self.since is None else iso(self.since),
            "until": None if self.until is None else iso(self.until),
            "runs": sorted(self.runs),
            "fields": {name: sorted(values) for name, values in sorted(self.fields.items())},
        }


async def write_pack(
    conn: AsyncConnection,
    tenant: str,
    path: Path,
    now: datetime,
    *,
    notes: Sequence[str] = (),
    selection: Selection | None = None,
    transcript: Iterable[dict[str, Any]] = (),
    extra: Mapping[str, str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Write a pack; the number of entries in it. Sign a checkpoint right before: `notes` go in as they are.

    A selection carries a proof for each entry against the newest of `notes`, whose size must reach the chain's
    end as read here; entries after it are left out. The caller notes the export in the chain (AUD-2). `extra`
    are further files by name, for people; the verifier does not look at them.
    """
    chosen = selection or Selection()
    end = await audit_read.head(conn, tenant) or (0, GENESIS)
    proofs: dict[int, list[str]] = {}
    until = end[0]
    gone = await audit_read.prefix(conn, tenant)
    if not chosen.everything:
        until, proofs = await _proofs(conn, tenant, chosen, notes, gone)
    count = 0
    partial = path.with_suffix(path.suffix + ".new")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(ENTRIES, "w", force_zip64=True) as lines:
            async for batch in audit_read.stream(conn, tenant, until=until):
                for row in batch:
                    seq = int(row.columns[0]) if row.columns else 0
                    if chosen.everything or seq in proofs:
                        lines.write(_line(row, proofs.get(seq)))
                        count += 1
                if progress is not None:
                    progress(seq, until)
        manifest = {
            "format": FORMAT,
            "version": 1,
            "tenant": tenant,
            "complete": chosen.everything,
            "head": {"seq": end[0], "hash": end[1]},
            "entries": count,
            "selection": chosen.described(),
            "pruned": None if gone is None else gone.said(),
            "made": iso(now),
        }
        archive.writestr(MANIFEST, json.dumps(manifest, indent=2, sort_keys=True))
        archive.writestr(CHECKPOINTS, "".join(note + "\n" for note in notes))
        archive.writestr(TRANSCRIPT, "".join(json.dumps(item, sort_keys=True) + "\n" for item in transcript))
        for name, text in (extra or {}).items():
            archive.writestr(name, text)
    partial.replace(path)
    return count


async def _proofs(
    conn: AsyncConnection, tenant: str, chosen: Selection, notes: Sequence[str], gone: Prefix | None
) -> tuple[int, dict[int, list[str]]]:
    """The size proved against, and the audit path of each chosen entry; 32 bytes of memory for each entry."""
    size = max((int(note.split("\n", 2)[1]) for note in notes), default=0)
    hashes: list[bytes] = []
    seq = gone.size if gone else 0
    wanted: list[int] = []
    erasures: list[int] = []
    blank = False
    async for batch in audit_read.stream(conn, tenant, until=size):
        for row in batch:
            hashes.append(bytes.fromhex(row.hash))
            seq += 1
            header = json.loads(row.header)
            if chosen.holds(header, row.payload):
                wanted.append(seq)
                blank = blank or row.payload is None
            elif header["kind"] == ERASED:
                erasures.append(seq)
    if not wanted:
        return size, {}
    tree = levels(hashes, gone.tree() if gone else None)
    numbers = sorted({*wanted, *(erasures if blank else ())})
    return size, {seq: [item.hex() for item in inclusion(tree, seq - 1)] for seq in numbers}


def _line(row: Row, proof: list[str] | None) -> bytes:
    said: dict[str, Any] = {
        "header": row.header,
        "hash": row.hash,
        "payload": row.payload,
        "salt": None if row.salt is None else base64.b64encode(row.salt).decode(),
    }
    if proof is not None:
        said["proof"] = proof
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
