"""A real nginx on loopback before a served host, with the configuration that the documents give."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.house.sources import ROOT
from tests.needs import missing

SITE = ROOT / "docs" / "deploy" / "nginx.conf"
MAIN = """
daemon off;
master_process off;
pid nginx.pid;
error_log stderr warn;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
{site}
}}
"""


def program() -> str:
    """The installed nginx; Debian keeps it where not every PATH looks."""
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin") or missing("nginx")


def site(upstream: str, port: int) -> str:
    """The documents' own file with the two addresses of this test."""
    text = SITE.read_text(encoding="utf-8")
    for written, real in (("server 127.0.0.1:8000;", f"server {upstream};"), ("127.0.0.1:8080", f"127.0.0.1:{port}")):
        assert text.count(written) == 1, written
        text = text.replace(written, real)
    return text


@contextmanager
def nginx(upstream: str, folder: Path) -> Iterator[str]:
    """Its address, once it answers; it is gone at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "main.conf").write_text(MAIN.format(site=site(upstream, port)), encoding="utf-8")
    process = subprocess.Popen(
        [program(), "-p", str(folder), "-c", "main.conf", "-e", "stderr"], stderr=subprocess.PIPE
    )
    try:
        _await(process, port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        _, said = process.communicate(timeout=20)
    assert process.returncode == 0, said.decode()


def _await(process: "subprocess.Popen[bytes]", port: int) -> None:
    """Return once it listens; raise where it has ended or does not listen within 20 s."""
    for _ in range(400):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.05)
            break
    raise RuntimeError("nginx did not start")
