"""RED-3: one value one token, one person one token, the database row is the truth."""

import dataclasses

import pytest

from deputize.redaction.vault import Entry, Vault

SECRET = b"0123456789abcdef"
KINDS = {"first_name": "NAME", "last_name": "NAME", "phone": "PHONE", "email": "EMAIL", "national_id": "ID"}


@pytest.fixture
def vault() -> Vault:
    return Vault(SECRET, kinds=("patient",))


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 16"):
        Vault(b"short")


@pytest.mark.parametrize("spelling", ["612345678", "+34 612 34 56 78", "0034612345678", "612-34-56-78"])
def test_one_phone_in_many_formats_is_one_token(vault: Vault, spelling: str) -> None:
    """C7"""
    assert vault.token_for("PHONE", spelling) == vault.token_for("PHONE", "+34612345678")


def test_values_are_compared_in_canonical_form(vault: Vault) -> None:
    assert vault.token_for("ID", "12345678-Z") == vault.token_for("ID", "12.345.678 z")
    assert vault.token_for("EMAIL", "Ana@X.io") == vault.token_for("EMAIL", "ana@x.io")
    assert vault.token_for("NAME", "NÚÑEZ") == vault.token_for("NAME", "nunez")
    assert vault.token_for("ID", "1") != vault.token_for("ID", "2")


def test_the_same_value_is_the_same_token_in_every_process() -> None:
    """C1, C2: no counter that could restart."""
    first, second = Vault(SECRET), Vault(SECRET)
    second.token_for("PHONE", "699999999")
    assert first.token_for("NAME", "Ana Ruiz") == second.token_for("NAME", "ana ruiz")


def test_a_person_has_one_token_for_id_and_names(vault: Vault) -> None:
    """C10"""
    token = vault.learn_person("patient", "p-17", {"first_name": "María", "last_name": "García López"}, KINDS)
    assert token.startswith("PATIENT_")
    assert vault.token_for("patient", "p-17", "patient:p-17") == token
    assert vault.token_for("NAME", "María", "patient:p-17") == token
    assert [found for _, found in vault.find("GARCIA LOPEZ, maria")] == [token]
    assert [found for _, found in vault.find("luego María")] == [token]
    assert [found for _, found in vault.find("el registro p-17")] == [token]
    shown = vault.value_of(token)
    assert shown is not None
    assert (shown.value, shown.subject, vault.id_of(token)) == ("María García López", "patient:p-17", "p-17")


def test_other_values_of_a_person_have_tokens_of_their_own(vault: Vault) -> None:
    columns = {"first_name": "Ana", "phone": "612345678", "email": None, "colour": "blue"}
    token = vault.learn_person("patient", "1", columns, KINDS)
    phone = vault.token_for("PHONE", "+34 612 345 678")
    assert phone != token
    assert phone.startswith("PHONE_")
    assert vault.id_of(phone) is None
    assert "blue" not in {row.value for row in vault.new_entries()}


def test_the_fullest_name_is_shown_whatever_came_first(vault: Vault) -> None:
    token = vault.token_for("NAME", "Ana", "patient:1")
    vault.token_for("NAME", "Ana María Ruiz", "patient:1")
    vault.token_for("NAME", "Ruiz", "patient:1")
    shown = vault.value_of(token)
    assert shown is not None
    assert shown.value == "Ana María Ruiz"


def test_an_ambiguous_alias_is_never_guessed(vault: Vault) -> None:
    """C10: two Marías, and the word alone means neither."""
    first = vault.learn_person("patient", "1", {"first_name": "María", "last_name": "García"}, KINDS)
    second = vault.learn_person("patient", "2", {"first_name": "María", "last_name": "Pérez"}, KINDS)
    assert first != second
    assert [found for _, found in vault.find("llama a María")] == [None]
    own = vault.token_for("NAME", "María")
    assert own not in (first, second)
    assert [found for _, found in vault.find("llama a María")] == [own]
    assert [found for _, found in vault.find("llama a María Pérez")] == [second]


def test_a_subject_is_entity_and_id(vault: Vault) -> None:
    with pytest.raises(ValueError, match="entity:id"):
        vault.token_for("NAME", "Ana", "patient:")


def test_version_grows_only_when_something_is_learnt(vault: Vault) -> None:
    """RED-8"""
    before = vault.version
    vault.token_for("NAME", "Ana Ruiz")
    learnt = vault.version
    vault.token_for("NAME", "ANA RUIZ")
    assert before < learnt == vault.version


def test_rows_survive_a_restart(vault: Vault) -> None:
    """RED-3, G4: what was stored is read back as the same tokens, and a new value never takes an old one."""
    token = vault.learn_person("patient", "1", {"first_name": "Ana", "last_name": "Ruiz"}, KINDS)
    phone = vault.token_for("PHONE", "612345678")
    rows = vault.new_entries()
    again = Vault(SECRET, rows)
    assert again.new_entries() == []
    assert again.token_of("patient:1") == token
    assert again.token_for("PHONE", "+34612345678") == phone
    assert len(again) == len(vault) == 2
    assert again.new_entries() == []


def test_keys_are_unique_and_tell_nothing(vault: Vault) -> None:
    vault.learn_person("patient", "1", {"first_name": "Ana", "last_name": "Ruiz", "phone": "612345678"}, KINDS)
    rows = vault.new_entries()
    assert len({row.key for row in rows}) == len(rows)
    assert not any("ruiz" in row.key.lower() or "612345678" in row.key for row in rows)
    mains = [row.token for row in rows if row.alias_of is None]
    assert len(set(mains)) == len(mains)


def test_adopting_own_rows_marks_them_as_persisted(vault: Vault) -> None:
    vault.token_for("NAME", "Ana Ruiz")
    assert vault.adopt(vault.new_entries()) is False
    assert vault.new_entries() == []


def test_the_row_of_another_process_wins_over_a_proposal(vault: Vault) -> None:
    """RED-3: the vault row is the truth."""
    mine = vault.token_for("PHONE", "612345678")
    theirs = "PHONE_bavega"
    assert vault.adopt([Entry(theirs, "PHONE", "612345678")]) is True
    assert vault.token_for("PHONE", "612345678") == theirs
    assert vault.value_of(mine) is None
    assert vault.new_entries() == []


def test_a_token_taken_by_another_process_is_proposed_anew(vault: Vault) -> None:
    """A collision is decided by the database: the loser proposes the next one."""
    mine = vault.token_for("NAME", "Ana Ruiz", "patient:1")
    assert vault.adopt([Entry(mine, "PATIENT", "2", "patient:2", None, "id")]) is True
    fresh = vault.token_for("NAME", "Ana Ruiz", "patient:1")
    assert fresh != mine
    assert vault.id_of(mine) == "2"
    assert vault.id_of(fresh) == "1"
    assert {row.token for row in vault.new_entries()} == {fresh}


def test_a_colliding_hash_takes_the_next_token() -> None:
    """C4: no two values share a token, however small the space."""
    vault = Vault(SECRET)
    tokens = {vault.token_for("ID", f"value-{n:05d}") for n in range(1500)}
    assert len({token[-6:] for token in tokens}) == 1500


def test_entries_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Entry("A_bababa", "A", "x").value = "y"  # type: ignore[misc]  # the point of the test
