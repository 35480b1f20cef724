"""Values are told in the person's language and zone, and nothing invisible stays so (APPR-1, UI-6)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Boolean, DateTime, Enum, Integer, LargeBinary, Numeric, String
from sqlalchemy.types import TypeDecorator

from deputize.engine.wording import language, typeable, visible, words
from tests.engine.shop import ACTOR

ES = replace(ACTOR, locale="es_ES")


class Wrapped(TypeDecorator[Any]):
    impl = DateTime(timezone=True)
    cache_ok = True


@pytest.mark.parametrize(
    ("value", "kind", "english", "spanish"),
    [
        (None, String(), "—", "—"),
        ("", String(), "—", "—"),
        (True, Boolean(), "yes", "sí"),
        (False, None, "no", "no"),
        ("1234.50", Numeric(10, 2), "1234.50", "1234,50"),
        ("1234.50", String(), "1234.50", "1234.50"),
        ("in_progress", Enum("in_progress", name="e"), "in progress", "in progress"),
        ("2026-01-01T09:00:00.000000Z", DateTime(timezone=True), "Thu 1 Jan 2026, 10:00", "jue 1 ene 2026, 10:00"),
        ("2026-07-01T09:00:05.000000", Wrapped(), "Wed 1 Jul 2026, 11:00:05", "mié 1 jul 2026, 11:00:05"),
        ("2026-07-01T09:00:00.000000", DateTime(), "Wed 1 Jul 2026, 09:00", "mié 1 jul 2026, 09:00"),
        ("2026-07-01T09:00:00+02:00", None, "Wed 1 Jul 2026, 09:00", "mié 1 jul 2026, 09:00"),
        ("2026-07-01T09:00:00Z", String(), "2026-07-01T09:00:00Z", "2026-07-01T09:00:00Z"),
        ("2026-09-02", None, "Wed 2 Sep 2026", "mié 2 sept 2026"),
        ("00ff", LargeBinary(), "binary data (2)", "datos binarios (2)"),
        (7, Integer(), "7", "7"),
        ({"a": ["ñ"]}, None, '{"a": ["ñ"]}', '{"a": ["ñ"]}'),
    ],
)
def test_values_are_told_as_people_say_them(value: Any, kind: Any, english: str, spanish: str) -> None:
    assert words(value, kind, ACTOR) == english
    assert words(value, kind, ES) == spanish


def test_an_unknown_zone_or_language_still_tells() -> None:
    odd = replace(ACTOR, time_zone="Mars/Olympus", locale="tlh")
    assert words("2026-01-01T09:00:00.000000Z", DateTime(timezone=True), odd) == "Thu 1 Jan 2026, 09:00"
    assert (language("es-419"), language("EN"), language("fr")) == ("es", "en", "en")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("línea uno\nlínea dos\t.", "línea uno\nlínea dos\t."),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("a\u00adb", "a⟨U+00AD⟩b"),
        ("a\u3164b", "a⟨U+3164⟩b"),
        ("a\U000e0041b", "a⟨U+E0041⟩b"),
        ("a\U000e0101b", "a⟨U+E0101⟩b"),
        ("a\x00b\x1b[0m", "a⟨U+0000⟩b⟨U+001B⟩[0m"),
        ("a\u2028b", "a⟨U+2028⟩b"),
        ("a\r\nb\rc", "a\nb⟨U+000D⟩c"),
        ("niño 😀", "niño 😀"),
    ],
)
def test_invisible_and_bidirectional_characters_are_written_out(text: str, shown: str) -> None:
    assert visible(text) == (shown, "⟨" in shown)


@given(st.text())
def test_what_is_shown_holds_nothing_invisible_and_is_shown_the_same_again(text: str) -> None:
    shown, _ = visible(text)
    assert visible(shown) == (shown, False)


@given(st.text())
def test_a_phrase_to_type_can_be_typed(text: str) -> None:
    phrase = typeable(text)
    assert phrase == " ".join(phrase.split())
    assert not visible(phrase)[1]
