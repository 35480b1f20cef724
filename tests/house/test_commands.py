"""The commands that documents and CI name are those of the Makefile, and every setting is documented."""

import os
import re

import pytest

from scripts import generate_settings
from tests.house.sources import ROOT, tracked

OPS_2 = """
AI_ENABLED AI_PROVIDER AI_BASE_URL AI_API_KEY OPENAI_API_KEY ANTHROPIC_API_KEY AI_MODEL AI_MAX_STEPS_PER_RUN
AI_MAX_OUTPUT_TOKENS AI_MAX_CONTEXT_TOKENS AI_PRICE_PER_1M_INPUT AI_PRICE_PER_1M_OUTPUT AI_DAILY_SPEND_USD
AGENT_DAILY_SPEND_USD AI_GLOBAL_DAILY_SPEND_USD AI_APPROVAL_TTL_MS AI_SSE_KEEPALIVE_MS AI_RATE_LIMIT_MAX
AI_MAX_ACTIONS_PER_MINUTE AI_MAX_ACTIONS_PER_SESSION AI_BLOCKED_TOOLS AI_MAX_MESSAGES_PER_SESSION
AI_DISCONNECT_GRACE_MS AI_ALLOW_PRIVATE_ENDPOINT AI_DIRECTORY_MB AI_SECRET_KEY AI_CHECKPOINT_KEY_FILE
AGENT_POLL_INTERVAL_MS AGENT_LEASE_MS AGENT_SWEEP_INTERVAL_MS AGENT_MAX_ATTEMPTS AGENT_RECONCILE_AFTER_MS
AGENT_TRIAGE_MODE AGENT_WORKING_HOURS AGENT_CONCURRENCY COPILOT_PROVIDER_DEFAULT COPILOT_MODEL_CHAT_OPENAI
COPILOT_MAX_TOKENS COPILOT_REDACTION_DEFAULT
""".split()  # noqa: SIM905  # a list of words reads better so

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
KEY = re.compile(r"(?:AI|AGENT|COPILOT|OPENAI|ANTHROPIC|DEPUTIZE)_[A-Z0-9_]+")


def keys(text: str) -> set[str]:
    """The settings that a text names."""
    return set(KEY.findall(text))


def test_make_lists_every_target_with_its_purpose() -> None:
    described = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))
    phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert phony is not None
    assert set(phony[1].split()) == described == TARGETS


DOCUMENTS = [path.relative_to(ROOT).as_posix() for path in tracked() if path.suffix == ".md"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_name_only_targets_that_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    named = re.findall(r"`make ([a-z-]+)`", text) + re.findall(r"^make ([a-z-]+)$", text, re.MULTILINE)
    assert set(named) <= TARGETS


def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text(encoding="utf-8").rstrip().split("\n")[-1] == "make test"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert not readme or "make test" in readme


def test_ops_2_the_example_names_every_setting_of_the_contract() -> None:
    assert set(OPS_2) - keys((ROOT / ".env.example").read_text(encoding="utf-8")) == set()


def test_ops_2_the_example_names_every_setting_that_the_code_reads_and_no_other() -> None:
    read = {name for setting in generate_settings.settings() for name in setting.names}
    example = keys((ROOT / ".env.example").read_text(encoding="utf-8")) - {"DEPUTIZE_APP"}
    assert read - example == set(), "name it in .env.example"
    assert example - read == set(), "no such setting"


def test_ops_2_the_example_shows_the_defaults_of_the_code() -> None:
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^([A-Z][A-Z0-9_]+)=(.*)$", text, re.MULTILINE))
    expected = {s.names[0]: s.default for s in generate_settings.settings() if s.names[0] in shown}
    assert shown == expected


def test_the_reference_of_settings_is_up_to_date() -> None:
    assert generate_settings.main(["--check"]) == 0, "run `make docs`"


def test_the_tutorial_names_every_setting() -> None:
    tutorial = ROOT / "docs/tutorial/getting-started.md"
    if tutorial.is_file():
        assert set(OPS_2) - keys(tutorial.read_text(encoding="utf-8")) == set()
