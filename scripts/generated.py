"""Write a generated file, or compare it with what it should hold."""

from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def settle(texts: Mapping[str, str], arguments: list[str]) -> int:
    """Write each path (relative to the repository), or with `--check` return 1 where one differs."""
    stale = []
    for name, text in texts.items():
        path = ROOT / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if stale and "--check" in arguments else 0


def within(name: str, block: str, text: str) -> str:
    """The file with `text` between its marks `<!-- generated: block -->` and `<!-- end -->`."""
    begin, end = f"<!-- generated: {block} -->\n", "<!-- end -->"
    whole = (ROOT / name).read_text(encoding="utf-8")
    head, rest = whole.split(begin, 1)
    return head + begin + text + end + rest.split(end, 1)[1]
