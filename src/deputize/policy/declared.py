"""What a tool declares, read off its models once: its schema for models, and which marks it carries."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from deputize.core.marks import Destination, Path, Prose, Target, Text, Yields, fields
from deputize.core.provider import ToolSchema
from deputize.core.tool import Tool


@dataclass(frozen=True, slots=True)
class Declared:
    """The tool as offered to a model, and whether its result holds prose."""

    tool: Tool
    schema: ToolSchema
    prose: bool


def _dotted(path: Path) -> str:
    return ".".join(path)


def _build(tool: Tool) -> Declared:
    marked_args, marked_result = fields(tool.args), fields(tool.result)
    schema = ToolSchema(
        name=tool.name,
        description=tool.description,
        parameters=_parameters(tool),
        effect=tool.effect,
        targets={_dotted(f.path): target.entity for f in marked_args if (target := f.mark(Target))},
        destinations={_dotted(f.path): place.kind for f in marked_args if (place := f.mark(Destination))},
        texts=tuple(_dotted(f.path) for f in marked_args if f.mark(Text)),
        yields={_dotted(f.path): yielded.entity for f in marked_result if (yielded := f.mark(Yields))},
        examples=tool.say,
    )
    return Declared(tool, schema, any(f.mark(Prose) for f in marked_result))


def _parameters(tool: Tool) -> dict[str, Any]:
    schema = tool.args.model_json_schema()
    schema.pop("title", None)
    schema.pop("description", None)
    return schema


_KEPT: WeakKeyDictionary[Callable[..., Any], Declared] = WeakKeyDictionary()


def schema_of(tool: Tool) -> Declared:
    """The declaration of a tool; computed once for each tool."""
    found = _KEPT.get(tool.handler)
    if found is None or found.tool is not tool:
        found = _KEPT[tool.handler] = _build(tool)
    return found
