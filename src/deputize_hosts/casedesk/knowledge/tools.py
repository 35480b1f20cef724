"""What the copilot may do in the library: search regulations and the house's standards."""

from typing import Annotated, ClassVar

from pydantic import Field

from deputize import Args, Context, Public, Result, Toolset, tool
from deputize_hosts.casedesk.knowledge import service

MOST = 4


class Search(Args):
    query: Annotated[str, Field(max_length=160, description="Words of the subject; empty lists everything")] = ""


class Passage(Result):
    key: Annotated[str, Public()]
    title: Annotated[str, Public()]
    text: Annotated[str, Public()]


class Passages(Result):
    many: ClassVar[str | None] = "items"
    items: list[Passage]
    total: int


@tool(
    permissions=["knowledge.read"],
    effect="read",
    title={"en": "Search the regulations", "es": "Buscar en la normativa"},
    say={
        "en": ["what do the regulations say about beneficial owners?", "how long must records be kept?"],
        "es": ["¿qué dice la normativa sobre el titular real?", "¿cuánto tiempo hay que conservar los registros?"],
    },
)
async def search_regulations(ctx: Context, args: Search) -> Passages:
    """Search the library of regulations, written for orientation."""
    return _passages(ctx, "regulations", args.query)


@tool(
    permissions=["knowledge.read"],
    effect="read",
    title={"en": "Search the standards", "es": "Buscar en las normas internas"},
    say={
        "en": ["what is our standard for proof of address?", "how do we write a rationale?"],
        "es": ["¿cuál es nuestra norma sobre justificantes de domicilio?", "¿cómo se motiva una decisión?"],
    },
)
async def search_standards(ctx: Context, args: Search) -> Passages:
    """Search the house's own standards."""
    return _passages(ctx, "standards", args.query)


def _passages(ctx: Context, shelf: str, query: str) -> Passages:
    spoken = "es" if ctx.actor.locale.lower().startswith("es") else "en"
    found = service.search(ctx.actor, shelf, query)
    items = [Passage(key=one.key, title=one.title[spoken], text=one.body[spoken]) for one in found[:MOST]]
    return Passages(items=items, total=len(found))


TOOLS = Toolset("knowledge", [search_regulations, search_standards])
