"""OPS-4: `deputize new-tool` writes a stub that loads, passes registration, and leaves the rest of the file alone."""

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner, Result

from deputize import Entity, Surface, Toolset
from deputize.cli.main import program
from deputize.policy.registration import faults_of
from deputize_hosts.clinic.agenda import tools as agenda
from tests.engine.shop import Order

ORDER = Entity("order", Order, tenant="tenant", label=str, read="orders.read")


def new(folder: Path, name: str, *more: str) -> Result:
    given = ["new-tool", str(folder), name, "--permission", "orders.write", "--target", "order", *more]
    return CliRunner().invoke(program, given)


def loaded(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_the_first_tool_of_a_module_makes_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "orders"
    folder.mkdir()
    assert new(folder, "close_order", "--effect", "write").exit_code == 0
    assert new(folder, "mail_order", "--effect", "destructive", "--egress").exit_code == 0
    tools: Toolset = loaded(folder / "tools.py", "stub_one").TOOLS
    assert [(tool.name, tool.effect, tool.egress) for tool in tools.tools] == [
        ("close_order", "write", False),
        ("mail_order", "destructive", True),
    ]
    assert {tool.permissions for tool in tools.tools} == {("orders.write",)}
    surface = Surface("desk", prompt="x", tools=["orders.*"])
    assert [fault for fault in faults_of([tools], {"order": ORDER}, [surface], set()) if "close_order" in fault] == []


def test_a_real_module_gets_the_tool_and_keeps_everything_else(tmp_path: Path) -> None:
    folder = tmp_path / "agenda"
    folder.mkdir()
    source = Path(str(agenda.__file__))
    path = folder / "tools.py"
    shutil.copy(source, path)
    assert new(folder, "note_order").exit_code == 0
    before, after = source.read_text("utf-8"), path.read_text("utf-8")
    kept = [
        line for line in before.split("\n") if line.strip() and not line.startswith(("from deputize import", "TOOLS"))
    ]
    assert [line for line in kept if line not in after] == []
    module = loaded(path, "stub_two")
    names = [tool.name for tool in module.TOOLS.tools]
    assert names == [*(tool.name for tool in agenda.TOOLS.tools), "note_order"]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("Close Order", "", "names are"),
        ("close_order", 'async def close_order(ctx, args): ...\nTOOLS = Toolset("x", [close_order])\n', "already"),
        ("close_order", "x = 1\n", "no TOOLS"),
    ],
)
def test_what_cannot_be_written_is_said_and_nothing_is_touched(tmp_path: Path, name: str, text: str, told: str) -> None:
    if text:
        (tmp_path / "tools.py").write_text(text, encoding="utf-8")
    ended = new(tmp_path, name)
    assert ended.exit_code == 2
    assert told in ended.output
    assert (tmp_path / "tools.py").exists() == bool(text)
    if text:
        assert (tmp_path / "tools.py").read_text("utf-8") == text
