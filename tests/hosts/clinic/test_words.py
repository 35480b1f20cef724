"""Every word that a template asks for exists in both languages, and none is left over."""

import re

import pytest

from deputize_hosts.clinic.auth.models import Role
from deputize_hosts.clinic.errors import ClinicError
from deputize_hosts.clinic.pages.render import TEMPLATES
from deputize_hosts.clinic.pages.words import WORDS
from deputize_hosts.kit.pages import HERE

SOURCES = [
    *TEMPLATES.parents[1].rglob("*.html"),
    *(HERE / "templates").glob("*.html"),
    *TEMPLATES.parents[1].rglob("*.py"),
]
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES if not path.name.endswith("words.py"))


def asked() -> set[str]:
    """Keys that are written out in a template."""
    return set(re.findall(r"""\bt\(['"]([a-z0-9_.]+[a-z_])['"][,)]""", TEXT))


def test_every_word_asked_for_is_there() -> None:
    assert len(asked()) > 60
    assert asked() <= set(WORDS.table)


def test_every_word_is_used() -> None:
    built = "weekday month status treatment role kit.language move patient.kind menu agenda.by"
    built += " quote bill category method reason recall_status outcome channel priority age budget.move copilot"
    prefixes = tuple(f"{prefix}." for prefix in built.split())
    fields = re.findall(r'text\("([a-z_]+)"', TEXT)
    known = {*re.findall(r"""['"]([a-z0-9_.]+)['"]""", TEXT), *(f"patient.{field}" for field in fields)}
    left = [key for key in WORDS.table if key not in known and not key.startswith(prefixes)]
    assert left == []


def test_both_languages_say_something() -> None:
    for key, texts in WORDS.table.items():
        assert texts["es"], key
        assert texts["en"], key
        assert set(re.findall(r"{\w+}", texts["es"])) == set(re.findall(r"{\w+}", texts["en"])), key
    assert {f"role.{role.value}" for role in Role} <= set(WORDS.table)


@pytest.mark.parametrize("kind", ClinicError.__subclasses__(), ids=lambda kind: str(kind.code))
def test_every_error_speaks_both_languages(kind: type[ClinicError]) -> None:
    assert set(kind.words) == {"es", "en"}
    assert kind.code != ClinicError.code
    assert 400 <= kind.status < 500
