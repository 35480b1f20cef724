"""How an operator says that an endpoint is to be reached, and the way there: the same for every vendor (PROV-4)."""

from dataclasses import dataclass
from typing import Required, TypedDict

import httpx2

from deputize.providers.endpoint import Resolve, checked_client, endpoint_of, system_resolve
from deputize.providers.failures import hush


class Dialling(TypedDict, total=False):
    """Arguments of every provider behind an address.

    `timeout` is the longest silence and `longest` the longest answer, in seconds.
    """

    base_url: Required[str | None]
    api_key: Required[str]
    default_model: Required[str]
    allow_private: bool
    timeout: float
    max_response_bytes: int
    longest: float
    resolve: Resolve


@dataclass(frozen=True, slots=True)
class Reached:
    """An address that may be used, with the client that goes there only."""

    url: str
    host: str
    api_key: str
    longest: float
    http: httpx2.AsyncClient


def reach(usual: str, how: Dialling) -> Reached:
    """The way to the given base URL, or the usual one. Raises ValueError for a base URL that may not be used."""
    hush()
    url = how["base_url"] or usual
    endpoint = endpoint_of(url, how.get("allow_private", False))
    http = checked_client(
        endpoint,
        timeout=how.get("timeout", 60.0),
        max_response_bytes=how.get("max_response_bytes", 8_000_000),
        resolve=how.get("resolve", system_resolve),
    )
    return Reached(url, endpoint.host, how["api_key"] or "none", how.get("longest", 600.0), http)
