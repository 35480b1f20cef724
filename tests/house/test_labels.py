"""Every commit and everything that leaves the house has a label, at which the crash tests kill the process (RUN-7)."""

import ast
from collections.abc import Iterator

import pytest

from tests.house.sources import Source, breaches, product


def said(node: ast.expr) -> bool:
    """A label that stands there: words, not a variable that could be empty."""
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.Constant) and str(part.value).strip("-") for part in node.values)
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(node.value.strip())


def attribute(node: ast.AST, name: str) -> ast.Call | None:
    """The call of a method of that name."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name:
        return node
    return None


def written(source: Source) -> Iterator[ast.Call]:
    """Write transactions: `db.write(…)`, on whatever the database is called."""
    for node in ast.walk(source.tree):
        call = attribute(node, "write")
        if call is None:
            continue
        owner = call.func.value  # type: ignore[attr-defined]  # `attribute` has seen to that
        if (owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")) in {"db", "database"}:
            yield call


def outward(node: ast.AST) -> bool:
    """A letter to a channel, a request to a model, a handler that goes out."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        owner = ast.unparse(node.func.value).rpartition(".")[2]
        return (owner, node.func.attr) in {("channel", "send"), ("provider", "stream")}
    return isinstance(node.func, ast.Name) and node.func.id == "call_handler"


def unlabelled_commits(source: Source) -> list[int]:
    return [
        call.lineno
        for call in written(source)
        if len(call.args) != 2 or not said(call.args[1])  # the tenant and the label
    ]


def unlabelled_sends(source: Source) -> list[int]:
    under: set[ast.AST] = set()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.With):
            labels = [call for item in node.items if (call := attribute(item.context_expr, "leaving"))]
            if any(call.args and said(call.args[0]) for call in labels):
                under.update(ast.walk(node))
    return [node.lineno for node in ast.walk(source.tree) if outward(node) and node not in under]  # type: ignore[attr-defined]  # a call has a line


STAYS = {"deputize.engine.dispatch"}
"""A read's handler goes nowhere: its transaction is read-only, and one that goes out is staged (TOOL-13, TOOL-14)."""


def test_every_commit_has_a_label() -> None:
    found = [f"{source.name}:{line}" for source in product() for line in unlabelled_commits(source)]
    assert not found, breaches(found, "a write transaction is given its label in words")
    assert sum(1 for source in product() for _ in written(source)) > 40


def test_everything_that_leaves_has_a_label() -> None:
    found = [
        f"{source.name}:{line}"
        for source in product()
        if source.module not in STAYS
        for line in unlabelled_sends(source)
    ]
    assert not found, breaches(found, "what leaves the house does so under `db.leaving(label)`")
    assert sum(outward(node) for source in product() for node in ast.walk(source.tree)) >= 4


@pytest.mark.parametrize(
    "breach",
    ["w.db.write(tenant)", "w.db.write(tenant, label)", "w.db.write(tenant, '')", "self.db.write(tenant, f'{x}')"],
)
def test_an_unlabelled_commit_is_noticed(breach: str) -> None:
    source = Source(product()[0].path, "deputize.engine.new", "", ast.parse(f"async def deed():\n    {breach}"))
    assert unlabelled_commits(source) == [2]


@pytest.mark.parametrize(
    "breach",
    [
        "await channel.send(payload, key)",
        "await w.registry.channel.send(payload, key)",
        "p.provider.stream(request)",
        "await call_handler(session, tool)",
        "with w.db.leaving(label): await channel.send(payload, key)",
    ],
)
def test_an_unlabelled_send_is_noticed(breach: str) -> None:
    source = Source(product()[0].path, "deputize.engine.new", "", ast.parse(f"async def deed():\n    {breach}"))
    assert unlabelled_sends(source) == [2]
