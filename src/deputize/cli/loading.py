"""Finding the host's deputy, and demonstrations by entry point."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar

import typer
from sqlalchemy.exc import SQLAlchemyError

from deputize.app import Deputize
from deputize.core.errors import DeputizeError
from deputize.engine.wiring import Wiring

T = TypeVar("T")


def fail(text: str) -> typer.Exit:
    """Say what is wrong on standard error and end with status 2."""
    typer.echo(text, err=True)
    return typer.Exit(2)


def attribute(path: str) -> Any:
    """The object behind `module:attribute`."""
    module, _, name = path.partition(":")
    if not module or not name:
        raise fail(f"{path!r} is not of the form module:attribute")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise fail(f"cannot load {path}: {type(error).__name__}: {error}") from None


def deputy_of(app: str | None) -> Deputize:
    """The deputy named by `--app` or `DEPUTIZE_APP`."""
    path = app or os.environ.get("DEPUTIZE_APP")
    if not path:
        raise fail("say which application: --app module:deputy, or DEPUTIZE_APP")
    found = attribute(path)
    if not isinstance(found, Deputize):
        raise fail(f"{path} is not a Deputize instance")
    return found


def with_deputy(deputy: Deputize, deed: Callable[[Wiring], Awaitable[T]]) -> T:
    """Do it and close everything; what goes wrong is one sentence on standard error and status 2, never a traceback."""

    async def run() -> T:
        try:
            return await deed(deputy.wiring)
        finally:
            await deputy.close()
            await deputy.engine.dispose()

    try:
        return asyncio.run(run())
    except DeputizeError as error:
        more = ", ".join(f"{name}: {value}" for name, value in error.details.items())
        raise fail(f"{error.message} ({more})" if more else error.message) from None
    except SQLAlchemyError as error:
        said = type(error).__name__
        raise fail(f"the database cannot be used ({said}): `deputize doctor` looks at it") from None
    except OSError as error:
        raise fail(f"{error.strerror or type(error).__name__}: {error.filename or 'the system refused'}") from None


def demo_of(name: str) -> Any:
    """The demonstration of that name, from the entry points `deputize.demos`."""
    found = {point.name: point for point in entry_points(group="deputize.demos")}
    if name not in found:
        raise fail(f"there is no demo {name!r}; known: {', '.join(sorted(found)) or 'none'}")
    return found[name].load()()
