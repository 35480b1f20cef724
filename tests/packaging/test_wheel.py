"""A wheel holds the built element with the licences in it; an editable installation builds nothing."""

import os
import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from hatch_build import MADE, STATIC, up_to_date

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = ["pyproject.toml", "README.md", "LICENSE", "hatch_build.py", ".gitignore"]


def tree(target: Path) -> Path:
    """The repository without anything that was made; npm's packages are those that are installed here."""
    assert (ROOT / "web" / "node_modules").is_dir(), "install the front end's packages first: make web"
    for name in FILES:
        shutil.copy(ROOT / name, target / name)
    shutil.copytree(ROOT / "src", target / "src", ignore=shutil.ignore_patterns("static/*.js", "__pycache__", "*.txt"))
    shutil.rmtree(target / STATIC, ignore_errors=True)
    shutil.copytree(ROOT / "web", target / "web", ignore=shutil.ignore_patterns("node_modules"))
    (target / "web" / "node_modules").symlink_to(ROOT / "web" / "node_modules")
    return target


def wheel(root: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(root / "dist")]
    return subprocess.run(
        command, cwd=root, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_a_wheel_is_built_from_the_sources_with_the_element_and_its_licences(tmp_path: Path) -> None:
    """From a tree in which nothing was built: front end, notices, types, migrations, hosts' pages, entry points."""
    root = tree(tmp_path)
    done = wheel(root)
    assert done.returncode == 0, done.stderr
    (made,) = (root / "dist").glob("*.whl")
    with zipfile.ZipFile(made) as packed:
        names = set(packed.namelist())
        static = "deputize/surfaces/http/static/"
        element = packed.read(f"{static}deputize.js").decode()
        notices = packed.read(f"{static}THIRD-PARTY-NOTICES.txt").decode()
        info = f"{made.name.rsplit('-', 3)[0]}.dist-info/"
        about = Parser().parsestr(packed.read(f"{info}METADATA").decode())
        entries = packed.read(f"{info}entry_points.txt").decode()
    assert {f"{static}{name}" for name in MADE} <= names
    assert "deputize-copilot" in element
    assert all(name in notices for name in ("lit ", "marked ", "dompurify "))
    assert f"{info}licenses/LICENSE" in names
    assert about["License-Expression"] == "Apache-2.0"
    assert "deputize/py.typed" in names
    assert any(name.startswith("deputize/store/migrations/") for name in names)
    assert "deputize_hosts/kit/templates/base.html" in names
    assert all(name in entries for name in ("deputize = deputize.cli:main", "deputize.demos", "pytest11"))
    assert not [name for name in names if name.startswith(("web/", "tests/")) or "node_modules" in name]


def test_an_editable_installation_builds_no_front_end(tmp_path: Path) -> None:
    root = tree(tmp_path)
    builder = WheelBuilder(str(root))
    list(builder.build(directory=str(root / "dist"), versions=["editable"]))
    assert not (root / STATIC).exists()


def test_a_wheel_without_the_element_is_refused(tmp_path: Path) -> None:
    """Where npm is missing, nothing is built that would draw no copilot."""
    root = tree(tmp_path)
    done = wheel(root, PATH=str(tmp_path))
    assert done.returncode != 0
    assert "deputize.js is missing or old" in done.stderr
    assert not list((root / "dist").glob("*.whl"))


@pytest.mark.parametrize(("changed", "fresh"), [(None, True), ("web/src/a.ts", False), ("web/package.json", False)])
def test_what_is_built_and_newer_than_its_sources_is_taken(tmp_path: Path, changed: str | None, fresh: bool) -> None:
    """An image may copy built files without their sources; a changed source has them built anew."""
    for number, name in enumerate(["web/src/a.ts", "web/package.json", *(f"{STATIC}/{name}" for name in MADE)]):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")
        os.utime(path, (100 + number, 100 + number))
    if changed:
        os.utime(tmp_path / changed, (1000, 1000))
    assert up_to_date(tmp_path) is fresh
    shutil.rmtree(tmp_path / "web")
    assert up_to_date(tmp_path) is True
    (tmp_path / STATIC / MADE[1]).unlink()
    assert up_to_date(tmp_path) is False
