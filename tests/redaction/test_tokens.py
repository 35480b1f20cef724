"""RED-3: tokens are a kind and three pronounceable syllables, from a keyed hash, none of them rude."""

import re

import pytest

from deputize.redaction.tokens import CONSONANTS, KINDS, VOWELS, kind_word, propose, rude, shaped

SECRET = b"0123456789abcdef"


def test_shape_is_kind_and_three_syllables() -> None:
    """RED-3"""
    token = propose(SECRET, "PATIENT", "name ana", 0)
    assert re.fullmatch(rf"PATIENT_(?:[{CONSONANTS}][{VOWELS}]){{3}}", token)


def test_letters_keep_a_plural_s_apart() -> None:
    """RED-3, RED-7"""
    assert "s" not in CONSONANTS + VOWELS


def test_same_input_same_token_other_secret_other_token() -> None:
    """RED-3: proposed by a keyed hash under a secret of the conversation."""
    first = [propose(SECRET, "PERSON", f"name {n}", 0) for n in range(50)]
    assert first == [propose(SECRET, "PERSON", f"name {n}", 0) for n in range(50)]
    assert first != [propose(b"another secret..", "PERSON", f"name {n}", 0) for n in range(50)]


def test_a_collision_is_answered_by_another_attempt() -> None:
    assert propose(SECRET, "ID", "x", 0) != propose(SECRET, "ID", "x", 1)


def test_no_rude_token_is_ever_proposed() -> None:
    """RED-3"""
    assert rude("kabron") is False
    assert rude("putako")
    assert not any(rude(propose(SECRET, "ID", str(n), 0)[-6:]) for n in range(5000))


@pytest.mark.parametrize(
    ("kind", "subject", "word"),
    [
        ("NAME", None, "PERSON"),
        ("first_name", None, "PERSON"),
        ("NAME", "patient:1", "PATIENT"),
        ("patient", "patient:1", "PATIENT"),
        ("PHONE", "patient:1", "PHONE"),
        ("work_order", None, "WORKORDER"),
        ("?", None, "VALUE"),
    ],
)
def test_kind_word(kind: str, subject: str | None, word: str) -> None:
    assert kind_word(kind, subject) == word


@pytest.mark.parametrize(
    "text", ["PATIENT_kovabi", "PATIENT_xxxxxx", "patient_kovabi", "FOO_kovabi", "PATIENT\\_kovabi"]
)
def test_what_claims_to_be_a_token(text: str) -> None:
    """RED-7: issued or not."""
    assert shaped(f"x {text}.", KINDS) == [(2, 2 + len(text))]


@pytest.mark.parametrize(
    "text", ["patient tomato", "snake_case_name", "PATIENT_kovabix", "XPATIENT-kovabi", "MAX_VALUE"]
)
def test_what_does_not(text: str) -> None:
    assert shaped(text, KINDS) == []
