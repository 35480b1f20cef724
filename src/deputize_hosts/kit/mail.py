"""Mail of the demo hosts: into a folder that a page shows, or through a real SMTP server."""

import asyncio
import hashlib
import os
import smtplib
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import HTMLResponse

from deputize_hosts.kit.pages import page

Security = Literal["none", "starttls", "tls"]
TIMEOUT_SECONDS = 20.0
SHOWN = 200
WORDS: Mapping[str, Mapping[str, str]] = {
    "title": {"en": "Mail that was sent", "es": "Correo enviado"},
    "none": {"en": "Nothing has been sent yet.", "es": "Todavía no se ha enviado nada."},
    "note": {
        "en": "This demonstration sends no real mail; what would leave is kept here.",
        "es": "Esta demostración no envía correo real; lo que saldría se guarda aquí.",
    },
    "to": {"en": "To", "es": "Para"},
    "when": {"en": "Sent", "es": "Enviado"},
}


class NotDelivered(Exception):
    """The mail certainly did not leave; it may be tried again. Never holds an address or a text."""


@dataclass(frozen=True, slots=True)
class Letter:
    """One mail; `key` is the same for every attempt at it."""

    to: str
    subject: str
    body: str
    key: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A mail in the folder, as the page shows it."""

    to: str
    subject: str
    body: str
    when: str


Deliver = Callable[[Letter], Awaitable[str]]
"""Sends a letter and returns its Message-ID; raises NotDelivered, or anything else where the answer was lost."""


def compose(letter: Letter, sender: str) -> EmailMessage:
    """The mail with an id that depends on the key alone. Raises NotDelivered for what is no address or no header."""
    message = EmailMessage()
    try:
        message["From"] = Address(addr_spec=sender)
        message["To"] = Address(addr_spec=letter.to)
        message["Subject"] = letter.subject
    except (ValueError, IndexError, TypeError) as error:
        raise NotDelivered(type(error).__name__) from None
    message["Date"] = format_datetime(datetime.now(UTC))
    digest = hashlib.sha256(letter.key.encode()).hexdigest()
    message["Message-ID"] = f"<{digest[:40]}@{sender.rpartition('@')[2]}>"
    message.set_content(letter.body)
    return message


def mail_folder(folder: Path, sender: str = "demo@localhost.example") -> Deliver:
    """Writes each letter as one file; the same key writes the same file, so that a repetition does nothing."""

    def write(letter: Letter) -> str:
        message = compose(letter, sender)
        ident = str(message["Message-ID"])
        path = folder / f"{ident.strip('<>').partition('@')[0]}.eml"
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            fresh = path.with_suffix(f".{os.getpid()}.new")
            fresh.write_bytes(message.as_bytes())
            fresh.replace(path)
        return ident

    async def deliver(letter: Letter) -> str:
        return await asyncio.to_thread(write, letter)

    return deliver


def smtp(
    host: str,
    port: int,
    *,
    sender: str,
    user: str | None = None,
    password: str = "",
    security: Security = "starttls",
    timeout: float = TIMEOUT_SECONDS,
) -> Deliver:
    """Sends through a server. What it refuses, or what fails before a letter is handed over, is NotDelivered.

    A connection that breaks while the letter is being handed over raises as it is: whether it was taken is
    not known.
    """

    def send(letter: Letter) -> str:
        message = compose(letter, sender)
        try:
            client = _connect(host, port, security, timeout)
            if user is not None:
                client.login(user, password)
        except (OSError, smtplib.SMTPException) as error:
            raise NotDelivered(type(error).__name__) from None
        try:
            client.send_message(message)
        except (
            smtplib.SMTPRecipientsRefused,
            smtplib.SMTPSenderRefused,
            smtplib.SMTPDataError,
            smtplib.SMTPNotSupportedError,
            smtplib.SMTPHeloError,
        ) as error:
            raise NotDelivered(type(error).__name__) from None
        finally:
            client.close()
        return str(message["Message-ID"])

    async def deliver(letter: Letter) -> str:
        return await asyncio.to_thread(send, letter)

    return deliver


def _connect(host: str, port: int, security: Security, timeout: float) -> smtplib.SMTP:
    if security == "tls":
        return smtplib.SMTP_SSL(host, port, timeout=timeout, context=ssl.create_default_context())
    client = smtplib.SMTP(host, port, timeout=timeout)
    if security == "starttls":
        client.starttls(context=ssl.create_default_context())
    return client


def kept(folder: Path) -> list[Kept]:
    """The letters in the folder, newest first."""
    paths = sorted(folder.glob("*.eml"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    shown = []
    for path in paths[:SHOWN]:
        message = message_from_bytes(path.read_bytes(), policy=policy.default)
        assert isinstance(message, EmailMessage)
        body = message.get_body()
        shown.append(
            Kept(
                str(message["To"]),
                str(message["Subject"]),
                str(body.get_content()) if body is not None else "",
                str(message["Date"]),
            )
        )
    return shown


async def mail_page(request: Request, folder: Path, language: str, layout: str, **values: Any) -> HTMLResponse:
    """The page that shows the folder; who may see it is the host's to ask first."""
    letters = await asyncio.to_thread(kept, folder)
    words = {name: texts.get(language) or texts["en"] for name, texts in WORDS.items()}
    return page(request, "mail.html", language, layout=layout, letters=letters, words=words, **values)
