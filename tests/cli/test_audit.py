"""`deputize audit` as an operator types it: answers, statuses, bad input (AUD-2, AUD-4, AUD-5, AUD-6)."""

import json
import zipfile
from pathlib import Path

from deputize.core.checkpoint import Signer
from deputize.core.pack import open_pack
from deputize.store import audit_read
from tests.attacks.tampering import unguarded
from tests.chains import SIGNER, chain, note
from tests.cli.office import Office
from tests.engine.desk import Desk

FIVE_YEARS = (5 * 365 + 2) * 86_400


def kinds(office: Office) -> list[str]:
    async def read(desk: Desk) -> list[str]:
        async with desk.w.db.read() as conn:
            return [entry.kind for entry in (await audit_read.entries(conn, "north"))[0]]

    return office.do(read)


def files(office: Office, ending: str) -> Path:
    return next((office.folder / "keys" / "checkpoints").glob(f"*{ending}"))


def test_an_office_without_a_chain(office: Office) -> None:
    """Nothing to verify is said and is no fault; a tenant that nobody knows is one."""
    verified = office.type("audit", "verify")
    assert (verified.exit_code, verified.output) == (0, "no tenant has a chain yet\n")
    path = office.folder / "p.zip"
    for command in (("verify", "--tenant", "nowhere"), ("export", "nowhere", str(path))):
        refused = office.type("audit", *command)
        assert (refused.exit_code, "This tenant has no chain" in refused.output) == (2, True)
    assert not path.exists()


def test_a_checkpoint_is_signed_and_a_fork_refused(office: Office) -> None:
    """AUD-4: signed, nothing new, and never over a chain that is not the one signed before."""
    refused = office.type("audit", "checkpoint")
    assert (refused.exit_code, "AI_CHECKPOINT_KEY_FILE" in refused.output) == (2, True)
    office.sign().note(3)
    signed = office.type("audit", "checkpoint")
    assert (signed.exit_code, signed.output.split("  ")[0]) == (0, "north: signed through 3")
    key = signed.output.split("  ")[1].strip()
    assert office.type("audit", "checkpoint", "--tenant", "north").output.startswith("north: nothing new; signed")
    assert office.type("audit", "checkpoint", "--tenant", "south").exit_code == 2
    assert office.type("audit", "verify", "--trust", key).output == "north: verified through 3\n"
    office.do(lambda desk: unguarded(desk.engine, "DELETE FROM deputize_audit_entries WHERE seq = 3",
                                     "UPDATE deputize_audit_heads SET seq = 2"))  # fmt: skip
    refused = office.type("audit", "checkpoint")
    assert (refused.exit_code, refused.output) == (1, "north: not signed: 3 entries were signed, the chain has 2\n")
    verified = office.type("audit", "verify")
    assert verified.exit_code == 1
    assert "a checkpoint was signed over 3 entries" in verified.output


def test_a_chain_that_vanished_whole_is_missed(office: Office) -> None:
    """AUD-4: no row, no head, no file of checkpoints: the deployment's own log still tells of it."""
    office.sign().note(3)
    office.type("audit", "checkpoint")
    office.do(lambda desk: unguarded(desk.engine, "DELETE FROM deputize_audit_entries",
                                     "DELETE FROM deputize_audit_heads"))  # fmt: skip
    verified = office.type("audit", "verify")
    assert verified.exit_code == 1
    assert verified.output == "north: truncated after 0 (a checkpoint was signed over 3 entries)\n"
    for ending in ("north.notes", "north.position"):
        files(office, ending).unlink()
    verified = office.type("audit", "verify")
    assert verified.exit_code == 1
    assert "tells of a checkpoint over 3 entries that is not kept" in verified.output
    leaves = files(office, ".leaves")
    leaves.write_text(leaves.read_text(encoding="utf-8").replace("\\n3\\n", "\\n2\\n"), encoding="utf-8")
    assert "the deployment's log: unverifiable" in office.type("audit", "verify").output


def test_an_export_is_an_entry_and_verifies_alone(office: Office) -> None:
    """AUD-2, AUD-6: the whole chain and a part of it, each told of in the chain."""
    office.sign().note(4, run="r1")
    key = office.type("audit", "checkpoint").output.split("  ")[1].strip()
    whole, part = office.folder / "whole.zip", office.folder / "part.zip"
    exported = office.type("audit", "export", "north", str(whole), "--transcript")
    assert (exported.exit_code, exported.output) == (0, f"{whole}: verified through 5\n")
    assert kinds(office)[0] == "audit_exported"
    exported = office.type("audit", "export", "north", str(part), "--run", "r1", "--until", "2026-03-03")
    assert exported.exit_code == 0
    assert (open_pack(part).complete, open_pack(part).count) == (False, 4)
    for pack in (whole, part):
        assert office.type("audit", "verify", str(pack), "--trust", key).exit_code == 0
    early = office.type("audit", "export", "north", str(part), "--since", "yesterday")
    assert (early.exit_code, "--since" in early.output) == (2, True)
    nowhere = office.type("audit", "export", "north", str(office.folder / "no" / "such" / "p.zip"))
    assert (nowhere.exit_code, "No such file" in nowhere.output) == (2, True)


def test_a_part_needs_a_key(office: Office) -> None:
    """AUD-6: proofs of a part stand against a checkpoint."""
    office.note()
    refused = office.type("audit", "export", "north", str(office.folder / "p.zip"), "--run", "r")
    assert (refused.exit_code, "has no key" in refused.output) == (2, True)
    assert "verified through 2" in office.type("audit", "export", "north", str(office.folder / "p.zip")).output


def test_bad_input_is_answered_by_kind(office: Office) -> None:
    """A damaged export, a checkpoint of another chain, a wrong key: each its own sentence, never a traceback."""
    office.sign().note(3)
    key = office.type("audit", "checkpoint").output.split("  ")[1].strip()
    pack, other = office.folder / "p.zip", office.folder / "other.notes"
    office.type("audit", "export", "north", str(pack))
    other.write_text(note(chain(3)) + "\n", encoding="utf-8")
    stranger = Signer.from_seed(b"\x07" * 32).log(key.split("+")[0]).vkey()

    for words, status, said in (
        ((str(pack), "--trust", stranger), 1, "unverifiable (the checkpoint is not signed by a trusted key)"),
        ((str(pack), "--trust", SIGNER.log("x.example/audit/north").vkey()), 1, "of another chain"),
        ((str(pack), "--trust", key, "--checkpoints", str(other)), 1, "of another chain"),
        ((str(pack), "--trust", "x+y"), 2, "--trust: the verifier key is malformed"),
        ((str(pack), "--checkpoints", str(pack)), 2, "--checkpoints: "),
        ((str(office.folder / "none.zip"),), 2, "cannot be read (FileNotFoundError)"),
        ((str(office.key),), 2, "cannot be read (BadZipFile)"),
    ):
        answer = office.type("audit", "verify", *words)
        assert (answer.exit_code, said in answer.output) == (status, True), answer.output
        assert "Traceback" not in answer.output

    with zipfile.ZipFile(pack) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    lines = parts["entries.jsonl"].split(b"\n")
    entry = {**json.loads(lines[1]), "payload": '{"n":9}'}
    with zipfile.ZipFile(pack, "w") as archive:
        for name, data in {
            **parts,
            "entries.jsonl": b"\n".join([lines[0], json.dumps(entry).encode(), *lines[2:]]),
        }.items():
            archive.writestr(name, data)
    answer = office.type("audit", "verify", str(pack), "--trust", key)
    assert (answer.exit_code, answer.output) == (1, "p.zip: tampered at 2 (the payload was edited)\n")


def test_kept_checkpoints_that_cannot_be_read(office: Office) -> None:
    """Bad input: a damaged file is named, and nothing is signed over it."""
    office.sign().note(3)
    office.type("audit", "checkpoint")
    files(office, "north.notes").write_text("torn\n", encoding="utf-8")
    verified = office.type("audit", "verify")
    assert (verified.exit_code, "checkpoints cannot be read" in verified.output) == (1, True)
    office.note()
    refused = office.type("audit", "checkpoint")
    assert (refused.exit_code, "north: not signed" in refused.output) == (1, True)


def test_a_person_is_erased(office: Office) -> None:
    """AUD-5: asked first, done once, told of; somebody unknown is said to be."""
    office.note(personal={"name": ("person:p1", "Ana Ruiz")})
    assert office.type("audit", "erase", "north", "person:p1", said="n\n").exit_code == 1
    assert "erased" in office.type("audit", "erase", "north", "person:p1", said="y\n").output
    assert "was erased before" in office.type("audit", "erase", "north", "person:p1", "--yes").output
    refused = office.type("audit", "erase", "north", "person:p2", "--yes")
    assert (refused.exit_code, "There is no such thing" in refused.output) == (2, True)
    assert kinds(office) == ["subject_erased", "host_fact"]
    assert office.type("audit", "verify").output == "north: verified through 2\n"


def test_a_prefix_is_pruned(office: Office) -> None:
    """AUD-5: only what is old and signed, after a question; the export of the rest verifies."""
    office.sign().note(3)
    office.type("audit", "checkpoint")
    refused = office.type("audit", "prune", "north", "--yes")
    assert (refused.exit_code, "nothing to prune" in refused.output) == (2, True)
    office.clock.advance(FIVE_YEARS)
    office.note(2)
    assert office.type("audit", "prune", "north", said="n\n").exit_code == 1
    done = office.type("audit", "prune", "north", "--yes")
    assert done.output == "north: 3 entries deleted, through 3; 3 are left\n"
    verified = office.type("audit", "verify")
    assert verified.output == "north: verified through 6 (the first 3 were pruned below a checkpoint)\n"
    young = office.type("audit", "prune", "north", "--yes", "--before", "2030-01-01")
    assert (young.exit_code, young.output.count("\n")) == (2, 1)
