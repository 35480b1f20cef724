"""The key that signs checkpoints: made once, for its owner only, refused without being quoted (AUD-4)."""

from pathlib import Path

import pytest

from deputize.store import keyfile


def test_a_generated_key_is_its_owners_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "checkpoint.key"
    keyfile.generate(path)
    assert path.stat().st_mode & 0o077 == 0
    assert keyfile.load(path).public == keyfile.load(path).public
    with pytest.raises(FileExistsError):
        keyfile.generate(path)


def test_two_deployments_have_logs_of_different_names(tmp_path: Path) -> None:
    paths = [tmp_path / name / "checkpoint.key" for name in ("a", "b")]
    for path in paths:
        keyfile.generate(path)
    one, other = (keyfile.files_beside(path) for path in paths)
    assert one.trusted("x").origin != other.trusted("x").origin
    assert one.folder == tmp_path / "a" / "checkpoints"


@pytest.mark.parametrize("held", [b"not base64!", b"c2VjcmV0"], ids=["no-base64", "too-short"])
def test_an_unfit_key_is_refused_and_not_quoted(tmp_path: Path, held: bytes) -> None:
    path = tmp_path / "key"
    path.write_bytes(held)
    with pytest.raises(ValueError, match=r"base64|bytes") as refused:
        keyfile.load(path)
    assert held.decode() not in str(refused.value)
    with pytest.raises(ValueError, match="cannot be read"):
        keyfile.load(tmp_path / "missing")
