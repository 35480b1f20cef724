"""The way to a model: checked at boot and at connect, dialled as checked, never led elsewhere (PROV-4)."""

import asyncio
import ipaddress
import ssl
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from deputize.providers.endpoint import EndpointRefused, ResponseTooLarge, check_base_url, checked_client, endpoint_of
from tests.providers.vendor import Answer, Vendor, vendor

OK = Answer([b"{}"], content_type="application/json")


class Names:
    """A resolver: answers in turn, the last one again and again; remembers what it was asked."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def unresolvable(host: str, port: int) -> Sequence[str]:
    raise OSError("no such name")


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://api.example.com/v1", "https"),
        ("ftp://api.example.com", "https://"),
        ("api.example.com", "https://"),
        ("", "https://"),
        ("https://", "no host"),
        ("https://u:secret-pw@api.example.com/v1", "user name"),
        ("https://api.example.com/v1?key=secret-pw", "query"),
        ("https://api.example.com/v1#secret-pw", "fragment"),
        ("https://api.example.com:99999/", "port"),
        ("https://exa mple.com/", "cannot be"),
        ("https://[::1/", "not a URL"),
        ("https://127.0.0.1/v1", "loopback"),
        ("https://[::1]/v1", "loopback"),
        ("https://[::ffff:10.0.0.1]/v1", "private"),
        ("https://localhost/v1", "loopback"),
        ("https://LOCALHOST./v1", "loopback"),
        ("https://model.localhost/v1", "loopback"),
        ("https://169.254.169.254/latest", "link-local"),
    ],
)
def test_prov_4_a_bad_base_url_is_named_at_boot(url: str, says: str) -> None:
    faults = check_base_url(url, allow_private=False, resolve=Names(["93.184.216.34"]))
    assert any(says in fault for fault in faults), faults
    assert not any("secret" in fault for fault in faults)
    with pytest.raises(ValueError, match=says):
        endpoint_of(url, allow_private=False)


@pytest.mark.parametrize("address", ["10.0.0.7", "127.0.0.1", "::1", "fd00::1", "169.254.1.1", "::ffff:192.168.0.1"])
def test_prov_4_the_resolved_address_counts_at_boot(address: str) -> None:
    assert check_base_url("https://model.example.com/v1", False, Names(["93.184.216.34", address]))
    assert check_base_url("https://model.example.com/v1", False, Names(["93.184.216.34"])) == []


def test_prov_4_spellings_of_numbers_are_resolved_and_refused() -> None:
    """The system reads 2130706433 and 0x7f.1 as 127.0.0.1; so do we, by asking it."""
    for url in ("https://2130706433/", "https://0x7f.1/", "https://127.1/"):
        assert check_base_url(url, False) == [f"{httpx2.URL(url).host} is or leads to a loopback address"]


def test_prov_4_a_private_endpoint_is_admitted_where_the_operator_says_so() -> None:
    assert check_base_url("http://llm.example.com:8000/v1", True, Names(["10.1.2.3"])) == []
    assert check_base_url("http://127.0.0.1:11434/v1", True) == []
    assert check_base_url("https://llm.example.com/v1", True, Names(["93.184.216.34"])) == []
    assert "plain http" in check_base_url("http://llm.example.com/v1", True, Names(["93.184.216.34"]))[0]
    assert "link-local" in check_base_url("http://169.254.169.254/v1", True)[0]


def test_prov_4_a_name_that_cannot_be_resolved_at_boot_is_checked_at_connect_only() -> None:
    assert check_base_url("https://model.example.com/v1", False, unresolvable) == []


async def fetch(client: httpx2.AsyncClient, url: str) -> httpx2.Response:
    async with client:
        return await client.get(url)


async def test_prov_4_a_name_that_changed_its_address_after_boot_is_refused_at_connect() -> None:
    names = Names(["93.184.216.34"], ["127.0.0.1"])
    url = "https://model.example.com/v1"
    assert check_base_url(url, False, names) == []
    client = checked_client(endpoint_of(url, False), timeout=5, max_response_bytes=1_000, resolve=names)
    with pytest.raises(EndpointRefused):
        await fetch(client, url)


async def test_prov_4_one_bad_address_among_several_refuses_them_all(vendor: Vendor) -> None:
    url = f"http://model.example.com:{vendor.port}/v1"
    names = Names(["127.0.0.1", "169.254.169.254"])
    client = checked_client(endpoint_of(url, True), timeout=5, max_response_bytes=1_000, resolve=names)
    with pytest.raises(EndpointRefused):
        await fetch(client, url)
    assert vendor.connections == 0


async def test_prov_4_the_checked_address_is_dialled_under_the_name(vendor: Vendor) -> None:
    vendor.answers.extend([OK, OK])
    url = f"http://model.example.com:{vendor.port}/v1"
    names = Names(["127.0.0.1"])
    client = checked_client(endpoint_of(url, True), timeout=5, max_response_bytes=1_000, resolve=names)
    async with client:
        assert (await client.get(url)).status_code == 200
        assert (await client.get(url)).status_code == 200
    assert vendor.journal[0].headers["host"] == f"model.example.com:{vendor.port}"
    assert vendor.journal[0].headers["accept-encoding"] == "identity"
    assert names.asked == [("model.example.com", vendor.port)]
    assert vendor.connections == 1


async def test_the_next_address_is_tried_where_the_first_is_silent(vendor: Vendor) -> None:
    vendor.answers.append(OK)
    url = f"http://model.example.com:{vendor.port}/v1"
    names = Names(["127.99.0.1", "127.0.0.1"])
    client = checked_client(endpoint_of(url, True), timeout=5, max_response_bytes=1_000, resolve=names)
    assert (await fetch(client, url)).status_code == 200


async def test_prov_4_redirects_are_not_followed(vendor: Vendor) -> None:
    vendor.answers.append(Answer(status=307, headers={"Location": f"{vendor.base_url}/elsewhere"}))
    client = checked_client(endpoint_of(vendor.base_url, True), timeout=5, max_response_bytes=1_000)
    assert (await fetch(client, vendor.base_url)).status_code == 307
    assert len(vendor.journal) == 1


async def test_prov_4_another_origin_is_refused_even_if_a_client_asks(vendor: Vendor) -> None:
    client = checked_client(endpoint_of(vendor.base_url, True), timeout=5, max_response_bytes=1_000)
    async with client:
        for url in (f"http://127.0.0.1:{vendor.port + 1}/", f"https://127.0.0.1:{vendor.port}/", "http://10.0.0.1/"):
            with pytest.raises(EndpointRefused):
                await client.get(url, follow_redirects=True)
    assert vendor.connections == 0


async def test_prov_4_proxy_variables_are_ignored(vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    vendor.answers.append(OK)
    client = checked_client(endpoint_of(vendor.base_url, True), timeout=5, max_response_bytes=1_000)
    assert (await fetch(client, vendor.base_url)).status_code == 200


async def test_prov_3_an_answer_is_cut_off_at_the_cap(vendor: Vendor) -> None:
    vendor.answers.extend(
        [Answer([b"x" * 1_000]), Answer([b"x" * 500, b"x" * 501]), Answer([b"x" * 9], fault="endless")]
    )
    client = checked_client(endpoint_of(vendor.base_url, True), timeout=5, max_response_bytes=1_000)
    async with client:
        assert len((await client.get(vendor.base_url)).content) == 1_000
        for _ in range(2):
            with pytest.raises(ResponseTooLarge):
                await client.get(vendor.base_url)


async def test_prov_3_a_compressed_answer_is_refused_since_its_size_cannot_be_capped(vendor: Vendor) -> None:
    vendor.answers.append(Answer([b"\x1f\x8b"], headers={"Content-Encoding": "gzip"}))
    client = checked_client(endpoint_of(vendor.base_url, True), timeout=5, max_response_bytes=1_000)
    with pytest.raises(ResponseTooLarge):
        await fetch(client, vendor.base_url)


async def test_errors_bear_httpx2s_names(vendor: Vendor) -> None:
    vendor.answers.extend(
        [Answer([b"x"], fault="reset"), Answer([b"x"], fault="truncate"), Answer([b"x"], fault="hold")]
    )
    client = checked_client(endpoint_of(vendor.base_url, True), timeout=0.2, max_response_bytes=1_000)
    async with client:
        for expected in (httpx2.ReadError, httpx2.RemoteProtocolError, httpx2.ReadTimeout):
            with pytest.raises(expected):
                await client.get(vendor.base_url)
    closed = checked_client(endpoint_of("http://127.0.0.1:1", True), timeout=5, max_response_bytes=1_000)
    with pytest.raises(httpx2.ConnectError):
        await fetch(closed, "http://127.0.0.1:1/")
    nowhere = checked_client(
        endpoint_of("http://model.example.com", True), timeout=5, max_response_bytes=1_000, resolve=unresolvable
    )
    with pytest.raises(httpx2.ConnectError):
        await fetch(nowhere, "http://model.example.com/")


async def test_a_resolver_that_hangs_counts_against_the_connect_timeout() -> None:
    loop, held = asyncio.get_running_loop(), asyncio.Event()

    def hangs(host: str, port: int) -> Sequence[str]:
        asyncio.run_coroutine_threadsafe(held.wait(), loop).result(10)
        return ["127.0.0.1"]

    url = "http://model.example.com/"
    client = checked_client(endpoint_of(url, True), timeout=0.1, max_response_bytes=1_000, resolve=hangs)
    with pytest.raises(httpx2.ConnectTimeout):
        await fetch(client, url)
    held.set()


def _certificate(folder: Path, *names: x509.GeneralName) -> tuple[Path, Path]:
    """A certificate that signs itself, for these names only, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "deputize test")])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime.now().astimezone() - timedelta(days=1))
        .not_valid_after(datetime.now().astimezone() + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    cert, secret = folder / "cert.pem", folder / "key.pem"
    cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return cert, secret


async def test_prov_4_tls_keeps_the_name_while_the_checked_address_is_dialled(tmp_path: Path) -> None:
    """SNI and certificate are those of the name; a certificate for the address alone is not enough."""
    shown: list[str | None] = []
    for names, good in (
        ((x509.DNSName("model.example.com"),), True),
        ((x509.IPAddress(ipaddress.ip_address("127.0.0.1")),), False),
    ):
        cert, key = _certificate(tmp_path, *names)
        server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        server.load_cert_chain(cert, key)
        server.sni_callback = lambda _socket, name, _context: shown.append(name)
        async with vendor(tls=server) as made:
            made.answers.append(OK)
            url = f"https://model.example.com:{made.port}/v1"
            client = checked_client(
                endpoint_of(url, True),
                timeout=5,
                max_response_bytes=1_000,
                resolve=Names(["127.0.0.1"]),
                tls=ssl.create_default_context(cafile=str(cert)),
            )
            if good:
                assert (await fetch(client, url)).status_code == 200
            else:
                with pytest.raises(httpx2.ConnectError):
                    await fetch(client, url)
    assert shown == ["model.example.com", "model.example.com"]
