"""What the copilot may tell of people."""

from typing import Annotated, ClassVar
from uuid import UUID

from pydantic import Field

from deputize import Args, Context, Personal, Public, Result, Toolset, Trusted, Yields, tool
from deputize_hosts.workorders.users import service
from deputize_hosts.workorders.users.service import Person


class Nothing(Args):
    """No arguments."""


class Profile(Result):
    id: Annotated[UUID, Yields("user")]
    name: Annotated[str, Public(), Trusted()]
    email: Annotated[str, Personal("EMAIL", of="id"), Trusted()]
    role: Annotated[str, Public()]
    ai_enabled: bool


class Users(Args):
    query: Annotated[str, Field(max_length=120, description="Part of a name or e-mail; empty for everybody")] = ""
    page: Annotated[int, Field(ge=1, le=100)] = 1


class UserList(Result):
    many: ClassVar[str | None] = "items"
    items: list[Profile]
    total: int


@tool(
    permissions=["orders.read"],
    effect="read",
    title={"en": "See my profile", "es": "Ver mi perfil"},
    say={
        "en": ["who am I?", "show my profile", "what is my role?"],
        "es": ["¿quién soy?", "enséñame mi perfil", "¿qué función tengo?"],
    },
)
async def get_profile(ctx: Context, args: Nothing) -> Profile:
    """The signed-in person: name, e-mail, role, and whether the assistant may work for them."""
    return _shown(await service.profile(ctx.session, ctx.actor))


@tool(
    permissions=["users.admin"],
    effect="read",
    title={"en": "List users", "es": "Ver los usuarios"},
    say={
        "en": ["list the users", "which users are there?", "who works here?", "who has the assistant switched off?"],
        "es": [
            "lista los usuarios",
            "¿qué usuarios hay?",
            "¿quién trabaja aquí?",
            "¿quién tiene el asistente apagado?",
        ],
    },
)
async def admin_list_users(ctx: Context, args: Users) -> UserList:
    """The users of the organisation with role and whether the assistant may work for them."""
    found = await service.list_users(ctx.session, ctx.actor, args.query, page=args.page, size=10)
    return UserList(items=[_shown(one) for one in found.items], total=found.total)


def _shown(person: Person) -> Profile:
    return Profile(id=person.id, name=person.name, email=person.email, role=person.role, ai_enabled=person.ai_enabled)


TOOLS = Toolset("users", [get_profile, admin_list_users])
