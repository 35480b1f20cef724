"""RED-3, TOOL-6: the planner works on what it is really shown, placeholders for people instead of their names."""

import json
import re
from typing import Any

import pytest

from deputize.core.message import ToolResult
from tests.providers.offline.clinic_desk import PEOPLE, ClinicDesk, uid
from tests.providers.offline.talk import Talk

SYLLABLES = ("kovabi", "lumeta", "sorida", "pekano", "tavilu", "mirose")
TOKENS = {f"PATIENT_{s}": (name, phone) for s, (name, phone, _) in zip(SYLLABLES, PEOPLE, strict=True)}
FIRST_NAME = "NAME_zobeka"


class RedactedTalk(Talk):
    """Hides ids and full names of people behind one placeholder each, as the engine does, and restores arguments."""

    def hide(self, text: str) -> str:
        for token, (name, _) in TOKENS.items():
            short = " ".join(name.split()[:2])
            text = text.replace(uid(name), token).replace(name, token).replace(short, token)
        return re.sub(r"\bAna\b", FIRST_NAME, text)

    def say(self, text: str) -> str:
        return super().say(self.hide(text))

    def _run(self, use: Any) -> dict[str, Any]:
        args = json.loads(use.arguments)
        own = {t.name: t for t in self.tools}[use.name].schema()
        for name, value in args.items():
            if isinstance(value, str) and value in TOKENS:
                args[name] = uid(TOKENS[value][0]) if name in own.targets else TOKENS[value][0]
            elif value == FIRST_NAME:
                args[name] = "Ana"
        clear = type(use)(use.id, use.name, json.dumps(args))
        hidden: dict[str, Any] = json.loads(self.hide(json.dumps(super()._run(clear), ensure_ascii=False)))
        return hidden


@pytest.fixture
def talk() -> RedactedTalk:
    return RedactedTalk(ClinicDesk().tools())


def shown(talk: Talk) -> list[str]:
    return [b.content for m in talk.messages for b in m.blocks if isinstance(b, ToolResult)]


def test_a_placeholder_never_seen_in_a_result_is_searched_first(talk: RedactedTalk) -> None:
    """TOOL-6: the user's own placeholder pins nothing."""
    said = talk.say("agenda revisión a María López mañana a las 10")
    assert talk.made[0] == ("search_patients", {"query": "María López García"})
    assert talk.last[0] == "book_appointment"
    assert talk.last[1]["patient"] == uid("María López García")
    assert "PATIENT_kovabi" in said
    assert not any("María López" in content for content in shown(talk))


def test_a_placeholder_from_an_earlier_result_is_used_as_it_is(talk: RedactedTalk) -> None:
    talk.say("busca a Juan Pérez")
    talk.say("agenda revisión a Juan Pérez mañana a las 10")
    assert "search_patients" not in [name for name, _ in talk.made]
    assert talk.last[0] == "book_appointment"
    assert talk.last[1]["patient"] == uid("Juan Pérez Soto")


def test_the_row_of_a_placeholder_is_found_in_the_days_list(talk: RedactedTalk) -> None:
    talk.say("cancela la cita de Juan Pérez de mañana")
    assert talk.last == ("cancel_appointment", {"appointment": uid("Juan Pérez Soto2026-12-01T09:00")})


def test_a_first_name_behind_its_own_placeholder_is_joined_through_the_search(talk: RedactedTalk) -> None:
    talk.say("mueve la cita de Ana del martes al jueves a las 15:00")
    assert [name for name, _ in talk.made] == ["get_day_overview", "search_patients", "reschedule_appointment"]
    assert talk.last[1]["appointment"] == uid("Ana García Ruiz2026-12-01T11:00")


def test_several_placeholders_are_picked_by_their_place(talk: RedactedTalk) -> None:
    said = talk.say("agenda revisión a Ana mañana a las 10")
    assert said.index("PATIENT_sorida") < said.index("PATIENT_pekano")
    talk.say("la segunda")
    assert talk.last[1]["patient"] == uid("Ana Beltrán Mora")
