"""Which arguments of a proposal a person may change on its card, with names, kinds and choices (APPR-7)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from deputize.core.actor import Actor
from deputize.core.approval import ApprovalStatus
from deputize.core.errors import ApprovalResolved, Forbidden
from deputize.core.marks import Target, Text, fields
from deputize.core.run import ToolCall
from deputize.core.tool import Tool
from deputize.engine import access
from deputize.engine.views import language
from deputize.engine.wiring import Wiring

LONG = 254
"""Text that may be longer than this is written in several lines."""
KINDS = {"integer": "integer", "number": "number", "boolean": "boolean"}
FORMATS = {"date": "date", "date-time": "moment", "time": "time"}


async def editable(w: Wiring, actor: Actor, call_id: str) -> list[dict[str, Any]]:
    """The plain values among the arguments; records that the call names are not to be changed here.

    Each is `{name, caption, kind, value, options, optional, minimum, maximum, maxLength}`; `kind` is `text`, `long`,
    `integer`, `number`, `boolean`, `date`, `time`, `moment` or `choice`. Raises NotFound, Forbidden, ApprovalResolved.
    """
    async with w.db.read() as conn:
        call, owner = await access.visible_call(w, conn, actor, call_id)
    if not access.decider(w, actor, call, owner):
        raise Forbidden("Another person decides this.")
    tool = w.registry.tools.get(call.tool)
    if call.approval is None or call.approval.status is not ApprovalStatus.PENDING or tool is None:
        raise ApprovalResolved()
    return fields_of(w, call, tool, language(actor.locale), ZoneInfo(actor.time_zone))


def fields_of(w: Wiring, call: ToolCall, tool: Tool, spoken: str, zone: ZoneInfo) -> list[dict[str, Any]]:
    """The same for a call whose card is pending; moments that say their offset are given in `zone`."""
    assert call.approval is not None
    schema = tool.args.model_json_schema()
    kinds = [change.kind for change in call.approval.preview.changes]
    words = [w.registry.entities[kind].captions for kind in kinds if kind in w.registry.entities]
    shown = {field.name: field.caption for change in call.approval.preview.changes for field in change.fields}
    found = []
    for field in fields(tool.args):
        if len(field.path) != 1 or field.mark(Target) is not None:
            continue
        name = field.path[0]
        said = _resolved(schema["properties"][name], schema.get("$defs", {}))
        kind = _kind(said, prose=field.mark(Text) is not None)
        if kind is None:
            continue
        options = [
            {"value": value, "caption": _word(words, f"{name}={value}", spoken) or _plain(str(value))}
            for value in said.get("enum", ())
        ]
        found.append(
            {
                "name": name,
                "caption": _word(words, name, spoken) or shown.get(name) or _plain(name),
                "kind": kind,
                "value": _value(kind, call.approval.arguments.get(name), zone),
                "options": options or None,
                "optional": not field.required,
                "minimum": said.get("minimum"),
                "maximum": said.get("maximum"),
                "maxLength": said.get("maxLength"),
            }
        )
    return found


def _resolved(said: Mapping[str, Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """A property without references, and without the null beside its one type."""
    if "$ref" in said:
        return _resolved({**named[str(said["$ref"]).rpartition("/")[2]], **_but(said, "$ref")}, named)
    choices = [one for one in said.get("anyOf", ()) if one.get("type") != "null"]
    if len(choices) == 1:
        return _resolved({**choices[0], **_but(said, "anyOf")}, named)
    if "const" in said:
        return {**said, "enum": [said["const"]]}
    return dict(said)


def _but(said: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in said.items() if key != name}


def _kind(said: Mapping[str, Any], *, prose: bool) -> str | None:
    if "enum" in said:
        return "choice" if all(isinstance(value, str) for value in said["enum"]) else None
    kind = said.get("type")
    if kind == "string":
        plain = FORMATS.get(said.get("format", ""), "text")
        return "long" if plain == "text" and (prose or said.get("maxLength", 0) > LONG) else plain
    return KINDS.get(kind or "")


def _value(kind: str, value: Any, zone: ZoneInfo) -> Any:
    """A person edits the hour on their own clock; a naive one is local already."""
    if kind != "moment" or not isinstance(value, str):
        return value
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return value
    return value if at.tzinfo is None else at.astimezone(zone).isoformat()


def _word(words: Sequence[Mapping[str, Mapping[str, str]]], name: str, spoken: str) -> str | None:
    said = next((one[name] for one in words if name in one), {})
    return said.get(spoken) or said.get("en") or next(iter(said.values()), None)


def _plain(name: str) -> str:
    return name.replace("_", " ").strip().capitalize()
