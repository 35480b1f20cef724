"""How a demo host introduces itself to whoever starts it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SignIn:
    """One seeded sign-in, to be printed. It is refused off loopback."""

    email: str
    password: str
    who: str


@dataclass(frozen=True, slots=True)
class Demo:
    """`app` and `deputy` are `module:attribute` paths; `prepare` is `async (database_url)`, safe to repeat.

    `prepare` creates or migrates the host's own tables and seeds them; `default_database` is a SQLAlchemy
    URL for when nothing is set; `start` is the first page to open.
    """

    name: str
    app: str
    deputy: str
    prepare: Callable[[str], Awaitable[None]]
    default_database: str
    sign_ins: tuple[SignIn, ...]
    start: str = "/"
