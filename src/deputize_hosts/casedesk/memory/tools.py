"""What the copilot may do with remembered facts."""

from typing import Annotated, ClassVar
from uuid import UUID

from pydantic import Field

from deputize import Allow, Args, Context, Prose, Public, Refuse, Result, Target, Text, Toolset, Yields, tool
from deputize_hosts.casedesk.memory import service

PROVENANCE = {"signal_events": {"en": "Provenance record", "es": "Registro de procedencia"}}
"""Written with every change and never shown as one."""


class SearchMemory(Args):
    query: Annotated[str, Field(max_length=120, description="Words of the fact; empty lists the newest")] = ""
    case: Annotated[UUID | None, Target("case")] = None


class Remember(Args):
    fact: Annotated[str, Text(), Field(min_length=1, max_length=1000, pattern=r"\S")]
    case: Annotated[UUID | None, Target("case")] = None


class Fact(Result):
    id: Annotated[UUID, Yields("memory")]
    fact: Annotated[str, Prose()]
    at: Annotated[str, Public()]


class Facts(Result):
    many: ClassVar[str | None] = "items"
    items: list[Fact]
    total: int


class Kept(Result):
    id: Annotated[UUID, Yields("memory")]


async def never_suppresses(ctx: Context, args: Remember) -> Allow | Refuse:
    """ADR-0102: the store refuses what would silence a finding; asked before anything is shown."""
    no = service.refusal(ctx.actor, args.fact)
    return Allow() if no is None else Refuse(no.code, no.message, no.alternatives)


@tool(
    permissions=["memory.read"],
    effect="read",
    title={"en": "Search the memory", "es": "Buscar en la memoria"},
    say={
        "en": ["what do we remember about the bank letters?", "search the memory for notary"],
        "es": ["¿qué recordamos de las cartas del banco?", "busca notario en la memoria"],
    },
)
async def search_memory(ctx: Context, args: SearchMemory) -> Facts:
    """Facts that officers asked to be remembered."""
    rows = await service.search(ctx.session, ctx.actor, args.query, case_id=args.case, limit=20)
    return Facts(items=[Fact(id=row.id, fact=row.fact, at=row.at.isoformat()) for row in rows], total=len(rows))


@tool(
    permissions=["memory.write"],
    effect="write",
    guard=never_suppresses,
    title={"en": "Remember a fact", "es": "Recordar un dato"},
    say={
        "en": ["remember that this notary answers on Tuesdays", "remember: the register of Malta closes at noon"],
        "es": ["recuerda que esta notaría contesta los martes", "recuerda: el registro de Malta cierra a mediodía"],
    },
    no_target="A fact about the firm's work in general belongs to no record.",
    hidden=PROVENANCE,
)
async def remember_this(ctx: Context, args: Remember) -> Kept:
    """Remember a fact. What would have findings overlooked or settled is refused."""
    kept = await service.remember(ctx.session, ctx.actor, args.fact, args.case, call=ctx.key)
    return Kept(id=kept.id)


TOOLS = Toolset("memory", [search_memory, remember_this])
