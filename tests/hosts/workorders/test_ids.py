"""Every requirement of the founding text has a test that carries its name, and every rule on automations is cited.

The text's are COP-1 to COP-10, AGT-1 to AGT-9, SEC-1 to SEC-14; the contract's are AUTO-1 to AUTO-8.
"""

import ast
import re

import pytest

from tests.house.sources import ROOT

WANTED = {"cop": 10, "agt": 9, "sec": 14}
CITED = re.compile(r"\b(AUTO)-(\d+)(?: to (?:AUTO-)?(\d+))?")


def names() -> set[str]:
    """Ids in the names of tests: `test_sec_3_and_4_…` stands for two."""
    found = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                match = re.match(r"test_(cop|agt|sec)_(\d+)((?:_and_\d+)*)", node.name)
                if match:
                    numbers = [match[2], *re.findall(r"\d+", match[3])]
                    found |= {f"{match[1]}-{number}" for number in numbers}
    return found


NAMES = names()


@pytest.mark.parametrize("ident", [f"{kind}-{n}" for kind, last in WANTED.items() for n in range(1, last + 1)])
def test_each_requirement_has_a_test_of_its_name(ident: str) -> None:
    assert ident in NAMES, f"name a test `test_{ident.replace('-', '_')}_…`"


def test_each_rule_on_automations_is_cited_by_a_test() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    cited = {int(n) for _, first, last in CITED.findall(text) for n in range(int(first), int(last or first) + 1)}
    assert cited >= set(range(1, 9))
