"""The gate's own predicate and verdict, and that nothing else in the host defines them."""

import ast
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deputize_hosts.casedesk
from deputize_hosts.casedesk.gate import service as gate
from deputize_hosts.casedesk.gate.service import ORDINARY, evaluate, is_ubo_identity_discrepancy

ROOT = Path(deputize_hosts.casedesk.__file__).parent
GRADES = ("low", "medium", "high", "critical")
STATES = ("open", "resolved", "escalated", "reported")
ONE = UUID(int=1)
WAYS = ("", "copilot", "page", "conflicts_panel")


@dataclass(frozen=True)
class Found:
    """A discrepancy as the gate sees it."""

    field: str = "ubo.name"
    severity: str = "low"
    status: str = "open"
    decided_via: str = ""
    id: UUID = ONE


@dataclass(frozen=True)
class Examined:
    """A case as the gate sees it."""

    discrepancies: tuple[Found, ...]


@pytest.mark.parametrize(
    ("field", "severity", "feeds"),
    [
        ("ubo.name", "low", True),
        ("ubo.birth_date", "low", True),
        ("ubo.ownership", "medium", True),
        ("UBO.Name ", "low", True),
        ("person.residence", "low", True),
        ("company.name", "low", True),
        ("company.registration_number", "low", True),
        ("company.address", "high", False),
        ("company.phone", "low", False),
        (" Company.Phone", "LOW", False),
        ("company.phone", "critical", True),
        ("company.phone", "Critical", True),
        ("company.phone", "unheard of", True),
        ("company.invented", "low", True),
        ("", "low", True),
    ],
)
def test_what_feeds_the_gate(field: str, severity: str, feeds: bool) -> None:
    """Domain: beneficial owners, identity, critical; and it fails closed."""
    assert is_ubo_identity_discrepancy(Found(field, severity)) is feeds


@pytest.mark.parametrize(
    ("status", "via", "blocks"),
    [
        ("open", "", True),
        ("escalated", "conflicts_panel", True),
        ("escalated", "copilot", True),
        ("reported", "conflicts_panel", True),
        ("resolved", "conflicts_panel", False),
        ("resolved", "copilot", True),
        ("resolved", "page", True),
        ("resolved", "", True),
    ],
)
def test_what_blocks(status: str, via: str, blocks: bool) -> None:
    """ADR-0116: only a closing decision in the Conflicts panel takes a finding out of the blocking set."""
    found = Found(status=status, decided_via=via)
    assert evaluate(Examined((found,))).open is not blocks


def test_a_nuisance_never_blocks_and_a_case_without_findings_is_open() -> None:
    assert evaluate(Examined(())).open
    assert evaluate(Examined((Found("company.phone"),))).open


found = st.builds(
    Found,
    field=st.sampled_from([*sorted(ORDINARY), "ubo.name", "company.name"]),
    severity=st.sampled_from(GRADES),
    status=st.sampled_from(STATES),
    decided_via=st.sampled_from(WAYS),
    id=st.builds(uuid4),
)


@given(st.lists(found, max_size=6))
def test_the_verdict_names_exactly_what_blocks(many: list[Found]) -> None:
    said = evaluate(Examined(tuple(many)))
    alone = {one.id for one in many if not evaluate(Examined((one,))).open}
    assert set(said.blocking) == alone
    assert said.open is not bool(alone)
    assert list(said.blocking) == sorted(said.blocking)


@given(found)
def test_whatever_chat_decides_cannot_take_a_finding_out_of_the_blocking_set(one: Found) -> None:
    """TOOL-9: in the gate itself, without any guard; a decision by chat changes status and way only."""
    before = evaluate(Examined((one,)))
    for status in STATES:
        after = evaluate(Examined((Found(one.field, one.severity, status, "copilot", one.id),)))
        assert set(before.blocking) <= set(after.blocking)


def test_nothing_else_defines_the_predicate() -> None:
    """ADR-0116: imported, never copied; besides the gate, fields are named only where they are called something."""
    defining = []
    naming = []
    for path in ROOT.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        if names & {"is_ubo_identity_discrepancy", "evaluate"}:
            defining.append(path.relative_to(ROOT).as_posix())
        text = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        if text & {"company.phone", "company.address"} and "seed" not in path.parts:
            naming.append(path.relative_to(ROOT).as_posix())
    assert defining == ["gate/service.py"]
    assert sorted(naming) == ["conflicts/fields.py", "gate/service.py"]


def test_the_gate_asks_nobody() -> None:
    """It is pure: no database, no session, no await."""
    tree = ast.parse(Path(gate.__file__).read_text(encoding="utf-8"))
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef | ast.Await)]
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert modules == {"collections.abc", "dataclasses", "typing", "uuid"}
