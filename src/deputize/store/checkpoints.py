"""The writer of checkpoints: signs size and root of a chain into files outside the database, never a fork (AUD-4)."""

import base64
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.chain import GENESIS, entry_hash
from deputize.core.checkpoint import (
    BadNote,
    Checkpoint,
    Signer,
    TrustedLog,
    check_origin,
    open_note,
    origin_of,
    read_notes,
)
from deputize.core.merkle import Tree
from deputize.core.verify import Row
from deputize.store import audit_read

if sys.platform != "win32":
    import fcntl

EVERY_ENTRIES = 256
EVERY_SECONDS = 60
TAIL = 16 * 1024
"""Bytes in which the newest note surely stands whole."""


class ForkRefused(RuntimeError):
    """The chain does not continue what was signed last; nothing was signed. The text says where it differs."""


@dataclass(frozen=True, slots=True)
class _Edge:
    """Where the signer stood: the tree's right edge, the last entry's hash, how far it read its file of leaves."""

    tree: Tree
    last: str
    offset: int = 0


class CheckpointFiles:
    """A folder on another volume: for each log its signed notes, appended, and the signer's own position.

    `deployment` names the log over all tenants, whose leaves are the tenants' checkpoints in the order of
    signing: it tells when a tenant's whole file has gone.
    """

    def __init__(self, folder: Path, signer: Signer, deployment: str) -> None:
        self.folder = folder
        self.signer = signer
        self.deployment = check_origin(deployment)

    def trusted(self, tenant: str | None = None) -> TrustedLog:
        """What a verifier must be told of the tenant's log, or of the deployment's own."""
        return self.signer.log(self._origin(tenant))

    def notes(self, tenant: str | None = None) -> list[str]:
        """The log's signed notes, oldest first. Raises BadNote for a damaged file."""
        path = self._path(self._origin(tenant), "notes")
        return read_notes(path.read_text(encoding="utf-8")) if path.exists() else []

    def latest(self, tenant: str | None = None) -> Checkpoint | None:
        """The newest checkpoint, its signature checked. Raises BadNote."""
        path = self._path(self._origin(tenant), "notes")
        if not path.exists() or not path.stat().st_size:
            return None
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL))
            parts = file.read().decode(errors="replace").rstrip("\n").rsplit("\n\n", 2)
        return open_note("\n\n".join(parts[-2:]) + "\n", [self.trusted(tenant)])

    async def write(self, conn: AsyncConnection, tenant: str, *, at_least: int = 1) -> str | None:
        """Sign the tenant's chain as it stands; None where fewer than `at_least` entries are new,
        or another process is at it.

        Reads only the entries since the last checkpoint. Raises ForkRefused where the chain was shortened,
        rewritten or cut loose from what was signed, and BadNote where the files were damaged.
        """
        origin = self._origin(tenant)
        with self._locked(origin, wait=False) as mine:
            note = await self._write(conn, tenant, origin, at_least) if mine else None
        if note is not None:
            self._announce(note)
        return note

    async def _write(self, conn: AsyncConnection, tenant: str, origin: str, at_least: int) -> str | None:
        signed = self.latest(tenant)
        size = signed.size if signed else 0
        end = await audit_read.head(conn, tenant) or (0, GENESIS)
        if end[0] < size:
            raise ForkRefused(f"{size} entries were signed, the chain has {end[0]}")
        if end[0] - size < max(at_least, 1):
            return None
        edge = await _read_on(conn, tenant, await self._continue(conn, tenant, signed), end[0])
        if (edge.tree.size, edge.last) != end:
            raise ForkRefused(f"the chain's head and its entries differ at {edge.tree.size}")
        note = self.signer.sign(Checkpoint(origin, edge.tree.size, edge.tree.root()))
        self._keep(origin, note, edge)
        return note

    async def _continue(self, conn: AsyncConnection, tenant: str, signed: Checkpoint | None) -> _Edge:
        """The edge at the last signed size, proved to be that of the chain in the database."""
        gone = await audit_read.prefix(conn, tenant)
        begin = _Edge(Tree(), GENESIS) if gone is None else _Edge(gone.tree(), gone.last)
        if signed is None:
            return begin
        edge = self._position(self._origin(tenant))
        if edge is None or edge.tree.size != signed.size or edge.tree.root() != signed.root:
            edge = await _read_on(conn, tenant, begin, signed.size)
            if edge.tree.root() != signed.root:
                raise ForkRefused(f"the first {signed.size} entries are not those that were signed")
        if gone is not None and (gone.size, gone.last) == (signed.size, edge.last):
            return edge
        row = await _row(conn, tenant, signed.size)
        if row is None or row.hash != edge.last or entry_hash(row.header.encode()) != edge.last:
            raise ForkRefused(f"entry {signed.size} is not the one that was signed last")
        return edge

    def _announce(self, note: str) -> None:
        """Add the checkpoint as a leaf to the deployment's log, and sign that."""
        path = self._path(self.deployment, "leaves")
        with self._locked(self.deployment, wait=True):
            signed = self.latest()
            edge = self._position(self.deployment)
            if edge is None or signed is None or (edge.tree.size, edge.tree.root()) != (signed.size, signed.root):
                edge = _Edge(Tree(), GENESIS)
            _append(path, json.dumps(note.partition("\n\n")[0] + "\n") + "\n")
            tree = edge.tree
            for leaf in _lines(path, edge.offset):
                tree.append(leaf.encode())
                if signed is not None and tree.size == signed.size and tree.root() != signed.root:
                    raise ForkRefused("the deployment's log is not the one that was signed")
            if signed is not None and tree.size <= signed.size:
                raise ForkRefused("the deployment's log was shortened")
            fresh = self.signer.sign(Checkpoint(self.deployment, tree.size, tree.root()))
            self._keep(self.deployment, fresh, _Edge(tree, GENESIS, path.stat().st_size))

    def vouched(self) -> dict[str, int]:
        """The largest signed size of each tenant's chain by the deployment's log, whatever else is left of it.

        Raises BadNote where that log is not the one that was signed.
        """
        path = self._path(self.deployment, "notes")
        if not path.exists():
            return {}
        sizes = verify_deployment(self.leaves(), read_notes(path.read_text(encoding="utf-8"))[-1], self.trusted())
        return {unquote(origin.removeprefix(f"{self.deployment}/audit/")): size for origin, size in sizes.items()}

    def leaves(self) -> list[str]:
        """The deployment log's leaves: the texts of all checkpoints in the order of signing."""
        path = self._path(self.deployment, "leaves")
        return _lines(path, 0) if path.exists() else []

    def _keep(self, origin: str, note: str, edge: _Edge) -> None:
        _append(self._path(origin, "notes"), note + "\n")
        state = {
            "size": edge.tree.size,
            "last": edge.last,
            "offset": edge.offset,
            "peaks": [base64.b64encode(peak).decode() for peak in edge.tree.peaks],
        }
        path = self._path(origin, "position")
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(state), encoding="utf-8")
        fresh.replace(path)

    def _position(self, origin: str) -> _Edge | None:
        try:
            state = json.loads(self._path(origin, "position").read_text(encoding="utf-8"))
            tree = Tree(state["size"], [base64.b64decode(peak) for peak in state["peaks"]])
            return _Edge(tree, state["last"], state["offset"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _origin(self, tenant: str | None) -> str:
        return self.deployment if tenant is None else origin_of(self.deployment, tenant)

    def _path(self, origin: str, what: str) -> Path:
        return self.folder / f"{quote(origin, safe='')}.{what}"

    @contextmanager
    def _locked(self, origin: str, *, wait: bool) -> Iterator[bool]:
        """One signer at a time for each log, over all processes of this machine; False where another is at it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._path(origin, "lock").open("w") as lock:
            if sys.platform != "win32":
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    yield False
                    return
            yield True


async def _read_on(conn: AsyncConnection, tenant: str, edge: _Edge, until: int) -> _Edge:
    """Grow the edge over the entries up to `until`, following their links."""
    tree, last = edge.tree, edge.last
    async for batch in audit_read.stream(conn, tenant, after=tree.size, until=until):
        for row in batch:
            said = json.loads(row.header)
            found = entry_hash(row.header.encode())
            if said["seq"] != tree.size + 1 or said["prev"] != last or found != row.hash:
                raise ForkRefused(f"entry {tree.size + 1} does not follow the one before it")
            tree.append(bytes.fromhex(row.hash))
            last = row.hash
    return _Edge(tree, last)


async def _row(conn: AsyncConnection, tenant: str, seq: int) -> Row | None:
    async for batch in audit_read.stream(conn, tenant, after=seq - 1, until=seq):
        return batch[0]
    return None


def _lines(path: Path, offset: int) -> list[str]:
    with path.open("rb") as file:
        file.seek(offset)
        return [json.loads(line) for line in file.read().split(b"\n") if line]


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def verify_deployment(leaves: list[str], note: str, trusted: TrustedLog) -> dict[str, int]:
    """What the deployment's log vouches for: the largest signed size of each tenant's log, by origin.

    Raises BadNote where the leaves are not those that were signed.
    """
    signed = open_note(note, [trusted])
    tree = Tree()
    sizes: dict[str, int] = {}
    for leaf in leaves[: signed.size]:
        tree.append(leaf.encode())
        origin, size, _ = leaf.split("\n", 2)
        sizes[origin] = max(sizes.get(origin, 0), int(size))
    if tree.size != signed.size or tree.root() != signed.root:
        raise BadNote("the deployment's log is not the one that was signed")
    return sizes
