"""PROV-2: utterances that were held out from the planner's making reach the meant tool with the meant arguments."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.providers.offline.clinic_desk import ClinicDesk, uid
from tests.providers.offline.declared import Declared
from tests.providers.offline.order_desk import OrderDesk
from tests.providers.offline.talk import Talk

CASES = [json.loads(line) for line in (Path(__file__).parent / "held_out.jsonl").read_text("utf-8").split("\n") if line]
DESKS: dict[str, Callable[[], Sequence[Declared]]] = {
    "clinic": lambda: ClinicDesk().tools(),
    "orders": lambda: OrderDesk().tools(),
}


def meant(value: Any) -> Any:
    """`@name` stands for the id of that record."""
    return uid(value[1:]) if isinstance(value, str) and value.startswith("@") else value


@pytest.mark.parametrize("nonsense_names", [False, True], ids=["named", "renamed"])
@pytest.mark.parametrize("case", CASES, ids=[c["text"] for c in CASES])
def test_held_out_sentence_reaches_its_tool(case: dict[str, Any], nonsense_names: bool) -> None:
    talk = Talk(DESKS[case["desk"]](), nonsense_names=nonsense_names, locale=case["lang"])
    talk.say(case["text"])
    if case["tool"] is None:
        assert talk.made == []
        return
    tool, args = talk.last
    got = {k: v.lower() if k == "title" else v for k, v in args.items()}
    assert (tool, {k: got.get(k) for k in case["args"]}) == (
        case["tool"],
        {k: meant(v) for k, v in case["args"].items()},
    )


def test_there_are_enough_held_out_sentences_in_both_languages() -> None:
    assert min(sum(c["lang"] == language for c in CASES) for language in ("es", "en")) >= 25
    assert len(CASES) >= 60
