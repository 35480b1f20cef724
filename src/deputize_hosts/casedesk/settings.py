"""The case desk's own settings, read from the environment once."""

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import make_url

DEFAULT_DATABASE = "sqlite+aiosqlite:///var/casedesk.sqlite"


@dataclass(frozen=True, slots=True)
class HostSettings:
    """`secret` signs cookies: without one each start ends all sign-ins. `database_url` is async SQLAlchemy's."""

    database_url: str = DEFAULT_DATABASE
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @classmethod
    def from_environment(cls) -> "HostSettings":
        """`DATABASE_URL`, and `CASEDESK_SECRET_KEY` or else a value derived from `AI_SECRET_KEY`."""
        secret = os.environ.get("CASEDESK_SECRET_KEY") or os.environ.get("AI_SECRET_KEY")
        url = os.environ.get("DATABASE_URL") or DEFAULT_DATABASE
        return cls(url, f"casedesk:{secret}") if secret else cls(url)


def ensure_folder(database_url: str) -> None:
    """Make the folder of a SQLite file."""
    url = make_url(database_url)
    if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
