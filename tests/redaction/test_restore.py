"""RED-7: tokens come back in any spelling a model gives them, as the stream flows, and nothing else does."""

from typing import Any

import pytest

from deputize.core.errors import UnknownToken
from deputize.redaction.restore import StreamRestorer, restore_arguments, restore_text
from deputize.redaction.vault import Vault

NAME = "María García López"


@pytest.fixture
def vault() -> Vault:
    return Vault(b"0123456789abcdef", kinds=("patient",))


@pytest.fixture
def token(vault: Vault) -> str:
    return vault.learn_person("patient", "p-17", {"full_name": NAME}, {"full_name": "NAME"})


def parts(token: str) -> tuple[str, str]:
    kind, _, letters = token.partition("_")
    return kind, letters


SPELLINGS = [
    "{kind}_{letters}",
    "{kind}\\_{letters}",
    "{kind}-{letters}",
    "{kind} {letters}",
    "{kind}\u00a0{letters}",
    "{kind} _{letters}",
    "{kind}_ {letters}",
    "{kind}&#95;{letters}",
    "{kind}&nbsp;{letters}",
    "{kind}%5F{letters}",
    "{kind}_\u200b{letters}",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("case", [str, str.lower, str.upper, str.capitalize])
def test_every_spelling_is_restored(vault: Vault, token: str, spelling: str, case: Any) -> None:
    """B1, B2, B14"""
    kind, letters = parts(token)
    written = spelling.format(kind=case(kind), letters=case(letters))
    assert restore_text(vault, f"Hola {written}, su cita") == f"Hola {NAME}, su cita"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("**{token}**", "**{name}**"),
        ('"{token}"', '"{name}"'),
        ("[{token}]", "[{name}]"),
        ("{token}'s", "{name}'s"),
        ("{token}’s", "{name}’s"),
        ("{token}s", "{name}"),
        ("{token}_xray.pdf", "{name}_xray.pdf"),
        ("{token} {token}", "{name} {name}"),
    ],
)
def test_what_stands_around_it_stays(vault: Vault, token: str, written: str, shown: str) -> None:
    """B10, B14; a plural is undone."""
    assert restore_text(vault, written.format(token=token)) == shown.format(name=NAME)


def test_nothing_is_restored_by_likeness(vault: Vault, token: str) -> None:
    """B5, B7: one letter more, less or other is another token."""
    for near in (token[:-1], token + "x", "X" + token, token[:-1] + ("a" if token[-1] != "a" else "e")):
        assert restore_text(vault, near) == near
    other = token.replace("PATIENT", "PERSON")
    assert restore_text(vault, other) == other


def test_a_cut_token_is_never_completed(vault: Vault, token: str) -> None:
    """A11"""
    for length in range(1, len(token)):
        stream = StreamRestorer(vault)
        assert stream.feed("Call " + token[:length]) + stream.finish() == "Call " + token[:length]


@pytest.mark.parametrize("spelling", [*SPELLINGS, "{kind}_{letters}s", "**{kind}_{letters}**", "{kind}_{letters}'s"])
def test_cut_at_every_offset(vault: Vault, token: str, spelling: str) -> None:
    """A1"""
    kind, letters = parts(token)
    text = f"Hola {spelling.format(kind=kind, letters=letters)}, y {kind} a PAT"
    whole = restore_text(vault, text)
    assert NAME in whole
    for at in range(len(text) + 1):
        stream = StreamRestorer(vault)
        assert stream.feed(text[:at]) + stream.feed(text[at:]) + stream.finish() == whole


def test_the_first_piece_leaves_at_once_and_little_is_held(vault: Vault, token: str) -> None:
    """A2, RED-7: never more than 20 characters are held back, other text not at all."""
    stream, shown = StreamRestorer(vault), ""
    deltas = [token[:4], token[4:], ", hello ", *(f"word{n} " for n in range(200))]
    for number, delta in enumerate(deltas):
        shown += stream.feed(delta)
        given = "".join(deltas[: number + 1])
        held = len(given) - len(shown.replace(NAME, token))
        assert held <= 20
        if number >= 2:
            assert shown.startswith(NAME + ", hello")
    assert stream.feed("other text") == "other text"
    assert stream.restored == [token]


def test_another_conversations_token_stays_visible(vault: Vault, token: str) -> None:
    """H4"""
    assert restore_text(vault, "PATIENT_bababa y " + token) == "PATIENT_bababa y " + NAME


def test_restored_text_is_not_read_again(vault: Vault, token: str) -> None:
    """A5: what was restored is shown as it is."""
    mail = vault.token_for("EMAIL", "ana@x.io")
    assert restore_text(vault, mail) == "ana@x.io"


def test_an_id_position_gets_the_id_and_text_the_name(vault: Vault, token: str) -> None:
    """D1, RED-3"""
    arguments = {
        "patient": token,
        "id": f'"{token}"',
        "owner_id": token.lower(),
        "note": f"para {token}",
        "name": f"[{token}]",
        "many": [token, 3, None, True],
        "nested": {"who": token},
    }
    assert restore_arguments(vault, arguments, [("patient",), ("many", "*")]) == {
        "patient": "p-17",
        "id": "p-17",
        "owner_id": "p-17",
        "note": f"para {NAME}",
        "name": NAME,
        "many": ["p-17", 3, None, True],
        "nested": {"who": NAME},
    }


@pytest.mark.parametrize("key", ["id", "ids", "owner_ids", "patientId", "patientIds"])
def test_keys_that_say_id_get_the_id(vault: Vault, token: str, key: str) -> None:
    """RED-3: one or a list of them, in either spelling of keys."""
    assert restore_arguments(vault, {key: token}) == {key: "p-17"}
    assert restore_arguments(vault, {key: [token]}) == {key: ["p-17"]}


def test_keys_are_restored_too(vault: Vault, token: str) -> None:
    """D4"""
    assert restore_arguments(vault, {token: {"phone": 1}}) == {NAME: {"phone": 1}}


def test_a_value_that_is_no_person_keeps_itself_in_an_id_position(vault: Vault) -> None:
    own = vault.token_for("ID", "12345678Z")
    assert restore_arguments(vault, {"id": own}) == {"id": "12345678Z"}


def test_values_with_quotes_stay_whole(vault: Vault) -> None:
    """D5: restored in data, never in JSON text."""
    odd = 'Ann "Nan" O\\Neil\n'
    own = vault.token_for("NAME", odd)
    assert restore_arguments(vault, {"name": own}) == {"name": odd}


def test_kept_paths_stay_as_they_are(vault: Vault, token: str) -> None:
    """TOOL-13: egress keeps the token where the card does not show the value."""
    arguments = {"to": [token], "body": token}
    assert restore_arguments(vault, arguments, keep=[("to", "*")]) == {"to": [token], "body": NAME}


@pytest.mark.parametrize(
    "forged",
    [
        "PATIENT_xxxxxx",
        "PATIENT_bababa",
        "person_kovabi",
        "see PATIENT\\_bababa",
        "FOO_kovabi",
        "[PHONE_bababa]",
        "_PATIENT_bababa_",
        "PATIENT%5Fbababa",
        "PATIENT&#95;bababa",
        "PATIENT\\\\_bababa",
        "PATIENT_bababas",
    ],
)
@pytest.mark.parametrize("keep", [(), [("id",)]])
def test_a_placeholder_that_was_never_issued_is_refused(vault: Vault, forged: str, keep: Any) -> None:
    """H2, G13, RED-7; the message names no value."""
    with pytest.raises(UnknownToken) as caught:
        restore_arguments(vault, {"id": forged}, keep=keep)
    assert forged not in str(caught.value)


def test_a_forged_key_is_refused(vault: Vault) -> None:
    with pytest.raises(UnknownToken):
        restore_arguments(vault, {"PATIENT_bababa": 1})
