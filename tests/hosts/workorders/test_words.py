"""Every word that a template or the script asks for exists in both languages, and none is left over."""

import re

import pytest

from deputize_hosts.kit.pages import HERE
from deputize_hosts.workorders.errors import DeskError
from deputize_hosts.workorders.pages.render import STATIC, TEMPLATES
from deputize_hosts.workorders.pages.words import WORDS
from deputize_hosts.workorders.users.models import Role

SOURCES = [*TEMPLATES.glob("*.html"), *(HERE / "templates").glob("*.html"), *TEMPLATES.parents[1].rglob("*.py")]
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES if not path.name.endswith("words.py"))
SCRIPT = (STATIC / "agents.js").read_text(encoding="utf-8")


def asked() -> set[str]:
    """Keys that are written out in a template."""
    return set(re.findall(r"""\bt\(['"]([a-z_.]+[a-z_])['"][,)]""", TEXT))


def test_every_word_asked_for_is_there() -> None:
    assert len(asked()) > 60
    assert asked() <= set(WORDS.table)


def test_every_word_of_the_script_is_there_and_used() -> None:
    said = {f"agents.js.{key}" for key in re.findall(r'\bsay\("([a-z_.]+)"', SCRIPT)}
    assert len(said) > 15
    assert said <= set(WORDS.table)
    prefixes = tuple(f"agents.js.{kind}." for kind in ("field", "state", "outcome", "came", "why"))
    left = [
        key
        for key in WORDS.table
        if key.startswith("agents.js.")
        and not key.startswith(prefixes)
        and f'"{key.removeprefix("agents.js.")}"' not in SCRIPT
    ]
    assert left == ["agents.js.system", "agents.js.user", "agents.js.assistant"]  # the roles of messages


def test_every_word_is_used() -> None:
    built = "month status priority role kit.language move menu orders.show agents.mode agents.js"
    prefixes = tuple(f"{prefix}." for prefix in built.split())
    known = set(re.findall(r"""['"]([a-z_.]+)['"]""", TEXT))
    known |= {f"agents.{part}" for part in ("settings", "runs", "events")}
    left = [key for key in WORDS.table if key not in known and not key.startswith(prefixes)]
    assert left == []


def test_both_languages_say_something() -> None:
    for key, texts in WORDS.table.items():
        assert texts["en"], key
        assert texts["es"], key
        assert set(re.findall(r"{\w+}", texts["es"])) == set(re.findall(r"{\w+}", texts["en"])), key
    assert {f"role.{role.value}" for role in Role} <= set(WORDS.table)


@pytest.mark.parametrize("kind", DeskError.__subclasses__(), ids=lambda kind: str(kind.code))
def test_every_error_speaks_both_languages(kind: type[DeskError]) -> None:
    assert set(kind.words) == {"en", "es"}
    assert kind.code != DeskError.code
    assert 400 <= kind.status < 500
