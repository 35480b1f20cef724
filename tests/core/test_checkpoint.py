"""Checkpoints are C2SP signed notes that another implementation reads (AUD-4)."""

import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from sigstore._internal.rekor.checkpoint import SignedCheckpoint
from sigstore._internal.trust import Key, Keyring, RekorKeyring
from sigstore._utils import KeyID
from sigstore.errors import VerificationError

from deputize.core.checkpoint import (
    BadNote,
    Checkpoint,
    Signer,
    TrustedLog,
    open_note,
    origin_of,
    parse_vkey,
    read_notes,
)

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "vectors" / "chain.json").read_text(encoding="utf-8")
)
SIGNER = Signer.from_seed(bytes.fromhex(VECTORS["seed"]))
LOG = parse_vkey(VECTORS["vkey"])
NOTE: str = VECTORS["notes"]["5"]
OTHER = Signer.from_seed(b"\x07" * 32)


def sigstore_key(log: TrustedLog) -> tuple[RekorKeyring, KeyID]:
    """Their keyring with our key in it, under the four bytes by which a note's line points to it."""
    key = object.__new__(Key)
    key.key, key.hash_algorithm, key.key_id = Ed25519PublicKey.from_public_bytes(log.public), None, KeyID(log.key_id)
    keyring = Keyring([])
    keyring._keyring = {key.key_id: key}
    return RekorKeyring(keyring), key.key_id


def test_another_implementation_reads_and_verifies_ours() -> None:
    """AUD-4: sigstore's reader of signed notes finds origin, size, root and a good signature."""
    checkpoint = Checkpoint(LOG.origin, 5, bytes(range(32)))
    theirs = SignedCheckpoint.from_text(SIGNER.sign(checkpoint))
    assert theirs.checkpoint.origin == LOG.origin
    assert theirs.checkpoint.log_size == 5
    assert theirs.checkpoint.log_hash == bytes(range(32)).hex()
    keyring, key = sigstore_key(LOG)
    theirs.signed_note.verify(keyring, key)
    forged = SignedCheckpoint.from_text(SIGNER.sign(checkpoint).replace("\n5\n", "\n6\n"))
    with pytest.raises(VerificationError):
        forged.signed_note.verify(keyring, key)


def test_the_example_of_the_specification_is_accepted() -> None:
    """The verifier key and note that C2SP's own documents and Go's sumdb tests publish."""
    published = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    log = parse_vkey(published)
    assert log.vkey() == published
    assert log.key_id.hex() == "c74f20a3"


def test_frozen_notes() -> None:
    """AUD-4: the notes that a separate script signed are read, and signed again byte for byte."""
    for size, note in VECTORS["notes"].items():
        opened = open_note(note, [LOG])
        assert opened.size == int(size)
        assert SIGNER.sign(opened) == note
    assert SIGNER.log(VECTORS["origin"]).vkey() == VECTORS["vkey"]


def test_lines_of_witnesses_are_ignored_and_a_second_signer_may_be_trusted() -> None:
    """C2SP: unknown signers are ignored; key rotation is two trusted keys of one log."""
    text, _, line = NOTE.partition("\n\n")
    rotated = OTHER.sign(open_note(NOTE, [LOG])).partition("\n\n")[2]
    both = f"{text}\n\n{rotated}{line}"
    assert open_note(both, [LOG]).size == 5
    assert open_note(both, [OTHER.log(LOG.origin)]).size == 5
    assert open_note(both, [LOG, OTHER.log(LOG.origin)]).size == 5


BROKEN = {
    "wrong key": (OTHER.sign(Checkpoint(LOG.origin, 5, bytes(32))), "not signed by a trusted key"),
    "another chain": (
        SIGNER.sign(Checkpoint("example.org/else", 5, bytes(32))),
        "another chain, or of a log that is not trusted",
    ),
    "size edited": (NOTE.replace("\n5\n", "\n4\n"), "signature is wrong"),
    "signature cut": (NOTE[:-20] + "\n", "malformed|not signed|wrong"),
    "no end of line": (NOTE[:-1], "cut"),
    "no signature": (NOTE.partition("\n\n")[0] + "\n", "no signatures"),
    "control character": (NOTE.replace("\n5\n", "\n5\t\n"), "control"),
    "leading zero": (NOTE.replace("\n5\n", "\n05\n"), "size"),
    "size in other digits": (NOTE.replace("\n5\n", "\n٥\n"), "size"),
    "short root": (SIGNER.sign(Checkpoint(LOG.origin, 5, bytes(31))), "root"),
    "root not base64": (NOTE.replace("=\n", "*\n", 1), "root"),
    "two lines": ("a\n1\n\n" + NOTE.partition("\n\n")[2], "not a checkpoint"),
    "empty line within": (NOTE.replace("\n5\n", "\n\n5\n"), "not a checkpoint"),
    "too few bytes": (NOTE.partition("\n\n")[0] + f"\n\n— {LOG.origin} AAAA\n", "signature line is malformed"),
    "dash for em dash": (NOTE.replace("— ", "-- "), "malformed"),
    "huge": ("x" * 70_000 + "\n", "too long"),
}


@pytest.mark.parametrize(("note", "why"), BROKEN.values(), ids=BROKEN)
def test_bad_notes_get_a_clear_answer(note: str, why: str) -> None:
    """Bad input: a wrong key, a checkpoint of another chain, damage of every kind."""
    with pytest.raises(BadNote, match=why):
        open_note(note, [LOG])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name",
        "name+c74f20a3",
        "name+zz+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "Peter Neumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+c74f20a3+Ahpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+c74f20a3+ARpc",
    ],
)
def test_bad_verifier_keys_are_refused(text: str) -> None:
    """Bad input: a key that is cut, of another algorithm, or whose hash does not fit."""
    with pytest.raises(ValueError, match=r"key|origin"):
        parse_vkey(text)


def test_origins_name_one_tenant_each() -> None:
    """Tenants whose names hold slashes, spaces or plus signs do not share a log."""
    names = ["a", "a/b", "a b", "a+b", "ñ", "a%2Fb"]
    assert len({origin_of("d", name) for name in names}) == len(names)
    for bad in ("", "a b", "a+b", "a\nb"):
        with pytest.raises(ValueError, match="origin"):
            SIGNER.log(bad)


def test_a_file_of_notes_is_read_back() -> None:
    """Notes stand one after the other; a cut file is noticed."""
    notes = [VECTORS["notes"][str(size)] for size in (1, 2, 5)]
    text = "".join(note + "\n" for note in notes)
    assert read_notes(text) == notes
    assert read_notes("") == []
    with pytest.raises(BadNote, match="cut"):
        read_notes(text + "origin\n5\n")
