"""The repository's own files for the house rules: Python as syntax trees, everything else as text."""

import ast
import gc
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Source:
    """One Python file: its place, its dotted name, its text and its tree."""

    path: Path
    module: str
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        """The path from the root of the repository."""
        return self.path.relative_to(ROOT).as_posix()


def parse(path: Path, base: Path) -> Source:
    """Read one file; `base` is the folder from which its dotted name counts."""
    text = path.read_text(encoding="utf-8")
    parts = path.relative_to(base).with_suffix("").parts
    module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Source(path, module, text, ast.parse(text, str(path)))


def parsed(paths: Iterable[Path], base: Path) -> tuple[Source, ...]:
    """Read many files; millions of nodes are kept, so the collector is told to leave them alone."""
    gc.disable()
    try:
        return tuple(parse(path, base) for path in sorted(paths))
    finally:
        gc.freeze()
        gc.enable()


@lru_cache
def product(package: str = "deputize") -> tuple[Source, ...]:
    """All files of one of our packages below src/."""
    base = ROOT / "src"
    return parsed((base / package).rglob("*.py"), base)


@lru_cache
def everything() -> tuple[Source, ...]:
    """All Python files that are ours: the product, the hosts, tests, scripts and benchmarks."""
    others = [path for folder in ("tests", "scripts", "bench") for path in (ROOT / folder).rglob("*.py")]
    return product() + product("deputize_hosts") + parsed(set(others) & kept(), ROOT)


def kept() -> frozenset[Path]:
    """The tracked files as a set; folders beside them may hold whole environments."""
    return frozenset(tracked())


@lru_cache
def tracked() -> tuple[Path, ...]:
    """Every file that is, or would be, under version control."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout
    paths = [ROOT / name.decode() for name in listed.split(b"\0") if name]
    return tuple(path for path in paths if path.is_file())


def imported(node: ast.AST) -> list[str]:
    """The dotted names that an import statement asks for; `from a import b` gives `a.b`."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def imports(source: Source) -> Iterator[str]:
    """All imports of a file, wherever they stand."""
    for node in ast.walk(source.tree):
        yield from imported(node)


def within(name: str, package: str) -> bool:
    """True where the dotted name is the package or below it."""
    return name == package or name.startswith(f"{package}.")


def breaches(found: list[str], rule: str) -> str:
    """The message of a failing rule, with one line for each place."""
    return "\n".join([rule, *(f"  {place}" for place in found)])
