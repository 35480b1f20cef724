"""What a tool's result tells beyond its values: what was seen, what is linked, what the model may read."""

from collections.abc import Mapping, Sequence
from typing import Any

from deputize.core.marks import Personal, Trusted, Version, Yields, fields, leaves
from deputize.core.run import Outcome
from deputize.core.tool import Result, Tool
from deputize.engine.outgoing import hide_data
from deputize.engine.record import Finished, Sighting, envelope
from deputize.engine.veil import Veil
from deputize.engine.wiring import Wiring
from deputize.policy.cap import cap, secret_key_in
from deputize.policy.provenance import canonical
from deputize.redaction.tokens import is_name

MAX_LINKS = 10


def sightings_of(model: type[Result], result: Any) -> list[Sighting]:
    """Ids with the version that stands beside them, and destinations in trusted fields."""
    found: list[Sighting] = []
    version_fields = {f.path for f in fields(model) if f.mark(Version)}
    for leaf in leaves(model, result):
        yields = leaf.field.mark(Yields)
        if yields is not None:
            beside = next((path[-1] for path in version_fields if path[:-1] == leaf.field.path[:-1]), None)
            version = leaf.holder.get(beside) if beside else None
            found.append((yields.entity, str(leaf.value), None if version is None else str(version), False))
        personal = leaf.field.mark(Personal)
        if personal is not None and leaf.field.mark(Trusted) is not None:
            kind = personal.kind.lower()
            found.append((f"@{kind}", canonical(kind, str(leaf.value)), None, True))
    return found


def links_of(w: Wiring, model: type[Result], result: Any, language: str) -> list[dict[str, str]]:
    """The host's pages of the records in a result, named by the fields beside their ids (UI-1)."""
    links: dict[tuple[str, str], dict[str, str]] = {}
    names = [(f.path, f.mark(Personal)) for f in fields(model)]
    for leaf in leaves(model, result):
        yields = leaf.field.mark(Yields)
        entity = w.registry.entities.get(yields.entity) if yields else None
        if entity is None or entity.url is None or len(links) >= MAX_LINKS:
            continue
        own = leaf.field.path[-1]
        beside = [
            str(leaf.holder[path[-1]])
            for path, personal in names
            if personal and is_name(personal.kind)
            if path[:-1] == leaf.field.path[:-1] and leaf.holder.get(path[-1])
            if personal.of in (None, own)
        ]
        label = " ".join(beside) or _label(entity.named(language), leaf.holder, names, leaf.field.path)
        ident = str(leaf.value)
        links[entity.kind, ident] = {
            "kind": entity.kind,
            "id": ident,
            "label": label,
            "url": entity.url.format(id=ident),
        }
    return list(links.values())


def _label(named: str, holder: Mapping[str, Any], names: Sequence[tuple[Any, Personal | None]], path: Any) -> str:
    """What a record without a name of its own is called: its label, or its kind and whom it is about."""
    own = holder.get("label") or holder.get("name") or holder.get("title")
    if own:
        return str(own)
    about = [
        str(holder[other[-1]])
        for other, personal in names
        if personal and is_name(personal.kind) and other[:-1] == path[:-1] and holder.get(other[-1])
    ]
    return " · ".join([named, *about[:1]])


async def finished(
    w: Wiring,
    tool: Tool,
    result: Mapping[str, Any],
    hidden: Veil,
    language: str,
    edited: Sequence[str] = (),
    **more: Any,
) -> Finished:
    """A successful result: capped, checked for secrets, linked, and redacted for the model. Raises DetectionFailed."""
    denied = secret_key_in(result)
    if denied is not None:
        return Finished(
            Outcome.FAILED,
            envelope(Outcome.FAILED, code="secret_in_result", message="The result held a secret and was withheld."),
            code="secret_in_result",
            entry={"door": "secret"},
            **more,
        )
    shown, truncated, total = cap(result, w.limits.result_items, w.limits.result_chars)
    sent = envelope(
        Outcome.OK,
        result=await hide_data(w, hidden, shown, tool.result),
        truncated=truncated or None,
        total=total if truncated else None,
        fields_changed_by_the_person=list(edited) or None,
    )
    return Finished(
        Outcome.OK,
        sent,
        result=shown,
        truncated=truncated,
        links=links_of(w, tool.result, shown, language),
        sightings=sightings_of(tool.result, result),
        **more,
    )
