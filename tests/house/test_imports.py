"""What hosts may know of the product and of each other (architecture); that imports point down is `make lint`'s."""

import ast
import sys
from pathlib import Path

import pytest

import deputize
from tests.house.sources import ROOT, Source, breaches, imported, imports, product, within

HOSTS = sorted(
    path.parent.name for path in (ROOT / "src/deputize_hosts").glob("*/__init__.py") if path.parent.name != "kit"
)
OWN = ("service", "gate", "asking")
"""What a host's tools.py may know of its own module; `asking` puts the service into words for tools."""

FREE = {"pydantic", *sys.stdlib_module_names}


def test_deputize_never_imports_a_host() -> None:
    found = [f"{s.name}: {name}" for s in product() for name in imports(s) if within(name, "deputize_hosts")]
    assert not found, breaches(found, "the product does not know its demonstrations")


def test_hosts_import_only_the_public_names() -> None:
    found = [
        f"{source.name}: {name}"
        for source in product("deputize_hosts")
        for name in imports(source)
        if within(name, "deputize") and name.removeprefix("deputize.") not in {*deputize.__all__, "deputize"}
    ]
    assert not found, breaches(found, "a host imports `deputize` and its public names, nothing below")


def test_hosts_never_import_each_other_and_the_kit_knows_nothing_of_deputize() -> None:
    found = []
    for source in product("deputize_hosts"):
        own = source.module.split(".")[1] if "." in source.module else ""
        allowed = {own, "kit"} if own != "kit" else {"kit"}
        for name in imports(source):
            parts = name.split(".")
            stranger = parts[0] == "deputize_hosts" and len(parts) > 1 and parts[1] not in allowed
            if stranger or (own == "kit" and parts[0] == "deputize"):
                found.append(f"{source.name}: {name}")
    assert not found, breaches(found, "hosts are strangers to each other, and the kit to deputize")


def allowed_in_tools(source: Source, name: str) -> bool:
    """TOOL-1: a tools.py wraps its own module's service (and gate); the rest it gets from `deputize`."""
    package = source.module.rsplit(".", 1)[0]
    own = any(within(name, f"{package}.{role}") for role in OWN)
    return own or name.split(".")[0] in FREE | {"deputize"}


def test_tool_1_a_tools_file_knows_deputize_and_its_own_service_only() -> None:
    found = []
    for source in product("deputize_hosts"):
        if source.path.name != "tools.py":
            continue
        found += [f"{source.name}: {name}" for name in imports(source) if not allowed_in_tools(source, name)]
    assert not found, breaches(found, "a tools.py imports `deputize`, its own service and gate, and the library")


def test_the_rule_for_tools_files_would_notice_a_breach() -> None:
    tree = ast.parse("from deputize_hosts.clinic.agenda import rows")
    source = Source(Path("tools.py"), "deputize_hosts.clinic.agenda.tools", "", tree)
    assert not allowed_in_tools(source, "deputize_hosts.clinic.agenda.rows")
    assert not allowed_in_tools(source, "deputize_hosts.clinic.patients.service.find")
    assert not allowed_in_tools(source, "sqlalchemy.select")
    assert allowed_in_tools(source, "deputize_hosts.clinic.agenda.service.book")
    assert allowed_in_tools(source, "deputize.tool")
    assert imported(tree.body[0]) == ["deputize_hosts.clinic.agenda.rows"]


@pytest.mark.parametrize("host", HOSTS)
def test_each_host_is_a_package_of_its_own(host: str) -> None:
    assert (ROOT / "src/deputize_hosts" / host / "__init__.py").is_file()
