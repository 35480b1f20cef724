"""Write docs/reference/settings.md from config.py and the comments of .env.example.

Run `python scripts/generate_settings.py` to write the file, with `--check` to compare only.
"""

import re
import sys
from dataclasses import dataclass
from typing import Any

from pydantic import AliasChoices, SecretStr

from deputize.config import Settings
from scripts.generated import ROOT, settle

TARGET = "docs/reference/settings.md"
HEAD = """# Settings

Generated from `config.py` and `.env.example` by `make docs` (OPS-2). All are read from the environment, once, at
start-up; every fault is named at once. Times are milliseconds, money is US dollars. An empty value counts as not set.
"""
SECTION = re.compile(r"# --- (.+?) -*$")
LINE = re.compile(r"(?:# )?([A-Z][A-Z0-9_]{3,})=")


@dataclass(frozen=True)
class Setting:
    """One field: the variable and its aliases, and the default as it would be written in a file."""

    names: tuple[str, ...]
    default: str


def settings() -> list[Setting]:
    """Every setting in the order of its declaration."""
    found = []
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        choices = alias.choices if isinstance(alias, AliasChoices) else [alias or name]
        default = "" if isinstance(field.default, SecretStr) else written(field.default)
        found.append(Setting(tuple(str(choice) for choice in choices), default))
    return found


def written(value: Any) -> str:
    """A default as it stands in a file."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def comments() -> list[tuple[str, list[tuple[str, str]]]]:
    """The sections of .env.example with the comment that stands above each variable, or above its group."""
    sections: list[tuple[str, list[tuple[str, str]]]] = []
    words: list[str] = []
    fresh = True
    for line in (ROOT / ".env.example").read_text(encoding="utf-8").split("\n"):
        if section := SECTION.match(line):
            sections.append((section[1], []))
            words, fresh = [], True
        elif variable := LINE.match(line):
            fresh = True
            if sections:
                sections[-1][1].append((variable[1], " ".join(words)))
        elif line.startswith("# "):
            words = [line[2:]] if fresh else [*words, line[2:]]
            fresh = False
    return sections


def render() -> str:
    """The whole page, one table for each section."""
    by_name = {name: setting for setting in settings() for name in setting.names}
    parts = [HEAD]
    for title, variables in comments():
        rows = []
        for name, words in variables:
            setting = by_name.get(name)
            own = setting is None or name == setting.names[0]
            default = f"`{setting.default}`" if setting and setting.default else "–"
            said = words if own or setting is None else f"the same as `{setting.names[0]}`"
            rows.append(f"| `{name}` | {default if own else '–'} | {said.replace('|', 'or')} |")
        parts.append(f"## {title}\n\n| variable | default | meaning |\n|---|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    """0 where the file is, or now has been made, up to date."""
    return settle({TARGET: render()}, arguments)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
