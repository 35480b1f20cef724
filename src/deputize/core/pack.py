"""Export packs: a zip of exact entries, checkpoint and manifest, read and verified without any database (AUD-6)."""

import base64
import binascii
import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deputize.core.chain import Finding, Verdict
from deputize.core.checkpoint import BadNote, Checkpoint, TrustedLog, logs_of, open_note, read_notes
from deputize.core.merkle import root_from
from deputize.core.prefix import Prefix, read_prefix
from deputize.core.ranges import Ranges
from deputize.core.verify import Row, Verifier, check_single

FORMAT = "deputize-audit-pack"
MANIFEST, ENTRIES, CHECKPOINTS, TRANSCRIPT = "manifest.json", "entries.jsonl", "checkpoints.txt", "transcript.jsonl"
BROKEN = (OSError, zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, zlib.error)
MAX_LINE = 4 * 1024 * 1024
MAX_SMALL = 16 * 1024 * 1024


class DamagedPack(ValueError):
    """The file is no pack of ours, or was damaged; the text says what."""


@dataclass(frozen=True, slots=True)
class Pack:
    """What a pack says about itself: `complete` packs hold the whole chain, others a selection with proofs.

    `head` is the chain's end (sequence, hash) when it was exported, `count` the number of entries inside,
    `prefix` what stands for a beginning that was pruned.
    """

    path: Path
    tenant: str
    complete: bool
    head: tuple[int, str]
    count: int
    notes: tuple[str, ...]
    selection: dict[str, Any]
    prefix: Prefix | None = None


def open_pack(path: Path) -> Pack:
    """Read manifest and checkpoints. Raises DamagedPack."""
    try:
        with zipfile.ZipFile(path) as archive:
            said = json.loads(_small(archive, MANIFEST))
            notes = tuple(read_notes(_small(archive, CHECKPOINTS).decode()))
    except (*BROKEN, ValueError) as fault:
        raise DamagedPack(f"the pack cannot be read ({type(fault).__name__})") from None
    try:
        if said["format"] != FORMAT or said["version"] != 1:
            raise DamagedPack("the file is not a pack of a known version")
        return Pack(
            path=path,
            tenant=str(said["tenant"]),
            complete=said["complete"] is True,
            head=(int(said["head"]["seq"]), str(said["head"]["hash"])),
            count=int(said["entries"]),
            notes=notes,
            selection=dict(said["selection"]),
            prefix=None if said.get("pruned") is None else read_prefix(said["pruned"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DamagedPack("the manifest is damaged") from None


def verify_pack(pack: Pack, trusted: Sequence[TrustedLog] = (), notes: Sequence[str] = ()) -> Verdict:
    """Verify a pack alone; `notes` are further checkpoints, kept elsewhere. The verdict names the first bad entry.

    A complete pack is verified as a chain. A selection is verified entry by entry against the signed root:
    it proves that each entry stands in the chain, not that none was left out.
    """
    every = (*pack.notes, *notes)
    try:
        verdict = _chain(pack, trusted, every) if pack.complete else _selection(pack, trusted, every)
        if not verdict.ok:
            _intact(pack)
        return verdict
    except DamagedPack as fault:
        return Verdict(Finding.UNVERIFIABLE, 0, damage=str(fault))


def _chain(pack: Pack, trusted: Sequence[TrustedLog], notes: Sequence[str]) -> Verdict:
    verifier = Verifier(pack.tenant, notes, trusted, pack.prefix)
    for row, _ in _rows(pack):
        verifier.feed(row)
        if verifier.stopped:
            break
    return verifier.finish(pack.head)


def _selection(pack: Pack, trusted: Sequence[TrustedLog], notes: Sequence[str]) -> Verdict:
    opened, why = _largest(logs_of(pack.tenant, trusted), notes)
    if opened is None:
        return Verdict(Finding.UNVERIFIABLE, 0, damage=why)
    through = seen = 0
    last: tuple[int, str] | None = None
    blank, covered = Ranges(), Ranges()
    for row, proof in _rows(pack):
        seq, prev, damage = check_single(row, pack.tenant, blank, covered)
        if not damage and seq <= through:
            damage = "entries were reordered or stand twice"
        if not damage and root_from(bytes.fromhex(row.hash), seq - 1, opened.size, proof) != opened.root:
            damage = "the entry is not in the signed chain"
        if not damage and last is not None and last[0] == seq - 1 and last[1] != prev:
            damage = "the entry does not follow the one before it"
        if damage:
            return Verdict(Finding.TAMPERED, through, seq, damage, through, checkpoints=1)
        through, last, seen = seq, (seq, row.hash), seen + 1
    if seen < pack.count:
        return Verdict(Finding.TRUNCATED, through, damage=f"{pack.count} entries were exported", checkpoints=1)
    bare = blank.first_outside(covered)
    if bare is not None:
        return Verdict(Finding.TAMPERED, bare - 1, bare, "payload removed without an erasure entry", checkpoints=1)
    return Verdict(Finding.VERIFIED, through, anchored=opened.size, erased=blank.count, checkpoints=1)


def _largest(trusted: Sequence[TrustedLog], notes: Sequence[str]) -> tuple[Checkpoint | None, str]:
    best, why = None, "a selection needs a checkpoint, and there is none"
    for note in notes:
        try:
            opened = open_note(note, trusted)
        except BadNote as fault:
            why = str(fault)
            continue
        if best is None or opened.size > best.size:
            best = opened
    return best, why


def _rows(pack: Pack) -> Iterator[tuple[Row, list[bytes]]]:
    try:
        with zipfile.ZipFile(pack.path) as archive, archive.open(ENTRIES) as lines:
            while line := lines.readline(MAX_LINE):
                yield _row(line)
    except BROKEN as fault:
        raise DamagedPack(f"the entries cannot be read ({type(fault).__name__})") from None


def _intact(pack: Pack) -> None:
    """Tell broken bytes from a forgery: the archive's own sums. Raises DamagedPack."""
    try:
        with zipfile.ZipFile(pack.path) as archive, archive.open(ENTRIES) as lines:
            while lines.read(1 << 20):
                pass
    except BROKEN as fault:
        raise DamagedPack(f"the entries cannot be read ({type(fault).__name__})") from None


def _row(line: bytes) -> tuple[Row, list[bytes]]:
    try:
        said = json.loads(line)
        salt = None if said["salt"] is None else base64.b64decode(said["salt"], validate=True)
        proof = [bytes.fromhex(item) for item in said.get("proof", ())]
        header, hash_, payload = said["header"], said["hash"], said["payload"]
    except (ValueError, KeyError, TypeError, AttributeError, binascii.Error):
        raise DamagedPack("a line of the entries is damaged") from None
    if not isinstance(header, str) or not isinstance(hash_, str) or not (payload is None or isinstance(payload, str)):
        raise DamagedPack("a line of the entries is damaged")
    return Row(header, hash_, payload, salt), proof


def _small(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as part:
        data = part.read(MAX_SMALL + 1)
    if len(data) > MAX_SMALL:
        raise ValueError("too large")
    return data
