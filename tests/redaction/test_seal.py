"""RED-3: the vault is stored encrypted, bound to its row, in a versioned form."""

import pytest

from deputize.redaction.seal import Unsealable, derive, open_, seal

KEY = derive("a long secret of the operator", "vault", b"tenant")


def test_round_trip() -> None:
    assert open_(KEY, seal(KEY, b"Ana Ruiz", b"t:c:1"), b"t:c:1") == b"Ana Ruiz"


def test_the_same_value_is_never_sealed_to_the_same_bytes() -> None:
    assert seal(KEY, b"Ana", b"") != seal(KEY, b"Ana", b"")
    assert b"Ana" not in seal(KEY, b"Ana", b"")


@pytest.mark.parametrize("at", [0, 1, 13, -1])
def test_any_changed_byte_is_noticed(at: int) -> None:
    blob = bytearray(seal(KEY, b"Ana", b"row"))
    blob[at] ^= 1
    with pytest.raises(Unsealable) as caught:
        open_(KEY, bytes(blob), b"row")
    assert "Ana" not in str(caught.value)


def test_another_row_key_or_length_does_not_open() -> None:
    blob = seal(KEY, b"Ana", b"row 1")
    for key, data, aad in (
        (KEY, blob, b"row 2"),
        (derive("a long secret of the operator", "other", b"tenant"), blob, b"row 1"),
        (KEY, blob[:20], b"row 1"),
        (KEY, b"", b"row 1"),
    ):
        with pytest.raises(Unsealable):
            open_(key, data, aad)


def test_each_purpose_salt_and_secret_has_its_own_key() -> None:
    keys = {derive(secret, purpose, salt) for secret in ("a", "b") for purpose in ("v", "w") for salt in (b"", b"x")}
    assert len(keys) == 8
    assert all(len(key) == 32 for key in keys)


def test_an_empty_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        derive("", "vault")
