"""Write web/src/events.ts, the front end's types, from the events and DTOs of core/event.py.

Run `python scripts/generate_events.py` to write the file, with `--check` to compare only.
"""

import sys
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from deputize.core.event import STREAM_ENDS, TERMINAL_EVENTS, RunEvent
from deputize.core.run import MOVES, TERMINAL

TARGET = Path(__file__).resolve().parent.parent / "web" / "src" / "events.ts"
HEAD = "/** The run's events and their parts; generated from core/event.py by scripts/generate_events.py. */\n"
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def typed(schema: dict[str, Any]) -> str:
    """The TypeScript type of one JSON schema node; raises KeyError on a kind of node that is not known."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "const" in schema:
        return f"'{schema['const']}'"
    if "enum" in schema:
        return " | ".join(f"'{value}'" for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(typed(part) for part in schema["anyOf"])
    if "type" not in schema:
        return "unknown"
    if schema["type"] == "array":
        inner = typed(schema["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if schema["type"] == "object":
        return f"Record<string, {typed(schema['additionalProperties'])}>"
    return PLAIN[schema["type"]]


def comment(text: str, indent: str = "") -> str:
    """A documentation comment of one or more lines, or nothing."""
    lines = [line.strip() for line in text.strip().split("\n")]
    if lines == [""]:
        return ""
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return f"{indent}/**\n" + "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines) + f"{indent} */\n"


def declaration(name: str, schema: dict[str, Any]) -> str:
    """An interface, or a union of words for an enumeration."""
    head = comment(schema.get("description", ""))
    if "properties" not in schema:
        return f"{head}export type {name} =\n" + "".join(f"  | '{v}'\n" for v in schema["enum"]).rstrip() + ";\n"
    body = "".join(f"  {field}: {typed(part)};\n" for field, part in schema["properties"].items())
    return f"{head}export interface {name} {{\n{body}}}\n"


def words(name: str, values: list[str], note: str) -> str:
    """A constant set of words."""
    listed = ", ".join(f"'{value}'" for value in values)
    return f"/** {note} */\nexport const {name}: readonly string[] = [{listed}];\n"


def render() -> str:
    """The whole text of events.ts."""
    schema = TypeAdapter(RunEvent).json_schema(by_alias=True, mode="serialization")
    definitions: dict[str, Any] = schema["$defs"]
    members = [str(part["$ref"]).rsplit("/", 1)[-1] for part in schema["oneOf"]]
    union = "".join(f"  | {member}\n" for member in members)
    statuses = "".join(f"  | '{status.value}'\n" for status in MOVES)
    parts = [
        HEAD,
        *(declaration(name, definitions[name]) for name in sorted(definitions)),
        f"/** All that a run can emit. */\nexport type RunEvent =\n{union[:-1]};\n",
        f"/** The states of a run. */\nexport type RunStatus =\n{statuses[:-1]};\n",
        words("TERMINAL_STATUSES", [s.value for s in MOVES if s in TERMINAL], "States that a run never leaves."),
        words("TERMINAL_EVENTS", sorted(TERMINAL_EVENTS), "Exactly one of these ends a run."),
        words("STREAM_ENDS", sorted(STREAM_ENDS), "Exactly one of these ends the stream of a message or decision."),
    ]
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    """0 where the file is, or now has been made, up to date; 1 where `--check` finds that it is not."""
    text = render()
    if "--check" in arguments:
        return 0 if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text else 1
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
