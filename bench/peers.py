"""The environment of a benchmark's peers, beside the benchmark and apart from the test dependencies."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def peers_python(folder: Path) -> Path:
    """The interpreter of the peers' environment, made from `folder`'s requirements where it is missing or old."""
    made, wanted = folder / ".peers", folder / "peers-requirements.txt"
    stamp = made / "made"
    if not stamp.exists() or stamp.stat().st_mtime < wanted.stat().st_mtime:
        uv = str(ROOT / ".tools" / "bin" / "uv")
        subprocess.run([uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, made], check=True)
        install = [uv, "pip", "install", "--quiet", "--python", str(made / "bin" / "python"), "-r", str(wanted)]
        subprocess.run(install, check=True)
        stamp.touch()
    return made / "bin" / "python"
