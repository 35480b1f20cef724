"""The user manual says what the screens say: same chapters and pictures in both languages, and no word made up."""

import re
from pathlib import Path

import pytest

from deputize_hosts.clinic.pages.words import WORDS
from deputize_hosts.clinic.prompt import SUGGESTIONS

ROOT = Path(__file__).resolve().parents[3]
MANUAL = ROOT / "docs" / "manual"
CHAPTERS = {"es": ("recepcion.md", "administracion.md"), "en": ("reception.md", "administration.md")}
TITLES = {"es": "Asistente de la clínica", "en": "Clinic assistant"}


def text(language: str, n: int) -> str:
    return (MANUAL / language / CHAPTERS[language][n]).read_text(encoding="utf-8")


def words_of(language: str) -> str:
    """Everything that the pages, the chips and the element can show in a language."""
    own = [pair[language] for pair in WORDS.table.values()]
    element = (ROOT / "web" / "src" / "i18n" / f"{language}.ts").read_text(encoding="utf-8")
    return "\n".join([*own, *(one.label[language] for one in SUGGESTIONS), TITLES[language], element])


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("n", [0, 1])
def test_each_name_in_bold_is_on_a_screen(language: str, n: int) -> None:
    said = [" ".join(found.split()) for found in re.findall(r"\*\*([^*]+)\*\*", text(language, n))]
    shown = words_of(language)
    assert len(said) > 5
    assert [name for name in said if not name.endswith(".") and name not in shown] == []


@pytest.mark.parametrize("n", [0, 1])
def test_both_languages_have_the_same_chapters_and_pictures(n: int) -> None:
    for what in (r"^(#+) ", r"pictures/(?:es|en)/([a-z-]+\.png)"):
        spanish, english = (re.findall(what, text(language, n), re.MULTILINE) for language in ("es", "en"))
        assert spanish == english
        assert len(spanish) > 4


@pytest.mark.parametrize("language", ["es", "en"])
def test_each_picture_is_there_and_small(language: str) -> None:
    shown = {name for n in (0, 1) for name in re.findall(r"pictures/(\w+/[a-z-]+\.png)", text(language, n))}
    files = {f"{language}/{path.name}": path.stat().st_size for path in (MANUAL / "pictures" / language).glob("*.png")}
    assert shown == set(files)
    assert max(files.values()) < 200_000
