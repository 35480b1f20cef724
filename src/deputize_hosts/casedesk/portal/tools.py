"""What the copilot may tell a customer: their own application, what is asked of them, and general guidance."""

from typing import Annotated, ClassVar

from pydantic import Field

from deputize import Args, Context, Public, Result, Toolset, Trusted, tool
from deputize_hosts.casedesk.portal import service


class Mine(Args):
    reference: Annotated[str, Field(max_length=20, description="Only for people with several applications")] = ""


class Ask(Args):
    query: Annotated[str, Field(max_length=160, description="Words of the question")] = ""


class MyApplication(Result):
    reference: Annotated[str, Public()]
    company: Annotated[str, Trusted()]
    stage: Annotated[str, Public()]


class MyDocument(Result):
    document: Annotated[str, Public()]
    requested_on: Annotated[str, Public()]
    received: bool


class MyDocuments(Result):
    many: ClassVar[str | None] = "items"
    items: list[MyDocument]
    total: int


class Guidance(Result):
    title: Annotated[str, Public()]
    text: Annotated[str, Public()]


class Guidances(Result):
    many: ClassVar[str | None] = "items"
    items: list[Guidance]
    total: int


@tool(
    permissions=["portal.case.read"],
    effect="read",
    title={"en": "My application", "es": "Mi solicitud"},
    say={
        "en": ["how is my application going?", "what is the status of my application?"],
        "es": ["¿cómo va mi solicitud?", "¿en qué estado está mi solicitud?"],
    },
)
async def my_application(ctx: Context, args: Mine) -> MyApplication:
    """The customer's own application: its reference and the stage it is in."""
    own = await service.application(ctx.session, ctx.actor, args.reference)
    return MyApplication(reference=own.reference, company=own.company, stage=own.stage)


@tool(
    permissions=["portal.case.read"],
    effect="read",
    title={"en": "My documents", "es": "Mis documentos"},
    say={
        "en": ["which documents do you still need from me?", "did you get my papers?"],
        "es": ["¿qué documentos necesitáis de mí?", "¿habéis recibido mis papeles?"],
    },
)
async def my_documents(ctx: Context, args: Mine) -> MyDocuments:
    """What the customer was asked to send, and whether it has arrived."""
    rows = await service.documents(ctx.session, ctx.actor, args.reference)
    items = [
        MyDocument(document=row.document, requested_on=row.requested_at.date().isoformat(), received=row.received)
        for row in rows
    ]
    return MyDocuments(items=items, total=len(items))


@tool(
    permissions=["portal.case.read"],
    effect="read",
    title={"en": "Guidance", "es": "Orientación"},
    say={
        "en": ["which documents are accepted?", "how long does it take?"],
        "es": ["¿qué documentos sirven?", "¿cuánto tarda?"],
    },
)
async def portal_guidance(ctx: Context, args: Ask) -> Guidances:
    """General guidance for customers: accepted documents, how long it takes, what happens to data."""
    found = service.guidance(ctx.actor, args.query)
    return Guidances(items=[Guidance(title=one.title, text=one.body) for one in found], total=len(found))


TOOLS = Toolset("portal", [my_application, my_documents, portal_guidance])
