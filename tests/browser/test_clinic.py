"""The main job in the clinic, end to end: the demo process, real Chromium, a receptionist (UI-1, UI-2, APPR-3)."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chromium import DESK, PHONE, SHOTS, chromium_at, faults
from tests.browser.clinic import BASE, agenda, later, next_open
from tests.browser.demos import Demo, demo
from tests.browser.person import EN, ES, Person, Said, arrive

RECEPTION, HYGIENE, ASSISTANT = "receptionist@demo.clinic", "hygienist@demo.clinic", "assistant@demo.clinic"
ELSEWHERE = "receptionist@teide.clinic"

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """One demo for the file, on data of its own."""
    with demo(tmp_path_factory.mktemp("clinic")) as running:
        yield running


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[Browser]:
    with chromium_at(chromium) as started:
        yield started


@pytest.fixture
def desk(browser: Browser, clinic: Demo) -> Iterator[Person]:
    """The receptionist at the agenda; an error of the page's scripts fails the test."""
    person = arrive(browser, clinic.url, RECEPTION)
    failures: list[str] = []
    person.page.on("pageerror", lambda error: failures.append(str(error)))
    yield person
    person.page.context.close()
    assert failures == []


def patient(person: Person, name: str) -> str:
    """The address of a patient's page."""
    person.visit(f"/patients?q={name}")
    href = person.page.locator("main table a").first.get_attribute("href")
    assert href is not None
    return href


def at(hour: str, who: str, lines: list[str]) -> list[str]:
    """The lines of an agenda for somebody at that hour."""
    return [line for line in lines if line.startswith(hour) and who in line]


@pytest.mark.parametrize(
    ("say", "words", "shown"),
    [
        (ES, "pacientes que se llamen María", "María"),
        (EN, "who is coming tomorrow?", "appointments"),
    ],
    ids=["es-patients", "en-tomorrow"],
)
def test_a_question_streams_an_answer_with_tool_cards_and_sources(
    browser: Browser, clinic: Demo, say: Said, words: str, shown: str
) -> None:
    person = arrive(browser, clinic.url, ASSISTANT, say)
    person.open()
    person.ask(words)
    expect(person.answer).to_contain_text(shown)
    expect(person.tools.first).to_be_visible()
    expect(person.page.locator("deputize-message-list .sources a").first).to_have_attribute(
        "href", re.compile(r"^/(patients|appointments)/[0-9a-f-]{36}$")
    )
    expect(person.button(say.approve)).to_have_count(0)
    person.page.context.close()


def test_an_approved_card_is_booked_and_the_agenda_shows_it(desk: Person) -> None:
    """APPR-1, APPR-3, UI-2: reads, then the server's preview with names and times, then one row on the page."""
    word, day = next_open(ES)
    desk.visit(f"/agenda?day={day.isoformat()}")
    desk.open()
    desk.propose(f"agenda revisión a María López {word} a las 10")
    expect(desk.tools.first).to_contain_text("paciente")
    expect(desk.card).to_contain_text("María López Herrera")
    expect(desk.card).to_contain_text(re.compile(rf"{day.day} \w+ {day.year}, 10:00"))
    shown = {one["name"]: one["after"] for one in desk.waiting()["approval"]["preview"]["changes"][0]["fields"]}
    expect(desk.card).to_contain_text(shown["professional_id"])
    assert at("10:00", "María López Herrera", agenda(desk, day)) == []
    desk.button(ES.approve).click()
    expect(desk.answer).to_contain_text("Hecho")
    expect(desk.page.locator("main .board li.block", has_text="María López Herrera").first).to_be_visible()
    assert len(at("10:00", "María López Herrera", agenda(desk, day))) == 1


def test_a_rejected_card_books_nothing_and_the_deputy_says_so(desk: Person) -> None:
    word, day = next_open(ES)
    before = agenda(desk, day)
    desk.open()
    desk.propose(f"agenda revisión a María López {word} a las 12")
    desk.reject()
    expect(desk.answer).to_contain_text(re.compile("no (se )?(ha|he)|rechaz", re.IGNORECASE))
    assert agenda(desk, day) == before


def test_appr_3_a_second_decision(desk: Person) -> None:
    """APPR-3: the same one changes nothing and answers 200; another one is 409, for the same person too."""
    word, day = later(ES)
    desk.open()
    desk.propose(f"agenda revisión a María López {word} a las 12")
    call = desk.waiting()
    path = f"{BASE}/tool-calls/{call['id']}/decide"
    decision = {"approve": True, "digest": call["approval"]["digest"]}
    assert desk.call("POST", path, {"approve": True})[0] == 422
    assert desk.call("POST", path, {**decision, "digest": "0" * 64})[1]["error"]["code"] == "AI_APPROVAL_STALE"
    first = desk.call("POST", path, decision)
    again = desk.call("POST", path, decision)
    assert (first[0], again[0]) == (200, 200)
    assert first[1]["outcome"] == again[1]["outcome"] == "ok"
    status, other = desk.call("POST", path, {**decision, "approve": False})
    assert (status, other["error"]["code"]) == (409, "AI_APPROVAL_RESOLVED")
    assert len(at("12:00", "María López Herrera", agenda(desk, day))) == 1


def test_ui_1_a_reload_keeps_the_pending_card(desk: Person) -> None:
    word, _ = later(ES)
    desk.open()
    desk.propose(f"agenda revisión a María López {word} a las 17")
    before = desk.waiting()
    desk.page.reload()
    expect(desk.card).to_contain_text("María López Herrera")
    expect(desk.button(ES.approve)).to_be_enabled()
    desk.visit("/patients")
    expect(desk.card).to_contain_text("María López Herrera")
    assert desk.waiting() == before


def test_run_7_sigkill_between_proposal_and_decision_changes_nothing(desk: Person, clinic: Demo) -> None:
    """RUN-7: a new process finds the card as it was, and the decision then works."""
    word, day = next_open(ES)
    desk.open()
    desk.propose(f"agenda revisión a María López {word} a las 17")
    before, planned = desk.waiting(), agenda(desk, day)
    clinic.kill()
    clinic.start()
    assert desk.waiting() == before
    assert agenda(desk, day) == planned
    desk.button(ES.approve).click()
    expect(desk.answer).to_contain_text("Hecho")
    assert len(at("17:00", "María López Herrera", agenda(desk, day))) == 1


def test_run_13_the_page_says_whom_the_words_mean(desk: Person) -> None:
    """RUN-13: "agéndale" on a patient's page names that patient, loaded by the server under the actor's permission."""
    word, day = later(ES, 3)
    desk.visit(patient(desk, "María López Herrera"))
    desk.open()
    desk.propose(f"agéndale revisión {word} a las 10")
    expect(desk.card).to_contain_text("María López Herrera")
    expect(desk.card).to_contain_text(re.compile(rf"{day.day} \w+ {day.year}, 10:00"))


def test_run_10_a_new_conversation_offers_to_withdraw_the_pending_card(desk: Person) -> None:
    word, day = later(ES)
    before = agenda(desk, day)
    desk.open()
    desk.propose(f"agenda revisión a María López {word} a las 10")
    desk.button(ES.fresh).click()
    desk.button(ES.withdraw).click()
    expect(desk.page.get_by_text(ES.hello)).to_be_visible()
    assert desk.call("GET", f"{BASE}/approvals")[1]["total"] == 0
    assert agenda(desk, day) == before


def test_ui_6_from_sign_in_to_booking_by_keyboard_alone(browser: Browser, clinic: Demo) -> None:
    """UI-6: nothing is reached by pointing."""
    word, day = later(EN, 4)
    person = arrive(browser, clinic.url, HYGIENE, EN)
    page = person.page
    page.keyboard.press("Control+k")
    expect(person.field).to_be_focused()
    page.keyboard.type(f"book María López a check-up {word} at 10")
    page.keyboard.press("Enter")
    expect(person.button(EN.approve)).to_be_enabled()
    for _ in range(20):
        page.keyboard.press("Shift+Tab")
        if person.button(EN.approve).evaluate("button => button.matches(':focus')"):
            break
    expect(person.button(EN.approve)).to_be_focused()
    page.keyboard.press("Enter")
    expect(person.answer).to_contain_text("Done")
    page.keyboard.press("Escape")
    expect(person.field).to_be_hidden()
    assert len(at("10:00", "María López Herrera", agenda(person, day))) == 1
    page.context.close()


def test_sec_14_the_other_clinic_sees_none_of_it(browser: Browser, clinic: Demo, desk: Person) -> None:
    """TOOL-5, API-2: run, call, conversation, patient: each is 404 to the other tenant; nothing waits for them."""
    word, _ = later(ES)
    desk.open()
    desk.propose(f"agenda revisión a María López {word} a las 10")
    call = desk.waiting()
    session = desk.call("GET", f"{BASE}/sessions")[1]["items"][0]["id"]
    own_patient = patient(desk, "María López Herrera")
    other = arrive(browser, clinic.url, ELSEWHERE)
    paths = [
        f"{BASE}/tool-calls/{call['id']}",
        f"{BASE}/runs/{call['runId']}",
        f"{BASE}/runs/{call['runId']}/events",
        f"{BASE}/sessions/{session}/messages",
        own_patient,
    ]
    assert [other.call("GET", path)[0] for path in paths] == [404] * len(paths)
    decision = {"approve": True, "digest": call["approval"]["digest"]}
    assert other.call("POST", f"{BASE}/tool-calls/{call['id']}/decide", decision)[0] == 404
    assert other.call("GET", f"{BASE}/approvals")[1]["total"] == 0
    other.open()
    other.ask("pacientes que se llamen María López")
    link = other.page.locator("deputize-message-list .sources a").first
    expect(link).to_contain_text("María López Herrera")
    assert link.get_attribute("href") != own_patient
    assert desk.waiting() == call
    other.page.context.close()


def test_api_4_a_lost_sign_in_leads_back_to_the_page(desk: Person) -> None:
    """API-4: the element says `deputize-signin`, the host answers with its form, and the person returns."""
    desk.visit("/patients")
    desk.open()
    desk.page.context.clear_cookies(name=re.compile(r"^(?!csrf|language).*"))
    with desk.page.expect_navigation(url=re.compile(r"/sign-in\?next=%2Fpatients")):
        desk.ask("¿quién viene hoy?")
    expect(desk.page.locator("input[name=password]")).to_be_visible()


@pytest.mark.parametrize(
    ("size", "scheme", "say", "who"),
    [(DESK, "light", ES, RECEPTION), (PHONE, "dark", EN, "dentist@demo.clinic")],
    ids=["desk-light-es", "phone-dark-en"],
)
def test_ui_6_pages_and_answers_are_accessible_and_photographed(
    browser: Browser, clinic: Demo, size: tuple[int, int], scheme: Any, say: Said, who: str, request: Any
) -> None:
    """UI-6: WCAG 2.2 AA of the clinic's pages and of the drawer before and after an answer and a rejection; nothing
    wider than the screen. The cards are looked at in `test_matrix.py`."""
    person = arrive(browser, clinic.url, who, say, size, scheme)
    folder = SHOTS / "clinic" / request.node.callspec.id
    folder.mkdir(parents=True, exist_ok=True)

    def look(name: str) -> None:
        found.extend(f"{name}: {fault}" for fault in faults(person.page))
        if not person.page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
            found.append(f"{name}: wider than the screen")
        person.page.screenshot(path=folder / f"{name}.png")

    found: list[str] = []
    word, day = later(say)
    person.visit(f"/agenda?day={day.isoformat()}")
    look("1-agenda")
    person.visit("/patients")
    look("2-patients")
    person.open()
    look("3-drawer")
    person.propose(
        {"es": f"agenda revisión a María López {word} a las 10"}.get(
            say.tag, f"book María López a check-up {word} at 10"
        )
    )
    person.reject()
    expect(person.button(say.approve)).to_have_count(0)
    expect(person.answer).to_be_visible()
    look("4-rejected")
    person.start_afresh()
    person.reopen()
    person.ask({"es": "¿quién viene el " + word.removeprefix("el ") + "?", "en": f"who is coming {word}?"}[say.tag])
    expect(person.page.locator("deputize-message-list .sources a").first).to_be_visible()
    look("5-answer")
    person.page.context.close()
    assert found == []
