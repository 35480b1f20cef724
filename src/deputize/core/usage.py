"""What a model call used and what it costs, in disjoint classes and integer micro-dollars."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call; the classes are disjoint (BUD-3).

    `input` excludes what was read from or written to a cache; `output` includes reasoning.
    `estimated` marks figures that the vendor did not report.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    estimated: bool = False

    def __post_init__(self) -> None:
        if any(type(count) is not int for count in (self.input, self.output, self.cache_read, self.cache_write)):
            raise ValueError("usage is counted in whole numbers")
        if min(self.input, self.output, self.cache_read, self.cache_write) < 0:
            raise ValueError("usage cannot be negative")

    @property
    def total(self) -> int:
        """All tokens of the call."""
        return self.input + self.output + self.cache_read + self.cache_write


@dataclass(frozen=True, slots=True)
class Price:
    """Micro-dollars for a million tokens of each class (0.15 USD is 150,000)."""

    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0

    def cost(self, usage: Usage) -> int:
        """Micro-dollars for `usage`, rounded up so that a fraction is never lost."""
        total = (
            usage.input * self.input
            + usage.output * self.output
            + usage.cache_read * self.cache_read
            + usage.cache_write * self.cache_write
        )
        return -(-total // 1_000_000)
