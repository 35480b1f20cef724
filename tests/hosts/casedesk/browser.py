"""A person at a browser, without one: signs in at the desk or the portal, sends forms with their hidden fields."""

import re
from html import unescape
from typing import Any

import httpx2
from fastapi import FastAPI

from deputize_hosts.casedesk.seed.firms import PASSWORD

HERE = ("127.0.0.1", 40000)


class Person:
    """One browser of one person."""

    def __init__(self, app: FastAPI, address: tuple[str, int] = HERE) -> None:
        transport = httpx2.ASGITransport(app=app, client=address)
        self.client = httpx2.AsyncClient(transport=transport, base_url="http://localhost", follow_redirects=True)

    async def get(self, url: str, **options: Any) -> httpx2.Response:
        """Open a page."""
        return await self.client.get(url, **options)

    async def send(self, url: str, /, **fields: str) -> httpx2.Response:
        """Send a form with the CSRF token of this browser, as its hidden field holds it."""
        return await self.client.post(url, data={"csrf": self.client.cookies.get("csrf") or "", **fields})

    async def sign_in(self, email: str, password: str = PASSWORD, *, portal: bool = False) -> httpx2.Response:
        """Go to the sign-in and through it."""
        door = "/portal/sign-in" if portal else "/sign-in"
        await self.get(door)
        return await self.send(door, email=email, password=password)


def text_of(answer: httpx2.Response) -> str:
    """What a reader sees of the page's main part, without tags."""
    body = re.sub(r"(?s)^.*?<main", "<main", answer.text)
    return " ".join(unescape(re.sub(r"(?s)<[^>]+>", " ", body)).split())
