"""The clinic's way out: e-mail, kept in a folder for demonstrations or sent through a real server."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deputize import Channel, NotSent, Receipt
from deputize_hosts.kit.mail import Deliver, Letter, NotDelivered, mail_folder, smtp


def deliver_from(folder: Path) -> Deliver:
    """Into the folder; through `SMTP_HOST`, `_PORT`, `_USER`, `_PASSWORD`, `_SENDER` where a host is set."""
    host = os.environ.get("SMTP_HOST")
    if not host:
        return mail_folder(folder)
    return smtp(
        host,
        int(os.environ.get("SMTP_PORT") or 587),
        sender=os.environ.get("SMTP_SENDER") or "clinic@localhost.example",
        user=os.environ.get("SMTP_USER") or None,
        password=os.environ.get("SMTP_PASSWORD") or "",
    )


def email_channel(deliver: Deliver) -> Channel:
    """The channel `email`. The mail's id depends on its key, so that receivers can drop a repetition."""

    async def send(payload: Mapping[str, Any], key: str) -> Receipt:
        letter = Letter(str(payload["to"]), str(payload["subject"]), str(payload["body"]), key)
        try:
            return Receipt(await deliver(letter))
        except NotDelivered as error:
            raise NotSent(str(error)) from None

    return Channel(
        "email",
        show=("to", "subject", "body"),
        destination="to",
        send=send,
        title={"es": "Correo electrónico", "en": "E-mail"},
        captions={
            "to": {"es": "Para", "en": "To"},
            "subject": {"es": "Asunto", "en": "Subject"},
            "body": {"es": "Texto", "en": "Text"},
        },
    )
