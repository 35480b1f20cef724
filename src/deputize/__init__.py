"""Deputize: a copilot for the application you already have, without authority of its own.

Everything that a host imports stands here; the rest is private.
"""

from deputize.app import Deputize
from deputize.config import Settings
from deputize.core.actor import Actor
from deputize.core.automation import Automation, Skip
from deputize.core.channel import Channel, NotSent, Receipt
from deputize.core.entity import Entity
from deputize.core.errors import ConfigurationError, DeputizeError, Disabled, Forbidden, Unauthenticated
from deputize.core.marks import Destination, Personal, Prose, Public, Target, Text, Trusted, Version, Yields
from deputize.core.tool import Allow, Approve, Args, Context, LocalTime, Refuse, Result, SyncContext, Tool, tool
from deputize.core.toolset import Suggestion, Surface, Toolset
from deputize.store.deeds import enqueue, note, on_commit, queue
from deputize.store.dialect import sqlite
from deputize.store.revision import alembic_ignore

__all__ = [
    "Actor",
    "Allow",
    "Approve",
    "Args",
    "Automation",
    "Channel",
    "ConfigurationError",
    "Context",
    "Deputize",
    "DeputizeError",
    "Destination",
    "Disabled",
    "Entity",
    "Forbidden",
    "LocalTime",
    "NotSent",
    "Personal",
    "Prose",
    "Public",
    "Receipt",
    "Refuse",
    "Result",
    "Settings",
    "Skip",
    "Suggestion",
    "Surface",
    "SyncContext",
    "Target",
    "Text",
    "Tool",
    "Toolset",
    "Trusted",
    "Unauthenticated",
    "Version",
    "Yields",
    "alembic_ignore",
    "enqueue",
    "note",
    "on_commit",
    "queue",
    "sqlite",
    "tool",
]
