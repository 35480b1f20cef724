"""Arguments that leave the house stand on the card in clear, restored values marked personal (TOOL-13)."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from deputize.core import strict_json
from deputize.core.actor import Actor
from deputize.core.effect import Observed
from deputize.core.marks import Destination, Target, Text, leaves
from deputize.core.preview import FieldChange, Outgoing, Preview
from deputize.core.tool import Tool
from deputize.engine import wording
from deputize.policy.provenance import addresses_in

REQUEST = "request"
"""Channel of a request that a tool itself makes, as cards name it."""

UNTRIED = Observed(result=None, pre_images=[], effect={"changes": [], "outgoing": [], "events": [], "own": []})
"""A read that goes out is not tried before it is approved: trying it would be sending it."""


def restored(tool: Tool, raw: str, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Paths of arguments in which the door put a value for the placeholder that the model sent."""
    try:
        sent = strict_json.read(raw or "{}")
    except strict_json.NotStrict:
        return ()
    found = []
    for leaf in leaves(tool.args, dict(arguments)):
        said = _at(sent, leaf.path)
        if isinstance(said, str) and isinstance(leaf.value, str) and said != leaf.value:
            found.append(".".join(map(str, leaf.path)))
    return tuple(found)


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for part in path:
        if isinstance(value, dict):
            value = value.get(str(part))
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            return None
    return value


def with_request(
    preview: Preview, actor: Actor, tool: Tool, arguments: Mapping[str, Any], marks: Mapping[str, tuple[str, ...]]
) -> Preview:
    """The card with what the call itself sends: all of a read that goes out; of a write, what was restored and
    stands nowhere else on the card.
    """
    if not tool.egress:
        return preview
    shown = {str(field.after) for change in preview.changes for field in change.fields}
    shown |= {str(field.after) for item in preview.outgoing for field in item.fields}
    fields = tuple(
        field
        for field in _fields(actor, tool, arguments, marks)
        if tool.effect == "read" or ("personal" in field.marks and str(field.after) not in shown)
    )
    if not fields:
        return preview
    return replace(preview, outgoing=(*preview.outgoing, Outgoing(REQUEST, preview.title, fields)))


def _fields(
    actor: Actor, tool: Tool, arguments: Mapping[str, Any], marks: Mapping[str, tuple[str, ...]]
) -> Iterator[FieldChange]:
    for leaf in leaves(tool.args, dict(arguments)):
        path = ".".join(map(str, leaf.path))
        told, odd = wording.visible(wording.words(leaf.value, None, actor))
        said = list(marks.get(path, ()))
        if isinstance(leaf.value, str) and leaf.field.mark(Target) is None and leaf.field.mark(Destination) is None:
            said += ["model_text"] if leaf.field.mark(Text) is not None else []
            said += ["link"] if addresses_in(leaf.value) else []
        said += ["invisible"] if odd else []
        yield FieldChange(path, path.replace("_", " "), None, leaf.value, None, told, tuple(dict.fromkeys(said)))
