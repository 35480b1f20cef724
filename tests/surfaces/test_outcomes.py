"""What became of a call, said by every face: the model's result, the event, the terminal and the element (C31)."""

import json
import re
from pathlib import Path

import pytest

from deputize.core.event import ToolResult
from deputize.core.run import Outcome
from deputize.engine.record import envelope
from deputize.surfaces.terminal.words import WORDS

ELEMENT = Path(__file__).resolve().parents[2] / "web/src/i18n"


def drawn(language: str) -> set[str]:
    """The outcomes that the element has words for."""
    text = (ELEMENT / f"{language}.ts").read_text(encoding="utf-8")
    table = re.search(r"\n  outcomes: \{\n(.*?)\n  \},", text, re.DOTALL)
    assert table is not None
    return set(re.findall(r"^    (\w+):", table[1], re.MULTILINE))


@pytest.mark.parametrize("outcome", Outcome)
def test_tool_11_c31_no_outcome_is_said_as_another(outcome: Outcome) -> None:
    """TOOL-11, C31: one word on each wire; nothing but `ok` is told as success, and nothing is left unsaid."""
    assert json.loads(envelope(outcome))["outcome"] == outcome.value
    event = ToolResult(call_id="c", outcome=outcome, result=None, truncated=False)
    assert json.loads(event.model_dump_json(by_alias=True))["outcome"] == outcome.value
    for language in ("en", "es"):
        assert outcome.value in drawn(language)
        assert (outcome.value in WORDS[language].outcomes) == (outcome is not Outcome.OK)


@pytest.mark.parametrize("language", ["en", "es"])
def test_tool_11_c31_no_two_outcomes_share_their_words(language: str) -> None:
    """TOOL-11, C31: a no of a person, of a rule and of the clock read differently."""
    said = list(WORDS[language].outcomes.values())
    assert len(set(said)) == len(said)
