"""Generated files say what their sources say now."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def load(name: str) -> ModuleType:
    """A script of the repository as a module; scripts are not part of the package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_sse_1_the_front_ends_event_types_are_up_to_date() -> None:
    """SSE-1: one closed set of events; the element's types are made from it."""
    script = load("generate_events")
    assert script.main(["--check"]) == 0, "run scripts/generate_events.py"


def test_the_check_notices_a_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = load("generate_events")
    stale = tmp_path / "events.ts"
    stale.write_text(script.render().replace("callId: string", "callId: number"), encoding="utf-8")
    monkeypatch.setattr(script, "TARGET", stale)
    assert script.main(["--check"]) == 1
    assert script.main([]) == 0
    assert script.main(["--check"]) == 0


def test_a_kind_of_node_that_is_not_known_is_an_error_and_never_a_guess() -> None:
    script = load("generate_events")
    with pytest.raises(KeyError):
        script.typed({"type": "something new"})
    assert script.typed({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}) == (
        "(string | null)[]"
    )


def test_the_lock_of_the_front_end_holds_no_addresses() -> None:
    """Locks hold hashes and no addresses, so that any registry can serve them."""
    text = (ROOT / "web" / "package-lock.json").read_text(encoding="utf-8")
    assert "integrity" in text
    assert "://" not in text, "run `npm run lock` in web/"
