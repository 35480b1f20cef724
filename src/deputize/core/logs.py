"""What may stand in a log: names of classes and frames, never the words or values that an error quotes (RED-8)."""

import logging
import traceback
from collections.abc import Collection

DATABASE = ("aiosqlite", "asyncpg", "sqlalchemy.engine", "sqlalchemy.engine.Engine", "sqlalchemy.orm")
"""Loggers that below INFO write the parameters and rows of statements."""
VENDORS = (
    "openai",
    "openai._base_client",
    "openai._legacy_response",
    "openai._response",
    "anthropic",
    "anthropic._base_client",
    "anthropic._legacy_response",
    "anthropic._response",
    "anthropic._tracing",
    "httpx2",
    "httpcore2",
    "httpcore2.connection",
    "httpcore2.http11",
)
"""Loggers that below WARNING write requests, headers and bodies; some are made only at the first request."""


class _From(logging.Filter):
    """Lets records pass from one level up."""

    def __init__(self, level: int) -> None:
        super().__init__()
        self.level = level

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= self.level


def quieten(trees: Collection[str], level: int) -> None:
    """Keep loggers and those below them from writing under a level, whatever level somebody sets for them.

    One that is made later has the level of its tree.
    """
    known = [name for name in logging.root.manager.loggerDict if any(name.startswith(f"{tree}.") for tree in trees)]
    for name in (*trees, *known):
        logger = logging.getLogger(name)
        if not any(isinstance(one, _From) for one in logger.filters):
            logger.addFilter(_From(level))
        if name in trees and logger.level < level:
            logger.setLevel(max(level, logger.getEffectiveLevel()))


def told(error: BaseException) -> str:
    """An error as it may be logged: its class and where it came from."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    return f"{type(error).__qualname__}\n{frames}"
