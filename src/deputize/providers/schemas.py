"""Says a tool's JSON Schema as each wire takes it: references resolved, nothing lost, strict where it can be (TOOL-16).

Source: contract TOOL-16; field cases F7, F8. In: what pydantic's `model_json_schema()` gives for the arguments.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

T = TypeVar("T")
MOST_KEPT = 1_024
MOST_NODES = 5_000
DEEPEST = 10
MAPS = frozenset({"properties", "patternProperties", "dependentSchemas"})
SINGLES = frozenset(
    {"items", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties"}
)
LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
DROPPED = frozenset({"$defs", "definitions", "$schema", "$id", "$comment", "discriminator"})
NOTES = frozenset({"description", "default", "examples", "deprecated", "readOnly", "writeOnly"})
STRICT = frozenset(
    """type enum const description pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum
    minItems maxItems properties required additionalProperties items anyOf oneOf""".split()  # noqa: SIM905 - a list of words reads best as words
)
HARMLESS = frozenset(
    """default examples deprecated readOnly writeOnly minLength maxLength uniqueItems minProperties maxProperties
    contentMediaType contentEncoding""".split()  # noqa: SIM905 - as above
)
FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})


class SchemaRefused(ValueError):
    """No wire can be told this schema: it contains itself, explodes, or is not of an object."""


class NotStrict(ValueError):
    """The schema means something that strict mode cannot say; the plain form is right for it."""


class _Plain:
    """Resolves references into their places, within bounds."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._nodes = 0

    def schema(self, schema: Any, inside: tuple[str, ...] = ()) -> dict[str, Any]:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise SchemaRefused("the schema is too large once its references are resolved")
        if schema is True:
            return {}
        if schema is False:
            return {"not": {}}
        if not isinstance(schema, Mapping):
            raise SchemaRefused("the schema holds what is no schema")
        if "$ref" in schema:
            return self._referred(schema, inside)
        return _collapsed({key: self._value(key, value, inside) for key, value in schema.items() if _kept(key, value)})

    def _value(self, key: str, value: Any, inside: tuple[str, ...]) -> Any:
        if key in MAPS and isinstance(value, Mapping):
            return {name: self.schema(part, inside) for name, part in value.items()}
        if key in LISTS and isinstance(value, Sequence):
            return [self.schema(part, inside) for part in value]
        if key in SINGLES or (key == "additionalProperties" and not isinstance(value, bool)):
            return self.schema(value, inside)
        return value

    def _referred(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> dict[str, Any]:
        reference = str(schema["$ref"])
        if reference in inside:
            raise SchemaRefused(f"{reference.rpartition('/')[2]} contains itself")
        target = self.schema(self._find(reference), (*inside, reference))
        beside = self.schema({key: value for key, value in schema.items() if key != "$ref"}, inside)
        if beside.keys() <= NOTES:
            return {**target, **beside}
        return {"allOf": [target, beside]}

    def _find(self, reference: str) -> Any:
        if reference != "#" and not reference.startswith("#/"):
            raise SchemaRefused("the schema refers to another document")
        found: Any = self._root
        for part in reference.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or key not in found:
                raise SchemaRefused(f"the schema refers to {key}, which it does not hold")
            found = found[key]
        return found


def _kept(key: str, value: Any) -> bool:
    return key not in DROPPED and not (key == "title" and isinstance(value, str))


def _collapsed(schema: dict[str, Any]) -> dict[str, Any]:
    """An `allOf` of one part beside nothing but notes is that part."""
    parts = schema.get("allOf")
    if isinstance(parts, list) and len(parts) == 1 and schema.keys() - {"allOf"} <= NOTES:
        notes = {key: value for key, value in schema.items() if key != "allOf"}
        return {**parts[0], **notes}
    return schema


def plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without references and titles, an object at its root. Raises SchemaRefused."""
    schema = _Plain(parameters).schema(parameters)
    if schema.get("type", "object") != "object" or schema.keys() & {"anyOf", "oneOf", "allOf"}:
        raise SchemaRefused("arguments must be one object")
    return {"type": "object", "properties": {}, **schema}


class Kept(Generic[T]):
    """An exporter that answers the same schema object from memory (0.1 to 0.3 ms each otherwise, at every call)."""

    def __init__(self, export: Callable[[Mapping[str, Any]], T]) -> None:
        self._export = export
        self._kept: dict[int, tuple[Mapping[str, Any], T]] = {}

    def __call__(self, parameters: Mapping[str, Any]) -> T:
        """The export of these parameters; raises what the exporter raises."""
        found = self._kept.get(id(parameters))
        if found is None or found[0] is not parameters:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            # holding the parameters keeps their id from being given to others
            found = self._kept[id(parameters)] = (parameters, self._export(parameters))
        return found[1]


def for_openai(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """For `tools[].function.parameters` without `strict`. Raises SchemaRefused."""
    return plain(parameters)


def for_anthropic(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """For `tools[].input_schema`. Raises SchemaRefused."""
    return plain(parameters)


def for_openai_strict(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """For `tools[].function.parameters` with `strict: true`. Raises SchemaRefused, NotStrict.

    Strict mode wants every property required; one that may be left out is widened by null, and
    `without_filled` takes the nulls out of the answer again, so that "left out" and "null" stay two things.
    """
    return _strict(plain(parameters), 0)


def _strict(schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
    unknown = schema.keys() - STRICT - HARMLESS
    if unknown:
        raise NotStrict(f"strict mode does not know {', '.join(sorted(unknown))}")
    if depth > DEEPEST:
        raise NotStrict("strict mode takes no deeper nesting")
    out = {key: value for key, value in schema.items() if key in STRICT and key != "oneOf"}
    if out.get("format") not in FORMATS:
        out.pop("format", None)
    if "(?" in str(out.get("pattern", "")):
        del out["pattern"]
    choices = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if choices:
        out["anyOf"] = [_strict(choice, depth) for choice in choices]
    elif schema.get("type") == "object":
        _strict_object(out, schema, depth)
    elif schema.get("type") == "array":
        if not schema.get("items"):
            raise NotStrict("strict mode wants to know what a list holds")
        out["items"] = _strict(schema["items"], depth + 1)
    elif not schema.keys() & {"type", "enum", "const"}:
        raise NotStrict("strict mode takes no value of any type")
    return out


def _strict_object(out: dict[str, Any], schema: Mapping[str, Any], depth: int) -> None:
    if schema.get("additionalProperties", False) is not False or ("properties" not in schema and depth):
        raise NotStrict("strict mode takes no free keys")
    properties = schema.get("properties", {})
    needed = schema.get("required", ())
    out["properties"] = {
        name: _strict(part if name in needed else _widened(part), depth + 1) for name, part in properties.items()
    }
    out["required"] = list(properties)
    out["additionalProperties"] = False


def _takes_null(schema: Mapping[str, Any]) -> bool:
    kinds = schema.get("type")
    if kinds == "null" or (isinstance(kinds, list) and "null" in kinds):
        return True
    if "enum" in schema or "const" in schema:
        return None in schema.get("enum", [schema.get("const", "")])
    choices = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return any(_takes_null(choice) for choice in choices) or not schema.keys() - NOTES


def _widened(schema: Mapping[str, Any]) -> dict[str, Any]:
    if _takes_null(schema):
        return dict(schema)
    inner = {key: value for key, value in schema.items() if key not in NOTES}
    notes = {key: value for key, value in schema.items() if key == "description"}
    return {**notes, "anyOf": [inner, {"type": "null"}]}


def without_filled(value: Any, schema: Mapping[str, Any]) -> Any:
    """The arguments without the nulls that only strict mode asked for; `schema` is the plain one."""
    if isinstance(value, Mapping):
        own = _object_for(value, schema)
        properties, needed = own.get("properties", {}), own.get("required", ())
        return {
            name: without_filled(part, properties.get(name, {}))
            for name, part in value.items()
            if part is not None or name not in properties or name in needed or _takes_null(properties[name])
        }
    if isinstance(value, list):
        kinds = [schema, *schema.get("anyOf", ()), *schema.get("oneOf", ())]
        items: Mapping[str, Any] = next((kind["items"] for kind in kinds if isinstance(kind.get("items"), Mapping)), {})
        return [without_filled(part, items) for part in value]
    return value


def _object_for(value: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = [schema, *schema.get("anyOf", ()), *schema.get("oneOf", ())]
    fitting = (kind for kind in choices if value.keys() <= kind.get("properties", {}).keys())
    return next(fitting, schema)
