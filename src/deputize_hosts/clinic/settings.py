"""The clinic's own settings, read from the environment once."""

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import make_url

DEFAULT_DATABASE = "sqlite+aiosqlite:///var/clinic.sqlite"
DEFAULT_MAIL = Path("var/clinic-mail")


@dataclass(frozen=True, slots=True)
class HostSettings:
    """`secret` signs cookies: without one each start ends all sign-ins. `database_url` is async SQLAlchemy's.

    `mail_folder` keeps what the clinic sends, for demonstrations; a real server comes from `SMTP_*`.
    """

    database_url: str = DEFAULT_DATABASE
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    mail_folder: Path = DEFAULT_MAIL

    @classmethod
    def from_environment(cls) -> "HostSettings":
        """`DATABASE_URL`, `CLINIC_MAIL_FOLDER`, `CLINIC_SECRET_KEY` (else derived from `AI_SECRET_KEY`)."""
        secret = os.environ.get("CLINIC_SECRET_KEY") or os.environ.get("AI_SECRET_KEY")
        url = os.environ.get("DATABASE_URL") or DEFAULT_DATABASE
        folder = Path(os.environ.get("CLINIC_MAIL_FOLDER") or DEFAULT_MAIL)
        return cls(url, f"clinic:{secret}", folder) if secret else cls(url, mail_folder=folder)


def ensure_folder(database_url: str) -> None:
    """Make the folder of a SQLite file."""
    url = make_url(database_url)
    if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
