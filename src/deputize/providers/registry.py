"""The names of the providers, and the one place that makes one; a vendor's SDK is loaded only when it is used."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from deputize.core.errors import ConfigurationError
from deputize.core.provider import Provider


@dataclass(frozen=True, slots=True)
class Known:
    """Where a provider is made, which package it needs, and whether it needs a key."""

    module: str
    factory: str
    needs: str | None
    needs_key: bool


KNOWN: Mapping[str, Known] = {
    "anthropic": Known("deputize.providers.anthropic", "AnthropicProvider", "anthropic", needs_key=True),
    "offline": Known("deputize.providers.offline", "OfflineProvider", None, needs_key=False),
    "openai": Known("deputize.providers.openai", "OpenAIProvider", "openai", needs_key=True),
}
NAMES: tuple[str, ...] = tuple(sorted(KNOWN))


def faults_of(name: str, *, api_key: str = "") -> list[str]:
    """Why this provider cannot be selected, for boot and for saving a tenant's settings; empty if it can (PROV-1)."""
    known = KNOWN.get(name)
    if known is None:
        return [f"unknown provider {name!r}; the known ones are {', '.join(NAMES)}"]
    faults = []
    if known.needs is not None and find_spec(known.needs) is None:
        faults.append(f"the provider {name} needs the package {known.needs}: install deputize[{known.needs}]")
    if known.needs_key and not api_key:
        faults.append(f"the provider {name} needs a key")
    return faults


def create(
    name: str,
    *,
    base_url: str | None = None,
    api_key: str = "",
    default_model: str = "",
    allow_private: bool = False,
    **options: Any,
) -> Provider:
    """Make a provider; `options` are further ones of its class. `offline` needs none and is given none.

    Raises ConfigurationError naming every fault, a base URL that may not be used included.
    """
    faults = faults_of(name, api_key=api_key)
    if faults:
        raise ConfigurationError(faults)
    known = KNOWN[name]
    make: Callable[..., Provider] = getattr(import_module(known.module), known.factory)
    if not known.needs_key:
        return make()
    try:
        return make(
            base_url=base_url, api_key=api_key, default_model=default_model, allow_private=allow_private, **options
        )
    except ValueError as error:
        raise ConfigurationError([str(error)]) from None
