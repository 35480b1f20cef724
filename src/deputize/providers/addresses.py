"""Tells which network addresses may be dialled: public ones, and private ones where the operator says so."""

import ipaddress
from ipaddress import IPv4Address, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address

NAT64 = IPv6Network("64:ff9b::/96")
NAT64_LOCAL = IPv6Network("64:ff9b:1::/48")
V4_COMPATIBLE = IPv6Network("::/96")


def parse(text: str) -> Address | None:
    """The address that is written there, or None if it is a name."""
    try:
        return ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return None


def embedded(address: Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address carries traffic to: mapped, compatible, NAT64, 6to4 or Teredo."""
    if isinstance(address, IPv4Address):
        return None
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    low = IPv4Address(int(address) & 0xFFFFFFFF)
    if address in NAT64:
        return low
    if address in V4_COMPATIBLE and int(address) > 1:
        return low
    return None


def fault(address: Address, *, allow_private: bool) -> str | None:
    """Why this address may not be dialled, or None (PROV-4).

    Permission for private addresses covers loopback, private, unique-local and shared (100.64/10) ranges;
    link-local (where clouds answer with credentials), multicast, reserved and unspecified ones stay shut.
    """
    inner = embedded(address)
    if inner is not None:
        return fault(inner, allow_private=allow_private)
    if address.is_link_local:
        return "a link-local address"
    if address.is_multicast:
        return "a multicast address"
    if address.is_unspecified:
        return "an unspecified address"
    if isinstance(address, IPv6Address) and (address.is_site_local or address in NAT64_LOCAL):
        return "a reserved address"
    if address.is_loopback:
        return None if allow_private else "a loopback address"
    if address.is_reserved:
        return "a reserved address"
    if not address.is_global:
        return None if allow_private else "a private address"
    return None


def is_private(address: Address) -> bool:
    """Whether the address cannot be reached from outside; plain http is for these only."""
    inner = embedded(address)
    if inner is not None:
        return is_private(inner)
    return not address.is_global
