"""What every detector of persons and places in free text promises. Source: contract RED-4, RED-6."""

from typing import Protocol

from deputize.redaction.spans import Span


class EntityDetector(Protocol):
    """Finds personal values in free text. It may raise: then the text is not sent (RED-6)."""

    def find(self, text: str, language: str) -> list[Span]:
        """Spans of the text as given; `language` is `en` or `es`."""
        ...
