"""What a model's tokens cost: the operator's word, else the library's own copy, else the configured price (BUD-6).

The library is asked offline: its updater is never started, so nothing here touches the network.
"""

from datetime import datetime
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache
from typing import Any

from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelInfo, ModelPrice, TieredPrices

from deputize.core.usage import Price

FREE = Price(0, 0)
MICRO = Decimal(1_000_000)


def price_of(
    provider: str,
    model: str,
    *,
    configured: Price,
    override: bool,
    now: datetime,
    base_url: str | None = None,
    context_tokens: int = 0,
) -> Price:
    """Micro-dollars for a million tokens of this model.

    `configured` is AI_PRICE_PER_1M_INPUT and _OUTPUT; with `override` (the operator set them) they stand for
    every model, without it they are for models that the library does not know. Never 0 but for `offline`:
    what is given or listed as 0 counts at least one micro-dollar for a million. Cache classes that nobody
    priced cost what plain input does, and writing a quarter more. Prices that rise with the length of the
    prompt are taken at the step that `context_tokens` reaches.
    """
    if provider == "offline":
        return FREE
    listed = None if override else _listed(provider, model, now, base_url, context_tokens)
    return listed or _filled(configured.input, configured.output, configured.cache_read, configured.cache_write)


def _filled(into: int, out: int, read: int, write: int) -> Price:
    into, out = max(1, into), max(1, out)
    return Price(into, out, read or into, write or -(-into * 5 // 4))


@lru_cache(maxsize=512)
def _known(provider: str, model: str, base_url: str | None) -> tuple[ModelInfo, ...]:
    """The library's entries: by the endpoint's address or the vendor's name, then by the model's name alone."""
    way: tuple[str | None, str | None] = (None, base_url) if base_url else (provider, None)
    found = []
    for provider_id, url in (way, (None, None)):
        try:
            found.append(get_snapshot().find_provider_model(model, None, provider_id, url)[1])
        except LookupError:
            continue
    return tuple(found)


def _listed(provider: str, model: str, now: datetime, base_url: str | None, context_tokens: int) -> Price | None:
    """The first entry that has a price, or None."""
    for known in _known(provider, model, base_url):
        prices = known.get_prices(now)
        into = _micro(prices, "input_mtok", context_tokens)
        out = _micro(prices, "output_mtok", context_tokens)
        if into and out:
            read = _micro(prices, "cache_read_mtok", context_tokens)
            return _filled(into, out, read, _micro(prices, "cache_write_mtok", context_tokens))
    return None


def _micro(prices: ModelPrice, name: str, context_tokens: int) -> int:
    value: Any = getattr(prices, name, None)
    if isinstance(value, TieredPrices):
        reached = [tier.price for tier in value.tiers if tier.start < context_tokens]
        value = max([value.base, *reached])
    if not isinstance(value, Decimal | int | float):
        return 0
    return int((Decimal(str(value)) * MICRO).to_integral_value(rounding=ROUND_CEILING))
