"""The compose file as processes of this machine: its commands and its environment, with this machine's addresses."""

import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]  # no types are published beside it
from sqlalchemy import URL

from tests.house.sources import ROOT

FOLDER = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
VARIABLE = re.compile(r"\$\$|\$\{([A-Z_]+)(?::([-?])([^}]*))?\}")


def filled(text: str, given: Mapping[str, str]) -> str:
    """Compose's own interpolation: `${X}`, `${X:-default}`, `${X:?why}` and `$$`. Raises KeyError for a `:?` one."""

    def value(match: re.Match[str]) -> str:
        if match[0] == "$$":
            return "$"
        name, how, otherwise = match.groups()
        if given.get(name):
            return given[name]
        if how == "?":
            raise KeyError(f"{name}: {otherwise}")
        return otherwise or ""

    return VARIABLE.sub(value, text)


def variables(text: str) -> set[str]:
    """The names that a text interpolates."""
    return {match[1] for match in VARIABLE.finditer(text) if match[1]}


def environment(service: str, given: Mapping[str, str]) -> dict[str, str]:
    """What the service's container would find in its environment."""
    return {name: filled(str(value), given) for name, value in SERVICES[service]["environment"].items()}


def command(service: str, given: Mapping[str, str] = {}) -> list[str]:
    """What the service's container runs."""
    return [filled(word, given) for word in SERVICES[service]["command"]]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@dataclass(frozen=True)
class Here:
    """Where on this machine things are which have addresses of their own between containers."""

    database: URL
    folder: Path
    api: int
    health: int
    proxy: int

    def environment(self, service: str, given: Mapping[str, str]) -> dict[str, str]:
        """As composed; the database's host and the folder of the keys are this machine's."""
        env = environment(service, given)
        assert env["DATABASE_URL"].startswith("postgresql+asyncpg://")
        env["DATABASE_URL"] = self.database.render_as_string(hide_password=False)
        assert env["AI_CHECKPOINT_KEY_FILE"].startswith("/var/lib/desk/keys/")
        env["AI_CHECKPOINT_KEY_FILE"] = str(self.folder / Path(env["AI_CHECKPOINT_KEY_FILE"]).name)
        return env

    def command(self, service: str) -> list[str]:
        """As composed, word by word; addresses are this machine's."""
        pairs = {
            "prepare": [],
            "api": [("0.0.0.0", "127.0.0.1"), ("8000", str(self.api))],
            "worker": [("8001", str(self.health))],
        }
        return _replaced(command(service), pairs[service])

    def proxy_command(self, nginx: str) -> list[str]:
        """The proxy's own script, which makes the site of the documents' file, around this machine's nginx."""
        made = self.folder / "site.conf"
        return _replaced(
            command("proxy"),
            [
                ("api:8000", f"127.0.0.1:{self.api}"),
                ("listen 8080", f"listen 127.0.0.1:{self.proxy}"),
                ("/etc/desk/site.conf", str(ROOT / "docs/deploy/nginx.conf")),
                ("/etc/nginx/conf.d/default.conf", str(made)),
                ("exec nginx", f"exec {nginx} -p {self.folder} -c {self._main(made)} -e stderr"),
            ],
        )

    def _main(self, site: Path) -> Path:
        """What the image's own main file is to the site: paths that its user may write, and nothing else of note."""
        temporary = "\n".join(
            f"{kind}_temp_path {kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        main = self.folder / "main.conf"
        main.write_text(
            f"pid nginx.pid;\nerror_log stderr warn;\nevents {{}}\n"
            f"http {{\naccess_log off;\n{temporary}\ninclude {site};\n}}\n",
            encoding="utf-8",
        )
        return main


def _replaced(words: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Each pair must occur somewhere: what is not found any more is not silently left as it is."""
    found = list(words)
    for old, new in pairs:
        assert any(old in word for word in found), old
        found = [word.replace(old, new) for word in found]
    return found
