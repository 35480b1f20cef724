"""What the audit chain says: the draft of an entry, before the one writer links it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Draft:
    """One thing that happened (AUD-2). The writer adds tenant, sequence, time, salt and hashes.

    `payload` holds only strings, integers below 2^53, booleans, null, lists and objects with ASCII keys;
    records are named by the host's ids. `personal` are values that must be erasable by subject: name of
    the payload field → (subject such as `patient:ID`, clear value); they stand in the payload encrypted.
    """

    kind: str
    actor: str
    payload: Mapping[str, Any]
    run: str | None = None
    personal: Mapping[str, tuple[str, str]] = field(default_factory=dict)
