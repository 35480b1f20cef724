"""A clock that stands still until a test moves it."""

from datetime import UTC, datetime, timedelta


class FrozenClock:
    """Implements `Clock`; starts at `start` (aware; default 2026-03-02 09:00 UTC, a Monday)."""

    def __init__(self, start: datetime | None = None) -> None:
        moment = start or datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        if moment.tzinfo is None:
            raise ValueError("the clock needs an aware time")
        self._now = moment.astimezone(UTC)

    def now(self) -> datetime:
        """The frozen moment, aware, UTC; the same at each call."""
        return self._now

    def advance(self, seconds: float) -> datetime:
        """Move on by `seconds` and return the new moment. Raises ValueError for a step back."""
        if seconds < 0:
            raise ValueError("time does not run backwards")
        self._now += timedelta(seconds=seconds)
        return self._now
