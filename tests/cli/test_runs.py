"""`deputize runs` and `deputize retention`: what is listed, what goes, never a word that was said (OPS-4, AUD-5)."""

from deputize.core.run import RunStatus
from deputize.testing.scripted import says
from tests.cli.office import Office
from tests.engine.desk import EVA, Desk

SECRET = "a secret of Ana Ruiz"


def talk(office: Office, times: int = 1) -> None:
    async def say(desk: Desk) -> None:
        conversation = await desk.open(EVA)
        for _ in range(times):
            desk.provider.then(says("Heard."))
            assert (await desk.say(EVA, conversation, SECRET)).last
            office.clock.advance(60)

    office.do(say)


def test_runs_are_listed_newest_first_without_words(office: Office) -> None:
    assert office.type("runs").output == "no runs yet\n"
    talk(office, 3)
    listed = office.type("runs", "-n", "2")
    lines = listed.output.splitlines()
    assert (listed.exit_code, len(lines)) == (0, 2)
    first, second = (line.split("  ") for line in lines)
    assert first[0] > second[0]
    assert first[2:5] == ["north", "eva", RunStatus.COMPLETE.value]
    assert first[5].startswith("$0.0")
    assert SECRET not in listed.output
    assert office.type("runs", "--tenant", "south").output == "no runs yet\n"
    assert office.type("runs", "-n", "0").exit_code == 2


def test_what_is_too_old_goes_and_is_told(office: Office) -> None:
    """AUD-5: first what would go, then that it went, with its progress, then nothing."""
    talk(office, 2)
    assert office.type("retention").output == "nothing is due\n"
    office.clock.advance(91 * 86_400)
    assert "north  runs whose contents go: 2" in office.type("retention", "--dry-run").output
    went = office.type("retention")
    assert "north: runs whose contents go: 2" in went.output
    assert "north  runs whose contents go: 2" in went.stdout
    assert office.type("retention").output == "nothing is due\n"
