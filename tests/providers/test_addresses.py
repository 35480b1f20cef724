"""Which addresses may be dialled (PROV-4)."""

import pytest

from deputize.providers.addresses import fault, is_private, parse

PUBLIC = ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]
INSIDE = [
    "127.0.0.1",
    "127.8.9.1",
    "::1",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "fd00::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
    "2002:a00:1::1",
    "::7f00:1",
    "198.18.0.1",
    "192.0.2.1",
]
SHUT = [
    "169.254.169.254",
    "fe80::1",
    "fe80::1%2",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "224.0.0.1",
    "ff02::1",
    "0.0.0.0",
    "::",
    "240.0.0.1",
    "255.255.255.255",
    "fec0::1",
    "64:ff9b:1::1",
]


@pytest.mark.parametrize("text", PUBLIC)
@pytest.mark.parametrize("allow_private", [False, True])
def test_prov_4_public_addresses_are_dialled(text: str, allow_private: bool) -> None:
    address = parse(text)
    assert address is not None
    assert fault(address, allow_private=allow_private) is None
    assert not is_private(address)


@pytest.mark.parametrize("text", INSIDE)
def test_prov_4_inside_addresses_only_where_the_operator_says_so(text: str) -> None:
    address = parse(text)
    assert address is not None
    assert fault(address, allow_private=False)
    assert fault(address, allow_private=True) is None
    assert is_private(address)


@pytest.mark.parametrize("text", SHUT)
@pytest.mark.parametrize("allow_private", [False, True])
def test_prov_4_link_local_multicast_and_reserved_stay_shut(text: str, allow_private: bool) -> None:
    address = parse(text)
    assert address is not None
    assert fault(address, allow_private=allow_private)


def test_names_are_no_addresses_and_brackets_are() -> None:
    assert parse("api.example.com") is None
    assert parse("2130706433") is None
    assert str(parse("[::1]")) == "::1"
