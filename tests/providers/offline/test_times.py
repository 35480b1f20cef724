"""Days and hours as people say them, in Spanish and English, placed relative to a frozen Monday morning."""

from datetime import date, datetime, time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deputize.providers.offline.times import duration, find

NOW = datetime(2026, 11, 30, 10, 0)  # a Monday


def first(text: str, language: str) -> tuple[str | None, str | None]:
    whens = find(text, NOW, language)
    day = next((w.day.isoformat() for w in whens if w.day), None)
    at = next((f"{w.at:%H:%M}" for w in whens if w.at), None)
    return day, at


@pytest.mark.parametrize(
    ("language", "text", "day", "at"),
    [
        ("es", "mañana a las 10", "2026-12-01", "10:00"),
        ("es", "el martes que viene a las 9:30", "2026-12-01", "09:30"),
        ("es", "pasado mañana por la tarde", "2026-12-02", None),
        ("es", "3 de diciembre", "2026-12-03", None),
        ("es", "el 3/12 a las 9", "2026-12-03", "09:00"),
        ("es", "hoy a la una", "2026-11-30", "13:00"),
        ("es", "esta tarde a las 5 y media", "2026-11-30", "17:30"),
        ("es", "a las 10 y cuarto del miércoles", "2026-12-02", "10:15"),
        ("es", "el jueves a las once menos cuarto", "2026-12-03", "10:45"),
        ("es", "a las 8 de la tarde", None, "20:00"),
        ("es", "dentro de dos semanas", "2026-12-14", None),
        ("es", "en 3 días", "2026-12-03", None),
        ("es", "el viernes 11 a las 12", "2026-12-11", "12:00"),
        ("es", "el lunes", "2026-12-07", None),
        ("es", "ayer", "2026-11-29", None),
        ("es", "el lunes pasado", "2026-11-23", None),
        ("es", "el jueves de la semana que viene", "2026-12-10", None),
        ("es", "el 5 de enero", "2027-01-05", None),
        ("es", "mañana a mediodía", "2026-12-01", "12:00"),
        ("en", "tomorrow at 3pm", "2026-12-01", "15:00"),
        ("en", "next Monday at 3pm", "2026-12-07", "15:00"),
        ("en", "in two weeks", "2026-12-14", None),
        ("en", "at half past nine tomorrow", "2026-12-01", "09:30"),
        ("en", "the day after tomorrow at noon", "2026-12-02", "12:00"),
        ("en", "December 3rd at 10:30", "2026-12-03", "10:30"),
        ("en", "on the 5th at quarter to ten", "2026-12-05", "09:45"),
        ("en", "Thursday next week", "2026-12-10", None),
        ("en", "at 4 on Friday", "2026-12-04", "16:00"),
        ("en", "2026-12-03T09:00", "2026-12-03", "09:00"),
        ("en", "12 am", None, "00:00"),
    ],
)
def test_day_and_hour(language: str, text: str, day: str | None, at: str | None) -> None:
    assert first(text, language) == (day, at)


def test_a_week_is_a_range_and_an_afternoon_a_part() -> None:
    (week,) = find("la semana que viene", NOW, "es")
    assert (week.day, week.last) == (date(2026, 12, 7), date(2026, 12, 13))
    (part,) = find("Friday afternoon", NOW, "en")
    assert (part.day, part.part, part.at) == (date(2026, 12, 4), (12, 18), None)


def test_from_where_to_where() -> None:
    source, value = find("mueve la cita del martes al jueves a las 15:00", NOW, "es")
    assert (source.role, source.day, value.role, value.day, value.at) == (
        "from",
        date(2026, 12, 1),
        "to",
        date(2026, 12, 3),
        time(15),
    )


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("45 minutos", 45),
        ("de una hora y media", 90),
        ("a 60 minute slot", 60),
        ("half an hour", 30),
        ("media hora", 30),
        ("dentro de 2 horas", None),
        ("una hora libre", None),
        ("a las 10 horas", None),
    ],
)
def test_lengths(text: str, minutes: int | None) -> None:
    found = duration(text)
    assert (found[0] if found else None) == minutes


@pytest.mark.parametrize("text", ["me debe 12.50 euros", "calle Mayor 3", "teléfono 600 10 10 10", "abril 45", "31/31"])
def test_what_is_no_time(text: str) -> None:
    assert [w for w in find(text, NOW, "es") if w.at or w.day] == []


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="0123456789/:-. amphdelyñá", max_size=40), st.sampled_from(["es", "en"]))
def test_no_text_breaks_it_and_places_do_not_overlap(text: str, language: str) -> None:
    whens = find(text, NOW, language)
    assert all(a.end <= b.start for a, b in pairwise(whens))
    assert all(0 <= w.start < w.end <= len(text) for w in whens)
