"""Seeded sign-ins have published passwords: they work on this machine only."""

from ipaddress import ip_address

from starlette.requests import Request


class OffLoopback(Exception):
    """A seeded sign-in was tried from another machine; the host answers 403."""


def _is_loopback(host: str) -> bool:
    try:
        address = ip_address(host.strip().strip("[]"))
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def from_loopback(request: Request) -> bool:
    """True if the peer, and everybody a proxy says it speaks for, is this machine."""
    if request.client is None or not _is_loopback(request.client.host):
        return False
    if "forwarded" in request.headers:
        return False
    named = [h.strip() for v in request.headers.getlist("x-forwarded-for") for h in v.split(",") if h.strip()]
    return all(_is_loopback(host) for host in named)


def refuse_off_loopback(request: Request, *, seeded: bool) -> None:
    """Raise OffLoopback if a seeded user comes from anywhere but this machine."""
    if seeded and not from_loopback(request):
        raise OffLoopback
