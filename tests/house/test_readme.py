"""The README's snippets are the tutorial's, and the tutorial's program runs as it stands, from check to a change."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.sources import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
TUTORIAL = (ROOT / "docs" / "tutorial" / "getting-started.md").read_text(encoding="utf-8")
DEPUTIZE = Path(sys.executable).parent / "deputize"
DOCUMENTS = ["README.md", *(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md")))]


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


PROGRAM = "\n\n".join(blocks(TUTORIAL, "python"))


@pytest.mark.parametrize("language", ["python", "html"])
def test_the_snippets_of_the_readme_are_the_tutorials(language: str) -> None:
    snippets = blocks(README, language)
    assert snippets
    assert [snippet for snippet in snippets if snippet not in PROGRAM] == []


def test_the_readme_shows_a_picture_and_its_commands() -> None:
    assert "make demo" in README
    assert "make test" in README
    assert re.search(r"!\[[^]]+\]\(docs/images/[a-z]+\.png\)", README)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_inside_the_repository_leads_somewhere(name: str) -> None:
    document = ROOT / name
    targets = re.findall(r"\]\(([^)#\s]+)", document.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target and not target.startswith("mailto:")]
    assert [target for target in local if not (document.parent / target).exists()] == []


@pytest.mark.timeout(240)
def test_the_tutorials_program_runs_from_check_to_an_approved_change(tmp_path: Path) -> None:
    """Its own commands in its own order, each in a process of its own; the yes in the terminal changes the row."""
    (tmp_path / "board.py").write_text(PROGRAM, encoding="utf-8")
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("AI_", "AGENT_", "DEPUTIZE_"))}
    environment = {**ours, "AI_ENABLED": "true", "AI_SECRET_KEY": "a key of the tutorial, long enough"}

    def run(*command: str, said: str = "") -> str:
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, input=said, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run(sys.executable, "-c", "import asyncio, board\nasync def main():\n async with board.lifespan(board.app): pass\n"
        "asyncio.run(main())")  # fmt: skip
    run(str(DEPUTIZE), "db", "upgrade", "--app", "board:deputy")
    assert "all is well" in run(str(DEPUTIZE), "check", "--app", "board:deputy")
    said = "which tasks are there?\nfinish the task call the plumber\ny\n"
    heard = run(str(DEPUTIZE), "chat", "--app", "board:deputy", "--as", "ana", said=said)
    assert "Paint the fence" in heard
    assert "~ Task Call the plumber" in heard
    again = run(
        str(DEPUTIZE), "chat", "--app", "board:deputy", "--as", "ana", said="finish the task call the plumber\n"
    )
    assert "┌" not in again
    verified = run(str(DEPUTIZE), "audit", "verify", "--app", "board:deputy")
    assert "verified" in verified


def test_a_link_that_leads_nowhere_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("[a](missing.md)", encoding="utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)", (tmp_path / "page.md").read_text(encoding="utf-8"))
    assert [target for target in targets if not (tmp_path / target).exists()] == ["missing.md"]
