"""BUD-3, BUD-6: disjoint classes of tokens, and prices in whole micro-dollars."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deputize.core.usage import Price, Usage

COUNT = st.integers(min_value=0, max_value=10**9)
USAGE = st.builds(Usage, COUNT, COUNT, COUNT, COUNT)
PRICE = st.builds(Price, COUNT, COUNT, COUNT, COUNT)


@pytest.mark.parametrize("name", ["input", "output", "cache_read", "cache_write"])
def test_bud_3_negative_usage_is_refused(name: str) -> None:
    wrong: dict[str, Any] = {name: -1}
    with pytest.raises(ValueError, match="negative"):
        Usage(**wrong)


@pytest.mark.parametrize("wrong", [float("nan"), 1.0, "1", None, True])
def test_bud_3_usage_is_counted_in_whole_numbers(wrong: Any) -> None:
    with pytest.raises(ValueError, match="whole numbers"):
        Usage(input=wrong)


@given(USAGE)
def test_bud_3_the_total_is_the_sum_of_the_disjoint_classes(usage: Usage) -> None:
    assert usage.total == usage.input + usage.output + usage.cache_read + usage.cache_write


def test_a_million_tokens_cost_their_price() -> None:
    price = Price(input=150_000, output=600_000, cache_read=75_000, cache_write=190_000)
    assert price.cost(Usage(input=1_000_000)) == 150_000
    assert price.cost(Usage(output=1_000_000)) == 600_000
    assert price.cost(Usage(cache_read=1_000_000)) == 75_000
    assert price.cost(Usage(cache_write=1_000_000)) == 190_000


def test_a_fraction_of_a_micro_dollar_is_rounded_up_and_nothing_costs_nothing() -> None:
    assert Price(input=1, output=1).cost(Usage(input=1)) == 1
    assert Price(input=1, output=1).cost(Usage()) == 0


@given(PRICE, USAGE, USAGE)
def test_splitting_a_call_never_makes_it_cheaper(price: Price, one: Usage, two: Usage) -> None:
    both = Usage(
        one.input + two.input,
        one.output + two.output,
        one.cache_read + two.cache_read,
        one.cache_write + two.cache_write,
    )
    apart = price.cost(one) + price.cost(two)
    assert price.cost(both) <= apart <= price.cost(both) + 1
