"""The verifier of the chain stands alone: it imports nothing of the code that writes entries (AUD-4)."""

import ast
from pathlib import Path

import deputize

ROOT = Path(deputize.__file__).parent
VERIFIER = ("core/verify.py", "core/pack.py", "core/prefix.py")
SHARED = {"Finding", "Verdict"}
"""All that the verifier takes of the module in which the writer's hashes stand: its answers."""


def imported(name: str) -> dict[str, set[str]]:
    """Modules of ours that the file imports, with the names taken."""
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    plain = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert not [one for one in plain if one.startswith("deputize")], "import names, not modules"
    found: dict[str, set[str]] = {}
    for node in nodes:
        if str(node.module).startswith("deputize"):
            found.setdefault(str(node.module), set()).update(alias.name for alias in node.names)
    return found


def closure() -> dict[str, set[str]]:
    """All of ours that the verifier reaches, with what each file takes; the writer's own module is not gone into."""
    reached: dict[str, set[str]] = {}
    waiting = list(VERIFIER)
    while waiting:
        for module, names in imported(waiting.pop()).items():
            if module not in reached and module != "deputize.core.chain":
                waiting.append(f"{module.removeprefix('deputize.').replace('.', '/')}.py")
            reached.setdefault(module, set()).update(names)
    return reached


def test_aud_4_the_verifier_imports_nothing_of_the_writer() -> None:
    reached = closure()
    assert {module.split(".")[1] for module in reached} == {"core"}, "no store, no engine"
    assert reached["deputize.core.chain"] == SHARED
    assert set(reached) <= {
        f"deputize.core.{name}" for name in ("chain", "checkpoint", "merkle", "prefix", "ranges", "verify")
    }


def test_a_writer_that_crept_in_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "verify.py"
    path.write_text("from deputize.core.chain import entry_hash\n", encoding="utf-8")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (node,) = [one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)]
    assert not {alias.name for alias in node.names} <= SHARED
