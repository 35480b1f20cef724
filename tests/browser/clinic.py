"""The clinic's days, as people name them, and its agenda as they read it."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from tests.browser.demos import CLINIC
from tests.browser.person import Person, Said

BASE = CLINIC.base
MADRID = ZoneInfo("Europe/Madrid")
DAYS = {
    "es": ("lunes", "martes", "miércoles", "jueves", "viernes"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
}


def agenda(person: Person, day: date) -> list[str]:
    """The lines of that day's agenda, as read on the page."""
    tab = person.page.context.new_page()
    tab.goto(f"{person.url}/agenda?day={day.isoformat()}")
    lines = [" ".join(line.split()) for line in tab.locator(".board li.block").all_inner_texts()]
    tab.close()
    return lines


def today() -> date:
    """The clinic's day."""
    return datetime.now(MADRID).date()


def next_open(say: Said) -> tuple[str, date]:
    """Tomorrow and its word, or where the clinic's tomorrow has no afternoon the Monday after it."""
    tomorrow = today() + timedelta(days=1)
    if tomorrow.weekday() < 5:
        return say.tomorrow, tomorrow
    return named(say, tomorrow + timedelta(days=7 - tomorrow.weekday()))


def later(say: Said, days: int = 2) -> tuple[str, date]:
    """A working day some days ahead (less than a week) by its name."""
    day = today() + timedelta(days=days)
    while day.weekday() > 4 or day == next_open(say)[1]:
        day += timedelta(days=1)
    return named(say, day)


def named(say: Said, day: date) -> tuple[str, date]:
    """`el jueves`, `on Thursday`."""
    return f"{'el' if say.tag == 'es' else 'on'} {DAYS[say.tag][day.weekday()]}", day
