"""What a test needs from the machine: a missing piece fails, and is skipped only where that was asked for."""

import os
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Fail the test; skip it where `DEPUTIZE_ALLOW_MISSING=1` and not under `CI=true`."""
    allowed = os.environ.get("DEPUTIZE_ALLOW_MISSING") == "1" and os.environ.get("CI") != "true"
    if allowed:
        pytest.skip(f"{what} is missing, and DEPUTIZE_ALLOW_MISSING=1")
    pytest.fail(f"{what} is missing; `.ci/run` installs it (DEPUTIZE_ALLOW_MISSING=1 skips such tests)", pytrace=False)
