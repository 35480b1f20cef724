"""The operator's commands: tables from nothing, a person from standard input, and what is refused."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from deputize_hosts.workorders.operate import program

PASSWORD = "twelve characters at least"
DANA = ["--organisation", "Site", "--email", "Dana@Site.example", "--name", "Dana", "--role", "admin"]


@pytest.fixture
def operator(tmp_path: Path) -> CliRunner:
    """Somebody at the desk's own machine, with an empty database."""
    return CliRunner(env={"DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path / 'new' / 'desk.sqlite'}"})


def enrol(operator: CliRunner, *words: str, password: str = PASSWORD) -> tuple[int, str]:
    """Status and everything that was said."""
    ended = operator.invoke(program, ["enrol", *words], input=f"{password}\n")
    assert password not in ended.output
    return ended.exit_code, ended.output


def test_people_are_enrolled_into_one_organisation(operator: CliRunner) -> None:
    for _ in range(2):
        assert operator.invoke(program, ["migrate"]).exit_code == 0, "safe to repeat"
    status, said = enrol(operator, *DANA)
    assert (status, said) == (0, "dana@site.example may sign in as admin of Site\n")
    status, said = enrol(operator, "--organisation", "Site", "--email", "tom@site.example", "--name", "Tom")
    assert (status, said) == (0, "tom@site.example may sign in as user of Site\n")
    assert enrol(operator, *DANA) == (2, "that address is taken\n")


@pytest.mark.parametrize(
    ("words", "password", "said"),
    [
        (DANA, "short", "a password has 12 characters or more"),
        ([*DANA[:2], "--email", "nobody", "--name", "x"], PASSWORD, "that is no e-mail address"),
        ([*DANA, "--time-zone", "Mars/Olympus"], PASSWORD, "that time zone is not known"),
        ([*DANA, "--locale", "xx"], PASSWORD, "the languages are en, es"),
    ],
    ids=["password", "address", "zone", "locale"],
)
def test_what_cannot_be_is_told(operator: CliRunner, words: list[str], password: str, said: str) -> None:
    """Status 2 and one line; nothing has been asked of the database."""
    assert enrol(operator, *words, password=password) == (2, f"{said}\n")
