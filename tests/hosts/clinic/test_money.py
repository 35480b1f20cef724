"""Money in minor units: lines, totals, reading what people type (property tests)."""

from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deputize_hosts.clinic.errors import InvalidValue
from deputize_hosts.clinic.money import (
    FULL,
    MOST,
    Line,
    decimal_of,
    minor_of,
    money_read,
    percent_read,
    plain_money,
    share_of,
    shown_money,
    shown_percent,
)


class Asker:
    """Somebody with a language."""

    def __init__(self, locale: str) -> None:
        self.locale = locale


ES, EN = Asker("es"), Asker("en")
minor = st.integers(0, MOST)
points = st.integers(0, FULL)


@given(minor, points)
def test_a_share_is_the_exact_part_rounded_half_up(amount: int, rate: int) -> None:
    exact = Decimal(amount) * rate / FULL
    assert share_of(amount, rate) == int(exact.quantize(Decimal(1), ROUND_HALF_UP))


@given(st.builds(Line, minor, st.integers(1, 999), points, points))
def test_a_line_adds_up_and_nothing_is_ever_negative(line: Line) -> None:
    assert line.gross == line.net + line.discount
    assert line.total == line.net + line.vat
    assert 0 <= line.net <= line.gross
    assert 0 <= line.vat <= line.net
    assert all(type(part) is int for part in (line.gross, line.discount, line.net, line.vat, line.total))


@given(st.integers(1, MOST))
def test_decimals_and_minor_units_are_one_amount(amount: int) -> None:
    assert minor_of(ES, "amount", decimal_of(amount)) == amount


@given(minor, st.sampled_from(["es", "en"]))
def test_what_is_shown_can_be_typed_back(amount: int, language: str) -> None:
    asker = Asker(language)
    assert money_read(asker, "amount", shown_money(amount, language)) == amount
    assert money_read(asker, "amount", plain_money(amount, language)) == amount


@given(points, st.sampled_from(["es", "en"]))
def test_a_rate_that_is_shown_can_be_typed_back(rate: int, language: str) -> None:
    assert percent_read(ES, "discount", shown_percent(rate, language)) == rate


@pytest.mark.parametrize(
    ("asker", "text", "amount"),
    [
        (ES, "1.250,50 €", 125050),
        (ES, "1250,5", 125050),
        (ES, "1250.50", 125050),
        (ES, "1.250", 125000),
        (EN, "1,250", 125000),
        (EN, "€1,250.50", 125050),
        (ES, "0,07", 7),
    ],
)
def test_people_s_ways_of_writing_an_amount(asker: Asker, text: str, amount: int) -> None:
    assert money_read(asker, "amount", text) == amount


@pytest.mark.parametrize("text", ["", "-5", "1,234", "12,345", "diez", "1e3", "99999999999999", "NaN"])
def test_anything_else_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        money_read(ES, "amount", text)
    assert not text or text not in refused.value.message


@pytest.mark.parametrize("amount", ["0", "-1", "0.001", "1000000000000"])
def test_an_amount_is_positive_has_two_decimals_and_an_end(amount: str) -> None:
    with pytest.raises(InvalidValue):
        minor_of(ES, "amount", Decimal(amount))


def test_amounts_and_rates_in_words() -> None:
    assert shown_money(125050, "es") == "1.250,50\u00a0€"
    assert shown_money(-125050, "en") == "-€1,250.50"
    assert shown_money(100, "en", "CHF") == "1.00 CHF"
    assert (shown_percent(2100, "es"), shown_percent(750, "en"), shown_percent(0, "es")) == (
        "21\u00a0%",
        "7.5%",
        "0\u00a0%",
    )
