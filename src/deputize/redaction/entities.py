"""What every detector of persons and places in free text promises. Source: contract RED-4, RED-6."""

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from typing import Protocol

from deputize.core.errors import DetectionFailed
from deputize.redaction.spans import Span

REMEMBERED = 512
"""Texts of which a process remembers what was found in them."""


class EntityDetector(Protocol):
    """Finds personal values in free text. It may raise: then the text is not sent (RED-6)."""

    def find(self, text: str, language: str) -> list[Span]:
        """Spans of the text as given; `language` is `en` or `es`."""
        ...


def asked_in(detector: EntityDetector, languages: Sequence[str]) -> Sequence[str]:
    """The languages to ask a detector in: one where a single pass serves them all."""
    return languages[:1] if getattr(detector, "multilingual", False) else languages


class Remembering:
    """Reads each text once: a slow detector can be asked ahead, aside, and the redactor finds its answer here.

    Only a hash of the text and the places of the finds are kept. Several threads may use it at once.
    """

    def __init__(self, detector: EntityDetector, languages: Sequence[str] = ("en", "es")) -> None:
        self._detector = detector
        self._languages = asked_in(detector, languages)
        self._found: OrderedDict[bytes, tuple[Span, ...]] = OrderedDict()

    multilingual = True
    """It asks for every language itself."""

    def knows(self, text: str) -> bool:
        """True where a text was read already."""
        return _key(text) in self._found

    def find(self, text: str, language: str) -> list[Span]:
        """What was found in a text in any language. Raises DetectionFailed where the detector raises."""
        key = _key(text)
        found = self._found.get(key)
        if found is None:
            try:
                found = tuple(span for one in self._languages for span in self._detector.find(text, one))
            except Exception:
                raise DetectionFailed from None
            self._found[key] = found
            while len(self._found) > REMEMBERED:
                self._found.popitem(last=False)
        return list(found)


def _key(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
