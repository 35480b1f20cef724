"""The verifier of a chain: pure, told the trusted logs, and independent of the code that writes entries (AUD-4)."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from deputize.core.chain import Finding, Verdict
from deputize.core.checkpoint import BadNote, Checkpoint, TrustedLog, logs_of, open_note
from deputize.core.merkle import Tree
from deputize.core.prefix import Prefix, read_prefix
from deputize.core.ranges import Ranges

# Restated here, not imported: a slip in the writer must not be repeated by its verifier.
_ENTRY = b"deputize/audit/entry/v1\n"
_PAYLOAD = b"deputize/audit/payload/v1\n"
_ERASED = '"payload_erased"'
_PRUNED = '"prefix_pruned"'
_TEXT = r'"[^"\\\x00-\x1f]*(?:\\(?:["\\bfnrt]|u00(?:0[0-7bef]|1[0-9a-f]))[^"\\\x00-\x1f]*)*"'
_NUMBER = "(?:0|-?[1-9][0-9]{0,15})"
_header = re.compile(
    rf'{{"actor":({_TEXT}),"at":({_NUMBER}),"kind":({_TEXT}),"payload":"([0-9a-f]{{64}})","prev":"([0-9a-f]{{64}})"'
    rf',"run":(null|{_TEXT}),"seq":({_NUMBER}),"tenant":({_TEXT}),"version":1}}'
).fullmatch
"""The header's whole grammar: what it matches has one reading only, and is canonical JSON."""
_sha256 = hashlib.sha256


class Row(NamedTuple):
    """One stored entry: exact header and payload text, hex hash, salt; payload and salt are None once erased.

    `columns` are the look-up columns {seq, kind, at, actor, run} where the source has them.
    """

    header: str
    hash: str
    payload: str | None
    salt: bytes | None
    columns: tuple[Any, ...] | None = None


class _Bad(Exception):
    """The entry is not what it should be; the text is the kind of damage."""


class Verifier:
    """Fed with a tenant's rows in order of sequence, from the first; `finish` gives the verdict.

    It stops at the first bad entry. Memory does not grow with the chain, apart from the ranges of erased
    payloads. Where the chain's beginning has gone, `prefix` says what stands for it: it is held against the
    checkpoints over those entries and later ones, and an entry of the chain must say the same.
    """

    def __init__(
        self,
        tenant: str,
        notes: Sequence[str] = (),
        trusted: Sequence[TrustedLog] = (),
        prefix: Prefix | None = None,
    ) -> None:
        self._tenant_text = json.dumps(tenant, ensure_ascii=False)
        self._prefix = prefix
        self._owned_up = False
        self.through = 0 if prefix is None else prefix.size
        self.prev = "0" * 64 if prefix is None else prefix.last
        self.anchored = 0
        self._verdict: Verdict | None = None
        self._waiting: Row | None = None
        self._tree = Tree() if prefix is None else prefix.tree()
        self._blank = Ranges()
        self._covered = Ranges()
        self._faults: list[str] = []
        self._due: dict[int, list[Checkpoint]] = {}
        self._checkpoints = 0
        logs = logs_of(tenant, trusted)
        for note in notes:
            try:
                checkpoint = open_note(note, logs)
            except BadNote as fault:
                self._faults.append(str(fault))
                continue
            self._checkpoints += 1
            if checkpoint.size >= self.through:
                self._due.setdefault(checkpoint.size, []).append(checkpoint)
        self._compare()

    @property
    def stopped(self) -> bool:
        """A bad entry has been found; further rows are ignored."""
        return self._verdict is not None

    def feed(self, row: Row) -> None:
        """Take the next row. One row is held back, to tell a swapped pair from a missing entry."""
        if self._verdict is not None:
            return
        if self._waiting is not None:
            self._take(self._waiting, row)
        self._waiting = row

    def finish(self, head: tuple[int, str] | None = None) -> Verdict:
        """The verdict; `head` is the (sequence, hash) that the database keeps as the chain's end, if it does."""
        if self._waiting is not None and self._verdict is None:
            self._take(self._waiting, None)
        self._waiting = None
        return self._verdict or self._end(head)

    def _end(self, head: tuple[int, str] | None) -> Verdict:
        beyond = max(self._due, default=0)
        if beyond:
            return self._say(Finding.TRUNCATED, damage=f"a checkpoint was signed over {beyond} entries")
        if head is not None and head[0] > self.through:
            return self._say(Finding.TRUNCATED, damage=f"the head stands at {head[0]}")
        if head is not None and head != (self.through, self.prev):
            return self._say(Finding.TAMPERED, max(head[0], 1), "the head differs from the last entry")
        bare = self._blank.first_outside(self._covered)
        if bare is not None:
            return self._say(Finding.TAMPERED, bare, "payload removed without an erasure entry", through=bare - 1)
        return self._beginning() or self._sound()

    def _beginning(self) -> Verdict | None:
        """What is wrong with the way in which the chain's beginning has gone."""
        gone = 0 if self._prefix is None else self._prefix.size
        if gone and not self._owned_up:
            return self._say(Finding.TAMPERED, 1, f"{gone} entries are missing, and no entry says so", through=0)
        if gone and self.anchored < gone:
            damage = f"the first {gone} entries were pruned, and no trusted checkpoint vouches for them"
            return self._say(Finding.UNVERIFIABLE, damage=damage)
        return None

    def _sound(self) -> Verdict:
        if self._faults:
            return self._say(Finding.UNVERIFIABLE, damage=self._faults[0])
        return self._say(Finding.VERIFIED)

    def _say(self, finding: Finding, at: int = 0, damage: str = "", *, through: int | None = None) -> Verdict:
        sound = self.through if through is None else through
        gone = 0 if self._prefix is None else self._prefix.size
        return Verdict(finding, sound, at, damage, self.anchored, self._blank.count, self._checkpoints, gone)

    def _take(self, row: Row, following: Row | None) -> None:
        try:
            self._check(row, following)
        except _Bad as damage:
            self._verdict = self._say(Finding.TAMPERED, self.through + 1, str(damage))
            return
        self.through += 1
        self.prev = row.hash
        if self._checkpoints:
            self._tree.append(bytes.fromhex(row.hash))
            if self.through in self._due:
                self._compare()

    def _check(self, row: Row, following: Row | None) -> None:
        text = row.header
        match = _header(text)
        if match is None:
            raise _Bad("the header is malformed")
        actor, at, kind, payload, prev, run, number, tenant = match.groups()
        if _sha256(_ENTRY + text.encode("utf-8", "surrogatepass")).hexdigest() != row.hash:
            raise _Bad("the header was edited")
        expected = self.through + 1
        seq = int(number)
        if tenant != self._tenant_text:
            raise _Bad("an entry of another tenant")
        if seq != expected:
            raise _Bad(_misplaced(seq, expected, following))
        if prev != self.prev:
            raise _Bad("the entry does not follow the one before it")
        _payload(row, payload, kind, expected, self._blank, self._covered)
        if kind == _PRUNED and row.payload is not None and self._prefix == _pruned(row.payload):
            self._owned_up = True
        if row.columns is not None and row.columns != (seq, _plain(kind), int(at), _plain(actor), _plain(run)):
            raise _Bad("the look-up columns differ from the header")

    def _compare(self) -> None:
        here = self._due.pop(self.through, ())
        for checkpoint in here:
            if checkpoint.root != self._tree.root():
                first = self.anchored + 1
                damage = f"entries {first} to {checkpoint.size} are not those that were signed"
                self._verdict = self._say(Finding.TAMPERED, first, damage, through=self.anchored)
                return
        if here:
            self.anchored = self.through


def verify(
    rows: Iterable[Row],
    tenant: str,
    notes: Sequence[str] = (),
    trusted: Sequence[TrustedLog] = (),
    *,
    head: tuple[int, str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Verdict:
    """Verify a whole chain from its first entry; `progress` is told the count every 1,000 entries."""
    verifier = Verifier(tenant, notes, trusted)
    for row in rows:
        verifier.feed(row)
        if verifier.stopped:
            break
        if progress is not None and verifier.through % 1000 == 0:
            progress(verifier.through)
    return verifier.finish(head)


def _payload(row: Row, committed: str, kind: str, seq: int, blank: Ranges, covered: Ranges) -> None:
    payload, salt = row.payload, row.salt
    if payload is None and salt is None:
        blank.add(seq, seq)
        return
    if payload is None or salt is None or len(salt) != 16:
        raise _Bad("payload and salt do not belong together")
    if _sha256(_PAYLOAD + salt + payload.encode("utf-8", "surrogatepass")).hexdigest() != committed:
        raise _Bad("the payload was edited")
    if kind == _ERASED:
        for first, last in _erased(payload):
            if last < seq:
                covered.add(first, last)


def check_single(row: Row, tenant: str, blank: Ranges, covered: Ranges) -> tuple[int, str, str]:
    """One entry by itself, as in a selection: its sequence number, its `prev`, and the damage, empty if sound.

    Blank payloads are added to `blank`, what erasure entries cover to `covered`. The number is 0 where the
    header cannot be read.
    """
    match = _header(row.header)
    if match is None:
        return 0, "", "the header is malformed"
    seq = int(match[7])
    try:
        if _sha256(_ENTRY + row.header.encode("utf-8", "surrogatepass")).hexdigest() != row.hash:
            raise _Bad("the header was edited")
        if match[8] != json.dumps(tenant, ensure_ascii=False):
            raise _Bad("an entry of another tenant")
        _payload(row, match[4], match[3], seq, blank, covered)
    except _Bad as damage:
        return seq, match[5], str(damage)
    return seq, match[5], ""


def _plain(text: str) -> str | None:
    return None if text == "null" else text[1:-1] if "\\" not in text else json.loads(text)


def _misplaced(seq: int, expected: int, following: Row | None) -> str:
    if seq < expected:
        return "an entry was inserted or stands twice"
    if following is not None and (match := _header(following.header)) and int(match[7]) == expected:
        return "entries were reordered"
    return "an entry is missing" if seq == expected + 1 else f"{seq - expected} entries are missing"


def _pruned(payload: str) -> Prefix:
    try:
        return read_prefix(json.loads(payload))
    except ValueError:
        raise _Bad("a pruning entry does not say what it stands for") from None


def _erased(payload: str) -> list[tuple[int, int]]:
    try:
        ranges = json.loads(payload)["ranges"]
        return [(int(first), int(last)) for first, last in ranges if 0 < int(first) <= int(last)]
    except (ValueError, KeyError, TypeError):
        raise _Bad("an erasure entry does not say what it covers") from None
