"""The build hook of the wheel: the front end is built into the package first, unless it is there and up to date."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

STATIC = Path("src/deputize/surfaces/http/static")
MADE = ("deputize.js", "pages.js", "edit.js", "THIRD-PARTY-NOTICES.txt")
"""What a wheel must hold: the element, its pages and editor, and the licences of what is bundled in them."""


class FrontEnd(BuildHookInterface[Any]):
    """Builds `web/` with npm. An editable installation builds nothing: there `make web` does."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raises RuntimeError where the files are missing or old and cannot be made."""
        if version == "editable":
            return
        root = Path(self.root)
        if not up_to_date(root):
            build(root)


def sources(web: Path) -> Iterator[Path]:
    """The files from which the bundles are made."""
    yield from (path for folder in ("src", "scripts") for path in (web / folder).rglob("*") if path.is_file())
    yield from (path for path in web.iterdir() if path.suffix in {".json", ".ts"})


def up_to_date(root: Path) -> bool:
    """Whether everything is there and, where its sources are too, none of them is newer."""
    made = [root / STATIC / name for name in MADE]
    if not all(path.is_file() for path in made):
        return False
    web = root / "web"
    if not web.is_dir():
        return True
    return max(path.stat().st_mtime for path in sources(web)) <= (root / STATIC / MADE[0]).stat().st_mtime


def build(root: Path) -> None:
    """`npm ci` where nothing is installed yet, then `npm run build`."""
    web, npm = root / "web", shutil.which("npm")
    if not (web / "package.json").is_file() or npm is None:
        raise RuntimeError(f"{STATIC}/{MADE[0]} is missing or old: it is made from web/ with Node's npm")
    if not (web / "node_modules").is_dir():
        subprocess.run([npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=web, check=True)
    subprocess.run([npm, "run", "--silent", "build"], cwd=web, check=True)
