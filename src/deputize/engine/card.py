"""The card: what was observed, worded by the server in the person's language (APPR-1, APPR-8)."""

from collections.abc import Mapping

from deputize.core.actor import Actor
from deputize.core.effect import Observed
from deputize.core.event import PreviewDto
from deputize.core.preview import Preview
from deputize.core.tool import Args, Tool
from deputize.engine.wiring import Wiring


def card(
    w: Wiring, actor: Actor, tool: Tool, args: Args, observed: Observed, marks: Mapping[str, tuple[str, ...]]
) -> Preview:
    """Word the card. `marks` maps an argument's dotted path to what the caller found (`untrusted`, `unproven`)."""
    raise NotImplementedError


def to_dto(preview: Preview, limit: int | None) -> PreviewDto:
    """The card on the wire; beyond `limit` characters it is `cut` (None gives it whole)."""
    raise NotImplementedError
