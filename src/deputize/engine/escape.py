"""What no handler may do while it is watched: reach outside the one transaction it was given (APPR-1).

A context variable says whose code is running, so that other requests of the process are left alone. Python's
audit events tell of sockets, files and processes; the pool tells of connections; the running loop's own methods
tell of tasks, and of sockets where the loop (uvloop) raises no audit events. Threads have none before Python 3.13,
so their start asks too.
"""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from typing import Any
from weakref import WeakSet

from sqlalchemy import event
from sqlalchemy.pool import Pool

from deputize.core.effect import Escape


@dataclass(slots=True)
class Watchman:
    """What one handler tried; kept because a handler may swallow the exception that stopped it."""

    tried: list[str] = field(default_factory=list)


_watched: ContextVar[Watchman | None] = ContextVar("deputize_watched", default=None)

_SOCKET = "a socket"
_FILE = "a file"
_PROCESS = "a process"
_THREAD = "a thread"
_TASK = "a task"
_CONNECTION = "another database connection"

_EVENTS = {
    "socket.connect": _SOCKET,
    "socket.bind": _SOCKET,
    "socket.sendto": _SOCKET,
    "socket.sendmsg": _SOCKET,
    "socket.getaddrinfo": _SOCKET,
    "socket.gethostbyname": _SOCKET,
    "socket.gethostbyaddr": _SOCKET,
    "sqlite3.connect": _CONNECTION,
    "subprocess.Popen": _PROCESS,
    "os.system": _PROCESS,
    "os.exec": _PROCESS,
    "os.fork": _PROCESS,
    "os.forkpty": _PROCESS,
    "os.posix_spawn": _PROCESS,
    "os.spawn": _PROCESS,
    "os.startfile": _PROCESS,
    "os.kill": _PROCESS,
    "os.remove": _FILE,
    "os.rename": _FILE,
    "os.mkdir": _FILE,
    "os.rmdir": _FILE,
    "os.link": _FILE,
    "os.symlink": _FILE,
    "os.truncate": _FILE,
    "os.chmod": _FILE,
    "os.chown": _FILE,
    "os.utime": _FILE,
}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_LOOP = {
    "create_task": _TASK,
    "run_in_executor": _THREAD,
    "create_connection": _SOCKET,
    "create_datagram_endpoint": _SOCKET,
    "create_unix_connection": _SOCKET,
    "create_server": _SOCKET,
    "create_unix_server": _SOCKET,
    "sock_connect": _SOCKET,
    "subprocess_exec": _PROCESS,
    "subprocess_shell": _PROCESS,
}
_DRIVERS = frozenset({"sqlalchemy", "asyncpg", "aiosqlite", "psycopg"})
"""Packages whose own tasks serve the connection that the handler was given."""

_armed: WeakSet[asyncio.AbstractEventLoop] = WeakSet()


@contextmanager
def guarded() -> Iterator[None]:
    """Refuse escapes of the code inside, in this context only; raises Escape, also where it was swallowed."""
    _arm(asyncio.get_running_loop())
    watchman = Watchman()
    token = _watched.set(watchman)
    try:
        yield
    except Exception as error:
        if watchman.tried:
            raise _escape(watchman) from error
        raise
    finally:
        _watched.reset(token)
    if watchman.tried:
        raise _escape(watchman)


@contextmanager
def at_ease() -> Iterator[None]:
    """Our own code inside a watched block, such as reflection, is not watched."""
    token = _watched.set(None)
    try:
        yield
    finally:
        _watched.reset(token)


def _escape(watchman: Watchman) -> Escape:
    return Escape(f"The tool reached for {watchman.tried[0]}.")


def _trip(what: str) -> None:
    watchman = _watched.get()
    if watchman is not None:
        watchman.tried.append(what)
        raise _escape(watchman)


def _audit(name: str, args: tuple[Any, ...]) -> None:
    if name == "open":
        if _watched.get() is not None and _writes(args):
            _trip(_FILE)
        return
    what = _EVENTS.get(name)
    if what is not None and _watched.get() is not None and not (what is _FILE and _by_python()):
        _trip(what)


def _writes(args: tuple[Any, ...]) -> bool:
    path, mode, flags = args
    if isinstance(mode, str):
        writing = any(letter in mode for letter in "wax+")
    else:
        writing = isinstance(flags, int) and bool(flags & _WRITING)
    return writing and path != os.devnull and not _by_python()


def _by_python() -> bool:
    """The interpreter's own import cache or its logging opens the file, not the handler."""
    frame = sys._getframe(2)
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module in {"importlib._bootstrap_external", "_frozen_importlib_external"}:
            return True
        if module == logging.__name__ or module == "logging.handlers":
            return True
        if frame.f_back is None:
            return False
        frame = frame.f_back
    return False


def _checkout(*_: Any) -> None:
    _trip(_CONNECTION)


def _arm(loop: asyncio.AbstractEventLoop) -> None:
    """Let the loop's methods ask first; done once for each loop and of no effect outside a watched context."""
    if loop in _armed:
        return
    for name, what in _LOOP.items():
        setattr(loop, name, _asking(getattr(loop, name), what))
    _armed.add(loop)


def _asking(method: Callable[..., Any], what: str) -> Callable[..., Any]:
    @wraps(method)
    def asks(*args: Any, **options: Any) -> Any:
        if _watched.get() is not None:
            work = args[0] if args else None
            if not (what is _TASK and _serves_the_driver(work)):
                if asyncio.iscoroutine(work):
                    work.close()
                _trip(what)
        return method(*args, **options)

    return asks


def _serves_the_driver(coroutine: Any) -> bool:
    frame = getattr(coroutine, "cr_frame", None)
    module = frame.f_globals.get("__name__", "") if frame is not None else type(coroutine).__module__
    return str(module).partition(".")[0] in _DRIVERS


sys.addaudithook(_audit)
setattr(threading.Thread, "start", _asking(threading.Thread.start, _THREAD))  # noqa: B010 - a method is not assigned
event.listen(Pool, "checkout", _checkout)
