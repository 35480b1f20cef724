"""Every word that a template asks for exists in both languages, and every error speaks both."""

import re

import pytest

from deputize_hosts.casedesk.auth.models import Role
from deputize_hosts.casedesk.conflicts.models import Resolution
from deputize_hosts.casedesk.errors import CaseDeskError
from deputize_hosts.casedesk.knowledge.service import SHELVES
from deputize_hosts.casedesk.onboarding.models import DOCUMENTS
from deputize_hosts.casedesk.pages.render import TEMPLATES
from deputize_hosts.casedesk.pages.words import WORDS
from deputize_hosts.casedesk.portal.service import STAGES
from deputize_hosts.kit.pages import HERE

SOURCES = [*TEMPLATES.glob("*.html"), *(HERE / "templates").glob("*.html"), *TEMPLATES.parents[1].rglob("*.py")]
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES if path.name != "words.py")
BUILT = "month status role kit.language move menu risk severity person resolution via event source document stage audit"


def asked() -> set[str]:
    """Keys that are written out in a template."""
    return set(re.findall(r"""\bt\(['"]([a-z_.]+[a-z_])['"][,)]""", TEXT))


def test_every_word_asked_for_is_there() -> None:
    assert len(asked()) > 60
    assert asked() <= set(WORDS.table)


def test_every_word_is_used() -> None:
    prefixes = tuple(f"{prefix}." for prefix in BUILT.split())
    known = {*re.findall(r"""['"]([a-z_.]+)['"]""", TEXT), *(f"{s}.{w}" for s in SHELVES for w in ("title", "lead"))}
    assert [key for key in WORDS.table if key not in known and not key.startswith(prefixes)] == []


def test_both_languages_say_something() -> None:
    for key, texts in WORDS.table.items():
        assert texts["es"], key
        assert texts["en"], key
        assert set(re.findall(r"{\w+}", texts["es"])) == set(re.findall(r"{\w+}", texts["en"])), key
    wanted = [f"role.{role.value}" for role in Role] + [f"resolution.{kind.value}" for kind in Resolution]
    wanted += [f"document.{kind}" for kind in DOCUMENTS] + [f"stage.{stage}" for stage in STAGES.values()]
    assert set(wanted) <= set(WORDS.table)


def test_the_library_speaks_both_languages() -> None:
    for shelf in SHELVES.values():
        assert len({text.key for text in shelf}) == len(shelf)
        for text in shelf:
            assert set(text.title) == set(text.body) == {"en", "es"}
            assert all(len(body) > 60 for body in text.body.values())


@pytest.mark.parametrize("kind", CaseDeskError.__subclasses__(), ids=lambda kind: str(kind.code))
def test_every_error_speaks_both_languages(kind: type[CaseDeskError]) -> None:
    assert set(kind.words) == {"es", "en"}
    assert kind.code != CaseDeskError.code
    assert 400 <= kind.status < 500
