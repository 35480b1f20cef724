"""Generated pages say what the code says: errors, events, the picture of states, the map."""

from pathlib import Path

import pytest

from deputize.core.run import MOVES
from scripts import generate_map, generate_reference, generate_tools, generated
from tests.house.sources import ROOT


def test_errors_events_and_the_picture_of_states_are_up_to_date() -> None:
    assert generate_reference.main(["--check"]) == 0, "run `make docs`"


def test_every_error_code_and_every_event_is_documented() -> None:
    errors = (ROOT / generate_reference.ERRORS).read_text(encoding="utf-8")
    rows = [f"| `{kind.code}` | {kind.status} |" for kind in generate_reference.leaves()]
    assert [row for row in rows if row not in errors] == []
    events = (ROOT / generate_reference.EVENTS).read_text(encoding="utf-8")
    names = [kind.model_fields["type"].default for kind in generate_reference.members()]
    assert [name for name in names if f"## `{name}`\n" not in events] == []


def test_run_6_the_picture_holds_every_move_of_the_table_and_no_other() -> None:
    picture = (ROOT / generate_reference.LIFECYCLE).read_text(encoding="utf-8").split("```mermaid")[1].split("```")[0]
    drawn = {tuple(line.split(":")[0].split(" --> ")) for line in picture.split("\n    ") if "[*]" not in line}
    assert {(a, b) for a, b, *_ in (pair for pair in drawn if len(pair) == 2)} == {
        (str(before), str(after)) for before, afters in MOVES.items() for after in afters
    }


def test_the_map_is_up_to_date() -> None:
    assert generate_map.main(["--check"]) == 0, "run `make docs`"


def test_the_check_notices_a_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generated, "ROOT", tmp_path)
    assert generated.settle({"docs/page.md": "new"}, ["--check"]) == 1
    assert not (tmp_path / "docs").exists()
    assert generated.settle({"docs/page.md": "new"}, []) == 0
    assert generated.settle({"docs/page.md": "new"}, ["--check"]) == 0
    assert generated.settle({"docs/page.md": "newer"}, ["--check"]) == 1


def test_a_generated_block_leaves_the_words_around_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generated, "ROOT", tmp_path)
    (tmp_path / "page.md").write_text("a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n")
    assert generated.within("page.md", "x", "new\n") == "a\n<!-- generated: x -->\nnew\n<!-- end -->\nb\n"


def test_every_host_modules_readme_shows_the_tools_that_it_exposes() -> None:
    """The table "Tools exposed" is made from the declarations; no module with tools goes without one."""
    assert generate_tools.main(["--check"]) == 0, "run `make docs`"
    texts = generate_tools.texts()
    assert {str(Path(name).parent) for name in texts} == {
        str(path.parent.relative_to(ROOT)) for path in (ROOT / "src" / "deputize_hosts").glob("*/*/tools.py")
    }
    agenda = texts["src/deputize_hosts/clinic/agenda/README.md"]
    assert "| `cancel_appointment` |" in agenda
    assert "| destructive | `agenda.appointments.write` |" in agenda
