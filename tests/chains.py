"""Chains made in memory for tests of the verifier, entry by entry, without a database."""

from collections.abc import Sequence

from deputize.core.chain import GENESIS, Draft, canonical, entry_hash, header, payload_hash
from deputize.core.checkpoint import Checkpoint, Signer, origin_of
from deputize.core.merkle import Tree
from deputize.core.verify import Row

TENANT = "t"
DEPLOYMENT = "copilot.example.org"
SIGNER = Signer.from_seed(b"\x01" * 32)
ORIGIN = origin_of(DEPLOYMENT, TENANT)
TRUSTED = [SIGNER.log(ORIGIN)]
START = 1_790_000_000_000_000


def link(drafts: Sequence[Draft], *, tenant: str = TENANT, prev: str = GENESIS, first: int = 1) -> list[Row]:
    """Rows as the writer makes them, with salts and times that do not change."""
    rows = []
    for seq, draft in enumerate(drafts, first):
        salt, payload = seq.to_bytes(16, "big"), canonical(draft.payload)
        text = header(
            tenant=tenant, seq=seq, at=START + seq, draft=draft, payload=payload_hash(salt, payload), prev=prev
        )
        prev = entry_hash(text)
        columns = (seq, draft.kind, START + seq, draft.actor, draft.run)
        rows.append(Row(text.decode(), prev, payload.decode(), salt, columns))
    return rows


def chain(length: int) -> list[Row]:
    """A chain of that many different entries."""
    return link([Draft("tool_executed", "u", {"n": n}, run=f"run-{n % 3}") for n in range(length)])


def root(rows: Sequence[Row]) -> bytes:
    """The root over the rows' hashes."""
    tree = Tree()
    for row in rows:
        tree.append(bytes.fromhex(row.hash))
    return tree.root()


def note(rows: Sequence[Row], signer: Signer = SIGNER, origin: str = ORIGIN) -> str:
    """A signed checkpoint over the rows."""
    return signer.sign(Checkpoint(origin, len(rows), root(rows)))
