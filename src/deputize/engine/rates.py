"""How many messages may be started a minute: by one person, and from one address (BUD-7)."""

import hashlib
import hmac
import ipaddress
from datetime import datetime, timedelta
from functools import lru_cache

from deputize.core.errors import RateLimited
from deputize.engine.wiring import Wiring
from deputize.redaction.seal import derive
from deputize.store.runs import Busy

MINUTE = timedelta(minutes=1)


def since(w: Wiring) -> datetime:
    """The moment from which starts are counted."""
    return w.clock.now() - MINUTE


def address_key(w: Wiring, peer: str | None) -> str | None:
    """A keyed hash of the peer's address: it tells whether two starts came from one place, and not from which.

    None where the address says nothing about the person: no peer, and this machine itself, which is what
    everybody looks like behind a proxy whose forwarded addresses the server was not told to trust.
    """
    if not peer:
        return None
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False).network_address
    if address.is_loopback or address.is_unspecified:
        return None
    return hmac.new(_key(w.secret_key), address.packed, hashlib.sha256).hexdigest()[:32]


@lru_cache(maxsize=4)
def _key(secret: str) -> bytes:
    return derive(secret, "address")


def check(w: Wiring, busy: Busy, *, counted: int = 0) -> None:
    """Raise RateLimited where the person or the address has started enough; `counted` starts are the caller's own."""
    if max(busy.starts, busy.starts_from) - counted >= w.limits.starts_per_minute:
        raise RateLimited(retryAfter=60)
