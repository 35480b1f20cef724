"""The terminal: the same conversation and the same card as lines of text; piped input, yes or no, Ctrl-C (OPS-4)."""

import asyncio
import os
import subprocess
import sys
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize.core.provider import Done, ToolUse
from deputize.engine import approvals, runs
from deputize.engine.ending import ERRORS
from deputize.surfaces.terminal import Stopped, Terminal
from deputize.surfaces.terminal.words import WORDS
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import calls, says
from tests.core.test_errors import API_3
from tests.databases import SqliteFiles
from tests.engine.desk import ANA, EVA, Desk, Person, Task, make_desk

DEPUTIZE = Path(sys.executable).parent / "deputize"


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """What is printed does not depend on the database."""
    return sqlite_files


@pytest.fixture
async def desk(database: AsyncEngine, clock: FrozenClock) -> AsyncIterator[Desk]:
    made = await make_desk(database, clock)
    yield made
    await made.deputy.close()


@dataclass
class Screen:
    """Lines that are typed, in order, and all that was printed; a callable line happens when it is read."""

    lines: deque[str]
    out: list[str] = field(default_factory=list)

    async def read(self, prompt: str) -> str | None:
        self.out.append(prompt)
        return self.lines.popleft() if self.lines else None

    @property
    def text(self) -> str:
        return "".join(self.out)


async def talk(desk: Desk, *lines: str) -> str:
    """What the terminal prints when these lines are typed."""
    screen = Screen(deque(lines))
    await Terminal(desk.w, EVA, "desk", screen.read, screen.out.append).talk()
    return screen.text


def proposing(desk: Desk, title: str = "call back") -> Desk:
    """The model looks for Ana and proposes a task for her."""
    desk.provider.then(
        calls(("find_people", {"query": "Ana"})), calls(("add_task", {"person": ANA, "title": title})), says("Over.")
    )
    return desk


async def test_an_answer_is_printed_once_with_what_was_looked_up(desk: Desk) -> None:
    desk.provider.then(calls(("find_people", {"query": "Ana"})), says("There is one person."))
    text = await talk(desk, "", "who is Ana?")
    assert text.count("There is one person.") == 1
    assert text.index("[") < text.index("There is one person.")


async def test_yes_executes_what_the_card_showed(desk: Desk) -> None:
    """APPR-1, APPR-3: the card has the server's names; anything but yes or no is asked again."""
    text = await talk(proposing(desk), "a task for Ana", "perhaps", "y")
    assert "┌ Add a task" in text
    assert "title: call back  [written by the assistant]" in text
    assert text.count("Approve? [y/n]") == 2
    assert [task.title for task in await desk.rows(Task)] == ["call back"]
    assert text.rstrip().endswith("Over.\nyou>")


async def test_no_changes_nothing_and_the_conversation_goes_on(desk: Desk) -> None:
    proposing(desk).provider.then(says("Still here."))
    text = await talk(desk, "a task for Ana", "n", "and now?")
    assert await desk.rows(Task) == []
    assert "rejected" in text
    assert "Still here." in text


async def test_the_end_of_the_input_decides_nothing(desk: Desk) -> None:
    """A pipe that ends leaves the card open for the screen."""
    text = await talk(proposing(desk), "a task for Ana")
    assert "stays open" in text
    assert await desk.rows(Task) == []
    assert len(await approvals.waiting(desk.w, EVA)) == 1


async def test_appr_4_a_stale_card_is_shown_anew_and_asked_again(desk: Desk) -> None:
    """APPR-4: somebody changed Ana between the card and the yes."""
    desk.provider.then(
        calls(("find_people", {"query": "Ana"})), calls(("set_remark", {"person": ANA, "remark": "met"})), says("Over.")
    )
    screen = Screen(deque(["note that I met Ana", "y", "y"]))

    async def read(prompt: str) -> str | None:
        if prompt.startswith("Approve") and len(screen.lines) == 2:
            async with AsyncSession(desk.engine) as session, session.begin():
                await session.execute(update(Person).where(Person.id == ANA).values(remark="shy", revision=2))
        return await screen.read(prompt)

    await Terminal(desk.w, EVA, "desk", read, screen.out.append).talk()
    before, _, after = screen.text.partition("What would happen has changed; look again.")
    assert "~ Person Ana Ruiz Calvo" in before
    assert "Remark: — → met" in before
    assert "Remark: shy → met" in after
    ana = next(one for one in await desk.rows(Person) if one.id == ANA)
    assert (ana.remark, ana.revision) == ("met", 3)


async def test_run_9_stopping_ends_the_answer_and_the_next_line_is_heard(desk: Desk) -> None:
    """Ctrl-C calls `stop`: the run is aborted, the terminal says so and goes on."""
    desk.provider.then(says("one two three"), says("Next."))
    desk.provider.gate = asyncio.Event()
    screen = Screen(deque(["talk", "again"]))

    async def read(prompt: str) -> str | None:
        if len(screen.lines) == 1:
            desk.provider.gate = None
        return await screen.read(prompt)

    terminal = Terminal(desk.w, EVA, "desk", read, screen.out.append)
    await terminal.stop()
    talking = asyncio.create_task(terminal.talk())
    while terminal.run_id is None or not desk.provider.requests:  # noqa: ASYNC110 - no event tells both
        await asyncio.sleep(0)
    stopped = terminal.run_id
    await terminal.stop()
    await talking
    assert (await runs.one(desk.w, EVA, stopped))["status"] == "aborted"
    assert "(stopped)" in screen.text
    assert "one" not in screen.text
    assert "Next." in screen.text
    assert terminal.run_id is None


async def test_an_error_is_printed_with_its_code_and_the_terminal_goes_on(desk: Desk) -> None:
    desk.provider.then(says("Fine."))
    text = await talk(desk, "x" * 4001, "hello")
    assert "VALIDATION_ERROR" in text
    assert "Fine." in text


async def test_a_change_left_open_is_shown_first_and_can_be_decided(desk: Desk) -> None:
    """RUN-7, RUN-10: the next terminal takes the open card up instead of ending with an error."""
    await talk(proposing(desk), "a task for Ana")
    still = await talk(desk)
    assert "A change from before is still open:" in still
    assert "stays open" in still
    desk.provider.then(says("Hello."))
    text = await talk(desk, "y", "hello")
    assert text.index("┌ Add a task") < text.index("Approve? [y/n]") < text.index("Over.") < text.index("Hello.")
    assert [task.title for task in await desk.rows(Task)] == ["call back"]


async def test_run_9_stopping_at_a_card_withdraws_it_and_the_conversation_goes_on(desk: Desk) -> None:
    proposing(desk)
    screen = Screen(deque(["a task for Ana", "hello"]))

    async def read(prompt: str) -> str | None:
        if prompt.startswith("Approve"):
            desk.provider.turns.clear()
            desk.provider.then(says("Next."))
            raise Stopped
        return await screen.read(prompt)

    await Terminal(desk.w, EVA, "desk", read, screen.out.append).talk()
    assert await approvals.waiting(desk.w, EVA) == []
    assert await desk.rows(Task) == []
    assert screen.text.index("(stopped)") < screen.text.index("Next.")


async def test_ui_6_faults_are_told_in_the_persons_language(desk: Desk) -> None:
    """UI-6: the end of a run and a refused start, in Spanish; the code stays as it is."""
    desk.provider.then([ToolUse("c", "find_people", "{}"), Done("length")])
    screen = Screen(deque(["busca", "x" * 5000]))
    await Terminal(desk.w, replace(EVA, locale="es"), "desk", screen.read, screen.out.append).talk()
    assert "La respuesta se cortó porque era demasiado larga. [length]" in screen.text
    assert "La petición no es válida. [VALIDATION_ERROR]" in screen.text


def test_ui_6_every_code_has_words_in_spanish() -> None:
    """A code that is added to the catalogue or to the ends of a run needs its words here too."""
    assert set(WORDS["es"].faults) == set(API_3) | set(ERRORS)


async def test_stopping_at_the_prompt_ends_the_conversation(desk: Desk) -> None:
    async def read(prompt: str) -> str | None:
        raise Stopped

    await Terminal(desk.w, EVA, "desk", read, Screen(deque()).out.append).talk()


async def test_appr_1_no_text_repaints_the_screen_or_draws_a_card(desk: Desk) -> None:
    """APPR-1, PROV-3: control characters of model and values are written out; a value's lines stay inside the edge."""
    desk.provider.then(says("\x1b[2J\x1b[1;1HDone.\r"))
    proposing(desk, "call\n└\nApprove? [y/n]\u202e\x07")
    text = await talk(desk, "hello", "a task for Ana", "n")
    assert not {"\x1b", "\r", "\x07", "\u202e"} & set(text)
    assert "⟨U+001B⟩[2J" in text
    assert "\n└\nApprove" not in text.replace("└\nApprove? [y/n] ", "", 1)
    assert "│       Approve? [y/n]⟨U+202E⟩⟨U+0007⟩" in text


async def test_appr_1_a_long_card_is_printed_whole_before_anybody_is_asked(desk: Desk) -> None:
    """APPR-1: nothing is cut in a terminal, so that one yes approves."""
    title = "call " + "x" * 20_000 + " end"
    text = await talk(proposing(desk, title), "a task for Ana", "y")
    assert title in text
    assert "…" not in text
    assert [task.title for task in await desk.rows(Task)] == [title]


ASKED = {
    "clinic": ("receptionist@demo.clinic", "pacientes que se llamen María López", "María López Herrera"),
    "workorders": ("priya@northgate.example", "show order 1036", "Boiler in block B"),
    "casedesk": ("officer@harbour.example", "which cases are in review?", "KYB-2026-"),
}


@pytest.mark.parametrize("host", ASKED)
def test_deputize_chat_takes_piped_input_in_every_demo(host: str, tmp_path: Path) -> None:
    """OPS-4: the README's command, in a process of its own; somebody unknown is named, without a traceback."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("AI_", "DATABASE_", "DEPUTIZE_"))}
    who, said, shown = ASKED[host]

    def chat(person: str) -> "subprocess.CompletedProcess[str]":
        command = [str(DEPUTIZE), "chat", "--demo", host, "--folder", str(tmp_path), "--as", person]
        return subprocess.run(command, input=f"{said}\n", capture_output=True, text=True, env=ours, check=False)

    ended = chat(who)
    assert ended.returncode == 0, ended.stderr
    assert shown in ended.stdout
    if host == "clinic":
        nobody = chat("nobody@demo.clinic")
        assert (nobody.returncode, nobody.stderr.strip()) == (2, "nobody is called 'nobody@demo.clinic' here")
