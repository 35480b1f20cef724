"""SEC-6, AUTO-5: over every service method of all hosts the system actor reaches `triage_patch` and nothing else.

The methods are those that a page, a tool or an automation calls, found in the sources; each is called with a session
that may not be touched, so that a refusal is seen to come before any question to the database.
"""

import ast
import importlib
import inspect
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import UUID, uuid4

import pytest

import deputize_hosts
from deputize import Actor

FOLDER = Path(str(deputize_hosts.__file__)).parent
HOSTS = ("casedesk", "clinic", "workorders")
CALLERS = ("tools.py", "router.py", "automation.py")
"""Files through which anybody outside reaches a service."""
ONE = "deputize_hosts.workorders.orders.service.triage_patch"
CAPABILITIES = ("triage", "admin", "*")

Method = Callable[..., Awaitable[Any]]


class Untouched:
    """A session that nobody may use."""

    def __getattr__(self, name: str) -> Any:
        def asked(*_: Any, **__: Any) -> Any:
            raise LookupError(f"the database was asked: {name}")

        return asked


class Anything:
    """An argument of no meaning (ids are real ones): whoever looks at it before asking who calls has asked too late."""

    def __getattr__(self, name: str) -> Any:
        raise LookupError(f"an argument was looked at: {name}")


def sources() -> Iterator[Path]:
    """The files that call services; a router of several files counts with each."""
    for host in HOSTS:
        yield from (path for path in sorted((FOLDER / host).rglob("*.py")) if path.name.endswith(CALLERS))


def called(path: Path) -> Iterator[Any]:
    """What the file calls by an imported module's or function's name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    known: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("deputize_hosts."):
            module = importlib.import_module(str(node.module))
            for alias in node.names:
                found = getattr(module, alias.name, None) or importlib.import_module(f"{node.module}.{alias.name}")
                known[alias.asname or alias.name] = found
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name):
            yield known.get(node.func.id)
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            held = known.get(node.func.value.id)
            yield getattr(held, node.func.attr, None) if isinstance(held, ModuleType) else None


def methods() -> dict[str, Method]:
    """Every coroutine with a session and an actor that such a file calls, by its full name."""
    found: dict[str, Method] = {}
    for path in sources():
        for one in called(path):
            if not inspect.iscoroutinefunction(one):
                continue
            if list(inspect.signature(one).parameters)[:2] == ["session", "actor"]:
                found[f"{one.__module__}.{one.__qualname__}"] = one
    return found


METHODS = methods()


async def refused(method: Method, actor: Actor) -> bool:
    """Whether a 403 of the host's own is the answer, raised or given; anything else lets the caller through."""
    needed = list(inspect.signature(method).parameters.values())[2:]
    given = {p.name: uuid4() if p.annotation is UUID else Anything() for p in needed if p.default is p.empty}
    try:
        answer = await method(Untouched(), actor, **given)
    except Exception as error:
        answer = error
    return isinstance(answer, Exception) and getattr(answer, "status", 0) == 403


def test_every_host_has_methods_and_the_one_is_among_them() -> None:
    """The walk finds what it should: a host whose services were renamed would otherwise pass unseen."""
    counted = {host: sum(name.startswith(f"deputize_hosts.{host}.") for name in METHODS) for host in HOSTS}
    assert all(count >= 10 for count in counted.values()), counted
    assert ONE in METHODS


@pytest.mark.parametrize("capability", CAPABILITIES)
async def test_sec_6_the_system_actor_reaches_one_method_of_all_hosts(capability: str) -> None:
    """With the capability `triage` it is `triage_patch`; with any other it is none."""
    actor = Actor(f"agent:{capability}", str(uuid4()), kind="system", capability=capability)
    reached = {name for name, method in METHODS.items() if not await refused(method, actor)}
    assert reached == ({ONE} if capability == "triage" else set())
