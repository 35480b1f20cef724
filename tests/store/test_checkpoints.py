"""The signer keeps checkpoints outside the database and refuses every fork of what it signed (AUD-4)."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.chain import Draft
from deputize.core.checkpoint import BadNote, Signer
from deputize.store import audit, audit_read
from deputize.store.checkpoints import CheckpointFiles, ForkRefused, verify_deployment
from tests.attacks.tampering import unguarded

NOW = datetime(2026, 5, 4, tzinfo=UTC)
SIGNER = Signer.from_seed(b"\x02" * 32)


@pytest.fixture
def files(tmp_path: Path) -> CheckpointFiles:
    """A folder that stands for another volume."""
    return CheckpointFiles(tmp_path / "outside", SIGNER, "copilot.example.org")


async def append(database: AsyncEngine, count: int, tenant: str = "t") -> None:
    async with database.begin() as conn:
        await audit.append(conn, tenant, [Draft("x", "u", {"n": n}) for n in range(count)], NOW)


async def sign(database: AsyncEngine, files: CheckpointFiles, tenant: str = "t", at_least: int = 1) -> str | None:
    async with database.connect() as conn:
        return await files.write(conn, tenant, at_least=at_least)


async def test_each_checkpoint_continues_the_last(database: AsyncEngine, files: CheckpointFiles) -> None:
    """AUD-4: on schedule and on demand, reading only what is new; all of them hold."""
    assert await sign(database, files) is None, "nothing to sign"
    for count in (1, 2, 300):
        await append(database, count)
        assert await sign(database, files) is not None
        assert await sign(database, files) is None, "nothing new"
    await append(database, 5)
    assert await sign(database, files, at_least=6) is None
    notes = files.notes("t")
    assert len(notes) == 3
    async with database.connect() as conn:
        verdict = await audit_read.verify_database(conn, "t", notes, [files.trusted("t")])
    assert (str(verdict), verdict.anchored) == ("verified through 308", 303)


async def test_a_lost_position_is_read_again_from_the_chain(database: AsyncEngine, files: CheckpointFiles) -> None:
    """AUD-4: the position only saves time; the notes are what was signed."""
    await append(database, 7)
    await sign(database, files)
    for damage in ("", "{}", '{"size": 7, "last": "x", "offset": 0, "peaks": []}'):
        for path in files.folder.glob("*.position"):
            path.write_text(damage)
        await append(database, 1)
        assert await sign(database, files) is not None
    assert files.latest("t") is not None
    async with database.connect() as conn:
        assert (await audit_read.verify_database(conn, "t", files.notes("t"), [files.trusted("t")])).anchored == 10


FORKS = {
    "shortened": ("DELETE FROM deputize_audit_entries WHERE seq > 3", "UPDATE deputize_audit_heads SET seq = 3"),
    "emptied": ("DELETE FROM deputize_audit_entries", "DELETE FROM deputize_audit_heads"),
    "last entry replaced": ("UPDATE deputize_audit_entries SET hash = 'f' WHERE seq = 5",),
    "header of the last edited": ("UPDATE deputize_audit_entries SET header = '{}' WHERE seq = 5",),
    "new entry cut loose": ("UPDATE deputize_audit_entries SET hash = 'f' WHERE seq = 6",),
    "head ahead of the entries": ("UPDATE deputize_audit_heads SET seq = 9",),
    "gap": ("DELETE FROM deputize_audit_entries WHERE seq = 6",),
}


@pytest.mark.parametrize("statements", FORKS.values(), ids=FORKS)
async def test_a_fork_is_never_signed(
    database: AsyncEngine, files: CheckpointFiles, statements: tuple[str, ...]
) -> None:
    """AUD-4: whatever was done to what had been signed, nothing new is signed over it."""
    await append(database, 5)
    await sign(database, files)
    await append(database, 2)
    await unguarded(database, *statements)
    with pytest.raises(ForkRefused):
        await sign(database, files)
    assert len(files.notes("t")) == 1


async def test_an_earlier_edit_is_caught_when_the_position_is_lost(
    database: AsyncEngine, files: CheckpointFiles
) -> None:
    """AUD-4: without its position the signer compares the whole chain with the root it signed."""
    await append(database, 5)
    await sign(database, files)
    await append(database, 1)
    await unguarded(database, "UPDATE deputize_audit_entries SET hash = 'f' WHERE seq = 2")
    for path in files.folder.glob("*.position"):
        path.unlink()
    with pytest.raises(ForkRefused, match="entry 2"):
        await sign(database, files)


async def test_damaged_files_are_refused(database: AsyncEngine, files: CheckpointFiles) -> None:
    """AUD-4: a note that nobody of ours signed stops the signer."""
    await append(database, 2)
    await sign(database, files)
    await append(database, 1)
    path = next(path for path in files.folder.glob("*.notes") if "audit" in path.name)
    path.write_text(path.read_text().replace("\n2\n", "\n1\n"))
    with pytest.raises(BadNote):
        await sign(database, files)


async def test_two_signers_at_once_do_not_both_sign(database: AsyncEngine, files: CheckpointFiles) -> None:
    """AUD-4: the log is locked while one is at it; the other comes back later."""
    await append(database, 2)
    with files._locked(files._origin("t"), wait=False) as mine:
        assert mine
        assert await sign(database, files) is None
    assert await sign(database, files) is not None


async def test_the_deployments_log_knows_every_tenant(database: AsyncEngine, files: CheckpointFiles) -> None:
    """AUD-4: a tenant's whole log cannot vanish unnoticed."""
    for tenant, count in (("t", 2), ("a b/ñ", 3), ("t", 4)):
        await append(database, count, tenant)
        assert await sign(database, files, tenant) is not None
    trusted = files.trusted()
    newest = files.notes()[-1]
    sizes = verify_deployment(files.leaves(), newest, trusted)
    assert sizes == {
        "copilot.example.org/audit/t": 6,
        "copilot.example.org/audit/a%20b%2F%C3%B1": 3,
    }
    for leaves in (files.leaves()[:2], files.leaves()[::-1], [*files.leaves()[:2], files.leaves()[2] + "x"]):
        with pytest.raises(BadNote):
            verify_deployment(leaves, newest, trusted)
    with pytest.raises(BadNote):
        verify_deployment(files.leaves(), newest, files.trusted("t"))


async def test_the_deployments_log_is_not_rewritten(database: AsyncEngine, files: CheckpointFiles) -> None:
    """AUD-4: a leaf that was taken out is noticed at the next checkpoint."""
    for _ in range(3):
        await append(database, 1)
        await sign(database, files)
    leaves = next(files.folder.glob("*.leaves"))
    leaves.write_text("".join(line + "\n" for line in leaves.read_text().split("\n")[1:] if line))
    await append(database, 1)
    with pytest.raises(ForkRefused, match="deployment"):
        await sign(database, files)
