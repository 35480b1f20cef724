"""PROV-2: whole conversations with hosts in memory, in both languages, under real and under meaningless names."""

from typing import Any

import pytest

from tests.providers.offline.clinic_desk import ClinicDesk, uid
from tests.providers.offline.declared import nonsense
from tests.providers.offline.order_desk import OrderDesk
from tests.providers.offline.talk import Talk

MARIA, JUAN, ANA, OTHER_ANA = (
    uid(n) for n in ("María López García", "Juan Pérez Soto", "Ana García Ruiz", "Ana Beltrán Mora")
)
FELIPE = "Felipe Robles Cano"


@pytest.fixture(params=[False, True], ids=["named", "renamed"])
def talk(request: pytest.FixtureRequest) -> Talk:
    return Talk(ClinicDesk().tools(), nonsense_names=request.param)


def key(talk: Talk, name: str) -> str:
    """A field's name as the planner was shown it."""
    return nonsense(name) if talk.nonsense_names else name


def test_search_by_first_name_is_answered_with_a_table(talk: Talk) -> None:
    said = talk.say("pacientes que se llamen María")
    assert talk.made == [("search_patients", {"query": "María"})]
    assert "María López García" in said
    assert "600111222" in said
    assert "2 pacientes" in said
    assert MARIA not in said


def test_who_is_coming_is_answered_in_english_with_local_times(talk: Talk) -> None:
    said = talk.say("who is coming tomorrow?")
    assert talk.made == [("get_day_overview", {"day": "2026-12-01"})]
    assert "4 appointments" in said
    assert "Tuesday 1 December" in said
    assert "09:00–09:30" in said


def test_booking_searches_the_person_and_takes_the_free_slot(talk: Talk) -> None:
    said = talk.say("agenda revisión a María López mañana a las 10")
    assert [name for name, _ in talk.made] == [
        "search_patients",
        "list_professionals",
        "find_free_slots",
        "book_appointment",
    ]
    assert talk.last[1] == {
        "patient": MARIA,
        "professional": uid("Elena Ruiz"),
        "start": "2026-12-01T10:00:00",
        "treatment": "revisión",
    }
    assert said.startswith("Hecho, reservado")
    assert "martes 1 de diciembre a las 10:00" in said


def test_booking_in_english(talk: Talk) -> None:
    said = talk.say("book Ana García a check-up on Monday at 9:30")
    assert talk.last[0] == "book_appointment"
    assert talk.last[1]["patient"] == ANA
    assert talk.last[1]["start"] == "2026-12-07T09:30:00"
    assert talk.last[1]["treatment"] == "check-up"
    assert said.startswith("Done, booked")


def test_cancelling_finds_the_row_by_day_and_name(talk: Talk) -> None:
    talk.say("cancela la cita de Juan Pérez de mañana")
    assert talk.made == [
        ("get_day_overview", {"day": "2026-12-01"}),
        ("cancel_appointment", {"appointment": uid("Juan Pérez Soto2026-12-01T09:00")}),
    ]


def test_moving_tells_the_day_sought_from_the_day_wanted(talk: Talk) -> None:
    talk.say("mueve la cita de Ana del martes al jueves a las 15:00")
    assert talk.made == [
        ("get_day_overview", {"day": "2026-12-01"}),
        (
            "reschedule_appointment",
            {"appointment": uid("Ana García Ruiz2026-12-01T11:00"), "start": "2026-12-03T15:00:00"},
        ),
    ]


def test_free_slots_are_narrowed_to_the_part_of_the_day(talk: Talk) -> None:
    said = talk.say("free slots on Friday afternoon")
    assert talk.made == [("find_free_slots", {"day": "2026-12-04"})]
    assert "15:00" in said
    assert "09:00" not in said
    assert "slots" in said
    talk.say("¿qué huecos hay el jueves?")
    assert talk.last == ("find_free_slots", {"day": "2026-12-03"})


@pytest.mark.parametrize(
    "answer", ["la segunda", "Ana Beltrán", "la nacida en 1962", "la del teléfono 600777888", "the last one"]
)
def test_several_matches_are_listed_and_the_answer_picks_one(talk: Talk, answer: str) -> None:
    said = talk.say("agenda revisión a Ana mañana a las 10")
    assert talk.made == [("search_patients", {"query": "Ana"})]
    assert "1. Ana García Ruiz · 600555666" in said
    assert "2. Ana Beltrán Mora · 600777888" in said
    talk.say(answer)
    assert talk.last[0] == "book_appointment"
    assert talk.last[1]["patient"] == OTHER_ANA
    assert talk.last[1]["start"] == "2026-12-01T10:00:00"
    assert talk.last[1]["treatment"] == "revisión"


def test_nobody_found_is_said_and_another_name_goes_on(talk: Talk) -> None:
    said = talk.say("agenda revisión a Zacarías mañana a las 10")
    assert "No he encontrado" in said
    assert "Zacarías" in said
    talk.say("perdona, es Juan Pérez")
    assert talk.last[0] == "book_appointment"
    assert talk.last[1]["patient"] == JUAN


def test_missing_time_is_asked_and_the_intent_is_kept(talk: Talk) -> None:
    assert talk.say("agenda revisión a María") == "¿Para qué día y a qué hora?"
    assert talk.say("mañana") == "¿A qué hora?"
    talk.say("a las 10")
    assert talk.last[0] == "book_appointment"
    assert talk.last[1]["start"] == "2026-12-01T10:00:00"


def test_a_time_that_is_not_free_is_said_with_the_nearest_ones(talk: Talk) -> None:
    said = talk.say("agenda revisión a María López mañana a las 11")
    assert "no está libre" in said
    assert "10:30" in said
    assert all(name != "book_appointment" for name, _ in talk.made)
    talk.say("la primera")
    assert talk.last[0] == "book_appointment"
    assert talk.last[1]["start"] == "2026-12-01T09:00:00"


def test_the_screen_fills_the_person_whom_nobody_named(talk: Talk) -> None:
    talk.screen = {"screen": "patient", "entities": [{"kind": "patient", "id": JUAN, "label": "Juan Pérez Soto"}]}
    talk.say("agéndale revisión el miércoles a las 9")
    assert talk.last[0] == "book_appointment"
    assert talk.last[1]["patient"] == JUAN


def test_this_appointment_is_the_one_on_the_screen_and_is_read_before_it_is_changed(talk: Talk) -> None:
    """TOOL-5: the version must come from a result of this run."""
    row = uid(f"{FELIPE}2026-12-01T12:00")
    talk.screen = {"screen": "agenda", "entities": [{"kind": "appointment", "id": row, "label": ""}]}
    talk.say("cancel this appointment")
    assert talk.made == [("get_appointment", {"appointment": row}), ("cancel_appointment", {"appointment": row})]


def test_a_record_spoken_of_before_is_meant_by_a_pronoun(talk: Talk) -> None:
    talk.say("busca a Juan Pérez")
    talk.say("dale cita el jueves a las 9 para una limpieza")
    assert talk.last[0] == "book_appointment"
    assert talk.last[1]["patient"] == JUAN


def test_a_follow_up_changes_only_the_day(talk: Talk) -> None:
    talk.say("¿quién viene mañana?")
    talk.say("¿y el miércoles?")
    assert talk.made == [("get_day_overview", {"day": "2026-12-02"})]


def test_a_new_wish_replaces_an_open_question(talk: Talk) -> None:
    talk.say("agenda revisión a Ana mañana a las 10")
    talk.say("mejor enséñame la agenda de hoy")
    assert talk.made == [("get_day_overview", {"day": "2026-11-30"})]


def test_an_open_question_can_be_dropped(talk: Talk) -> None:
    talk.say("agenda revisión a Ana mañana a las 10")
    assert "No he hecho nada" in talk.say("déjalo")
    assert talk.made == []


def test_two_rows_of_one_person_are_told_apart_by_the_hour(talk: Talk) -> None:
    said = talk.say("cancela la cita de Felipe mañana")
    assert "12:00" in said
    assert "17:00" in said
    talk.say("la de las 17:00")
    assert talk.last == ("cancel_appointment", {"appointment": uid(f"{FELIPE}2026-12-01T17:00")})


def test_a_rejected_write_is_acknowledged_with_its_reason(talk: Talk) -> None:
    talk.approve = False
    assert talk.say("cancela la cita de Juan Pérez de mañana") == "De acuerdo, no he hecho nada."
    talk.answers["cancel_appointment"] = {
        "outcome": "rejected",
        "message": "Nothing was changed.",
        "reason_given_by_the_person": "the patient will call",
    }
    assert talk.say("cancel Juan Pérez's appointment tomorrow").endswith("Reason: the patient will call.")


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ("expired", "caducó"),
        ("stale", "cambiaron"),
        ("refused", "No se puede"),
        ("blocked", "bloqueado"),
        ("invalid", "no es válido"),
        ("failed", "Ha fallado"),
    ],
)
def test_a_write_that_did_not_happen_is_never_called_done(talk: Talk, outcome: str, words: str) -> None:
    """TOOL-11: an error is never reported as success."""
    envelope: dict[str, Any] = {"outcome": outcome, "code": "x", "message": "", "alternatives": {"to": ["confirmed"]}}
    talk.answers["cancel_appointment"] = envelope
    said = talk.say("cancela la cita de Juan Pérez de mañana")
    assert words in said
    assert "Hecho" not in said
    assert "confirmada" in said


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ("cancela la cita de Juan Pérez de mañana porque está enfermo", "está enfermo"),
        ("cancel Juan Pérez's appointment tomorrow because he is ill", "he is ill"),
        ("cancela la cita de Juan Pérez de mañana", None),
    ],
)
def test_why_something_is_to_be_done_is_its_reason(talk: Talk, wish: str, reason: str | None) -> None:
    talk.say(wish)
    name, arguments = talk.made[-1]
    assert name == "cancel_appointment"
    assert arguments.get("reason") == reason


@pytest.mark.parametrize(
    ("wish", "code", "said"),
    [
        ("cancela la cita de Juan Pérez de mañana", "no_effect", "No se puede hacer. No cambiaría nada."),
        ("cancela la cita de Juan Pérez de mañana", "past", "No se puede hacer. It has begun."),
        ("cancel Juan Pérez's appointment tomorrow", "no_effect", "That cannot be done. It has begun."),
    ],
)
def test_the_deputys_own_no_is_said_in_the_persons_language(talk: Talk, wish: str, code: str, said: str) -> None:
    """A host's words are the host's; a code of ours has words in both languages."""
    talk.answers["cancel_appointment"] = {"outcome": "refused", "code": code, "message": "It has begun."}
    assert talk.say(wish) == said


def test_what_the_person_changed_on_the_card_is_said(talk: Talk) -> None:
    """APPR-7."""
    talk.answers["cancel_appointment"] = {"outcome": "ok", "result": {}, "fields_changed_by_the_person": ["note"]}
    assert talk.say("cancel Juan Pérez's appointment tomorrow") == "Done, cancelled. With your changes to: Note."


def test_need_read_first_is_answered_by_reading_and_trying_again(talk: Talk) -> None:
    """TOOL-5."""
    talk.answers["cancel_appointment"] = {"outcome": "invalid", "code": "need_read_first", "message": "read it first"}
    said = talk.say("cancela la cita de Juan Pérez de mañana")
    assert [name for name, _ in talk.made] == ["get_day_overview", "cancel_appointment", "cancel_appointment"]
    assert said.startswith("Hecho")


def test_a_cut_result_says_so(talk: Talk) -> None:
    rows = [{key(talk, "id"): uid("a"), key(talk, "name"): "Ana"}]
    talk.answers["search_patients"] = {
        "outcome": "ok",
        "result": {key(talk, "patients"): rows},
        "truncated": True,
        "total": 31,
    }
    assert "Se muestran 1 de 31." in talk.say("pacientes que se llamen Ana")


def test_what_it_cannot_do_is_answered_with_examples_and_no_call(talk: Talk) -> None:
    said = talk.say("cuéntame un chiste")
    assert talk.made == []
    assert "¿quién viene mañana?" in said
    said = talk.say("write me a poem")
    assert "who is coming tomorrow?" in said


def test_asked_about_itself_it_says_that_it_is_no_language_model(talk: Talk) -> None:
    assert "no un modelo de lenguaje" in talk.say("¿quién eres?")
    assert "not a language model" in talk.say("are you an AI?")
    assert "modelo" not in talk.say("¿quién viene mañana?")


def test_first_and_last_name_of_somebody_new(talk: Talk) -> None:
    talk.say("da de alta a Pedro Ruiz Gil con teléfono 600123123")
    assert talk.made == [("create_patient", {"first_name": "Pedro", "last_name": "Ruiz Gil", "phone": "600123123"})]


@pytest.fixture(params=[False, True], ids=["named", "renamed"])
def orders(request: pytest.FixtureRequest) -> Talk:
    return Talk(OrderDesk().tools(), nonsense_names=request.param)


def test_an_order_is_found_by_words_and_picked_by_words(orders: Talk) -> None:
    said = orders.say("pon la orden de la fuga en urgente")
    assert "WO-101" in said
    assert "WO-105" in said
    orders.say("la del baño")
    assert orders.made == [("update_work_order", {"order": 5, "priority": "urgent"})]


def test_a_new_order_takes_title_priority_and_due_date(orders: Talk) -> None:
    orders.say("create a work order: replace the lamp in room 12, urgent, due next Friday")
    assert orders.made == [
        (
            "create_work_order",
            {"title": "Replace the lamp in room 12", "priority": "urgent", "due_date": "2026-12-04"},
        )
    ]


def test_a_missing_title_is_asked(orders: Talk) -> None:
    assert "?" in orders.say("crea una orden")
    assert orders.made == []
    orders.say("Limpiar la fachada")
    assert orders.made == [("create_work_order", {"title": "Limpiar la fachada"})]


def test_status_by_code(orders: Talk) -> None:
    orders.say("marca la orden WO-104 como hecha")
    assert orders.last == ("update_work_order", {"order": 4, "status": "done"})
