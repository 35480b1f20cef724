"""Write docs/reference/errors.md and events.md, and the picture of states in docs/design/lifecycle.md.

Run `python scripts/generate_reference.py` to write the files, with `--check` to compare only.
"""

import inspect
import sys
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from deputize.core import errors
from deputize.core.errors import DeputizeError
from deputize.core.event import STREAM_ENDS, TERMINAL_EVENTS, RunEvent, Wire
from deputize.core.run import MOVES, TERMINAL, RunStatus
from scripts.generated import settle, within

ERRORS = "docs/reference/errors.md"
EVENTS = "docs/reference/events.md"
LIFECYCLE = "docs/design/lifecycle.md"
ERROR_HEAD = """# Errors

Generated from `core/errors.py` by `make docs` (API-3). Before the first byte of a stream every failure is JSON
`{error: {code, message, details}}`; after it, an `error` event with the same code (SSE-2). Messages and details
never hold prompt content or personal values.

| code | status | what a person is told | raised as |
|---|---|---|---|
"""
EVENT_HEAD = """# Events

Generated from `core/event.py` by `make docs` (SSE-1). A run emits these and nothing else; every face renders them.
Durable events have a contiguous id per run, from 1; how they are framed stands in [wire.md](wire.md).

"""
FLEETING = {"token", "ping"}
REASONS: Mapping[tuple[RunStatus, RunStatus], str] = {
    (RunStatus.RUNNING, RunStatus.AWAITING_APPROVAL): "write staged",
    (RunStatus.RUNNING, RunStatus.COMPLETE): "answered",
    (RunStatus.RUNNING, RunStatus.ERROR): "failed, loop, lease lost",
    (RunStatus.RUNNING, RunStatus.BUDGET_EXCEEDED): "steps or money used up",
    (RunStatus.RUNNING, RunStatus.ABORTED): "cancel, disconnect, switch",
    (RunStatus.AWAITING_APPROVAL, RunStatus.RUNNING): "decided",
    (RunStatus.AWAITING_APPROVAL, RunStatus.EXPIRED): "time to decide over",
    (RunStatus.AWAITING_APPROVAL, RunStatus.ABORTED): "cancel, logout, end, switch",
}


def leaves(kind: type[DeputizeError] = DeputizeError) -> Iterator[type[DeputizeError]]:
    """Every error of the tree in the order of its declaration."""
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield child
            yield from leaves(child)


def own_words(kind: type[Any]) -> str:
    """The class's own docstring on one line; nothing where it has none."""
    said = kind.__dict__.get("__doc__") or ""
    return " ".join(inspect.cleandoc(said).split())


def error_page() -> str:
    """The table of codes, statuses and what a person is told."""
    rows: list[type[DeputizeError]] = [DeputizeError, *leaves()]
    lines = [
        f"| `{kind.code}` | {kind.status} | {kind.default} | `{kind.__name__}`{': ' if own_words(kind) else ''}"
        f"{own_words(kind)} |"
        for kind in rows
    ]
    return ERROR_HEAD + "\n".join(lines) + "\n"


def type_words(schema: Mapping[str, Any]) -> str:
    """A JSON schema node in words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(type_words(part) for part in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {type_words(schema.get('items', {}))}"
    if schema.get("type") == "object":
        return (
            f"object of {type_words(schema['additionalProperties'])}" if "additionalProperties" in schema else "object"
        )
    return str(schema.get("type", "any JSON"))


def field_table(model: type[Wire]) -> str:
    """The fields of one event or DTO as they stand on the wire."""
    schema = model.model_json_schema(by_alias=True, mode="serialization")
    fields = [(name, part) for name, part in schema.get("properties", {}).items() if name != "type"]
    if not fields:
        return "No fields.\n"
    rows = [f"| `{name}` | {type_words(part)} |" for name, part in fields]
    return "| field | type |\n|---|---|\n" + "\n".join(rows) + "\n"


def members() -> list[type[Wire]]:
    """The events in the order of the union."""
    union = get_args(RunEvent)[0]
    return list(get_args(union))


def parts() -> list[type[Wire]]:
    """The shapes inside the events, in the order of their declaration."""
    return [kind for kind in Wire.__subclasses__() if kind not in members() and kind.__module__ == Wire.__module__]


def event_page() -> str:
    """Each event with its fields, whether it is durable, and what it ends."""
    sections = []
    for kind in members():
        name = str(kind.model_fields["type"].default)
        facts = ["not durable, no id" if name in FLEETING else "durable, with an id"]
        if name in TERMINAL_EVENTS:
            facts.append("ends the run")
        elif name in STREAM_ENDS:
            facts.append("ends the stream, not the run")
        said = own_words(kind)
        sections.append(f"## `{name}`\n\n{'; '.join(facts)}.{' ' + said if said else ''}\n\n{field_table(kind)}")
    shapes = [f"### {kind.__name__}\n\n{own_words(kind)}\n\n{field_table(kind)}" for kind in parts()]
    return EVENT_HEAD + "\n".join(sections) + "\n## Shapes inside the events\n\n" + "\n".join(shapes)


def moves() -> str:
    """The table of moves as a picture."""
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {RunStatus.RUNNING}"]
    for before, afters in MOVES.items():
        lines += [f"    {before} --> {after}: {REASONS[before, after]}" for after in RunStatus if after in afters]
    lines += [f"    {state} --> [*]" for state in MOVES if state in TERMINAL]
    return "\n".join([*lines, "```", ""])


def main(arguments: list[str]) -> int:
    """0 where the files are, or now have been made, up to date."""
    lifecycle = within(LIFECYCLE, "moves", moves())
    return settle({ERRORS: error_page(), EVENTS: event_page(), LIFECYCLE: lifecycle}, arguments)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
