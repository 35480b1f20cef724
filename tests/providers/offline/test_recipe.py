"""PROV-2, UI-3: several wishes in one message are carried out one after another; a change only comes last."""

import pytest

from deputize.providers.offline.recipe import wishes
from tests.providers.offline.clinic_desk import ClinicDesk, uid
from tests.providers.offline.talk import Talk


@pytest.fixture
def desk() -> ClinicDesk:
    return ClinicDesk()


@pytest.fixture(params=[False, True], ids=["named", "renamed"])
def talk(desk: ClinicDesk, request: pytest.FixtureRequest) -> Talk:
    return Talk(desk.tools(), nonsense_names=request.param)


def test_a_message_is_cut_at_sentences_and_not_at_titles() -> None:
    assert wishes("Resumen: ¿quién viene hoy? ¿Qué huecos hay?\n- Citas de la Dra. Ruiz.") == [
        "Resumen: ¿quién viene hoy?",
        "¿Qué huecos hay?",
        "Citas de la Dra. Ruiz.",
    ]


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("Resumen del día: ¿quién viene mañana? ¿Qué huecos libres hay mañana?", ("¿Quién", "¿Qué huecos")),
        ("Daily briefing: who is coming tomorrow? Which slots are free tomorrow?", ("Who is", "Which slots")),
    ],
)
def test_each_wish_is_answered_under_its_own_sentence(talk: Talk, text: str, heads: tuple[str, str]) -> None:
    said = talk.say(text)
    assert talk.made == [("get_day_overview", {"day": "2026-12-01"}), ("find_free_slots", {"day": "2026-12-01"})]
    first, second = (said.index(f"### {head}") for head in heads)
    assert first < said.index("Felipe Robles Cano") < second < said.index("15:30–16:00")


def test_what_is_asked_first_is_read_first_and_the_change_comes_last(talk: Talk, desk: ClinicDesk) -> None:
    talk.say("¿Qué huecos libres hay mañana? Agenda revisión a María López mañana a las 10.")
    assert [name for name, _ in talk.made if name == "find_free_slots"] != []
    assert talk.last[0] == "book_appointment"
    assert [args["patient"] for _, args in desk.writes] == [uid("María López García")]


def test_two_changes_in_one_message_are_never_made_one_after_the_other(talk: Talk, desk: ClinicDesk) -> None:
    """RUN-4: one change at a time; the message is then understood as a whole."""
    talk.say("Cancela la cita de Juan Pérez de mañana. Cancela la cita de Ana García de mañana.")
    assert len(desk.writes) <= 1


def test_a_question_ends_the_message_there(talk: Talk) -> None:
    said = talk.say("¿Quién viene mañana? Ábreme la ficha de Ana. ¿Qué huecos libres hay mañana?")
    assert said.endswith("Ana Beltrán Mora · 600777888 · 3 de diciembre de 1962") or "2. Ana Beltrán Mora" in said
    assert [name for name, _ in talk.made] == ["get_day_overview", "search_patients"]
    talk.say("la segunda")
    assert talk.last == ("get_patient", {"patient": uid("Ana Beltrán Mora")})


def test_sentences_that_reach_no_tool_only_explain(talk: Talk) -> None:
    talk.say("Explícamelo despacio, por favor. ¿Quién viene mañana? ¿Qué huecos libres hay mañana?")
    assert [name for name, _ in talk.made] == ["get_day_overview", "find_free_slots"]
