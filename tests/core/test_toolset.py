"""UI-5: the wording of the disclaimers, fixed here so that it cannot drift or disappear."""

from deputize.core.toolset import DISCLAIMERS, Surface

UI_5 = {
    "standard": "AI assistance — check before you rely on it. Actions are logged.",
    "officer": "AI assistance — not a compliance determination. Verify against case evidence. Actions are logged.",
    "portal": "AI assistant — for guidance only; it does not make decisions about your case.",
}


def test_ui_5_the_english_wording_is_the_contracts() -> None:
    assert {name: words["en"] for name, words in DISCLAIMERS.items()} == UI_5


def test_ui_5_the_spanish_wording_is_this() -> None:
    assert {name: words["es"] for name, words in DISCLAIMERS.items()} == {
        "standard": "Asistencia de IA: compruebe antes de confiar en ella. Las acciones quedan registradas.",
        "officer": "Asistencia de IA: no es una determinación de cumplimiento. Verifique con las pruebas del caso. "
        "Las acciones quedan registradas.",
        "portal": "Asistente de IA: solo orientativo; no toma decisiones sobre su caso.",
    }


def test_a_surface_is_strict_where_nothing_else_was_said() -> None:
    surface = Surface("clinic", "Be brief.", ["agenda.*"])
    assert (surface.redaction, surface.disconnect, surface.disclaimer) == ("on", "abort", "standard")
