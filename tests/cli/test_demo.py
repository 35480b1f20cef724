"""`deputize demo`: what it says of data that were made long ago."""

import os
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from deputize.cli.demo import STALE, aged

NOW = datetime(2026, 7, 20, 9, tzinfo=UTC)


def made(folder: Path, ago: timedelta) -> Path:
    key = folder / "secret.key"
    key.write_text("secret")
    moment = (NOW - ago).timestamp()
    os.utime(key, (moment, moment))
    return folder


def test_data_of_this_week_are_nothing_to_speak_of(tmp_path: Path) -> None:
    assert aged(tmp_path, NOW) is None
    assert aged(made(tmp_path, STALE - timedelta(seconds=1)), NOW) is None


def test_the_day_of_older_data_is_told(tmp_path: Path) -> None:
    """The stories of a demonstration stand around the day on which it was made."""
    assert aged(made(tmp_path, timedelta(days=10)), NOW) == date(2026, 7, 10)
