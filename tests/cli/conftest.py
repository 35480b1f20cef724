"""An office with our tables, for commands."""

from pathlib import Path

import pytest

from tests.cli.office import Office


@pytest.fixture
def office(tmp_path: Path) -> Office:
    """Our tables and a few people; no key and no chain yet."""
    return Office(tmp_path).upgrade()
